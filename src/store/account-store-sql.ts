/**
 * AccountStore and JournalPort over PostgreSQL: writes go through the order writer, reads through the pool. The one thing to know:
 * reads for actors wait until the database answers, so that an actor wakes late rather than wrong.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { Decimal } from "../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId, VenueId } from "../domain/ids.ts"
import type { TradeOrder } from "../domain/trade-order.ts"
import { type AccountState, AccountStore } from "../ports/account-store.ts"
import { JournalPort } from "../ports/journal-port.ts"
import { lastSequence, makeEventReader } from "./account-events.ts"
import { type OrderWriter, type OrderWriterOptions, startOrderWriter } from "./order-writer.ts"
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  CREDENTIAL_COLUMNS,
  type CredentialRow,
  credentialOf,
  decimal,
  EXECUTION_COLUMNS,
  type ExecutionRow,
  executedIds,
  instantOrNull,
  ORDER_COLUMNS,
  type OrderRow,
  ordersOf,
} from "./rows.ts"
import { connectDedicated } from "./sql.ts"
import { untilAvailable } from "./storage-failure.ts"

const RECENT_ORDERS = 10_000
const RECENT_PAGE = 500
/** Between the server's end of a statement and ours: whichever notices first, the same batch is sent again. */
const STATEMENT_TIMEOUT_MILLIS = 4_500

/** The running writer: its figures for the metrics, its drain for the shutdown. */
export class Writer extends Context.Tag("store/Writer")<Writer, Pick<OrderWriter, "stats" | "drain" | "pressure">>() {}

/** Orders of a statement's rows with their executions, fetched by one second query. */
export const withExecutions = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<OrderRow>,
): Effect.Effect<ReadonlyArray<TradeOrder>, SqlError> =>
  Effect.gen(function* () {
    const ids = executedIds(rows)
    if (ids.length === 0) return ordersOf(rows, [])
    const executions = yield* sql.unsafe<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM execution x WHERE x.trade_order_id = ANY ($1::uuid[]) ORDER BY x.number`,
      [ids as unknown as string],
    )
    return ordersOf(rows, executions)
  })

const readAccount = (sql: SqlClient.SqlClient, id: TradingAccountId) =>
  Effect.gen(function* () {
    const rows = yield* sql.unsafe<AccountRow>(
      `SELECT ${ACCOUNT_COLUMNS} FROM trading_account a WHERE a.trading_account_id = $1`,
      [id],
    )
    if (rows[0] === undefined) return yield* Effect.dieMessage(`no trading account ${id} in the database`)
    const credentials = yield* sql.unsafe<CredentialRow>(
      `SELECT ${CREDENTIAL_COLUMNS} FROM trading_account_credential l JOIN credential c USING (credential_id)
       WHERE l.trading_account_id = $1 ORDER BY l.position`,
      [id],
    )
    return accountOf(rows[0], credentials.map(credentialOf))
  })

/** Newest first. In pages, since thousands of rows decoded at once would hold up every other account for a tenth of a second. */
const recent = (sql: SqlClient.SqlClient, id: TradingAccountId): Effect.Effect<ReadonlyArray<TradeOrder>, SqlError> =>
  Effect.gen(function* () {
    const orders: Array<TradeOrder> = []
    while (orders.length < RECENT_ORDERS) {
      const last = orders.at(-1)
      const rows = yield* sql.unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND NOT o.open
           AND ($2::bigint IS NULL OR (o.created_at, o.trade_order_id) < ($2, $3::uuid))
         ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${RECENT_PAGE}`,
        [id, last?.createdAt ?? null, last?.tradeOrderId ?? null],
      )
      orders.push(...(yield* withExecutions(sql, rows)))
      if (rows.length < RECENT_PAGE) break
    }
    return orders
  })

/** Of lists with an open order: their arithmetic needs every order, however old. */
const listMates = (sql: SqlClient.SqlClient, id: TradingAccountId, open: ReadonlyArray<TradeOrder>) =>
  Effect.gen(function* () {
    const lists = [...new Set(open.flatMap((order) => order.orderListId ?? []))]
    if (lists.length === 0) return []
    const rows = yield* sql.unsafe<OrderRow>(
      `SELECT ${ORDER_COLUMNS} FROM trade_order o
       WHERE o.trading_account_id = $1 AND NOT o.open AND o.order_list_id = ANY ($2::uuid[])`,
      [id, lists as unknown as string],
    )
    return yield* withExecutions(sql, rows)
  })

const load = (sql: SqlClient.SqlClient, id: TradingAccountId): Effect.Effect<AccountState> =>
  untilAvailable(
    Effect.gen(function* () {
      const account = yield* readAccount(sql, id)
      const open = yield* sql.unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND o.open
         ORDER BY o.created_at, o.trade_order_id`,
        [id],
      )
      const openOrders = yield* withExecutions(sql, open)
      const newestOrders = yield* recent(sql, id)
      const known = new Set(newestOrders.map((order) => order.tradeOrderId))
      const older = (yield* listMates(sql, id, openOrders)).filter((order) => !known.has(order.tradeOrderId))
      const newest = yield* sql.unsafe<{ last_execution_at: string | null }>(
        `SELECT max(x.executed_at) AS last_execution_at FROM execution x WHERE x.trading_account_id = $1`,
        [id],
      )
      return {
        account,
        openOrders,
        recentOrders: [...newestOrders, ...older],
        lastSequence: yield* lastSequence(sql, id),
        lastExecutionAt: instantOrNull(newest[0]!.last_execution_at),
      }
    }),
  )

const find = (
  sql: SqlClient.SqlClient,
  id: TradingAccountId,
  by: { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string },
): Effect.Effect<TradeOrder | null> =>
  untilAvailable(
    Effect.gen(function* () {
      const [column, value] =
        "tradeOrderId" in by ? ["trade_order_id", by.tradeOrderId] : ["client_order_id", by.clientOrderId]
      const rows = yield* sql.unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND o.${column} = $2`,
        [id, value],
      )
      return (yield* withExecutions(sql, rows))[0] ?? null
    }),
  )

const ofList = (
  sql: SqlClient.SqlClient,
  id: TradingAccountId,
  orderListId: string,
): Effect.Effect<ReadonlyArray<TradeOrder>> =>
  untilAvailable(
    sql
      .unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.order_list_id = $1 AND o.trading_account_id = $2
         ORDER BY o.created_at, o.trade_order_id`,
        [orderListId, id],
      )
      .pipe(Effect.flatMap((rows) => withExecutions(sql, rows))),
  )

const restingOrders = (sql: SqlClient.SqlClient, venue: VenueId): Effect.Effect<ReadonlyArray<TradeOrder>> =>
  untilAvailable(
    sql
      .unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o
         WHERE o.open AND o.venue = $1
           AND o.order_status IN ('ACCEPTED', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'PENDING_REPLACE', 'REPLACED')
         ORDER BY o.accepted_number NULLS LAST, o.created_at, o.trade_order_id`,
        [venue],
      )
      .pipe(Effect.flatMap((rows) => withExecutions(sql, rows))),
  )

/** Summed by the server, exactly: numeric keeps every digit. */
const balanceChanges = (
  sql: SqlClient.SqlClient,
  account: TradingAccountId,
): Effect.Effect<ReadonlyArray<readonly [asset: string, change: string]>> =>
  untilAvailable(
    sql
      .unsafe<{ asset: string; change: string }>(
        `WITH fill AS (
           SELECT o.base_asset, o.quote_asset, x.fees, x.executed_quantity, x.executed_cost,
             CASE x.order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign
           FROM execution x JOIN trade_order o USING (trade_order_id) WHERE x.trading_account_id = $1),
         leg AS (
           SELECT base_asset AS asset, sign * executed_quantity AS change FROM fill
           UNION ALL SELECT quote_asset, -sign * executed_cost FROM fill
           UNION ALL SELECT f.asset, -f.quantity FROM fill, json_to_recordset(fill.fees) AS f(asset text, quantity numeric))
         SELECT asset, sum(change) AS change FROM leg GROUP BY asset ORDER BY asset COLLATE "C"`,
        [account],
      )
      .pipe(
        Effect.map((rows) =>
          rows
            .map((row) => [row.asset, decimal(row.change)] as const)
            .filter(([, change]) => !change.equals(Decimal.ZERO))
            .map(([asset, change]) => [asset, change.toString()] as const),
        ),
      ),
  )

export interface AccountStoreOptions extends Omit<OrderWriterOptions, "connect"> {
  readonly url: string
}

/** Own the database first (`node.ts`); drain the writer before the layer is released, or what waits is lost with the process. */
export const accountStoreLayer = (
  options: AccountStoreOptions,
): Layer.Layer<AccountStore | JournalPort | Writer, never, SqlClient.SqlClient> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const connect = () =>
        connectDedicated(options.url, {
          applicationName: "venue-gateway writer",
          statementTimeoutMillis: STATEMENT_TIMEOUT_MILLIS,
        })
      const writer = yield* Effect.acquireRelease(
        Effect.sync(() => startOrderWriter({ ...options, connect })),
        (open) => Effect.sync(open.close),
      )
      const events = makeEventReader(sql)
      return Context.empty().pipe(
        Context.add(AccountStore, {
          load: (id) => load(sql, id),
          find: (id, by) => find(sql, id, by),
          ofList: (id, orderListId) => ofList(sql, id, orderListId),
          lastSequence: (id) => untilAvailable(lastSequence(sql, id)),
          events,
          commit: writer.commit,
          after: writer.after,
          pressure: writer.pressure,
        }),
        Context.add(JournalPort, {
          restingOrders: (venue) => restingOrders(sql, venue),
          balanceChanges: (account) => balanceChanges(sql, account),
        }),
        Context.add(Writer, writer),
      )
    }),
  )
