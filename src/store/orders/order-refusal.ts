/**
 * What the order writer asks besides its batches: who an account is, and whose key it was that a refused unit wanted to use.
 * The one thing to know: an answer of the server about a key names the key, which finds the unit without halving the batch.
 */
import type { Settled, Unit } from "../../ports/account-store.ts"
import { constraintOf, detailOf, sqlStateOf } from "../postgres/storage-failure.ts"
import type { WriterSession } from "../postgres/writer-session.ts"
import { NEWEST_EXECUTIONS } from "./executions.ts"
import { arrayLiteral } from "./order-columns.ts"
import { anotherOrderOf } from "./row-identity.ts"
import { type ExecutionRow, ORDER_COLUMNS, type OrderRow, ordersOf } from "./rows.ts"

/** Owner and newest event number of accounts; numbers of dropped partitions stand in account_sequence. */
export const LEARN_ACCOUNTS = {
  name: "learn-accounts",
  text: `SELECT a.trading_account_id, a.tenant_id, greatest(
      (SELECT max(e.sequence) FROM account_event e WHERE e.trading_account_id = a.trading_account_id),
      (SELECT s.last_sequence FROM account_sequence s WHERE s.trading_account_id = a.trading_account_id), 0) AS last_sequence
    FROM trading_account a WHERE a.trading_account_id = ANY ($1::uuid[])`,
}

/** Newest place in the queues of in-process venues: only open orders have one that counts. */
export const LEARN_QUEUE = {
  name: "learn-queue",
  text: "SELECT coalesce(max(accepted_number), 0) AS last FROM trade_order WHERE open",
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
export const olderOrder = async (session: WriterSession, unit: Unit): Promise<Settled | undefined | "closed"> => {
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
