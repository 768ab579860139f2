/**
 * Executions of orders as they are read: of any order the newest few, of one alone all of them. The one thing to know: an inferred
 * execution whose place another has taken is in the table for ever, and counts no more.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { EXECUTIONS_KEPT, type TradeOrder } from "../../domain/order/trade-order.ts"
import { arrayLiteral } from "./order-columns.ts"
import { COUNTS, EXECUTION_COLUMNS, type ExecutionRow, executedIds, type OrderRow, ordersOf } from "./rows.ts"

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
