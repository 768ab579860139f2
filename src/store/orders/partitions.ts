/**
 * Daily partitions of account_event: made a week ahead, dropped some days after their day. The one thing to know: no commit waits for it.
 * What takes time takes no lock, what takes a lock that commits need is one round trip, gives up its turn after some milliseconds, and is
 * tried again later; until then the default partition takes what has no other. Before events go, the newest numbers of their accounts
 * stand in account_sequence, so that numbering never starts anew, wherever a run ends. A role that does not own the table leaves partitions
 * to its owner (`npm run admin -- migrate`).
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { sqlStateOf } from "../postgres/storage-failure.ts"
import { BEFORE_ALL_IDS } from "./rows.ts"

const DAY_MILLIS = 86_400_000
const DAYS_AHEAD = 7
/** Where no setting says more. */
export const EVENT_DAYS_KEPT = 2
/** A statement that comes after a lock that waits, waits as well: so long at most. A commit's lock is held for a few ms. */
const LOCK_TIMEOUT_MILLIS = 30
/** On a busy server a batch of commits may hold its lock for longer now and then. */
const TRIES = 4
const TRY_PAUSE = "250 millis"
/**
 * For locks that only other upkeep waits for, above all the server's own vacuum: it makes way for one that has waited for
 * `deadlock_timeout`, one second, and would else keep a large partition for minutes.
 */
const ASIDE_TIMEOUT_MILLIS = 3_000
/** What is done under a lock that commits may need. */
const HOLD_MILLIS = 100
/** Accounts whose newest numbers one statement looks up, by two steps through the index each. */
const ACCOUNTS_PAGE = 1_000
/** 512 KiB of the default partition, some hundred events: what a statement writes to the log delays no commit behind it. */
const BLOCKS_PAGE = 64
const BLOCK_BYTES = 8_192
/** What can be looked through, and moved, under a lock: more is left where it is. */
const SMALL_BYTES = 4 * 1_048_576
/** Days so far ahead have no events yet, by any clock that is worth the name. */
const FAR_DAYS = 2
/** Between pages: the disk is the writer's as well. */
const PAGE_PAUSE = "5 millis"

export interface Upkeep {
  readonly created: ReadonlyArray<string>
  readonly dropped: ReadonlyArray<string>
  /** What could not be locked in time: for the next run. */
  readonly postponed: ReadonlyArray<string>
}

type Sql = SqlClient.SqlClient

const nameOf = (day: number): string =>
  `account_event_${new Date(day * DAY_MILLIS).toISOString().slice(0, 10).replaceAll("-", "")}`

/** UTC day number of a partition's name; undefined for the default partition. */
const dayOf = (name: string): number | undefined => {
  const [, year, month, day] = /^account_event_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T00:00:00Z`) / DAY_MILLIS
}

/** lock_not_available, and query_canceled: of statement_timeout. */
const isTooLate = (error: SqlError): boolean => ["55P03", "57014"].includes(sqlStateOf(error) ?? "")

/**
 * One transaction in one round trip, so that the locks are held for no longer than the server works. `aside` takes a lock first that no
 * commit waits for. False: it was not done, because a lock was not free in time, some times in a row.
 */
const briefly = (
  sql: Sql,
  aside: string | null,
  ...statements: ReadonlyArray<string>
): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const text = [
      ...(aside === null ? [] : [`SET LOCAL lock_timeout = ${ASIDE_TIMEOUT_MILLIS}`, aside]),
      `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MILLIS}`,
      `SET LOCAL statement_timeout = ${HOLD_MILLIS}`,
      ...statements,
    ].join(";\n")
    for (let tries = 1; ; tries++) {
      const isDone = yield* sql.unsafe(text).pipe(
        Effect.as(true),
        Effect.catchIf(isTooLate, () => Effect.succeed(false)),
      )
      if (isDone || tries === TRIES) return isDone
      yield* Effect.sleep(TRY_PAUSE)
    }
  })

/** The partitions that there are, and whether this role may change them. */
const survey = (sql: Sql) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'account_event'::regclass ORDER BY c.relname`
    const [table] = yield* sql<{ is_ours: boolean; is_guarded: boolean }>`
      SELECT pg_has_role(relowner, 'MEMBER') AS is_ours, EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'account_event_default'::regclass AND conname = ${GUARD}) AS is_guarded
      FROM pg_class WHERE oid = 'account_event'::regclass`
    return {
      names: new Set(rows.map(({ name }) => name)),
      isOurs: table?.is_ours === true,
      isGuarded: table?.is_guarded === true,
    }
  })

/** How many days the gateway keeps: for the owner's `migrate`, whose own settings may say less. */
export const noteDaysKept = (days: number): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO events_kept (days) VALUES (${days}) ON CONFLICT (one) DO UPDATE SET days = excluded.days
      WHERE events_kept.days <> excluded.days`,
  )

/** As the gateway said at its last start; 0: it never did. */
export const daysKeptByGateway: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql<{ days: number }>`SELECT days FROM events_kept`, ([row]) => row?.days ?? 0),
)

/** Wall ms: the day of the oldest partition. What was before it has been dropped, or stands in the default partition for a while yet. */
export const eventsSince: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const { names } = yield* survey(yield* SqlClient.SqlClient)
  const days = [...names].flatMap((name) => dayOf(name) ?? [])
  return days.length === 0 ? 0 : Math.min(...days) * DAY_MILLIS
})

/** Makes the partitions of the days ahead that are missing. What it has waited for is less than a second in all. */
export const makeDaysAhead = (now: number): Effect.Effect<Omit<Upkeep, "dropped">, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { names, isOurs, isGuarded } = yield* survey(sql)
    // Left by a process that ended in the middle, or by a lock that was not free.
    if (isOurs && isGuarded && !(yield* briefly(sql, DEFAULT_ASIDE, UNGUARDED)))
      return { created: [], postponed: [GUARD] }
    const today = Math.floor(now / DAY_MILLIS)
    const missing = Array.from(
      { length: EVENT_DAYS_KEPT + 1 + DAYS_AHEAD },
      (_, i) => today - EVENT_DAYS_KEPT + i,
    ).filter((day) => !names.has(nameOf(day)))
    if (!isOurs || missing.length === 0) return { created: [], postponed: [] }
    const bytes = yield* defaultBytes(sql)
    return yield* bytes <= SMALL_BYTES ? attachAll(sql, missing) : attachFar(sql, missing, today)
  })

const defaultBytes = (sql: Sql) =>
  Effect.map(sql<{ bytes: string }>`SELECT pg_relation_size('account_event_default') AS bytes`, ([row]) =>
    Number(row?.bytes ?? 0),
  )

/** Its index is built before it is attached: nothing is locked but what is new. Repeatable. */
const madeBeside = (day: number): string =>
  `CREATE TABLE IF NOT EXISTS ${nameOf(day)} (LIKE account_event INCLUDING ALL)`

const attached = (day: number): string =>
  `ALTER TABLE account_event ATTACH PARTITION ${nameOf(day)} FOR VALUES FROM (${day * DAY_MILLIS}) TO (${(day + 1) * DAY_MILLIS})`

/** With the events of each day that stand in the default partition: it is looked through under its lock. */
const attachAll = (sql: Sql, days: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const created: Array<string> = []
    for (const [i, day] of days.entries()) {
      const isDone = yield* briefly(
        sql,
        DEFAULT_ASIDE,
        madeBeside(day),
        "LOCK TABLE account_event_default IN ACCESS EXCLUSIVE MODE",
        `WITH moved AS (DELETE FROM account_event_default
            WHERE at >= ${day * DAY_MILLIS} AND at < ${(day + 1) * DAY_MILLIS} RETURNING *)
          INSERT INTO ${nameOf(day)} SELECT * FROM moved`,
        attached(day),
      )
      if (!isDone) return { created, postponed: days.slice(i).map(nameOf) }
      created.push(nameOf(day))
    }
    return { created, postponed: [] }
  })

const DEFAULT_ASIDE = "LOCK TABLE account_event_default IN SHARE UPDATE EXCLUSIVE MODE"
const GUARD = "account_event_default_upkeep"
const UNGUARDED = `ALTER TABLE account_event_default DROP CONSTRAINT IF EXISTS ${GUARD}`

/**
 * Where the default partition has become large, its events stay in it until they are deleted, and partitions are made for days that have
 * none there, from the day after tomorrow on. A constraint says that it has none: it is proven without a lock that commits need, and
 * spares the attachments their look through everything. A commit for one of those days would be refused meanwhile, which takes a clock that
 * is a day ahead.
 */
const attachFar = (sql: Sql, missing: ReadonlyArray<number>, today: number) =>
  Effect.gen(function* () {
    const created: Array<string> = []
    if (missing.every((day) => day < today + FAR_DAYS)) return { created, postponed: [] }
    const used = yield* sql<{ day: string }>`
      SELECT DISTINCT at / ${DAY_MILLIS}::bigint AS day FROM account_event_default`
    const taken = new Set(used.map(({ day }) => Number(day)))
    const last = today + DAYS_AHEAD
    let from = today + FAR_DAYS
    for (const day of taken) if (day <= last) from = Math.max(from, day + 1)
    const days = missing.filter((day) => day >= from)
    if (days.length === 0) return { created, postponed: [] }
    const guarded = yield* briefly(
      sql,
      DEFAULT_ASIDE,
      UNGUARDED,
      `ALTER TABLE account_event_default ADD CONSTRAINT ${GUARD}
         CHECK (at < ${from * DAY_MILLIS} OR at >= ${(last + 1) * DAY_MILLIS}) NOT VALID`,
    )
    if (guarded) {
      yield* sql.unsafe(`ALTER TABLE account_event_default VALIDATE CONSTRAINT ${GUARD}`)
      for (const day of days) {
        if (!(yield* briefly(sql, DEFAULT_ASIDE, madeBeside(day), attached(day)))) break
        created.push(nameOf(day))
      }
      yield* briefly(sql, DEFAULT_ASIDE, UNGUARDED)
    }
    return { created, postponed: days.map(nameOf).filter((name) => !created.includes(name)) }
  })

const REMEMBER = "INSERT INTO account_sequence AS s (trading_account_id, last_sequence)"
const KEEP_NEWEST = `ON CONFLICT (trading_account_id) DO UPDATE SET last_sequence = excluded.last_sequence
  WHERE s.last_sequence < excluded.last_sequence`

/** The newest numbers of the accounts after one, to account_sequence: from account to account through the index, not event by event. */
const remembered = (name: string, after: string, limit: number): string => `
  WITH RECURSIVE account AS (
    (SELECT e.trading_account_id, 1 AS n FROM ${name} e WHERE e.trading_account_id > '${after}' ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT next.trading_account_id, a.n + 1 FROM account a, LATERAL (SELECT e.trading_account_id FROM ${name} e
      WHERE e.trading_account_id > a.trading_account_id ORDER BY 1 LIMIT 1) AS next WHERE a.n < ${limit}),
  kept AS (${REMEMBER}
    SELECT a.trading_account_id, (SELECT max(e.sequence) FROM ${name} e WHERE e.trading_account_id = a.trading_account_id)
    FROM account a ${KEEP_NEWEST})
  SELECT trading_account_id AS last FROM account WHERE n = ${limit}`

const ACCOUNTS_MAX = 1_000_000_000

/**
 * Twice: first in pages, with no lock at all and in no transaction, which takes the time; then once more in the transaction that drops the
 * table, for what a clock that went back by days has put there since. Its lock keeps such commits out, and no others.
 */
const drop = (sql: Sql, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    let after: string | undefined = BEFORE_ALL_IDS
    while (after !== undefined) {
      const [page]: ReadonlyArray<{ last: string }> = yield* sql.unsafe<{ last: string }>(
        remembered(name, after, ACCOUNTS_PAGE),
      )
      after = page?.last
      if (after !== undefined) yield* Effect.sleep(PAGE_PAUSE)
    }
    return yield* briefly(
      sql,
      `LOCK TABLE ${name} IN SHARE MODE`,
      "SET LOCAL statement_timeout = 0",
      remembered(name, BEFORE_ALL_IDS, ACCOUNTS_MAX),
      `DROP TABLE ${name}`,
    )
  })

/** In pages of its blocks, each page a statement of its own: numbers are kept with the events that go. */
const emptyDefault = (sql: Sql, before: number) =>
  Effect.gen(function* () {
    const blocks = Math.ceil((yield* defaultBytes(sql)) / BLOCK_BYTES)
    for (let block = 0; block < blocks; block += BLOCKS_PAGE) {
      if (block > 0) yield* Effect.sleep(PAGE_PAUSE)
      yield* sql.unsafe(`
        WITH gone AS (DELETE FROM account_event_default
          WHERE ctid >= '(${block},0)' AND ctid < '(${block + BLOCKS_PAGE},0)' AND at < ${before}
          RETURNING trading_account_id, sequence)
        ${REMEMBER} SELECT trading_account_id, max(sequence) FROM gone GROUP BY trading_account_id ${KEEP_NEWEST}`)
    }
  })

/**
 * Run soon after the start and then every hour, with the wall time and how many days are kept besides the present one, at least 2. Answers what
 * it did, and what it left for the next run.
 */
export const maintainPartitions = (
  now: number,
  daysKept = EVENT_DAYS_KEPT,
): Effect.Effect<Upkeep, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { created, postponed: notMade } = yield* makeDaysAhead(now)
    const oldest = Math.floor(now / DAY_MILLIS) - daysKept
    const dropped: Array<string> = []
    const postponed = [...notMade]
    const { names, isOurs } = yield* survey(sql)
    for (const name of isOurs ? names : []) {
      if ((dayOf(name) ?? oldest) >= oldest) continue
      const isGone = yield* drop(sql, name)
      ;(isGone ? dropped : postponed).push(name)
    }
    yield* emptyDefault(sql, oldest * DAY_MILLIS)
    return { created, dropped, postponed }
  })
