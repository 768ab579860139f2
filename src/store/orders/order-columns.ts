/**
 * Rows as PostgreSQL array literals, one array per column, ready for `unnest`. The one thing to know: literals are built here and not
 * by the driver, whose general quoting costs more than everything else of an order's way to the database.
 */

import type { Execution, TradeOrder } from "../../domain/order/trade-order.ts"
import { type PlacedBy, placedBy } from "../../domain/user/act.ts"

/** One column of a table: where it stands, its type, and how a row's value is written inside an array literal; null is NULL. */
export interface Column<Row> {
  readonly name: string
  readonly type: "uuid" | "text" | "numeric" | "int" | "bigint" | "boolean" | "json" | "jsonb"
  readonly literal: (row: Row) => string | null
}

const SPECIAL = /["\\]/
const SPECIALS = /["\\]/g

/** Free text inside an array literal. Always quoted: an empty text and the word NULL would mean something else. */
export const quoted = (text: string): string =>
  SPECIAL.test(text) ? `"${text.replace(SPECIALS, "\\$&")}"` : `"${text}"`

const quotedOrNull = (text: string | null): string | null => (text === null ? null : quoted(text))
const integer = (value: number): string => `${value}`
const integerOrNull = (value: number | null): string | null => (value === null ? null : `${value}`)
const flag = (value: boolean): string => (value ? "t" : "f")

/** What the writer adds to an order's image. */
export interface StoredOrder {
  readonly order: TradeOrder
  /** Position in the queue of in-process venues; null while the order does not rest. The first one stored stays. */
  readonly acceptedNumber: number | null
  /** By whose request it came; known to its first image alone. */
  readonly actor: PlacedBy | null
}

/** Words of fixed vocabularies, uuids and numbers need no quotes in an array literal; everything else does. */
export const ORDER_COLUMNS: ReadonlyArray<Column<StoredOrder>> = [
  { name: "trade_order_id", type: "uuid", literal: ({ order }) => order.tradeOrderId },
  { name: "tenant_id", type: "text", literal: ({ order }) => quoted(order.tenantId) },
  { name: "trading_account_id", type: "uuid", literal: ({ order }) => order.tradingAccountId },
  { name: "version", type: "bigint", literal: ({ order }) => integer(order.version) },
  { name: "venue", type: "text", literal: ({ order }) => quoted(order.venue) },
  { name: "instrument_id", type: "text", literal: ({ order }) => quoted(order.instrumentId) },
  { name: "order_list_id", type: "uuid", literal: ({ order }) => order.orderListId },
  { name: "contingency_type", type: "text", literal: ({ order }) => order.contingencyType },
  { name: "quote_id", type: "uuid", literal: ({ order }) => order.quoteId },
  { name: "position_id", type: "uuid", literal: ({ order }) => order.positionId },
  { name: "replaces_trade_order_id", type: "uuid", literal: ({ order }) => order.replacesTradeOrderId },
  { name: "dealer_account_id", type: "uuid", literal: ({ order }) => order.dealerAccountId },
  {
    name: "hedge_for_quote_ids",
    type: "json",
    literal: ({ order: { hedgeForQuoteIds } }) =>
      hedgeForQuoteIds.length === 0 ? null : quoted(JSON.stringify(hedgeForQuoteIds)),
  },
  {
    name: "hedge_for_quote_count",
    type: "int",
    literal: ({ order: { hedgeForQuoteIds, hedgeForQuoteCount } }) =>
      hedgeForQuoteCount === hedgeForQuoteIds.length ? null : integer(hedgeForQuoteCount),
  },
  {
    name: "terms",
    type: "jsonb",
    literal: ({ order }) => (order.terms === null ? null : quoted(JSON.stringify(order.terms))),
  },
  { name: "base_asset", type: "text", literal: ({ order }) => quoted(order.baseAsset) },
  { name: "quote_asset", type: "text", literal: ({ order }) => quoted(order.quoteAsset) },
  { name: "order_side", type: "text", literal: ({ order }) => order.orderSide },
  { name: "order_type", type: "text", literal: ({ order }) => order.orderType },
  { name: "time_in_force", type: "text", literal: ({ order }) => order.timeInForce },
  { name: "order_status", type: "text", literal: ({ order }) => order.orderStatus },
  { name: "status_before_cancel", type: "text", literal: ({ order }) => order.statusBeforeCancel },
  { name: "reject_reason", type: "text", literal: ({ order }) => quotedOrNull(order.rejectReason) },
  { name: "cancel_reason", type: "text", literal: ({ order }) => order.cancelReason },
  { name: "limit_price", type: "numeric", literal: ({ order }) => order.limitPrice?.toString() ?? null },
  { name: "quantity", type: "numeric", literal: ({ order }) => order.quantity.toString() },
  { name: "order_quantity_type", type: "text", literal: ({ order }) => order.orderQuantityType },
  { name: "quantity_rounding", type: "text", literal: ({ order }) => quoted(order.quantityRounding) },
  { name: "base_quantity", type: "numeric", literal: ({ order }) => order.baseQuantity.toString() },
  { name: "executed_quantity", type: "numeric", literal: ({ order }) => order.executedQuantity.toString() },
  { name: "executed_cost", type: "numeric", literal: ({ order }) => order.executedCost.toString() },
  { name: "executed_price", type: "numeric", literal: ({ order }) => order.executedPrice?.toString() ?? null },
  { name: "overfill_quantity", type: "numeric", literal: ({ order }) => order.overfillQuantity.toString() },
  { name: "execution_count", type: "int", literal: ({ order }) => integer(order.executionCount) },
  {
    name: "fees",
    type: "json",
    literal: ({ order }) => (order.fees.length === 0 ? null : quoted(JSON.stringify(order.fees))),
  },
  { name: "client_order_id", type: "text", literal: ({ order }) => quotedOrNull(order.clientOrderId) },
  { name: "idempotency_key", type: "text", literal: ({ order }) => quotedOrNull(order.idempotencyKey) },
  { name: "fingerprint", type: "text", literal: ({ order }) => quotedOrNull(order.fingerprint) },
  { name: "external_order_id", type: "text", literal: ({ order }) => quotedOrNull(order.externalOrderId) },
  { name: "origin", type: "text", literal: ({ order }) => order.origin },
  {
    name: "doubt",
    type: "json",
    literal: ({ order }) => (order.doubt === null ? null : quoted(JSON.stringify(order.doubt))),
  },
  { name: "cancel_requested", type: "boolean", literal: ({ order }) => flag(order.cancelRequested) },
  {
    name: "evidence",
    type: "json",
    literal: ({ order }) => (order.evidence.length === 0 ? null : quoted(JSON.stringify(order.evidence))),
  },
  { name: "not_after", type: "bigint", literal: ({ order }) => integerOrNull(order.notAfter) },
  { name: "submit_deadline", type: "bigint", literal: ({ order }) => integerOrNull(order.submitDeadline) },
  { name: "held", type: "numeric", literal: ({ order }) => order.held.toString() },
  { name: "created_at", type: "bigint", literal: ({ order }) => integer(order.createdAt) },
  { name: "updated_at", type: "bigint", literal: ({ order }) => integer(order.updatedAt) },
  { name: "expire_at", type: "bigint", literal: ({ order }) => integerOrNull(order.expireAt) },
  { name: "canceled_at", type: "bigint", literal: ({ order }) => integerOrNull(order.canceledAt) },
  { name: "venue_updated_at", type: "bigint", literal: ({ order }) => integerOrNull(order.venueUpdatedAt) },
  { name: "accepted_number", type: "bigint", literal: ({ acceptedNumber }) => integerOrNull(acceptedNumber) },
  {
    name: "placed_by",
    type: "json",
    literal: ({ actor }) => (actor === null ? null : quoted(JSON.stringify(placedBy(actor)))),
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
  { name: "execution_id", type: "uuid", literal: ({ execution }) => execution.executionId },
  { name: "tenant_id", type: "text", literal: ({ tenantId }) => quoted(tenantId) },
  { name: "trading_account_id", type: "uuid", literal: ({ execution }) => execution.tradingAccountId },
  { name: "trade_order_id", type: "uuid", literal: ({ execution }) => execution.tradeOrderId },
  { name: "venue", type: "text", literal: ({ execution }) => quoted(execution.venue) },
  { name: "external_trade_id", type: "text", literal: ({ execution }) => quoted(execution.externalTradeId) },
  { name: "instrument_id", type: "text", literal: ({ execution }) => quoted(execution.instrumentId) },
  { name: "order_side", type: "text", literal: ({ execution }) => execution.orderSide },
  { name: "executed_quantity", type: "numeric", literal: ({ execution }) => execution.executedQuantity.toString() },
  { name: "executed_price", type: "numeric", literal: ({ execution }) => execution.executedPrice.toString() },
  { name: "executed_cost", type: "numeric", literal: ({ execution }) => execution.executedCost.toString() },
  { name: "fees", type: "json", literal: ({ execution }) => quoted(JSON.stringify(execution.fees)) },
  { name: "inferred", type: "boolean", literal: ({ execution }) => flag(execution.inferred) },
  { name: "replaces", type: "uuid", literal: ({ execution }) => execution.replaces },
  { name: "executed_at", type: "bigint", literal: ({ execution }) => integer(execution.executedAt) },
]

/** The parameters of one `unnest`: an array literal per column. */
export const literalsOf = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
): ReadonlyArray<string> => {
  const literals = new Array<string>(rows.length)
  return columns.map((column) => {
    for (let i = 0; i < rows.length; i++) literals[i] = column.literal(rows[i]!) ?? "NULL"
    return arrayLiteral(literals)
  })
}

/** Joined once: a text that grows piece by piece leaves each of its stages to the garbage collector. */
export const arrayLiteral = (literals: ReadonlyArray<string | number>): string =>
  literals.length === 1 ? `{${literals[0]}}` : `{${literals.join(",")}}`
