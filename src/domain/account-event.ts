/** What `tradingAccount:<id>` publishes (contract C13): one envelope, numbered without a gap per account. */
import type { TradingAccountId } from "./ids.ts"
import type { OrderStatus } from "./order-status.ts"
import { dateTime } from "./time.ts"

export type AccountEventKind =
  | `TRADE_ORDER.${OrderStatus}`
  | "TRADE_ORDER.LATE_FILL"
  | "EXECUTION.CREATED"
  | "PORTFOLIO.UPDATED"
  | "TRADING_ACCOUNT.UPDATED"
  | "TRADING_ACCOUNT.RECONCILED"
  | "TRADING_ACCOUNT.ALERT"

/** An event before its number: the writer gives the number when it freezes a batch, so a refused unit leaves no gap. */
export interface EventDraft {
  readonly eventId: string
  readonly kind: AccountEventKind
  readonly at: number
  /** JSON text of `data`: the public record. */
  readonly payload: string
}

/** The publication's JSON text. */
export const accountEventText = (account: TradingAccountId, sequence: number, event: EventDraft): string =>
  `{"kind":"${event.kind}","eventId":"${event.eventId}","sequence":${sequence},"tradingAccountId":"${account}",` +
  `"timestamp":${event.at},"timestampDateTime":"${dateTime(event.at)}","data":${event.payload}}`
