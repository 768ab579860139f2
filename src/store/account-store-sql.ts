/**
 * AccountStore and JournalPort over PostgreSQL: writes go through the order writer, reads through the pool. The one thing to know:
 * reads for actors wait until the database answers, so that an actor wakes late rather than wrong.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { Decimal } from "../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId, VenueId } from "../domain/ids.ts"
import { NEVER_PLACED, type TradeOrder } from "../domain/trade-order.ts"
import {
  type AccountState,
  AccountStore,
  NAMED_ORDERS,
  type OrderName,
  type PastOrder,
  WHOLE_ORDERS,
} from "../ports/account-store.ts"
import { JournalPort } from "../ports/journal-port.ts"
import { Meters } from "../ports/meters.ts"
import { sampledWork, Telemetry } from "../ports/telemetry.ts"
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
  instant,
  instantOrNull,
  ORDER_COLUMNS,
  type OrderRow,
  ordersOf,
  type PastRow,
  pastOrderOf,
} from "./rows.ts"
import { connectDedicated } from "./sql.ts"
import { untilAvailable } from "./storage-failure.ts"

const NAMES_PAGE = 2_000
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

/** Newest first. */
const recent = (sql: SqlClient.SqlClient, id: TradingAccountId) =>
  sql
    .unsafe<OrderRow>(
      `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND NOT o.open
       ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${WHOLE_ORDERS}`,
      [id],
    )
    .pipe(Effect.flatMap((rows) => withExecutions(sql, rows)))

/** Newest first, behind `last`. In pages: thousands of rows decoded at once would hold up every other account. */
const past = (sql: SqlClient.SqlClient, id: TradingAccountId, last: TradeOrder) =>
  Effect.gen(function* () {
    const orders: Array<PastOrder> = []
    let { createdAt, tradeOrderId } = last
    for (let left = NAMED_ORDERS - WHOLE_ORDERS; left > 0; left -= NAMES_PAGE) {
      const rows = yield* sql.unsafe<PastRow>(
        `SELECT o.trade_order_id, o.version, o.instrument_id, o.order_side, o.idempotency_key, o.client_order_id, o.external_order_id,
           o.created_at, CASE WHEN o.executed_quantity > 0 THEN
             (SELECT json_agg(x.external_trade_id) FROM execution x WHERE x.trade_order_id = o.trade_order_id) END AS trades
         FROM trade_order o WHERE o.trading_account_id = $1 AND NOT o.open
           AND (o.created_at, o.trade_order_id) < ($2::bigint, $3::uuid)
         ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${NAMES_PAGE}`,
        [id, createdAt, tradeOrderId],
      )
      for (const row of rows.slice(0, left)) orders.push(pastOrderOf(row))
      const oldest = rows.at(-1)
      if (oldest === undefined || rows.length < NAMES_PAGE) break
      createdAt = instant(oldest.created_at)
      tradeOrderId = oldest.trade_order_id as TradeOrderId
    }
    return orders
  })

/** Among the newest: what was rejected earlier is of no interest any more. */
const unplaced = (sql: SqlClient.SqlClient, id: TradingAccountId) =>
  sql
    .unsafe<{ trade_order_id: string; updated_at: string }>(
      `SELECT trade_order_id, updated_at FROM (
         SELECT * FROM trade_order o WHERE o.trading_account_id = $1 AND o.ended_as = 'REJECTED'
         ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${NAMED_ORDERS}) AS o
       WHERE o.reject_reason IN ($2, $3) AND o.external_order_id IS NULL`,
      [id, NEVER_PLACED.restarted, NEVER_PLACED.proven],
    )
    .pipe(
      Effect.map((rows) =>
        rows.map((row) => ({
          tradeOrderId: row.trade_order_id as TradeOrderId,
          updatedAt: instant(row.updated_at),
        })),
      ),
    )

/** Ended orders of the lists of these: the arithmetic of a list needs every order, however old. */
const listMates = (sql: SqlClient.SqlClient, id: TradingAccountId, known: ReadonlyArray<TradeOrder>) =>
  Effect.gen(function* () {
    const lists = [...new Set(known.flatMap((order) => order.orderListId ?? []))]
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
      const mates = yield* listMates(sql, id, [...openOrders, ...newestOrders])
      const older = mates.filter((order) => !known.has(order.tradeOrderId))
      const last = newestOrders.length < WHOLE_ORDERS ? undefined : newestOrders.at(-1)
      const newest = yield* sql.unsafe<{ last_execution_at: string | null }>(
        `SELECT max(x.executed_at) AS last_execution_at FROM execution x WHERE x.trading_account_id = $1`,
        [id],
      )
      return {
        account,
        openOrders,
        recentOrders: [...newestOrders, ...older],
        pastOrders: last === undefined ? [] : yield* past(sql, id, last),
        unplacedOrders: yield* unplaced(sql, id),
        lastSequence: yield* lastSequence(sql, id),
        lastExecutionAt: instantOrNull(newest[0]!.last_execution_at),
      }
    }),
  )

const find = (sql: SqlClient.SqlClient, id: TradingAccountId, by: OrderName): Effect.Effect<TradeOrder | null> =>
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

/** What actors hand over in their last moment is stored as well: how far a trailing stop came. */
const LAST_WORDS_MILLIS = 1_000

/** Own the database first (`node.ts`); drain the writer before the layer is released: little time is left then for what waits. */
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
      const board = yield* Meters
      const batched = sampledWork(yield* Telemetry, "OrderWriter.batch", "units")
      const meters = {
        unit: board.histogram("order_stage_duration_seconds").of("store"),
        batch: board.histogram("db_query_duration_seconds").of("order_batch"),
      }
      const writer = yield* Effect.acquireRelease(
        Effect.sync(() => startOrderWriter({ ...options, connect, meters, batched })),
        (open) =>
          Effect.tryPromise(open.drain).pipe(
            Effect.interruptible,
            Effect.timeoutOption(LAST_WORDS_MILLIS),
            Effect.ignore,
            Effect.zipRight(Effect.sync(open.close)),
          ),
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
