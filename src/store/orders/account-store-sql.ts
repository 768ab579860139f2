/**
 * AccountStore and JournalPort over PostgreSQL: writes go through the order writer, reads through the pool. The one thing to know:
 * reads for actors wait until the database answers, so that an actor wakes late rather than wrong.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Deferred, Effect, Exit, FiberId, Layer, type Scope } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId, VenueId } from "../../domain/ids.ts"
import { NEVER_PLACED, type TradeOrder } from "../../domain/order/trade-order.ts"
import {
  type AccountState,
  AccountStore,
  type AskedNames,
  ENDED_MILLIS,
  type FoundNames,
  LIFE_MILLIS,
  NEWEST_ENDED,
  type OrderName,
  USED_NAMES_PAGE,
} from "../../ports/account-store.ts"
import { JournalPort } from "../../ports/journal-port.ts"
import { Meters } from "../../ports/meters.ts"
import { sampledWork, Telemetry } from "../../ports/telemetry.ts"
import { connectDedicated } from "../postgres/sql.ts"
import { prepared } from "../postgres/statements.ts"
import { untilAvailable } from "../postgres/storage-failure.ts"
import { lastSequence, makeEventReader } from "./account-events.ts"
import { type OrderWriter, type OrderWriterOptions, startOrderWriter } from "./order-writer.ts"
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  COUNTS,
  CREDENTIAL_COLUMNS,
  type CredentialRow,
  credentialOf,
  decimal,
  instant,
  instantOrNull,
  ORDER_COLUMNS,
  type OrderRow,
  orderOf,
} from "./rows.ts"
import { withExecutions, withTrades } from "./trade-orders.ts"

// Resolves the ids that clients and venues use for an account's orders and trades: one query for all ids of a page. The one thing to
// know: each part reads one index by (account, name), so an answer costs the same however many orders the account has had.

interface NameRow {
  readonly kind: "order" | "key" | "client" | "venue" | "trade"
  readonly name: string
  readonly trade_order_id: string
}

/** `venue` narrows the trades to the account's only one, which stands before the trade's id in their index. */
const NAMES = prepared(
  "names",
  `
  SELECT 'order' AS kind, o.trade_order_id::text AS name, o.trade_order_id FROM trade_order o
    WHERE o.trade_order_id = ANY ($2::uuid[]) AND o.trading_account_id = $1
  UNION ALL SELECT 'key', coalesce(o.idempotency_key, o.client_order_id), o.trade_order_id FROM trade_order o
    WHERE o.trading_account_id = $1 AND coalesce(o.idempotency_key, o.client_order_id) = ANY ($3::text[])
  UNION ALL SELECT 'client', o.client_order_id, o.trade_order_id FROM trade_order o
    WHERE o.trading_account_id = $1 AND o.client_order_id = ANY ($4::text[])
  UNION ALL SELECT 'venue', n.instrument_id || '|' || n.external_order_id, v.trade_order_id
    FROM unnest($5::text[], $6::text[]) AS n(instrument_id, external_order_id) JOIN order_at_venue v
      ON v.trading_account_id = $1 AND v.external_order_id = n.external_order_id AND v.instrument_id = n.instrument_id
  UNION ALL SELECT 'trade', n.instrument_id || '|' || n.order_side || '|' || n.external_trade_id, x.trade_order_id
    FROM unnest($7::text[], $8::text[], $9::text[]) AS n(instrument_id, order_side, external_trade_id) JOIN execution x
      ON x.trading_account_id = $1 AND x.venue = (SELECT a.venue FROM trading_account a WHERE a.trading_account_id = $1)
        AND x.external_trade_id = n.external_trade_id AND x.instrument_id = n.instrument_id AND x.order_side = n.order_side`,
)

const readNames = (
  sql: SqlClient.SqlClient,
  id: TradingAccountId,
  { tradeOrderIds, keys, clientOrderIds, venueOrders, trades }: AskedNames,
): Effect.Effect<FoundNames, SqlError> =>
  sql
    .unsafe<NameRow>(NAMES, [
      id,
      tradeOrderIds,
      keys,
      clientOrderIds,
      venueOrders.map((it) => it.instrumentId),
      venueOrders.map((it) => it.externalOrderId),
      trades.map((it) => it.instrumentId),
      trades.map((it) => it.orderSide),
      trades.map((it) => it.externalTradeId),
    ] as unknown as ReadonlyArray<string>)
    .pipe(
      Effect.map((rows) => {
        const of = (kind: NameRow["kind"]): Map<string, TradeOrderId> =>
          new Map(rows.flatMap((row) => (row.kind === kind ? [[row.name, row.trade_order_id as TradeOrderId]] : [])))
        return {
          tradeOrderIds: new Set(of("order").values()),
          keys: of("key"),
          clientOrderIds: of("client"),
          venueOrders: of("venue"),
          trades: of("trade"),
        }
      }),
    )

/** Each of them is in the index of a uniqueness of its own, of orders and of archived ones. */
const usedNamesOf = (name: string): string =>
  `SELECT ${name} AS name FROM trade_order o WHERE o.trading_account_id = $1 AND ${name} > $2 ORDER BY 1 LIMIT ${USED_NAMES_PAGE}`
const USED_NAMES = {
  keys: usedNamesOf("coalesce(o.idempotency_key, o.client_order_id)"),
  clientOrderIds: usedNamesOf("o.client_order_id"),
} as const

// Loads the initial state of account actors in batches: a request that arrives while a batch is in flight joins the next one, so that a
// start with thousands of accounts takes a few dozen queries. The one thing to know: it waits until the database answers, so that an
// actor wakes late rather than wrong.

/** Accounts of one batch: their rows are decoded in one turn. */
const BATCH_ACCOUNTS = 100
/** How many of the newest rejections are looked through for orders that were never placed. */
const REJECTIONS_MAX = 10_000

interface FigureRow {
  readonly trading_account_id: string
  readonly last_sequence: string
  readonly last_execution_at: string | null
  readonly ended_at: string | null
  readonly ended_since: string | null
  readonly ended_instruments: ReadonlyArray<string> | null
}

/** Also what partitions that are gone have left behind of the numbering (`partitions.ts`). */
const FIGURES = `
  SELECT a.id AS trading_account_id,
    greatest((SELECT max(e.sequence) FROM account_event e WHERE e.trading_account_id = a.id),
      (SELECT s.last_sequence FROM account_sequence s WHERE s.trading_account_id = a.id), 0) AS last_sequence,
    (SELECT max(x.executed_at) FROM execution x WHERE x.trading_account_id = a.id AND NOT x.inferred) AS last_execution_at,
    ended.*
  FROM unnest($1::uuid[]) AS a(id) LEFT JOIN LATERAL (
    SELECT max(newest_at) AS ended_at,
      min(greatest(created_at, newest_at - ${LIFE_MILLIS})) FILTER (WHERE updated_at > newest_at - ${ENDED_MILLIS}) AS ended_since,
      array_agg(DISTINCT instrument_id) AS ended_instruments
    FROM (SELECT n.*, max(n.updated_at) OVER () AS newest_at FROM (
      SELECT o.created_at, o.updated_at, o.instrument_id FROM trade_order o WHERE o.trading_account_id = a.id AND NOT o.open
      ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${NEWEST_ENDED}) AS n) AS n) AS ended ON true`

const UNPLACED = `
  SELECT ${ORDER_COLUMNS}
  FROM unnest($1::uuid[]) AS a(id) CROSS JOIN LATERAL (
    SELECT * FROM trade_order o WHERE o.trading_account_id = a.id AND o.ended_as = 'REJECTED'
    ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${REJECTIONS_MAX}) AS o
  WHERE o.reject_reason IN ($2, $3)`

const byAccount = <Row>(
  rows: ReadonlyArray<Row>,
  of: (row: Row) => string,
): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const found = new Map<string, Array<Row>>()
  for (const row of rows) {
    const known = found.get(of(row))
    if (known === undefined) found.set(of(row), [row])
    else known.push(row)
  }
  return found
}

const loadAll = (
  sql: SqlClient.SqlClient,
  accountIds: ReadonlyArray<TradingAccountId>,
): Effect.Effect<ReadonlyMap<TradingAccountId, AccountState>, SqlError> =>
  Effect.gen(function* () {
    const ids = accountIds as unknown as string
    const accounts = yield* sql.unsafe<AccountRow>(
      `SELECT ${ACCOUNT_COLUMNS} FROM trading_account a WHERE a.trading_account_id = ANY ($1::uuid[])`,
      [ids],
    )
    const credentials = yield* sql.unsafe<CredentialRow & { readonly trading_account_id: string }>(
      `SELECT l.trading_account_id, ${CREDENTIAL_COLUMNS} FROM trading_account_credential l JOIN credential c USING (credential_id)
       WHERE l.trading_account_id = ANY ($1::uuid[]) ORDER BY l.position`,
      [ids],
    )
    const open = yield* sql.unsafe<OrderRow>(
      `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = ANY ($1::uuid[]) AND o.open
       ORDER BY o.created_at, o.trade_order_id`,
      [ids],
    )
    const lists = [...new Set(open.flatMap((row) => row.order_list_id ?? []))]
    // The arithmetic of a list needs every order, however old.
    const mates =
      lists.length === 0
        ? []
        : yield* sql.unsafe<OrderRow>(
            `SELECT ${ORDER_COLUMNS} FROM trade_order o
             WHERE o.order_list_id = ANY ($1::uuid[]) AND NOT o.open AND o.trading_account_id = ANY ($2::uuid[])
             ORDER BY o.created_at, o.trade_order_id`,
            [lists as unknown as string, ids],
          )
    const orders = yield* withTrades(sql, [...open, ...mates])
    const figures = yield* sql.unsafe<FigureRow>(FIGURES, [ids])
    const unplaced = yield* sql.unsafe<OrderRow>(UNPLACED, [ids, NEVER_PLACED.restarted, NEVER_PLACED.proven])
    const credentialsOf = byAccount(credentials, (row) => row.trading_account_id)
    const openOf = byAccount(orders.slice(0, open.length), (order) => order.tradingAccountId)
    const matesOf = byAccount(orders.slice(open.length), (order) => order.tradingAccountId)
    const unplacedOf = byAccount(unplaced, (row) => row.trading_account_id)
    const figuresOf = new Map(figures.map((row) => [row.trading_account_id, row]))
    return new Map(
      accounts.map((row): [TradingAccountId, AccountState] => {
        const id = row.trading_account_id
        const figure = figuresOf.get(id)!
        return [
          id as TradingAccountId,
          {
            account: accountOf(row, (credentialsOf.get(id) ?? []).map(credentialOf)),
            openOrders: openOf.get(id) ?? [],
            listOrders: matesOf.get(id) ?? [],
            ended:
              figure.ended_at === null
                ? null
                : {
                    newestAt: instant(figure.ended_at),
                    since: instant(figure.ended_since ?? figure.ended_at),
                    instruments: (figure.ended_instruments ?? []) as ReadonlyArray<InstrumentId>,
                  },
            unplacedOrders: (unplacedOf.get(id) ?? []).map((it) => orderOf(it, [])),
            lastSequence: Number(figure.last_sequence),
            lastExecutionAt: instantOrNull(figure.last_execution_at),
          },
        ]
      }),
    )
  })

interface Waiting {
  readonly id: TradingAccountId
  readonly state: Deferred.Deferred<AccountState>
}

/** AccountStore's `load`. The batches are read in a fiber of `scope`: an actor that ends meanwhile takes none of them with it. */
const makeAccountLoader = (sql: SqlClient.SqlClient, scope: Scope.Scope) => {
  let waiting: Array<Waiting> = []
  let isReading = false
  const loaded = (ids: ReadonlyArray<TradingAccountId>) => untilAvailable(loadAll(sql, ids))

  const read = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const ids = [...new Set(batch.map((it) => it.id))]
    return Effect.exit(loaded(ids)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit) || ids.length === 1
          ? Effect.succeed(new Map(ids.map((id) => [id, exit])))
          : Effect.map(
              // A row that cannot be read is the trouble of its own account.
              Effect.forEach(ids, (id) => Effect.map(Effect.exit(loaded([id])), (alone) => [id, alone] as const)),
              (alone) => new Map(alone),
            ),
      ),
      Effect.flatMap((exits) =>
        Effect.forEach(batch, ({ id, state }) => Deferred.done(state, stateIn(exits.get(id)!, id)), { discard: true }),
      ),
    )
  }

  const readAll: Effect.Effect<void> = Effect.suspend(() => {
    const batch = waiting.slice(0, BATCH_ACCOUNTS)
    waiting = waiting.slice(batch.length)
    isReading = batch.length > 0
    // Those that begin to wait in this turn of the loop come along.
    return isReading ? read(batch).pipe(Effect.zipRight(Effect.yieldNow()), Effect.zipRight(readAll)) : Effect.void
  })

  return (id: TradingAccountId): Effect.Effect<AccountState> =>
    Effect.suspend(() => {
      const state = Deferred.unsafeMake<AccountState>(FiberId.none)
      waiting.push({ id, state })
      if (isReading) return Deferred.await(state)
      isReading = true
      return Effect.zipRight(Effect.forkIn(Effect.zipRight(Effect.yieldNow(), readAll), scope), Deferred.await(state))
    })
}

const stateIn = (
  loaded: Exit.Exit<ReadonlyMap<TradingAccountId, AccountState>>,
  id: TradingAccountId,
): Exit.Exit<AccountState> =>
  Exit.flatMap(loaded, (states) => {
    const state = states.get(id)
    return state === undefined ? Exit.die(new Error(`no trading account ${id} in the database`)) : Exit.succeed(state)
  })

/** Between the server's end of a statement and ours: whichever notices first, the same batch is sent again. */
const STATEMENT_TIMEOUT_MILLIS = 4_500

/** The running writer: its figures for the metrics, its drain for the shutdown. */
export class Writer extends Context.Tag("store/Writer")<
  Writer,
  Pick<OrderWriter, "stats" | "drain" | "pressure" | "behindMillis">
>() {}

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

interface AccountStoreOptions extends Omit<OrderWriterOptions, "connect"> {
  readonly url: string
  /** While it answers true, calls wait outside for a writer that is late (http/edge/held-calls.ts): what was begun is not refused for that. */
  readonly areCallsHeld?: () => boolean
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
      const load = makeAccountLoader(sql, yield* Effect.scope)
      return Context.empty().pipe(
        Context.add(AccountStore, {
          load,
          names: (id, asked) => untilAvailable(readNames(sql, id, asked)),
          usedNames: (id, kind, after) =>
            untilAvailable(
              Effect.map(sql.unsafe<{ readonly name: string }>(USED_NAMES[kind], [id, after]), (rows) =>
                rows.map(({ name }) => name),
              ),
            ),
          find: (id, by) => find(sql, id, by),
          ofList: (id, orderListId) => ofList(sql, id, orderListId),
          lastSequence: (id) => untilAvailable(lastSequence(sql, id)),
          events,
          commit: writer.commit,
          after: writer.after,
          pressure: () => (options.areCallsHeld?.() === true && !writer.isFull() ? "calm" : writer.pressure()),
        }),
        Context.add(JournalPort, {
          restingOrders: (venue) => restingOrders(sql, venue),
          balanceChanges: (account) => balanceChanges(sql, account),
        }),
        Context.add(Writer, writer),
      )
    }),
  )
