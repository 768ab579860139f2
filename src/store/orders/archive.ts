/**
 * Moves orders that ended long ago, with their executions, out of the tables that commits write (decision 66). The one thing to know: a page is
 * one statement, so that wherever a run stops each row is in exactly one table, and the next run continues; readers query both.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Either, Schedule } from "effect"
import { sqlStateOf } from "../postgres/storage-failure.ts"
import { BEFORE_ALL_IDS } from "./rows.ts"

/** Memory and resent batches are long done with an order that nothing has touched for a day. */
export const ARCHIVED_AFTER_MILLIS = 86_400_000
const ACCOUNTS_PAGE = 1_000
/** Of one statement: some 70 ms of 100 orders. A commit that repeats the key of one of them waits for so long, and all behind it. */
const ORDERS_PAGE = 100
const EXECUTIONS_PAGE = 500
/** Between pages: the disk is the writer's as well. */
const PAGE_PAUSE = "20 millis"
/** So often a gateway looks at what stays, too: an archived order that came to life again may be over once more. */
const WHOLE_MILLIS = 86_400_000
/** An order that a commit has locked is passed over. A lock of its executions is given up on before the server looks for deadlocks. */
const LOCK_TIMEOUT_MILLIS = 200
const TRIES = 10
const TRY_PAUSE = "250 millis"

export interface Archived {
  readonly orders: number
  readonly executions: number
}

interface PageRow {
  readonly orders: number
  readonly executions: number
  readonly seen: number
  /** That stay and hedge nothing. */
  readonly stay: number
  readonly last_at: string | null
  readonly last_id: string | null
}

type Sql = SqlClient.SqlClient

/** All that may be written to: later migrations add columns to both tables. */
const columnsOf = (sql: Sql, table: string): Effect.Effect<string, SqlError> =>
  Effect.map(
    sql<{ name: string }>`SELECT attname AS name FROM pg_attribute
      WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    (rows) => rows.map(({ name }) => name).join(", "),
  )

const ofRow = (row: string, columns: string): string =>
  columns
    .split(", ")
    .map((column) => `${row}.${column}`)
    .join(", ")

/**
 * $1 the account, $2 and $3 the order after which the page begins, $4 the instant. Orders that hedge stay: their dealers' sums follow them by
 * triggers. So do those of a list of which one is open.
 */
const pageOf = (orderColumns: string, executionColumns: string): string => `
  WITH listed AS MATERIALIZED (
    SELECT o.trade_order_id, o.created_at, o.is_hedge, row_number() OVER place AS nth, sum(o.execution_count) OVER place AS executions
    FROM (SELECT trade_order_id, created_at, execution_count, dealer_account_id IS NOT NULL AND order_type <> 'QUOTED' AS is_hedge
      FROM ONLY trade_order
      WHERE trading_account_id = $1 AND (created_at, trade_order_id) > ($2::bigint, $3::uuid) AND created_at < $4::bigint
      ORDER BY created_at, trade_order_id LIMIT ${ORDERS_PAGE}) AS o
    WINDOW place AS (ORDER BY o.created_at, o.trade_order_id)),
  page AS MATERIALIZED (
    SELECT trade_order_id, created_at, is_hedge FROM listed WHERE nth = 1 OR executions <= ${EXECUTIONS_PAGE}),
  picked AS MATERIALIZED (
    SELECT o.trade_order_id FROM ONLY trade_order o JOIN page USING (trade_order_id)
    WHERE NOT page.is_hedge AND NOT o.open AND o.updated_at < $4::bigint
      AND NOT EXISTS (SELECT FROM ONLY trade_order m WHERE m.order_list_id = o.order_list_id AND m.open)
    ORDER BY o.trade_order_id FOR UPDATE OF o SKIP LOCKED),
  gone AS (
    DELETE FROM ONLY trade_order o USING picked WHERE o.trade_order_id = picked.trade_order_id RETURNING ${ofRow("o", orderColumns)}),
  gone_executions AS (
    DELETE FROM ONLY execution x USING picked WHERE x.trade_order_id = picked.trade_order_id RETURNING ${ofRow("x", executionColumns)}),
  kept AS (INSERT INTO trade_order_archive (${orderColumns}) SELECT ${orderColumns} FROM gone RETURNING 1),
  kept_executions AS (INSERT INTO execution_archive (${executionColumns}) SELECT ${executionColumns} FROM gone_executions RETURNING 1)
  SELECT (SELECT count(*)::int FROM kept) AS orders, (SELECT count(*)::int FROM kept_executions) AS executions,
    (SELECT count(*)::int FROM page) AS seen,
    ((SELECT count(*) FROM page WHERE NOT is_hedge) - (SELECT count(*) FROM kept))::int AS stay, last.created_at AS last_at, last.trade_order_id AS last_id
  FROM (SELECT 1) AS one LEFT JOIN (SELECT created_at, trade_order_id FROM page ORDER BY 1 DESC, 2 DESC LIMIT 1) AS last ON true`

/** A lock that is not free, or a deadlock that the server ended: nothing was done. */
const isLocked = (error: SqlError): boolean => ["55P03", "40P01"].includes(sqlStateOf(error) ?? "")

/** False: the database has not been migrated to this version. */
export const isArchiveThere: Effect.Effect<boolean, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ is_there: boolean }>`SELECT to_regclass('trade_order_archive') IS NOT NULL AS is_there`
  return row?.is_there === true
})

/** Of an account: the order behind which a run begins. */
export type Passed = Map<string, readonly [at: string, id: string]>

export interface ArchiveOptions {
  /** Orders that ended before, in ms; at least a day ago. */
  readonly before: number
  /** Up to where nothing but hedges stayed, by account: the run does not look at them again, and moves it on. Absent: it looks at all. */
  readonly passed?: Passed
  /** Told after each page what was moved in all. */
  readonly progress?: (moved: Archived) => void
}

/** Answers what this run has moved. A run that ended early, however, has moved whole orders; another goes on. */
export const archiveOrders = ({
  before,
  passed,
  progress,
}: ArchiveOptions): Effect.Effect<Archived, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const text = pageOf(yield* columnsOf(sql, "trade_order"), yield* columnsOf(sql, "execution"))
    /** Of an empty table the server's plans, those of the look-ups at each new order among them, would read all rows once there are some. */
    const counted = sql
      .withTransaction(
        Effect.zipRight(
          sql.unsafe("SET LOCAL statement_timeout = 0"),
          sql.unsafe("ANALYZE trade_order_archive; ANALYZE execution_archive"),
        ),
      )
      // The server counts by itself as well, later.
      .pipe(Effect.ignore)
    const page = (account: string, at: string, id: string) =>
      sql
        .withTransaction(
          Effect.zipRight(
            sql.unsafe(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MILLIS}`),
            sql.unsafe<PageRow>(text, [account, at, id, before]),
          ),
        )
        .pipe(
          Effect.retry({
            while: isLocked,
            schedule: Schedule.intersect(Schedule.recurs(TRIES), Schedule.spaced(TRY_PAUSE)),
          }),
          Effect.map(([row]) => row!),
        )
    let moved: Archived = { orders: 0, executions: 0 }
    const archiveAccount = (account: string) =>
      Effect.gen(function* () {
        let [at, id] = passed?.get(account) ?? ["-1", BEFORE_ALL_IDS]
        let areHedges = true
        for (;;) {
          const { orders, executions, seen, stay, last_at, last_id } = yield* page(account, at, id)
          if (moved.orders === 0 && orders > 0) yield* counted
          moved = { orders: moved.orders + orders, executions: moved.executions + executions }
          if (orders > 0) progress?.(moved)
          if (seen === 0 || last_at === null || last_id === null) return
          ;[at, id] = [last_at, last_id]
          areHedges &&= stay === 0
          if (areHedges) passed?.set(account, [at, id])
          yield* Effect.sleep(PAGE_PAUSE)
        }
      })
    let after = BEFORE_ALL_IDS
    let failure: SqlError | null = null
    for (;;) {
      const accounts = yield* sql<{ id: string }>`SELECT trading_account_id AS id FROM trading_account
        WHERE trading_account_id > ${after} ORDER BY 1 LIMIT ${ACCOUNTS_PAGE}`
      for (const { id } of accounts) {
        // One whose page cannot be moved leaves the others theirs.
        const outcome = yield* Effect.either(archiveAccount(id))
        if (Either.isLeft(outcome)) failure ??= outcome.left
      }
      if (accounts.length < ACCOUNTS_PAGE) break
      after = accounts.at(-1)!.id
    }
    if (moved.orders > 0) yield* counted
    return failure === null ? moved : yield* failure
  })

/** What a gateway does each hour. Hedges stay for ever, and there may be millions: it passes over them but once a day. */
export const archiveRound = (now: () => number, days: number) => {
  const passed: Passed = new Map()
  let wholeAt = now()
  return Effect.suspend(() => {
    if (now() - wholeAt >= WHOLE_MILLIS) {
      passed.clear()
      wholeAt = now()
    }
    return archiveOrders({ before: now() - days * 86_400_000, passed })
  })
}
