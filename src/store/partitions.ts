/**
 * Daily partitions of account_event: made a week ahead, dropped two days after their day. The one thing to know: before a partition
 * goes, the newest numbers of its accounts go to account_sequence, so that numbering never starts anew. A role that does not own the
 * table leaves partitions to its owner (`npm run admin -- migrate`); what has none stands in the default one and is deleted there.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

const DAY_MILLIS = 86_400_000
const DAYS_AHEAD = 7
const DAYS_KEPT = 2
/** Waiting for a table lock holds up the writer behind us: rather try again an hour later. */
const LOCK_TIMEOUT_MILLIS = 1_000

const nameOf = (day: number): string =>
  `account_event_${new Date(day * DAY_MILLIS).toISOString().slice(0, 10).replaceAll("-", "")}`

/** UTC day number of a partition's name; undefined for the default partition. */
const dayOf = (name: string): number | undefined => {
  const [, year, month, day] = /^account_event_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T00:00:00Z`) / DAY_MILLIS
}

/**
 * Run at start and then every hour, with the wall time. Answers what it did. A partition that cannot be locked within a second is left
 * for the next run.
 */
export const maintainPartitions = (
  now: number,
): Effect.Effect<
  { readonly created: ReadonlyArray<string>; readonly dropped: ReadonlyArray<string> },
  SqlError,
  SqlClient.SqlClient
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'account_event'::regclass ORDER BY c.relname`
    const existing = new Set(rows.map((row) => row.name))
    const today = Math.floor(now / DAY_MILLIS)
    const created: Array<string> = []
    const dropped: Array<string> = []
    const [table] = yield* sql<{ is_ours: boolean }>`
      SELECT pg_has_role(relowner, 'MEMBER') AS is_ours FROM pg_class WHERE oid = 'account_event'::regclass`
    if (table?.is_ours !== true) {
      yield* emptyDefault(sql, (today - DAYS_KEPT) * DAY_MILLIS)
      return { created, dropped }
    }
    for (let day = today - DAYS_KEPT; day <= today + DAYS_AHEAD; day++) {
      if (existing.has(nameOf(day))) continue
      yield* create(sql, day)
      created.push(nameOf(day))
    }
    for (const name of existing) {
      const day = dayOf(name)
      if (day === undefined || day >= today - DAYS_KEPT) continue
      yield* drop(sql, name)
      dropped.push(name)
    }
    yield* emptyDefault(sql, (today - DAYS_KEPT) * DAY_MILLIS)
    return { created, dropped }
  })

/** Events of that day may stand in the default partition (a clock that was wrong): they move, or the new partition could not be attached. */
const create = (sql: SqlClient.SqlClient, day: number) => {
  const name = nameOf(day)
  const from = day * DAY_MILLIS
  const to = from + DAY_MILLIS
  return sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MILLIS}`)
      yield* sql.unsafe("LOCK TABLE account_event_default IN ACCESS EXCLUSIVE MODE")
      yield* sql.unsafe(`CREATE TABLE ${name} (LIKE account_event INCLUDING ALL)`)
      yield* sql.unsafe(`WITH moved AS (DELETE FROM account_event_default WHERE at >= ${from} AND at < ${to} RETURNING *)
        INSERT INTO ${name} SELECT * FROM moved`)
      yield* sql.unsafe(`ALTER TABLE account_event ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
    }),
  )
}

const REMEMBER = `INSERT INTO account_sequence AS s (trading_account_id, last_sequence)`
const KEEP_NEWEST = `ON CONFLICT (trading_account_id) DO UPDATE
  SET last_sequence = greatest(s.last_sequence, excluded.last_sequence)`

const drop = (sql: SqlClient.SqlClient, name: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MILLIS}`)
      yield* sql.unsafe("LOCK TABLE account_event IN ACCESS EXCLUSIVE MODE")
      yield* sql.unsafe(
        `${REMEMBER} SELECT trading_account_id, max(sequence) FROM ${name} GROUP BY trading_account_id ${KEEP_NEWEST}`,
      )
      yield* sql.unsafe(`DROP TABLE ${name}`)
    }),
  )

const emptyDefault = (sql: SqlClient.SqlClient, before: number) =>
  sql.unsafe(`WITH gone AS (DELETE FROM account_event_default WHERE at < ${before} RETURNING trading_account_id, sequence)
    ${REMEMBER} SELECT trading_account_id, max(sequence) FROM gone GROUP BY trading_account_id ${KEEP_NEWEST}`)
