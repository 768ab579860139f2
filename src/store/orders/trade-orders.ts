/**
 * Orders and executions as HTTP reads them: newest first, by filters, page by page. The one thing to know: pages follow the keyset (createdAt,
 * id), so that orders placed meanwhile neither repeat nor hide one; what is read here is durable, never what an actor only plans.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { isTerminal, type OrderStatus } from "../../domain/order/status.ts"
import { EXECUTIONS_KEPT, type TradeOrder } from "../../domain/order/trade-order.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { arrayLiteral } from "./order-columns.ts"
import {
  COUNTS,
  EXECUTION_COLUMNS,
  type ExecutionRow,
  executedIds,
  executionJson,
  executionOf,
  ORDER_COLUMNS,
  type OrderRow,
  orderOf,
  ordersOf,
} from "./rows.ts"

// Executions of orders as they are read: of any order the newest few, of one alone all of them. The one thing to know: an inferred
// execution whose place another has taken is in the table for ever, and counts no more.

/** `$1`: ids of orders. Of each the newest that count, and the inferred one that is not explained, however old. */
export const NEWEST_EXECUTIONS = `SELECT ${EXECUTION_COLUMNS} FROM unnest($1::uuid[]) AS o(id) CROSS JOIN LATERAL (
    (SELECT x.number FROM execution x WHERE x.trade_order_id = o.id AND ${COUNTS} ORDER BY x.number DESC LIMIT ${EXECUTIONS_KEPT})
    UNION
    (SELECT x.number FROM execution x WHERE x.trade_order_id = o.id AND x.inferred AND ${COUNTS} ORDER BY x.number DESC LIMIT 1)
  ) AS newest JOIN execution x ON x.trade_order_id = o.id AND x.number = newest.number ORDER BY x.number`

/** Orders of a statement's rows with their newest executions, fetched by one second query. */
export const withExecutions = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<OrderRow>,
): Effect.Effect<ReadonlyArray<TradeOrder>, SqlError> => {
  const ids = executedIds(rows)
  if (ids.length === 0) return Effect.succeed(ordersOf(rows, []))
  const executions = sql.unsafe<ExecutionRow>(NEWEST_EXECUTIONS, [arrayLiteral(ids)])
  return Effect.map(executions, (found) => ordersOf(rows, found))
}

/** For an actor, which counts each trade once: with the ids of all their older trades. */
export const withTrades = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<OrderRow>,
): Effect.Effect<ReadonlyArray<TradeOrder>, SqlError> =>
  Effect.gen(function* () {
    const orders = yield* withExecutions(sql, rows)
    const large = orders.filter((order) => order.executionCount > order.executions.length)
    if (large.length === 0) return orders
    const trades = yield* sql.unsafe<{ trade_order_id: string; ids: ReadonlyArray<string> }>(
      `SELECT x.trade_order_id, json_agg(x.external_trade_id) AS ids FROM execution x
       WHERE x.trade_order_id = ANY ($1::uuid[]) AND NOT x.inferred GROUP BY 1`,
      [arrayLiteral(large.map((order) => order.tradeOrderId))],
    )
    const byOrder = new Map(trades.map((row) => [row.trade_order_id, row.ids]))
    return orders.map((order) => {
      const olderTradeIds = byOrder.get(order.tradeOrderId)
      return olderTradeIds === undefined ? order : { ...order, olderTradeIds }
    })
  })

// The list of orders as SQL. The one thing to know: the keys of a page come first, each account's from an index of its own in the order of
// the list, and whole rows are read of one page only, whatever the number of stored orders.

/** The last order of the page before. */
export interface OrderKeyset {
  readonly createdAt: number
  readonly tradeOrderId: TradeOrderId
}

export interface OrderQuery {
  /** The accounts whose orders the caller may see. */
  readonly tradingAccountIds: ReadonlyArray<TradingAccountId>
  readonly tradeOrderId?: TradeOrderId
  readonly clientOrderId?: string
  /** Children of a list's parent, or both legs of a pair without one. */
  readonly orderListId?: string
  readonly orderStatus?: ReadonlyArray<OrderStatus>
  /** With `orderStatus`: PENDING_CANCEL, PENDING_REPLACE and REPLACED count only with (true) or without (false) executions. */
  readonly hasFills?: boolean
  readonly instrumentId?: InstrumentId
  /** createdAt, both inclusive, ms. */
  readonly startTime?: number
  readonly endTime?: number
  /** updatedAt, inclusive, ms. An order that changes meanwhile keeps its place among the pages, which is that of its createdAt. */
  readonly updatedSince?: number
  readonly limit: number
  readonly offset: number
  /** Continue behind this order; `offset` then counts from there. */
  readonly cursor?: OrderKeyset
  /** Oldest first. */
  readonly ascending?: boolean
  /** False leaves the count out (total 0): pages behind the first carry it in their cursor. */
  readonly counted?: boolean
}

interface Condition {
  /** What a row `o` of account `a` must satisfy. */
  readonly text: string
  /** `FROM` of the accounts, and of the statuses where each has an index of its own. */
  readonly from: string
  /** One of them holds of each row, and each has an index of its own. */
  readonly parts: ReadonlyArray<string>
  /** The first is the accounts, as an array literal. */
  readonly values: Array<string | number>
}

const MOMENTARY = "'PENDING_CANCEL', 'PENDING_REPLACE', 'REPLACED'"

const conditionOf = (query: OrderQuery): Condition => {
  const values: Array<string | number> = [`{${query.tradingAccountIds.join(",")}}`]
  const parts: Array<string> = ["o.trading_account_id = a.id"]
  let from = "unnest($1::uuid[]) AS a(id)"
  const param = (value: string | number): string => {
    values.push(value)
    return `$${values.length}`
  }
  if (query.tradeOrderId !== undefined) parts.push(`o.trade_order_id = ${param(query.tradeOrderId)}`)
  if (query.clientOrderId !== undefined) parts.push(`o.client_order_id = ${param(query.clientOrderId)}`)
  // The list's id is its parent's: the parent itself is no part of the answer (contract C4).
  if (query.orderListId !== undefined) {
    const list = param(query.orderListId)
    parts.push(`o.order_list_id = ${list}::uuid AND o.trade_order_id <> ${list}::uuid`)
  }
  if (query.instrumentId !== undefined) parts.push(`o.instrument_id = ${param(query.instrumentId)}`)
  if (query.orderStatus !== undefined) {
    const words = `${param(`{${query.orderStatus.join(",")}}`)}::text[]`
    if (query.orderStatus.every((word) => !isTerminal(word))) parts.push(`o.open AND o.order_status = ANY (${words})`)
    else if (query.orderStatus.every(isTerminal)) {
      from += ` CROSS JOIN unnest(${words}) AS s(word)`
      parts.push("o.ended_as = s.word")
    } else parts.push(`o.order_status = ANY (${words})`)
  }
  if (query.hasFills !== undefined)
    parts.push(`(o.order_status NOT IN (${MOMENTARY}) OR o.executed_quantity ${query.hasFills ? ">" : "="} 0)`)
  if (query.startTime !== undefined) parts.push(`o.created_at >= ${param(query.startTime)}`)
  if (query.endTime !== undefined) parts.push(`o.created_at <= ${param(query.endTime)}`)
  return { text: parts.join(" AND "), from, parts: changedSince(query.updatedSince, param), values }
}

/** What is open is little; of what is over the index has when it changed last (migration 42). */
const changedSince = (at: number | undefined, param: (value: number) => string): ReadonlyArray<string> => {
  if (at === undefined) return ["true"]
  const since = `${param(at)}::bigint`
  return [`o.open AND o.updated_at >= ${since}`, `o.over_since >= ${since}`]
}

interface Statement {
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

/** One row more than the page has, so that it is known whether another follows; and how many there are in all. */
export const orderListSql = (query: OrderQuery): { readonly page: Statement; readonly count: Statement } => {
  const { text, from, parts, values } = conditionOf(query)
  const pageValues = [...values]
  let where = text
  if (query.cursor !== undefined) {
    pageValues.push(query.cursor.createdAt, query.cursor.tradeOrderId)
    const n = pageValues.length
    where += ` AND (o.created_at, o.trade_order_id) ${query.ascending ? ">" : "<"} ($${n - 1}::bigint, $${n}::uuid)`
  }
  const direction = query.ascending ? "ASC" : "DESC"
  const order = `o.created_at ${direction}, o.trade_order_id ${direction}`
  pageValues.push(query.offset + query.limit + 1, query.offset, query.limit + 1)
  const [reach, skip, take] = [2, 1, 0].map((back) => `$${pageValues.length - back}::bigint`)
  const keysOf = (part: string): string => `SELECT o.created_at, o.trade_order_id FROM ${from} CROSS JOIN LATERAL (
      SELECT o.created_at, o.trade_order_id FROM trade_order o WHERE ${where} AND ${part} ORDER BY ${order} LIMIT ${reach}
    ) AS o`
  const keys = `SELECT * FROM (${parts.map(keysOf).join(" UNION ALL ")}) AS o ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
  const matchingOf = (part: string): string => `SELECT FROM ${from} CROSS JOIN LATERAL (
      SELECT FROM trade_order o WHERE ${text} AND ${part} LIMIT ${COUNTED_MAX + 1}) AS o`
  const matching = `${parts.map(matchingOf).join(" UNION ALL ")} LIMIT ${COUNTED_MAX + 1}`
  return {
    page: {
      text: `SELECT ${ORDER_COLUMNS} FROM (${keys}) AS page JOIN trade_order o ON o.trade_order_id = page.trade_order_id ORDER BY ${order}`,
      values: pageValues,
    },
    count: { text: `SELECT count(*)::int AS total FROM (${matching}) AS matching`, values },
  }
}

const EXECUTION_AS_JSON = executionJson("x")

interface OrderPage {
  readonly orders: ReadonlyArray<TradeOrder>
  /** Of all that match, whatever the page; at most 10,000. */
  readonly total: number
  readonly totalIsLowerBound: boolean
  readonly hasNext: boolean
}

const OPEN_AT = `SELECT EXISTS (SELECT FROM trade_order WHERE open AND instrument_id = $1)
  OR EXISTS (SELECT FROM internal_order WHERE status = 'OPEN' AND instrument_id = $1) AS open`

export class TradeOrders extends Effect.Service<TradeOrders>()("store/TradeOrders", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const get = (account: TradingAccountId, column: string, value: string) =>
      orUnavailable(
        sql
          .unsafe<OrderRow>(
            `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND o.${column} = $2`,
            [account, value],
          )
          .pipe(Effect.flatMap((rows) => withExecutions(sql, rows))),
      ).pipe(Effect.map((orders) => orders[0] ?? null))

    return {
      /** Whose orders are open at an instrument. */
      accountsOpenAt: (
        instrumentId: InstrumentId,
      ): Effect.Effect<ReadonlyArray<TradingAccountId>, StorageUnavailable> =>
        orUnavailable(
          sql<{ id: TradingAccountId }>`
            SELECT DISTINCT trading_account_id AS id FROM trade_order WHERE open AND instrument_id = ${instrumentId}`,
        ).pipe(Effect.map((rows) => rows.map(({ id }) => id))),

      /** Whether anything is open at a market of INTERNAL: an order of an account, or one that rests in its book. */
      areOpenAt: (instrumentId: InstrumentId): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql.unsafe<{ open: boolean }>(OPEN_AT, [instrumentId])).pipe(Effect.map(([row]) => row!.open)),

      list: (query: OrderQuery): Effect.Effect<OrderPage, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const { page, count } = orderListSql(query)
            const rows = yield* sql.unsafe<OrderRow>(page.text, page.values)
            const counted =
              query.counted === false ? 0 : (yield* sql.unsafe<{ total: number }>(count.text, count.values))[0]!.total
            return {
              orders: yield* withExecutions(sql, rows.slice(0, query.limit)),
              total: Math.min(counted, COUNTED_MAX),
              totalIsLowerBound: counted > COUNTED_MAX,
              hasNext: rows.length > query.limit,
            }
          }),
        ),

      /** With all of its executions, of one instant with the rest; null when there is no such order. */
      whole: (id: TradeOrderId): Effect.Effect<TradeOrder | null, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<OrderRow & { readonly all: ReadonlyArray<ExecutionRow> | null }>(
            `SELECT ${ORDER_COLUMNS}, (SELECT json_agg(${EXECUTION_AS_JSON} ORDER BY x.number) FROM execution x
               WHERE x.trade_order_id = o.trade_order_id AND ${COUNTS}) AS "all"
             FROM trade_order o WHERE o.trade_order_id = $1`,
            [id],
          ),
        ).pipe(
          Effect.map(([row]) => {
            const executions = (row?.all ?? []).map(executionOf)
            return row === undefined ? null : { ...orderOf(row, executions), executions }
          }),
        ),

      /** Null when the account has no such order. */
      get: (account: TradingAccountId, id: TradeOrderId): Effect.Effect<TradeOrder | null, StorageUnavailable> =>
        get(account, "trade_order_id", id),

      getByClientOrderId: (
        account: TradingAccountId,
        clientOrderId: string,
      ): Effect.Effect<TradeOrder | null, StorageUnavailable> => get(account, "client_order_id", clientOrderId),
    }
  }),
}) {}
