/**
 * Orders as HTTP reads them: newest first, by filters, page by page. The one thing to know: pages follow the keyset (createdAt, id), so
 * that orders placed meanwhile neither repeat nor hide one; what is read here is durable, never what an actor only plans.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { withExecutions } from "./executions.ts"
import { type OrderQuery, orderListSql } from "./order-list.ts"
import { COUNTS, type ExecutionRow, executionJson, executionOf, ORDER_COLUMNS, type OrderRow, orderOf } from "./rows.ts"

const EXECUTION_AS_JSON = executionJson("x")

export interface OrderPage {
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
