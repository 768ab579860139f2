/**
 * How what an account's actor decided leaves it: one unit to the store, and from its commit callback the publications, each with its
 * number. Nothing leaves before it is durable.
 */
import { accountEventText } from "../../../domain/account/event.ts"
import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import { accountChannel } from "../../../domain/channel.ts"
import type { TradeOrderId, TradingAccountId } from "../../../domain/ids.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { isHedge, type TradeOrder } from "../../../domain/order/trade-order.ts"
import { tradeOrderJson } from "../../../domain/order/trade-order-record.ts"
import { RareMap } from "../../../domain/rare.ts"
import type { Self } from "../../../kernel/behaviour.ts"
import type { AccountState, Row, Settled } from "../../../ports/account-store.ts"
import type { Alert } from "../live.ts"
import type { StateEntry } from "../messages.ts"
import type { AccountParts } from "../parts.ts"
import type { Rest } from "../resting-accounts.ts"
import type { Refusals } from "../venue/refusals.ts"
import { type News, NewsDesk, tagsOf } from "./news.ts"

/** What follows when a unit's fate is known. Without `keyUsed` and `quoteUsed` such an outcome is a defect, as every other refusal is. */
export interface UnitOutcome {
  /** In the commit callback, before the unit's events are published. */
  readonly committed?: (() => void) | undefined
  readonly published?: (() => void) | undefined
  readonly keyUsed?: (outcome: Extract<Settled, { readonly _tag: "KeyUsed" }>) => void
  readonly quoteUsed?: () => void
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
  commit(rows: ReadonlyArray<Row>, events: ReadonlyArray<News>, outcomes: UnitOutcome = NO_MORE): void {
    const { cause } = this
    const settled = this.self.settling<Settled>(
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
          throw new Error(`the store refused a unit: ${outcome._tag === "Refused" ? outcome.reason : outcome._tag}`)
        }
      },
      // The incarnation that made this unit is over.
      (outcome) => {
        if (outcome._tag !== "Committed") return
        this.publish(outcome.firstSequence, events)
        this.tellHedges(rows)
      },
    )
    this.parts.store.commit({ accountId: this.id, rows, events, settled })
  }

  private publish(firstSequence: number, events: ReadonlyArray<News>): void {
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

  /** A dealer counts on what is durable, whoever of this account lives. */
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
  private readonly open = new RareMap<TradeOrderId, TradeOrder>()
  /** By currency. */
  readonly held: Map<string, string>

  constructor({ lastSequence, openOrders }: AccountState, rest: Rest | null) {
    this.sequence = lastSequence
    this.awakeSince = rest?.awakeSince ?? lastSequence
    this.hasPositions = rest?.hasPositions ?? false
    this.held = new Map(rest?.held)
    for (const order of openOrders) this.open.set(order.tradeOrderId, order)
  }

  /** An event that is being published. */
  take(sequence: number, { order, positions }: News): void {
    this.sequence = sequence
    if (order !== null) {
      if (isTerminal(order.orderStatus)) this.open.delete(order.tradeOrderId)
      else this.open.set(order.tradeOrderId, order)
    }
    if (positions === null) return
    this.hasPositions = true
    for (const [currency, json] of positions) {
      if (json === null) this.held.delete(currency)
      else this.held.set(currency, json)
    }
  }

  /** In the order in which they became known. */
  orders(): ReadonlyArray<StateEntry> {
    return [...this.open.values()].map((order) => ({ key: order.tradeOrderId, json: tradeOrderJson(order) }))
  }

  /** In order of currency. */
  positions(): ReadonlyArray<StateEntry> {
    return [...this.held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, json]) => ({ key: currency, json }))
  }
}
