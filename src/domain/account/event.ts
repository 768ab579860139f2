/** What `tradingAccount:<id>` publishes (contract C13): one envelope, numbered without a gap per account. */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import { QuoteRecord } from "../dealer/quote.ts"
import type { TradingAccountId } from "../ids.ts"
import { OrderStatus } from "../order/status.ts"
import { ExecutionRecord, TradeOrderRecord } from "../order/trade-order-record.ts"
import { PositionRecord, TradingAccountRecord } from "./trading-account.ts"

export type AccountEventKind =
  | `TRADE_ORDER.${OrderStatus}`
  | "TRADE_ORDER.LATE_FILL"
  | "TRADE_ORDER.TRIGGERED"
  | "EXECUTION.CREATED"
  | "PORTFOLIO.UPDATED"
  | "TRADING_ACCOUNT.UPDATED"
  | "TRADING_ACCOUNT.RECONCILED"
  | "TRADING_ACCOUNT.ALERT"
  | "QUOTE.UPDATED"

/** An event before its number: the writer gives the number when it freezes a batch, so a refused unit leaves no gap. */
export interface EventDraft {
  readonly eventId: string
  readonly kind: AccountEventKind
  readonly at: number
  /** JSON text of `data`: the public record. */
  readonly payload: string
  /** What the journal keeps in its place (event-kept.ts); null or absent: the text itself. */
  readonly kept?: string | null
}

/** The publication's JSON text. */
export const accountEventText = (account: TradingAccountId, sequence: number, event: EventDraft): string =>
  `{"kind":"${event.kind}","eventId":"${event.eventId}","sequence":${sequence},"tradingAccountId":"${account}",` +
  `"timestamp":${event.at},"timestampDateTime":"${dateTime(event.at)}","data":${event.payload}}`

const AccountExecutionRecord = Schema.Struct({
  ...ExecutionRecord.fields,
  tradeOrderId: Schema.String,
}).annotations({ identifier: "AccountExecution" })

/** What an agreement with the venue changed; the span is in ms since the Unix epoch. */
const ReconciliationRecord = Schema.Struct({
  from: Schema.Int,
  to: Schema.Int,
  backfilledExecutions: Schema.Int,
  correctedOrders: Schema.Int,
}).annotations({ identifier: "Reconciliation" })

const AlertRecord = Schema.Struct({
  code: Schema.String,
  severity: Schema.Literal("WARNING", "CRITICAL"),
  message: Schema.String,
  tradeOrderId: Schema.NullOr(Schema.String),
}).annotations({ identifier: "AccountAlert" })
export type AccountAlert = typeof AlertRecord.Type

type OrderEvents = Record<`TRADE_ORDER.${OrderStatus}`, typeof TradeOrderRecord>
const orderEvents = Object.fromEntries(
  OrderStatus.literals.map((status) => [`TRADE_ORDER.${status}`, TradeOrderRecord]),
) as OrderEvents

/** The record in `data`, by kind. */
export const ACCOUNT_EVENT_RECORDS = {
  ...orderEvents,
  "TRADE_ORDER.LATE_FILL": TradeOrderRecord,
  "TRADE_ORDER.TRIGGERED": TradeOrderRecord,
  "EXECUTION.CREATED": AccountExecutionRecord,
  "PORTFOLIO.UPDATED": Schema.Array(PositionRecord),
  "TRADING_ACCOUNT.UPDATED": TradingAccountRecord,
  "TRADING_ACCOUNT.RECONCILED": ReconciliationRecord,
  "TRADING_ACCOUNT.ALERT": AlertRecord,
  "QUOTE.UPDATED": QuoteRecord,
} as const satisfies { readonly [K in AccountEventKind]: Schema.Schema.AnyNoContext }

/** The whole publication of one kind. */
export const accountEventRecord = (kind: AccountEventKind) =>
  Schema.Struct({
    kind: Schema.Literal(kind),
    eventId: Schema.String,
    sequence: Schema.Int,
    tradingAccountId: Schema.String,
    timestamp: Schema.Int,
    timestampDateTime: Schema.String,
    data: ACCOUNT_EVENT_RECORDS[kind] as Schema.Schema.AnyNoContext,
  })
