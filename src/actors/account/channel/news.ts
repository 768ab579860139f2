/** Events of an account as its actor makes them: the draft that the store numbers, and what it tells beside its text. */
import {
  type AccountEventKind,
  type AccountEventTags,
  alertTags,
  type EventDraft,
  executionTags,
  orderTags,
} from "../../../domain/account/event.ts"
import { executionText, keptExecution, keptOrder, keptPositions } from "../../../domain/account/event-kept.ts"
import { type Position, positionRecord } from "../../../domain/account/trading-account.ts"
import type { Execution, TradeOrder } from "../../../domain/order/trade-order.ts"
import { tradeOrderJson } from "../../../domain/order/trade-order-record.ts"
import type { Alert } from "../live.ts"
import type { AccountParts } from "../parts.ts"

export interface News extends EventDraft {
  /** Null: those of its order, made only for those who listen. */
  readonly tags: AccountEventTags | null
  /** The image that a TRADE_ORDER event tells; null with the other kinds. */
  readonly order: TradeOrder | null
  /** What a PORTFOLIO.UPDATED tells, by currency; `json` null: nothing is left of it, and the portfolio does not show it either. */
  readonly positions: ReadonlyArray<PositionNews> | null
}

export type PositionNews = readonly [currency: string, json: string | null]

interface Draft extends Pick<News, "kind" | "at" | "tags" | "order" | "positions"> {
  readonly text: string | (() => string)
  readonly kept: string | null
}

/** Its text is made when it is asked for: what the journal keeps in its place is enough where nothing listens. */
class DraftedNews implements News {
  readonly kind: AccountEventKind
  readonly at: number
  readonly kept: string | null
  readonly tags: AccountEventTags | null
  readonly order: TradeOrder | null
  readonly positions: News["positions"]
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
  of(kind: AccountEventKind, payload: string, at = this.parts.clock.now(), tags: AccountEventTags = { kind }): News {
    return this.drafted({ kind, at, text: payload, kept: null, tags, order: null, positions: null })
  }

  /** Under the id by which the dealer's outbox knows it. */
  ofQuote(payload: string, at: number, eventId: string): News {
    const kind = "QUOTE.UPDATED"
    const draft = { kind, at, text: payload, kept: null, tags: { kind }, order: null, positions: null } as const
    return new DraftedNews(eventId, draft)
  }

  ofOrder(kind: AccountEventKind, order: TradeOrder, at: number, json?: string): News {
    const kept = keptOrder(order)
    const text = json ?? (kept === null ? tradeOrderJson(order) : () => tradeOrderJson(order))
    return this.drafted({ kind, at, text, kept, tags: null, order, positions: null })
  }

  ofExecution(execution: Execution, order: TradeOrder, at: number): News {
    const kind = "EXECUTION.CREATED"
    const text = (): string => executionText(execution)
    const tags = executionTags(kind, order)
    return this.drafted({ kind, at, text, kept: keptExecution(execution), tags, order: null, positions: null })
  }

  ofAlert(alert: Alert, at?: number): News {
    const kind = "TRADING_ACCOUNT.ALERT"
    return this.of(kind, JSON.stringify(alert), at, alertTags(kind, alert.tradeOrderId))
  }

  /** At least one. Its text is the one that `textOfPositions` makes of what is kept, letter for letter. */
  ofPositions(changed: ReadonlyArray<Position>, at: number): News {
    const records = changed.map((position) => JSON.stringify(positionRecord(position)))
    const positions = changed.map(({ currency, available, locked }, index): PositionNews => {
      const isGone = available.add(locked).isZero()
      return [currency, isGone ? null : records[index]!]
    })
    const kind = "PORTFOLIO.UPDATED"
    const kept = keptPositions(changed[0]!.venue, changed)
    const text = (): string => `[${records.join(",")}]`
    return this.drafted({ kind, at, text, kept, tags: { kind }, order: null, positions })
  }

  private drafted(draft: Draft): News {
    return new DraftedNews(this.parts.ids.uuid(), draft)
  }
}

export const tagsOf = ({ kind, tags, order }: News): AccountEventTags =>
  tags ?? (order === null ? { kind } : orderTags(kind, order))
