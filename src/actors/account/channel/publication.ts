/**
 * How an account actor's decisions are published: one unit goes to the store, and its commit callback publishes the numbered events. Nothing is
 * published before it is durable.
 */
import {
  type AccountEventKind,
  type AccountEventTags,
  accountEventText,
  alertTags,
  type EventDraft,
  executionTags,
  orderTags,
} from "../../../domain/account/event.ts"
import {
  executionText,
  keptExecution,
  keptOrder,
  keptPositions,
  positionsText,
} from "../../../domain/account/event-kept.ts"
import {
  isNothing,
  type Position,
  positionRecord,
  type TradingAccount,
} from "../../../domain/account/trading-account.ts"
import { accountChannel } from "../../../domain/channel.ts"
import type { TradeOrderId, TradingAccountId } from "../../../domain/ids.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { type Execution, isHedge, type TradeOrder } from "../../../domain/order/trade-order.ts"
import { tradeOrderJson } from "../../../domain/order/trade-order-record.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import type { Self } from "../../../kernel/behaviour.ts"
import type { AccountState, CommitOutcome, Row } from "../../../ports/account-store.ts"
import type { StateEntry } from "../messages.ts"
import type { AccountParts } from "../parts.ts"
import type { Rest } from "../resting-accounts.ts"
import type { Refusals } from "../venue/refusals.ts"
import type { Alert } from "../working-order.ts"

// Events of an account as its actor makes them: the draft that the store numbers, and what it tells beside its text.

export interface AccountEvent extends EventDraft {
  /** Null: those of its order, made only for those who listen. */
  readonly tags: AccountEventTags | null
  /** The image that a TRADE_ORDER event tells; null with the other kinds. */
  readonly order: TradeOrder | null
  /** What a PORTFOLIO.UPDATED tells; null with the other kinds. */
  readonly positions: ReadonlyArray<Position> | null
}

interface Draft extends Pick<AccountEvent, "kind" | "at" | "tags" | "order" | "positions"> {
  readonly text: string | (() => string)
  readonly kept: string | null
}

/** Its text is made when it is asked for: what the journal keeps in its place is enough where nothing listens. */
class LazyEvent implements AccountEvent {
  readonly kind: AccountEventKind
  readonly at: number
  readonly kept: string | null
  readonly tags: AccountEventTags | null
  readonly order: TradeOrder | null
  readonly positions: AccountEvent["positions"]
  #text: string | (() => string)

  constructor(
    readonly eventId: string,
    { kind, at, kept, tags, order, positions, text }: Draft,
  ) {
    this.kind = kind
    this.at = at
    this.kept = kept
    this.tags = tags
    this.order = order
    this.positions = positions
    this.#text = text
  }

  get payload(): string {
    if (typeof this.#text !== "string") this.#text = this.#text()
    return this.#text
  }
}

export class NewsDesk {
  constructor(private readonly parts: Pick<AccountParts, "ids" | "clock">) {}

  /** `payload`: the record's JSON text. */
  of(
    kind: AccountEventKind,
    payload: string,
    at = this.parts.clock.now(),
    tags: AccountEventTags = { kind },
  ): AccountEvent {
    return this.drafted({ kind, at, text: payload, kept: null, tags, order: null, positions: null })
  }

  /** Under the id by which the dealer's outbox knows it. */
  ofQuote(payload: string, at: number, eventId: string): AccountEvent {
    const kind = "QUOTE.UPDATED"
    const draft = { kind, at, text: payload, kept: null, tags: { kind }, order: null, positions: null } as const
    return new LazyEvent(eventId, draft)
  }

  /** `json`: its record, where that is written already. */
  ofOrder(kind: AccountEventKind, order: TradeOrder, at: number, json?: string): AccountEvent {
    const kept = keptOrder(order)
    const text = json ?? ((): string => tradeOrderJson(order))
    return this.drafted({ kind, at, text, kept, tags: null, order, positions: null })
  }

  ofExecution(execution: Execution, order: TradeOrder, at: number): AccountEvent {
    const kind = "EXECUTION.CREATED"
    const text = (): string => executionText(execution)
    const tags = executionTags(kind, order)
    return this.drafted({ kind, at, text, kept: keptExecution(execution), tags, order: null, positions: null })
  }

  ofAlert(alert: Alert, at?: number): AccountEvent {
    const kind = "TRADING_ACCOUNT.ALERT"
    return this.of(kind, JSON.stringify(alert), at, alertTags(kind, alert.tradeOrderId))
  }

  /** At least one. */
  ofPositions(changed: ReadonlyArray<Position>, at: number): AccountEvent {
    const kind = "PORTFOLIO.UPDATED"
    const kept = keptPositions(changed[0]!.venue, changed)
    const text = (): string => positionsText(changed)
    return this.drafted({ kind, at, text, kept, tags: { kind }, order: null, positions: changed })
  }

  private drafted(draft: Draft): AccountEvent {
    return new LazyEvent(this.parts.ids.uuid(), draft)
  }
}

const tagsOf = ({ kind, tags, order }: AccountEvent): AccountEventTags =>
  tags ?? (order === null ? { kind } : orderTags(kind, order))

/** What follows when a unit's fate is known. Without `keyUsed` and `quoteUsed` such an outcome is a defect, as every other refusal is. */
interface UnitOutcome {
  /** In the commit callback, before the unit's events are published. */
  readonly committed?: (() => void) | undefined
  readonly published?: (() => void) | undefined
  readonly keyUsed?: (outcome: Extract<CommitOutcome, { readonly _tag: "KeyUsed" }>) => void
  readonly quoteUsed?: () => void
  /** Before the incarnation ends by it, or when it has ended by an earlier one. */
  readonly refused?: () => void
}

const NO_MORE: UnitOutcome = {}

export class AccountOutlet {
  readonly news: NewsDesk
  /** The evidence that is being applied: what the store refuses of it is remembered in `refusals`. Set by `attempt` alone. */
  cause: unknown = null
  private readonly id: TradingAccountId

  constructor(
    private readonly parts: AccountParts,
    private readonly self: Self<never>,
    /** Its id, venue and channel, which it has for life. */
    private readonly account: TradingAccount,
    /** What the channel has told: behind memory by what is not durable yet. */
    readonly image: AccountImage,
    readonly refusals: Refusals,
  ) {
    this.id = account.tradingAccountId
    this.news = new NewsDesk(parts)
  }

  /** One unit. */
  commit(rows: ReadonlyArray<Row>, events: ReadonlyArray<AccountEvent>, outcomes: UnitOutcome = NO_MORE): void {
    const { cause } = this
    const settled = this.self.settling<CommitOutcome>(
      (outcome) => {
        if (outcome._tag === "Committed") {
          if (cause !== null) this.refusals.taken(cause)
          // Whatever an answer runs into: what is durable is published, or the channel would have a gap.
          try {
            outcomes.committed?.()
          } finally {
            this.publish(outcome.firstSequence, events)
            this.tellHedges(rows)
          }
          outcomes.published?.()
        } else if (outcome._tag === "KeyUsed" && outcomes.keyUsed !== undefined) outcomes.keyUsed(outcome)
        else if (outcome._tag === "QuoteUsed" && outcomes.quoteUsed !== undefined) outcomes.quoteUsed()
        else {
          if (cause !== null) this.refusals.note(cause)
          outcomes.refused?.()
          throw new Error(`the store refused a unit: ${outcome._tag === "Refused" ? outcome.reason : outcome._tag}`)
        }
      },
      // The incarnation that made this unit is over.
      (outcome) => {
        if (outcome._tag !== "Committed") {
          outcomes.refused?.()
          return
        }
        this.publish(outcome.firstSequence, events)
        this.tellHedges(rows)
      },
    )
    this.parts.store.commit({ accountId: this.id, rows, events, settled })
  }

  private publish(firstSequence: number, events: ReadonlyArray<AccountEvent>): void {
    const { channels, published, meters } = this.parts
    const channel = accountChannel(this.id)
    const epoch = this.account.channelEpoch
    const isHeard = channels.isHeard(channel)
    for (let index = 0; index < events.length; index++) {
      const event = events[index]!
      const offset = firstSequence + index
      this.image.take(offset, event)
      published(this.account, offset)
      meters.told(this.account.venue, event)
      if (!isHeard) continue
      const json = accountEventText(this.id, offset, event)
      channels.publish({ channel, kind: "tradingAccount", epoch, offset, json, tags: tagsOf(event) })
    }
  }

  /** A dealer relies on what is durable, whichever incarnation of this account's actor runs. */
  private tellHedges(rows: ReadonlyArray<Row>): void {
    for (const row of rows) if (row._tag === "Order" && isHedge(row.order)) this.parts.hedges.tell(row.order)
  }

  /** To the account's channel, for people. */
  alert(alert: Alert): void {
    this.commit([], [this.news.ofAlert(alert)])
  }
}

/**
 * The account as its channel has told it: open orders and positions after the newest published event. Memory is often ahead of what
 * is durable and told; a reader who starts from here and follows the channel misses nothing and sees nothing twice.
 */
export class AccountImage {
  /** Of the newest event that it includes. */
  sequence: number
  /** Of the newest event when the actor woke, or first woke of all its sleeps without a change. */
  readonly awakeSince: number
  /** A PORTFOLIO.UPDATED was told since the actor woke: only then is anything known of positions. */
  hasPositions: boolean
  private readonly open = new LeanMap<TradeOrderId, TradeOrder>()
  /** By currency. */
  readonly held: Map<string, Position>

  constructor({ lastSequence, openOrders }: AccountState, rest: Rest | null) {
    this.sequence = lastSequence
    this.awakeSince = rest?.awakeSince ?? lastSequence
    this.hasPositions = rest?.hasPositions ?? false
    this.held = new Map(rest?.held)
    for (const order of openOrders) this.open.set(order.tradeOrderId, order)
  }

  /** An event that is being published. */
  take(sequence: number, { order, positions }: AccountEvent): void {
    this.sequence = sequence
    if (order !== null) {
      if (isTerminal(order.orderStatus)) this.open.delete(order.tradeOrderId)
      else this.open.set(order.tradeOrderId, order)
    }
    if (positions === null) return
    this.hasPositions = true
    for (const position of positions) {
      const { currency } = position
      // Nothing is left of it: the portfolio does not show it either.
      if (isNothing(position)) this.held.delete(currency)
      else this.held.set(currency, position)
    }
  }

  /** In the order in which they became known. */
  orders(): ReadonlyArray<StateEntry> {
    return [...this.open.values()].map((order) => ({ key: order.tradeOrderId, json: tradeOrderJson(order) }))
  }

  /** In order of currency. */
  positions(): ReadonlyArray<StateEntry> {
    return [...this.held.values()]
      .sort((a, b) => (a.currency < b.currency ? -1 : 1))
      .map((position) => ({ key: position.currency, json: JSON.stringify(positionRecord(position)) }))
  }
}
