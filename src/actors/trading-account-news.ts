/** Events of an account as its actor makes them: the draft that the store numbers, and what it tells beside its text. */
import type { AccountEventKind, EventDraft } from "../domain/account-event.ts"
import { type AccountEventTags, alertTags, executionTags, orderTags } from "../domain/account-event-tags.ts"
import type { Execution, TradeOrder } from "../domain/trade-order.ts"
import { executionRecord, tradeOrderJson } from "../domain/trade-order-record.ts"
import { type Position, positionRecord } from "../domain/trading-account.ts"
import type { Alert } from "./trading-account-live.ts"
import type { AccountParts } from "./trading-account-parts.ts"

export interface News extends EventDraft {
  /** Null: those of its order, made only for those who listen. */
  readonly tags: AccountEventTags | null
  /** The image that a TRADE_ORDER event tells; null with the other kinds. */
  readonly order: TradeOrder | null
  /** The records that a PORTFOLIO.UPDATED tells, by currency; null for one of nothing, which the portfolio does not show either. */
  readonly positions: ReadonlyArray<readonly [currency: string, json: string | null]> | null
}

export class NewsDesk {
  constructor(private readonly parts: Pick<AccountParts, "ids" | "clock">) {}

  /** `payload`: the record's JSON text. */
  of(kind: AccountEventKind, payload: string, at = this.parts.clock.now(), tags: AccountEventTags = { kind }): News {
    return { eventId: this.parts.ids.uuid(), kind, at, payload, tags, order: null, positions: null }
  }

  ofOrder(kind: AccountEventKind, order: TradeOrder, at: number, json = tradeOrderJson(order)): News {
    return { eventId: this.parts.ids.uuid(), kind, at, payload: json, tags: null, order, positions: null }
  }

  ofExecution(execution: Execution, order: TradeOrder, at: number): News {
    const kind = "EXECUTION.CREATED"
    const payload = JSON.stringify({ ...executionRecord(execution), tradeOrderId: execution.tradeOrderId })
    return this.of(kind, payload, at, executionTags(kind, order))
  }

  ofAlert(alert: Alert, at?: number): News {
    const kind = "TRADING_ACCOUNT.ALERT"
    return this.of(kind, JSON.stringify(alert), at, alertTags(kind, alert.tradeOrderId))
  }

  ofPositions(changed: ReadonlyArray<Position>, at: number): News {
    const records: Array<string> = []
    const positions: Array<readonly [currency: string, json: string | null]> = []
    for (const position of changed) {
      const json = JSON.stringify(positionRecord(position))
      records.push(json)
      positions.push([position.currency, position.available.add(position.locked).isZero() ? null : json])
    }
    const kind = "PORTFOLIO.UPDATED"
    const payload = `[${records.join(",")}]`
    return { eventId: this.parts.ids.uuid(), kind, at, payload, tags: { kind }, order: null, positions }
  }
}

export const tagsOf = ({ kind, tags, order }: News): AccountEventTags =>
  tags ?? (order === null ? { kind } : orderTags(kind, order))
