/**
 * Whether the gateway can work with a server, its schema and its role: new enough, of this program, and reached by connections that are sessions.
 * The one thing to know: a pooler that reassigns sessions between transactions answers every query correctly, but the owner's lock then belongs
 * to another connection, or to none.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import pg from "pg"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { connectDedicated, databaseName, SqlUnavailable } from "./sql.ts"
import { orUnavailable } from "./storage-failure.ts"

/**
 * Whether the database schema is the one of this program. The command line asks before it reads tables that an older schema does not
 * have.
 */
export const isCurrent = (sql: SqlClient.SqlClient): Effect.Effect<boolean, StorageUnavailable> =>
  orUnavailable(sql<{ found: boolean }>`SELECT to_regclass('audit_row') IS NOT NULL AS found`).pipe(
    Effect.map(([row]) => row?.found === true),
  )

// What a gateway's own role needs, where another one owns the database (ASVS 13.2.2): rows and functions, no DDL, and of the ledger's
// journal nothing but reading and adding. Run as the owner, after each migration.

/** Append-only tables: triggers forbid changes to all roles, the missing grant to this one. */
const JOURNALS = ["ledger_transfer", "ledger_request", "ledger_rejected", "audit_row", "audit_head"]
/** What a function alone adds to, with its owner's rights. */
const WRITTEN_FOR_IT = ["audit_row", "audit_head"]

export const grantTo = (role: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `"${role.replaceAll(`"`, `""`)}"`
    const all = "IN SCHEMA public"
    yield* sql.withTransaction(
      Effect.forEach(
        [
          `GRANT USAGE ON SCHEMA public TO ${name}`,
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${all} TO ${name}`,
          `GRANT USAGE ON ALL SEQUENCES ${all} TO ${name}`,
          `REVOKE UPDATE, DELETE, TRUNCATE ON ${JOURNALS.join(", ")} FROM ${name}`,
          `REVOKE INSERT ON ${WRITTEN_FOR_IT.join(", ")} FROM ${name}`,
          `REVOKE INSERT, UPDATE, DELETE ON schema_migration FROM ${name}`,
          // It runs with its owner's rights, so PUBLIC must not execute it.
          `GRANT EXECUTE ON FUNCTION audit_write(text, jsonb) TO ${name}`,
        ],
        (statement) => sql.unsafe(statement),
        { discard: true },
      ),
    )
  })

/** Unique keys with NULLS NOT DISTINCT (migrations 1 and 11) came with 15. */
const MAJOR_MIN = 15
/** A pooler with a single session for this database lets the second connection wait for it. */
const SECOND_SESSION_MILLIS = 5_000
/** A pooler whose sessions others are using as well may by chance show two that differ. */
const LOOKS = 3

interface ServerFacts {
  /** As the server says it: `18.4`. */
  readonly version: string
  /** Host or socket, port and database. */
  readonly name: string
}

const sessionOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]!.pid

/** While the second is in a transaction it keeps its session. That of the first is free for it only where connections have none of their own. */
const shareSession = async (first: pg.Client, second: pg.Client): Promise<boolean> => {
  const before = await sessionOf(first)
  await second.query("BEGIN")
  try {
    return (await sessionOf(second)) === before || (await sessionOf(first)) !== before
  } finally {
    await second.query("ROLLBACK")
  }
}

/** Of PgBouncer in statement mode: it refuses a BEGIN. */
const isPoolerRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /transaction.*not allowed|statement pooling/i.test(error.message)

const sharesSessions = async (first: pg.Client, url: string, name: string): Promise<boolean> => {
  const second = await connectDedicated(url, { applicationName: "venue-gateway start" })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `the database at ${name} refuses a second session: the gateway needs 13 connections (max_connections, a pooler's pool_size)`
    timer = setTimeout(() => reject(new SqlUnavailable({ message })), SECOND_SESSION_MILLIS)
  })
  const look = async (): Promise<boolean> => {
    for (let looks = 0; looks < LOOKS; looks++) if (await shareSession(first, second)) return true
    return false
  }
  try {
    const looked = look()
    looked.catch(() => undefined)
    return await Promise.race([looked, late])
  } catch (error) {
    if (isPoolerRefusal(error)) return true
    throw error
  } finally {
    clearTimeout(timer)
    void second.end().catch(() => undefined)
  }
}

/** Rejects with SqlUnavailable: too old, or behind a pooler whose connections are no sessions. */
export const checkServer = async (url: string): Promise<ServerFacts> => {
  const name = databaseName(url)
  const client = await connectDedicated(url, { applicationName: "venue-gateway start" })
  try {
    const { rows } = await client.query<{ version: string; number: number }>(
      "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
    )
    const version = (rows[0]!.version.split(" ")[0] ?? "").trim()
    if (rows[0]!.number < MAJOR_MIN * 10_000)
      throw new SqlUnavailable({
        message: `the database at ${name} is PostgreSQL ${version}: the gateway needs ${MAJOR_MIN} or later`,
      })
    if (await sharesSessions(client, url, name))
      throw new SqlUnavailable({
        message: `the database at ${name} is behind a pooler in transaction or statement mode: use session mode (PgBouncer: pool_mode = session), or set DATABASE_URL to the server itself`,
      })
    return { version, name }
  } catch (error) {
    throw error instanceof SqlUnavailable
      ? error
      : new SqlUnavailable({
          message: `the database at ${name} cannot be checked: ${(error as Error).message.split("\n")[0]}`,
        })
  } finally {
    void client.end().catch(() => undefined)
  }
}
