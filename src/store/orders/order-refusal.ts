/**
 * Why a batch was refused: the identity of a row, which never changes, and what the order writer queries besides its batches: the owner of an
 * account, and whose key a refused unit wanted to use. The one thing to know: the server's error about a key names the key, which identifies the
 * unit without bisecting the batch.
 */
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import type { Execution, TradeOrder } from "../../domain/order/trade-order.ts"
import type { CommitOutcome, Row, Unit } from "../../ports/account-store.ts"
import { constraintOf, detailOf, sqlStateOf, tableOf } from "../postgres/storage-failure.ts"
import type { WriterSession } from "../postgres/writer-session.ts"
import { arrayLiteral, type NumberedEvent, ORDER_CONSTANTS } from "./order-columns.ts"
import { type ExecutionRow, ORDER_COLUMNS, type OrderRow, ordersOf } from "./rows.ts"
import { NEWEST_EXECUTIONS } from "./trade-orders.ts"

// The immutable identity of a row: its owner and its kind. A later image with another identity is another thing under a used id; the
// unit that holds it is refused, by the statement or before it is sent.

/** JSON has no equality in the database; what it says of an order follows from the rest. */
const NOT_COMPARED: ReadonlySet<string> = new Set(["trade_order_id", "hedge_for_quote_ids", "placed_by"])

const ORDER_IDENTITY: ReadonlyArray<string> = [...ORDER_CONSTANTS].filter((name) => !NOT_COMPARED.has(name))
const EXECUTION_IDENTITY = [
  "tenant_id",
  "trading_account_id",
  "trade_order_id",
  "venue",
  "external_trade_id",
  "instrument_id",
  "order_side",
  "executed_quantity",
  "executed_price",
  "executed_cost",
  "inferred",
  "executed_at",
]
const ACCOUNT_IDENTITY = ["tenant_id", "user_id", "venue", "channel_epoch", "created_at"]
const REPORT_IDENTITY = ["tenant_id", "trading_account_id"]

/** The stored row `t` is not what `excluded` would be an image of. */
const differs = (columns: ReadonlyArray<string>): string =>
  `(${columns.map((name) => `t.${name}`).join(", ")}) IS DISTINCT FROM (${columns.map((name) => `excluded.${name}`).join(", ")})`

/** Ends the statement with SQLSTATE 23000 and the constraint `<table>_identity` (migration 0016). Of type bigint. */
const refused = (table: string, id: string): string => `row_of_another('${table}', t.${id})`

/** The order id that such an end names. */
const anotherOrderOf = (error: unknown): string | undefined =>
  constraintOf(error) === "trade_order_identity" ? /=\(([0-9a-f-]{36})\)/.exec(detailOf(error))?.[1] : undefined

/** `ON CONFLICT` of an immutable row: the same one is forgiven, another under its id is not. `column` is any that a bigint fits. */
const forgiving = (table: string, id: string, column: string, columns: ReadonlyArray<string>): string =>
  `ON CONFLICT (${id}) DO UPDATE SET ${column} = ${refused(table, id)} WHERE ${differs(columns)}`

/** `ON CONFLICT` of an image: a later one replaces an older one, an older one changes nothing. Costs an insert nothing. */
const replacing = (table: string, id: string, sets: string, columns: ReadonlyArray<string>): string =>
  `ON CONFLICT (${id}) DO UPDATE SET version = CASE WHEN ${differs(columns)} THEN ${refused(table, id)} ELSE excluded.version END, ${sets}
      WHERE excluded.version > t.version OR ${differs(columns)}`

export const onOrderConflict = (sets: string): string =>
  replacing("trade_order", "trade_order_id", sets, ORDER_IDENTITY)
export const onAccountConflict = (sets: string): string =>
  replacing("trading_account", "trading_account_id", sets, ACCOUNT_IDENTITY)
export const ON_EXECUTION_CONFLICT = forgiving("execution", "execution_id", "executed_at", EXECUTION_IDENTITY)
export const ON_REPORT_CONFLICT = forgiving("quarantined_report", "quarantined_report_id", "at", REPORT_IDENTITY)

export const isSameOrder = (a: TradeOrder, b: TradeOrder): boolean =>
  a.tradingAccountId === b.tradingAccountId &&
  a.tenantId === b.tenantId &&
  a.venue === b.venue &&
  a.instrumentId === b.instrumentId &&
  a.orderListId === b.orderListId &&
  a.contingencyType === b.contingencyType &&
  a.quoteId === b.quoteId &&
  a.positionId === b.positionId &&
  a.replacesTradeOrderId === b.replacesTradeOrderId &&
  a.dealerAccountId === b.dealerAccountId &&
  a.baseAsset === b.baseAsset &&
  a.quoteAsset === b.quoteAsset &&
  a.orderSide === b.orderSide &&
  a.orderType === b.orderType &&
  a.quantityRounding === b.quantityRounding &&
  a.clientOrderId === b.clientOrderId &&
  a.idempotencyKey === b.idempotencyKey &&
  a.fingerprint === b.fingerprint &&
  a.origin === b.origin &&
  a.createdAt === b.createdAt

export const isSameExecution = (a: Execution, b: Execution): boolean =>
  a.tradingAccountId === b.tradingAccountId &&
  a.tradeOrderId === b.tradeOrderId &&
  a.venue === b.venue &&
  a.externalTradeId === b.externalTradeId &&
  a.instrumentId === b.instrumentId &&
  a.orderSide === b.orderSide &&
  a.executedQuantity.equals(b.executedQuantity) &&
  a.executedPrice.equals(b.executedPrice) &&
  a.executedCost.equals(b.executedCost) &&
  a.inferred === b.inferred &&
  a.executedAt === b.executedAt

export const isSameAccount = (a: TradingAccount, b: TradingAccount): boolean =>
  a.tenantId === b.tenantId &&
  a.userId === b.userId &&
  a.venue === b.venue &&
  a.channelEpoch === b.channelEpoch &&
  a.createdAt === b.createdAt

const hasOrder = (rows: ReadonlyArray<Row>, id: TradeOrderId): boolean =>
  rows.some((row) => row._tag === "Order" && row.order.tradeOrderId === id)

/** Whether the row says itself that it is another account's, or another tenant's. */
const isStrange = (row: Row, { accountId, rows }: Unit, tenantId: string): boolean => {
  switch (row._tag) {
    case "Order":
      return row.order.tradingAccountId !== accountId || row.order.tenantId !== tenantId
    case "Execution":
      // Whose its order is, the order's own image is compared for.
      return row.execution.tradingAccountId !== accountId || !hasOrder(rows, row.execution.tradeOrderId)
    case "Account":
      return row.account.tradingAccountId !== accountId || row.account.tenantId !== tenantId
    case "Audited":
      return row.act.object !== null && row.act.object.id !== accountId
    case "SubscriptionsEnded":
      return row.tradingAccountId !== accountId
    default:
      return false
  }
}

/** The kind of the first row of a unit that is not its account's; undefined when all are. */
export const strangerIn = (unit: Unit, tenantId: string): string | undefined =>
  unit.rows.find((row) => isStrange(row, unit, tenantId))?._tag

/** Owner and newest event number of accounts; numbers of dropped partitions stand in account_sequence. */
export const LEARN_ACCOUNTS = {
  name: "learn-accounts",
  text: `SELECT a.trading_account_id, a.tenant_id, greatest(
      (SELECT max(e.sequence) FROM account_event e WHERE e.trading_account_id = a.trading_account_id),
      (SELECT s.last_sequence FROM account_sequence s WHERE s.trading_account_id = a.trading_account_id), 0) AS last_sequence
    FROM trading_account a WHERE a.trading_account_id = ANY ($1::uuid[])`,
}

/** How many of the events stand under their numbers, by their ids. */
const WRITTEN_EVENTS = {
  name: "written-events",
  text: `SELECT count(*)::int AS written FROM account_event
    JOIN unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[]) AS e (trading_account_id, sequence, at, event_id)
    USING (trading_account_id, sequence, at, event_id)`,
}

/** Of an error that names a partition of the events, or their table. */
const isOfEvents = (error: unknown): boolean => tableOf(error)?.startsWith("account_event") === true

/**
 * Whether a batch that was refused stands already: it was sent before, and only its answer was lost. All of it is there or nothing is. Else an event of
 * another writer has one of its numbers.
 */
export const isWritten = async (
  session: WriterSession,
  events: ReadonlyArray<NumberedEvent>,
  error: unknown,
): Promise<boolean | "closed"> => {
  if (!isOfEvents(error)) return false
  const columns = [
    events.map(({ accountId }) => accountId),
    events.map(({ sequence }) => sequence),
    events.map(({ event }) => event.at),
    events.map(({ event }) => event.eventId),
  ]
  const answer = await session.ask({ ...WRITTEN_EVENTS, values: columns })
  if (answer._tag === "Closed") return "closed"
  return answer._tag === "Rows" && answer.rows[0]?.["written"] === events.length
}

const KEY_INDEXES = new Set(["trade_order_key", "trade_order_client_order_id"])
const QUOTE_INDEX = "trade_order_quote"

/** `Key (trading_account_id, …)=(<account>, <key>) already exists.` In another language of the server it is not understood. */
const KEY_DETAIL = /=\(([0-9a-f-]{36}), (.+)\) /s

const keyOf = (order: { readonly idempotencyKey: string | null; readonly clientOrderId: string | null }) =>
  order.idempotencyKey ?? order.clientOrderId

/** Index of a unit that can have caused the error; undefined when the error does not say. */
export const suspectOf = (units: ReadonlyArray<Unit>, error: unknown): number | undefined => {
  const another = anotherOrderOf(error)
  if (another !== undefined) {
    // The first: what its account made on top of it is not even sent.
    const index = units.findIndex(({ rows }) =>
      rows.some((row) => row._tag === "Order" && row.order.tradeOrderId === another),
    )
    return index < 0 ? undefined : index
  }
  // Of a quote that is used halves find the unit: that happens hardly ever.
  if (!KEY_INDEXES.has(constraintOf(error) ?? "")) return undefined
  const [, account, key] = KEY_DETAIL.exec(detailOf(error)) ?? []
  if (account === undefined || key === undefined) return undefined
  const index = units.findLastIndex(
    (unit) =>
      unit.accountId === account &&
      unit.rows.some((row) => row._tag === "Order" && (keyOf(row.order) === key || row.order.clientOrderId === key)),
  )
  return index < 0 ? undefined : index
}

const OLDER = {
  name: "older-order",
  text: `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND o.trade_order_id <> $2
    AND (coalesce(o.idempotency_key, o.client_order_id) = $3 OR o.client_order_id = $4)
    ORDER BY coalesce(o.idempotency_key, o.client_order_id) = $3 DESC LIMIT 1`,
}
const EXECUTIONS = {
  name: "older-executions",
  text: NEWEST_EXECUTIONS,
}

/**
 * The outcome KeyUsed of a unit that was refused alone; undefined when none of its orders wants a key of an older one. The error does
 * not count: of several broken rules the server names any, and a used key is the one that the actor can live with.
 */
export const olderOrder = async (session: WriterSession, unit: Unit): Promise<CommitOutcome | undefined | "closed"> => {
  for (const row of unit.rows) {
    if (row._tag !== "Order" || keyOf(row.order) === null) continue
    const { order } = row
    const found = await session.ask({
      ...OLDER,
      values: [order.tradingAccountId, order.tradeOrderId, keyOf(order), order.clientOrderId],
    })
    if (found._tag === "Closed") return "closed"
    if (found._tag === "Refused" || found.rows[0] === undefined) continue
    const older = found.rows[0] as unknown as OrderRow
    const executions = await session.ask({ ...EXECUTIONS, values: [arrayLiteral([older.trade_order_id])] })
    if (executions._tag === "Closed") return "closed"
    const rows = executions._tag === "Rows" ? (executions.rows as unknown as ReadonlyArray<ExecutionRow>) : []
    const sameKey = order.idempotencyKey !== null && (older.idempotency_key ?? older.client_order_id) === keyOf(order)
    return { _tag: "KeyUsed", by: sameKey ? "idempotencyKey" : "clientOrderId", order: ordersOf([older], rows)[0]! }
  }
  return undefined
}

const HAS_QUOTE = {
  name: "has-quote",
  text: "SELECT trade_order_id FROM trade_order WHERE claimed_quote_id = $1 AND trade_order_id <> $2",
}

/** Whether a unit was refused because an older order has the quote of one of its own. */
export const isQuoteUsed = async (session: WriterSession, unit: Unit, error: unknown): Promise<boolean | "closed"> => {
  if (constraintOf(error) !== QUOTE_INDEX) return false
  for (const row of unit.rows) {
    if (row._tag !== "Order" || row.order.quoteId === null) continue
    const found = await session.ask({ ...HAS_QUOTE, values: [row.order.quoteId, row.order.tradeOrderId] })
    if (found._tag === "Closed") return "closed"
    if (found._tag === "Rows" && found.rows.length > 0) return true
  }
  return false
}

/** For people: SQLSTATE, constraint and the server's first line; its detail, which quotes whole rows, stays out. */
export const wordsOf = (error: unknown): string => {
  const message = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""
  return [sqlStateOf(error), constraintOf(error), message].filter((word) => word !== undefined).join(" ")
}
