/**
 * Rows as parameters: of many rows an array literal per column, ready for `unnest`; of few a parameter per value. The one thing to know:
 * literals are built here and not by the driver, whose general quoting costs more than everything else of an order's way to the database.
 */

import type { EventDraft } from "../../domain/account/event.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import { isTerminal, OrderStatus } from "../../domain/order/status.ts"
import type { Execution, TradeOrder } from "../../domain/order/trade-order.ts"
import { type PlacedBy, placedBy } from "../../domain/user/act.ts"

/** One column of a table: where it stands, its type, and a row's value as text; null is NULL. */
export interface Column<Row> {
  readonly name: string
  readonly type: "uuid" | "text" | "numeric" | "int" | "bigint" | "boolean" | "json" | "jsonb"
  readonly value: (row: Row) => string | null
  /** A text that needs quotes inside an array literal, as documents do: words of fixed vocabularies, uuids and numbers need none. */
  readonly isFree?: true
  /** What is stored, of the value that is sent: an expression of it. */
  readonly stored?: (sent: string) => string
}

const SPECIAL = /["\\]/
const SPECIALS = /["\\]/g

/** Free text inside an array literal. Always quoted: an empty text and the word NULL would mean something else. */
export const quoted = (text: string): string =>
  SPECIAL.test(text) ? `"${text.replace(SPECIALS, "\\$&")}"` : `"${text}"`

const integer = (value: number): string => `${value}`
const integerOrNull = (value: number | null): string | null => (value === null ? null : `${value}`)
const flag = (value: boolean): string => (value ? "t" : "f")

/** What the writer adds to an order's image. */
export interface StoredOrder {
  readonly order: TradeOrder
  /** Position among those of its batch in the queues of in-process venues; null while the order does not rest. The first one stored stays. */
  readonly place: number | null
  /** By whose request it came; known to its first image alone. */
  readonly actor: PlacedBy | null
}

export const ORDER_COLUMNS: ReadonlyArray<Column<StoredOrder>> = [
  { name: "trade_order_id", type: "uuid", value: ({ order }) => order.tradeOrderId },
  { name: "tenant_id", type: "text", isFree: true, value: ({ order }) => order.tenantId },
  { name: "trading_account_id", type: "uuid", value: ({ order }) => order.tradingAccountId },
  { name: "version", type: "bigint", value: ({ order }) => integer(order.version) },
  { name: "venue", type: "text", isFree: true, value: ({ order }) => order.venue },
  { name: "instrument_id", type: "text", isFree: true, value: ({ order }) => order.instrumentId },
  { name: "order_list_id", type: "uuid", value: ({ order }) => order.orderListId },
  { name: "contingency_type", type: "text", value: ({ order }) => order.contingencyType },
  { name: "quote_id", type: "uuid", value: ({ order }) => order.quoteId },
  { name: "position_id", type: "uuid", value: ({ order }) => order.positionId },
  { name: "replaces_trade_order_id", type: "uuid", value: ({ order }) => order.replacesTradeOrderId },
  { name: "dealer_account_id", type: "uuid", value: ({ order }) => order.dealerAccountId },
  {
    name: "hedge_for_quote_ids",
    type: "json",
    value: ({ order: { hedgeForQuoteIds } }) =>
      hedgeForQuoteIds.length === 0 ? null : JSON.stringify(hedgeForQuoteIds),
  },
  {
    name: "hedge_for_quote_count",
    type: "int",
    value: ({ order: { hedgeForQuoteIds, hedgeForQuoteCount } }) =>
      hedgeForQuoteCount === hedgeForQuoteIds.length ? null : integer(hedgeForQuoteCount),
  },
  {
    name: "terms",
    type: "jsonb",
    value: ({ order }) => (order.terms === null ? null : JSON.stringify(order.terms)),
  },
  { name: "base_asset", type: "text", isFree: true, value: ({ order }) => order.baseAsset },
  { name: "quote_asset", type: "text", isFree: true, value: ({ order }) => order.quoteAsset },
  { name: "order_side", type: "text", value: ({ order }) => order.orderSide },
  { name: "order_type", type: "text", value: ({ order }) => order.orderType },
  { name: "time_in_force", type: "text", value: ({ order }) => order.timeInForce },
  { name: "order_status", type: "text", value: ({ order }) => order.orderStatus },
  { name: "status_before_cancel", type: "text", value: ({ order }) => order.statusBeforeCancel },
  { name: "reject_reason", type: "text", isFree: true, value: ({ order }) => order.rejectReason },
  { name: "cancel_reason", type: "text", value: ({ order }) => order.cancelReason },
  { name: "limit_price", type: "numeric", value: ({ order }) => order.limitPrice?.toString() ?? null },
  { name: "quantity", type: "numeric", value: ({ order }) => order.quantity.toString() },
  { name: "order_quantity_type", type: "text", value: ({ order }) => order.orderQuantityType },
  { name: "quantity_rounding", type: "text", isFree: true, value: ({ order }) => order.quantityRounding },
  { name: "base_quantity", type: "numeric", value: ({ order }) => order.baseQuantity.toString() },
  { name: "executed_quantity", type: "numeric", value: ({ order }) => order.executedQuantity.toString() },
  { name: "executed_cost", type: "numeric", value: ({ order }) => order.executedCost.toString() },
  { name: "executed_price", type: "numeric", value: ({ order }) => order.executedPrice?.toString() ?? null },
  { name: "overfill_quantity", type: "numeric", value: ({ order }) => order.overfillQuantity.toString() },
  { name: "execution_count", type: "int", value: ({ order }) => integer(order.executionCount) },
  {
    name: "fees",
    type: "json",
    value: ({ order }) => (order.fees.length === 0 ? null : JSON.stringify(order.fees)),
  },
  { name: "client_order_id", type: "text", isFree: true, value: ({ order }) => order.clientOrderId },
  { name: "idempotency_key", type: "text", isFree: true, value: ({ order }) => order.idempotencyKey },
  { name: "fingerprint", type: "text", isFree: true, value: ({ order }) => order.fingerprint },
  { name: "external_order_id", type: "text", isFree: true, value: ({ order }) => order.externalOrderId },
  { name: "origin", type: "text", value: ({ order }) => order.origin },
  {
    name: "doubt",
    type: "json",
    value: ({ order }) => (order.doubt === null ? null : JSON.stringify(order.doubt)),
  },
  { name: "cancel_requested", type: "boolean", value: ({ order }) => flag(order.cancelRequested) },
  {
    name: "evidence",
    type: "json",
    value: ({ order }) => (order.evidence.length === 0 ? null : JSON.stringify(order.evidence)),
  },
  { name: "not_after", type: "bigint", value: ({ order }) => integerOrNull(order.notAfter) },
  { name: "submit_deadline", type: "bigint", value: ({ order }) => integerOrNull(order.submitDeadline) },
  { name: "held", type: "numeric", value: ({ order }) => order.held.toString() },
  { name: "created_at", type: "bigint", value: ({ order }) => integer(order.createdAt) },
  { name: "updated_at", type: "bigint", value: ({ order }) => integer(order.updatedAt) },
  { name: "expire_at", type: "bigint", value: ({ order }) => integerOrNull(order.expireAt) },
  { name: "canceled_at", type: "bigint", value: ({ order }) => integerOrNull(order.canceledAt) },
  { name: "venue_updated_at", type: "bigint", value: ({ order }) => integerOrNull(order.venueUpdatedAt) },
  // Counted by the database: the queue of a venue stays one queue whichever process writes. Asked once a batch, and where an order rests.
  {
    name: "accepted_number",
    type: "bigint",
    value: ({ place }) => integerOrNull(place),
    stored: (place) => `CASE WHEN ${place} IS NULL THEN NULL ELSE ${place} + (SELECT nextval('order_queue')) END`,
  },
  {
    name: "placed_by",
    type: "json",
    value: ({ actor }) => (actor === null ? null : JSON.stringify(placedBy(actor))),
  },
]

/** What stands beside the columns that are sent, and follows from them. `sent`: one of those, by its name. */
export interface DerivedColumn {
  readonly name: string
  readonly of: (sent: (name: string) => string) => string
}

const isOver = (sent: (name: string) => string): string =>
  `${sent("order_status")} IN (${OrderStatus.literals
    .filter(isTerminal)
    .map((word) => `'${word}'`)
    .join(", ")})`

/**
 * What the indexes of orders go by: an index of the status itself would be touched by each image of an order, and these change when it ends.
 * The one statement that writes orders derives them; PostgreSQL would take 140 to 200 us more of each statement (migration 0050).
 */
export const DERIVED_ORDER_COLUMNS: ReadonlyArray<DerivedColumn> = [
  { name: "open", of: (sent) => `NOT ${isOver(sent)}` },
  { name: "ended_as", of: (sent) => `CASE WHEN ${isOver(sent)} THEN ${sent("order_status")} END` },
  { name: "over_since", of: (sent) => `CASE WHEN ${isOver(sent)} THEN ${sent("updated_at")} END` },
  // A rejected order gives its quote back.
  {
    name: "claimed_quote_id",
    of: (sent) => `CASE WHEN ${sent("order_status")} <> 'REJECTED' THEN ${sent("quote_id")} END`,
  },
]

/**
 * Never changed by a later image, which is refused if it differs: its keys, and what the client asked for and no change of the order
 * touches. Index columns are among them, so updates touch no index.
 */
export const ORDER_CONSTANTS: ReadonlySet<string> = new Set([
  "trade_order_id",
  "tenant_id",
  "trading_account_id",
  "venue",
  "instrument_id",
  "order_list_id",
  "contingency_type",
  "quote_id",
  "position_id",
  "replaces_trade_order_id",
  "dealer_account_id",
  "hedge_for_quote_ids",
  "hedge_for_quote_count",
  "base_asset",
  "quote_asset",
  "order_side",
  "order_type",
  "quantity_rounding",
  "client_order_id",
  "idempotency_key",
  "fingerprint",
  "origin",
  "created_at",
  "placed_by",
])

export interface StoredExecution {
  readonly execution: Execution
  readonly tenantId: string
}

export const EXECUTION_COLUMNS: ReadonlyArray<Column<StoredExecution>> = [
  { name: "execution_id", type: "uuid", value: ({ execution }) => execution.executionId },
  { name: "tenant_id", type: "text", isFree: true, value: ({ tenantId }) => tenantId },
  { name: "trading_account_id", type: "uuid", value: ({ execution }) => execution.tradingAccountId },
  { name: "trade_order_id", type: "uuid", value: ({ execution }) => execution.tradeOrderId },
  { name: "venue", type: "text", isFree: true, value: ({ execution }) => execution.venue },
  { name: "external_trade_id", type: "text", isFree: true, value: ({ execution }) => execution.externalTradeId },
  { name: "instrument_id", type: "text", isFree: true, value: ({ execution }) => execution.instrumentId },
  { name: "order_side", type: "text", value: ({ execution }) => execution.orderSide },
  { name: "executed_quantity", type: "numeric", value: ({ execution }) => execution.executedQuantity.toString() },
  { name: "executed_price", type: "numeric", value: ({ execution }) => execution.executedPrice.toString() },
  { name: "executed_cost", type: "numeric", value: ({ execution }) => execution.executedCost.toString() },
  { name: "fees", type: "json", value: ({ execution }) => JSON.stringify(execution.fees) },
  { name: "inferred", type: "boolean", value: ({ execution }) => flag(execution.inferred) },
  { name: "replaces", type: "uuid", value: ({ execution }) => execution.replaces },
  { name: "executed_at", type: "bigint", value: ({ execution }) => integer(execution.executedAt) },
]

/** An event with its number. */
export interface NumberedEvent {
  readonly accountId: TradingAccountId
  readonly sequence: number
  readonly event: EventDraft
  readonly tenantId: string
}

/** The payload comes last: many of them travel in a way of their own. */
export const EVENT_COLUMNS: ReadonlyArray<Column<NumberedEvent>> = [
  { name: "trading_account_id", type: "uuid", value: ({ accountId }) => accountId },
  { name: "sequence", type: "bigint", value: ({ sequence }) => integer(sequence) },
  { name: "at", type: "bigint", value: ({ event }) => integer(event.at) },
  { name: "event_id", type: "uuid", value: ({ event }) => event.eventId },
  { name: "tenant_id", type: "text", isFree: true, value: ({ tenantId }) => tenantId },
  { name: "kind", type: "text", value: ({ event }) => event.kind },
  { name: "payload", type: "text", isFree: true, value: ({ event }) => event.kept ?? event.payload },
]

/**
 * The parameters of one `unnest`: an array literal per column. A document is quoted by the engine's own writer, which is right for texts
 * that hold no control character: those of another JSON text.
 */
export const literalsOf = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
): ReadonlyArray<string> => {
  const literals = new Array<string>(rows.length)
  return columns.map(({ value, type, isFree }) => {
    const isDocument = type === "json" || type === "jsonb"
    for (let i = 0; i < rows.length; i++) {
      const text = value(rows[i]!)
      literals[i] = text === null ? "NULL" : isDocument ? JSON.stringify(text) : isFree ? quoted(text) : text
    }
    return braced(literals)
  })
}

/** A parameter per value, row by row. */
export const pushValues = <Row>(
  values: Array<string | number | null>,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
): void => {
  for (const row of rows) for (const { value } of columns) values.push(value(row))
}

/** Joined once: a text that grows piece by piece leaves each of its stages to the garbage collector, one that is put into braces afterwards two. */
export const arrayLiteral = (literals: ReadonlyArray<string | number>): string => braced([...literals])

/** Its own list: the braces are put into it. */
const braced = (literals: Array<string | number>): string => {
  if (literals.length === 0) return "{}"
  literals[0] = `{${literals[0]}`
  literals.push(`${literals.pop()}}`)
  return literals.join(",")
}
