/**
 * AccountStore and JournalPort over PostgreSQL: writes go through the order writer, reads through the pool. The one thing to know:
 * reads for actors wait until the database answers, so that an actor wakes late rather than wrong.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { TradingAccountId, VenueId } from "../../domain/ids.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import { AccountStore, type OrderName } from "../../ports/account-store.ts"
import { JournalPort } from "../../ports/journal-port.ts"
import { Meters } from "../../ports/meters.ts"
import { sampledWork, Telemetry } from "../../ports/telemetry.ts"
import { connectDedicated } from "../postgres/sql.ts"
import { untilAvailable } from "../postgres/storage-failure.ts"
import { lastSequence, makeEventReader } from "./account-events.ts"
import { makeAccountLoader } from "./account-load.ts"
import { readNames } from "./account-names.ts"
import { withExecutions, withTrades } from "./executions.ts"
import { type OrderWriter, type OrderWriterOptions, startOrderWriter } from "./order-writer.ts"
import { COUNTS, decimal, ORDER_COLUMNS, type OrderRow } from "./rows.ts"

/** Between the server's end of a statement and ours: whichever notices first, the same batch is sent again. */
const STATEMENT_TIMEOUT_MILLIS = 4_500

/** The running writer: its figures for the metrics, its drain for the shutdown. */
export class Writer extends Context.Tag("store/Writer")<Writer, Pick<OrderWriter, "stats" | "drain" | "pressure">>() {}

const find = (sql: SqlClient.SqlClient, id: TradingAccountId, by: OrderName): Effect.Effect<TradeOrder | null> =>
  untilAvailable(
    Effect.gen(function* () {
      const [column, value] =
        "tradeOrderId" in by ? ["trade_order_id", by.tradeOrderId] : ["client_order_id", by.clientOrderId]
      const rows = yield* sql.unsafe<OrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = $1 AND o.${column} = $2`,
        [id, value],
      )
      return (yield* withTrades(sql, rows))[0] ?? null
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
      .pipe(Effect.flatMap((rows) => withTrades(sql, rows))),
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
           FROM execution x JOIN trade_order o USING (trade_order_id) WHERE x.trading_account_id = $1 AND ${COUNTS}),
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
      const load = makeAccountLoader(sql)
      return Context.empty().pipe(
        Context.add(AccountStore, {
          load,
          names: (id, asked) => untilAvailable(readNames(sql, id, asked)),
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
