/** What `tradingAccount:<id>` publishes (contract C13): one envelope, numbered without a gap per account. */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import { QuoteRecord } from "../dealer/quote.ts"
import type { TradingAccountId } from "../ids.ts"
import { OrderStatus } from "../order/status.ts"
import type { TradeOrder } from "../order/trade-order.ts"
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

/** What a person should look at, by the alert's code. Those from HEDGE_OPEN on come on a dealer's own account. */
export const ALERTS = {
  UNPROTECTED_POSITION: "An exit of the entry was rejected, is no longer open, or has been held back for a minute",
  EXIT_ABOVE_POSITION: "The exits executed more than the entry had",
  TRIGGERED_ORDER_REJECTED: "A stop fired, and its order is not at the venue",
  TRIGGER_NOT_WATCHED: "An order's trigger cannot be watched there: the order is REJECTED",
  TRIGGERS_STALE: "Neither trades nor a book of an instrument arrive: its triggers cannot fire",
  TRIGGER_HISTORY_UNKNOWN: "It could not be determined whether a stop price was crossed while prices were not watched",
  NOT_REPLACED: "A change cancelled the order, and its replacement could not be placed",
  DEAD_MAN_SWITCH: "`cancelAllAfter` was not renewed in time: the cancel of all orders was requested",
  OVERFILL: "The venue executed more than was ordered",
  FILL_AFTER_REJECT: "An order that was REJECTED was filled",
  FILL_AFTER_REPLACE: "An order was filled after it had been replaced",
  LATE_APPEARANCE: "An order that was proven not to be at the venue appeared there and is being cancelled",
  OPEN_AFTER_END: "An order that is closed here is open at the venue and is being cancelled there",
  ORDER_LEFT_IN_DOUBT:
    "The account was disconnected, and one of its orders may still be working or has an execution that is not counted",
  CREDENTIAL_REFUSED: "The venue refuses the account's key: the account is INACTIVE",
  HEDGE_OPEN: "Exposure from executed quotes is not hedged yet; repeated until it is",
  BOOK_OUT_OF_LINE: "A book deviates too far from the others to be used for pricing",
  ACCOUNT_IGNORED: "A linked account is of another environment and is not used",
  BALANCE_SHORTFALL: "A linked account has less at its venue than executions and fees explain",
  FUNDING_EXPIRED: "An announced deposit or withdrawal did not appear within a day",
  MIRROR_FROZEN: "A mirror wallet is frozen: nothing is booked in it",
} as const

type AlertCode = keyof typeof ALERTS

const AlertRecord = Schema.Struct({
  code: Schema.Literal(...(Object.keys(ALERTS) as [AlertCode, ...Array<AlertCode>])),
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

// What subscribers of `tradingAccount:<id>` may filter by. The one thing to know: an event that is read from the journal has the tags
// that it had when it was published, so a filter sees one stream, live or recovered.

export type AccountEventTags = Readonly<Record<string, string>>

/** Of TRADE_ORDER events. */
export const orderTags = (kind: AccountEventKind, order: TradeOrder): AccountEventTags => ({
  kind,
  tradeOrderId: order.tradeOrderId,
  instrumentId: order.instrumentId,
  orderStatus: order.orderStatus,
})

/** Of EXECUTION.CREATED: the state of the order is the next event's to tell. */
export const executionTags = (kind: AccountEventKind, order: TradeOrder): AccountEventTags => ({
  kind,
  tradeOrderId: order.tradeOrderId,
  instrumentId: order.instrumentId,
})

/** Of TRADING_ACCOUNT.ALERT. */
export const alertTags = (kind: AccountEventKind, tradeOrderId: string | null): AccountEventTags =>
  tradeOrderId === null ? { kind } : { kind, tradeOrderId }

/** The same tags, from what the journal keeps of an event. */
export const storedTags = (kind: AccountEventKind, payload: string): AccountEventTags => {
  if (kind === "TRADING_ACCOUNT.ALERT") return alertTags(kind, plainField(payload, "tradeOrderId"))
  const isExecution = kind === "EXECUTION.CREATED"
  if (!isExecution && !kind.startsWith("TRADE_ORDER.")) return { kind }
  const tags: Record<string, string> = { kind }
  for (const name of isExecution ? OF_EXECUTION : OF_ORDER) {
    const value = plainField(payload, name)
    if (value !== null) tags[name] = value
  }
  return tags
}

const OF_EXECUTION = ["tradeOrderId", "instrumentId"] as const
const OF_ORDER = [...OF_EXECUTION, "orderStatus"] as const

/**
 * A field that holds an id or a word, read without parsing the record: a thousand events are read in one turn. Within a text of the
 * record every quote is escaped, so nothing else looks like the field; the records name these before any record inside them does.
 */
const plainField = (payload: string, name: string): string | null => {
  const field = `"${name}":"`
  const at = payload.indexOf(field)
  if (at < 0) return null
  const from = at + field.length
  return payload.slice(from, payload.indexOf('"', from))
}
