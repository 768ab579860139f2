// The way to PostgreSQL, from a connection URL on: pool and Effect layer, connections of one's own, migrations, durability check.
// Off the loopback only verified TLS is spoken, and no message from here ever holds the URL's password.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SqlClient } from "@effect/sql/SqlClient"
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer } from "effect"
import pg from "pg"
import { isLoopback } from "../../foundation/network.ts"
import { Meters } from "../../ports/meters.ts"
import { keepWhole, meterPool } from "./pool.ts"
import { leanStatements } from "./statements.ts"
import { whole } from "./transactions.ts"

/** The database cannot be used: unreachable, refused, unsafe, or of another version. One line, for the operator. */
export class SqlUnavailable extends Data.TaggedError("SqlUnavailable")<{ readonly message: string }> {}

/** What fails is the database, or the way to it. */
export const sqlPromise = <A>(run: () => Promise<A>): Effect.Effect<A, SqlUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => (error instanceof SqlUnavailable ? error : new SqlUnavailable({ message: String(error) })),
  })

export interface SqlOptions {
  /** Shown in pg_stat_activity. Default "venue-gateway". */
  readonly applicationName?: string
  /** The server ends a statement that runs longer. 0, the default of connectDedicated, means never; the pool's default is 10 s. */
  readonly statementTimeoutMillis?: number
  /** For a new connection, and in the pool also for a free one. Default 5 s. */
  readonly connectTimeoutMillis?: number
  /** Before a new connection of the pool is used; rejects where it must not be. */
  readonly enter?: ((client: pg.ClientBase) => Promise<void>) | undefined
}

/** More connections are slower on few cores: 64 callers get less than 16 do. */
const POOL_CONNECTIONS = 8
const POOL_STATEMENT_TIMEOUT_MILLIS = 10_000
const POOL_CLOSE_TIMEOUT_MILLIS = 1_000

interface Target {
  /** Host or socket, port and database; safe to print. */
  readonly name: string
  readonly config: pg.ClientConfig
}

/** A socket, or an address that only this machine reaches: what goes there needs no TLS. */
export const isLocalServer = (host: string): boolean => host.startsWith("/") || isLoopback(host)

/** pg is asked what it makes of the URL (`?host=`, `sslmode=`, PGSSLMODE …), so that what is checked here is what it does. */
const resolveTarget = (url: string, options: SqlOptions): Target => {
  const base: pg.ClientConfig = {
    connectionString: url,
    application_name: options.applicationName ?? "venue-gateway",
    connectionTimeoutMillis: options.connectTimeoutMillis ?? 5_000,
    statement_timeout: options.statementTimeoutMillis ?? 0,
    // A peer that vanished without a word is found out by the kernel, not by the next order.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
  const probe = readUrl(base)
  const socketOrHost = probe.host.startsWith("/") ? probe.host : `${probe.host}:${probe.port}`
  const name = `${socketOrHost}/${probe.database ?? ""}`
  if (isLocalServer(probe.host)) return { name, config: base }
  const ssl: unknown = probe.ssl
  if (isUnverified(ssl)) {
    throw new SqlUnavailable({
      message: `the database at ${name} is not on this machine: its URL must not turn TLS or its verification off`,
    })
  }
  if (ssl) return { name, config: base }
  if (/[?&](sslmode|ssl)=/.test(url) || process.env["PGSSLMODE"] === "disable") {
    throw new SqlUnavailable({
      message: `the database at ${name} is not on this machine: sslmode=disable is refused, use sslmode=verify-full`,
    })
  }
  return { name, config: { ...base, ssl: true } }
}

/** `sslmode=no-verify`, and libpq's unverified modes under `uselibpqcompat`. */
const isUnverified = (ssl: unknown): boolean =>
  typeof ssl === "object" && ssl !== null && "rejectUnauthorized" in ssl && ssl.rejectUnauthorized === false

const readUrl = (config: pg.ClientConfig): pg.Client => {
  const url = config.connectionString ?? ""
  const wrong = new SqlUnavailable({
    message:
      "DATABASE_URL does not have the form postgresql://user:password@host:port/database (with / ? # @ in a password as %2F %3F %23 %40)",
  })
  // With an @ behind the authority a password's bare / ? or # ended it early, and the "host" printed would be a piece of the password.
  if (!/^postgres(ql)?:\/\//.test(url) || /^[a-z]+:\/\/[^/?#]*[/?#].*@/.test(url)) throw wrong
  try {
    return new pg.Client(config)
  } catch {
    throw wrong // pg's own message may quote the URL
  }
}

/** First line of what pg or the server says; neither ever repeats a password. */
const reasonOf = (error: unknown): string => {
  // Node tries every address of a name and reports all failures at once, with an empty message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const words = first instanceof Error ? first.message : String(first)
  return (words.split("\n")[0] ?? "").trim()
}

const unreachable = (target: Target, error: unknown): SqlUnavailable =>
  new SqlUnavailable({ message: `the database at ${target.name} is unreachable: ${reasonOf(error)}` })

/**
 * `SqlClient` and `PgClient` over one pool of 8 connections, proven by a query when the layer is built.
 * Have the server ready first: building fails after connectTimeoutMillis.
 */
export const sqlLayer = (
  url: string,
  options: SqlOptions = {},
): Layer.Layer<SqlClient | PgClient.PgClient, SqlUnavailable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { pool, target } = yield* Effect.acquireRelease(openPool(url, options), ({ pool }) =>
        // A query that never returns must not hold up the shutdown.
        Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption(POOL_CLOSE_TIMEOUT_MILLIS)),
      )
      return PgClient.layerFromPool({ acquire: Effect.succeed(pool) }).pipe(
        Layer.map((context) => {
          const sql = leanStatements(Context.get(context, PgClient.PgClient), pool)
          Object.assign(sql, { withTransaction: whole(sql.withTransaction) })
          return Context.make(PgClient.PgClient, sql).pipe(Context.add(SqlClient, sql))
        }),
        Layer.mapError((failure) => unreachable(target, failure)),
      )
    }),
  )

const openPool = (
  url: string,
  options: SqlOptions,
): Effect.Effect<{ readonly pool: pg.Pool; readonly target: Target }, SqlUnavailable> =>
  Effect.gen(function* () {
    const target = yield* Effect.try({
      try: () => resolveTarget(url, { statementTimeoutMillis: POOL_STATEMENT_TIMEOUT_MILLIS, ...options }),
      catch: (error) => (error instanceof SqlUnavailable ? error : new SqlUnavailable({ message: String(error) })),
    })
    const { enter } = options
    const verify = (client: pg.ClientBase, done: (error?: Error) => void): void => {
      void enter?.(client).then(() => done(), done)
    }
    const pool = new pg.Pool({ ...target.config, max: POOL_CONNECTIONS, ...(enter === undefined ? {} : { verify }) })
    // Without a listener node dies when the server ends an idle connection; the next query reports or reconnects.
    pool.on("error", () => undefined)
    keepWhole(pool)
    meterPool(pool, yield* Meters)
    yield* Effect.tryPromise({ try: () => pool.query("SELECT 1"), catch: (error) => unreachable(target, error) }).pipe(
      Effect.tapError(() => Effect.promise(() => pool.end())),
    )
    return { pool, target }
  })

/**
 * One connection outside the pool, for what belongs to a session: the order writer's, the node lock's. Rejects with SqlUnavailable.
 * The caller ends it, and listens to its "end" (lost or ended) to learn of a loss: an "error" has a silent listener already.
 */
export const connectDedicated = async (url: string, options: SqlOptions = {}): Promise<pg.Client> => {
  const target = resolveTarget(url, options)
  const client = new pg.Client(target.config)
  client.on("error", () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    // Not awaited: on a connection that never was, pg's end() may wait for ever.
    void client.end().catch(() => undefined)
    throw unreachable(target, error)
  }
}

/** What pg is given for it; for a thread that connects by itself. Throws SqlUnavailable. */
export const connectionOf = (url: string, options: SqlOptions = {}): pg.ClientConfig =>
  resolveTarget(url, options).config

/** Host or socket, port and database of a URL; safe to print. */
export const databaseName = (url: string): string => resolveTarget(url, {}).name

/** How soon the server detects that its client has gone. */
const CLIENT_CHECK_MILLIS = 5_000

/**
 * For statements that take minutes: without it the server works on one whose process was killed, and keeps the locks of its session, until it
 * wants to answer. Any role may set it; a server on a system without such news of its sockets refuses it, and goes on as before.
 */
export const endWithClient = async (client: pg.Client): Promise<void> => {
  try {
    await client.query(`SET client_connection_check_interval = ${CLIENT_CHECK_MILLIS}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
  }
}

interface Migration {
  readonly id: number
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** The build copies the `.sql` files, so the folder is beside this module from the sources and from dist alike. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL("../migrations/", import.meta.url))

/** `NNNN_name.sql`, from 0001 without a gap. Fails on any other `.sql` name: a migration must not be forgotten for a typing error. */
const readMigrations = (folder: string): ReadonlyArray<Migration> =>
  listFolder(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file, index) => {
      const [, digits, name] = /^(\d{4})_([a-z0-9_-]+)\.sql$/.exec(file) ?? []
      if (digits === undefined || name === undefined) {
        throw new SqlUnavailable({ message: `migration ${file} is not named NNNN_name.sql` })
      }
      const id = Number(digits)
      if (id !== index + 1) {
        throw new SqlUnavailable({ message: `migration ${file} was found where number ${index + 1} is expected` })
      }
      const text = readFileSync(`${folder}/${file}`, "utf8")
      return { id, name, text, sha256: createHash("sha256").update(text).digest("hex") }
    })

/** Number of the newest migration that this program knows. */
export const newestMigration = (): number => readMigrations(MIGRATIONS_FOLDER).length

const listFolder = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    throw new SqlUnavailable({ message: `the migrations folder ${folder} cannot be read` })
  }
}

/** Session advisory lock of the migrators; any fixed number that nothing else in the database locks ("migr" in ASCII). */
const MIGRATION_LOCK = 0x6d696772
const MIGRATION_LOCK_TIMEOUT_MILLIS = 60_000

/**
 * Brings the database to the newest migration; each file is one transaction of its own, and several starting processes take turns.
 * Rejects with SqlUnavailable when a file fails (nothing of it stays), was changed after it ran, or is missing here.
 */
export const migrate = async (
  url: string,
  options: { readonly folder?: string } = {},
): Promise<{ readonly applied: ReadonlyArray<number> }> => {
  const migrations = readMigrations(options.folder ?? MIGRATIONS_FOLDER)
  const target = resolveTarget(url, {})
  const client = await connectDedicated(url, { applicationName: "venue-gateway migrate" })
  try {
    await endWithClient(client)
    // Creating the table is inside the lock too: concurrent CREATE TABLE IF NOT EXISTS fails on an empty database.
    await client.query(`SET lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MILLIS}`)
    // The role may have a cut of its own, and pg sends none of 0: what a migration fills may take minutes.
    await client.query("SET statement_timeout = 0")
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK])
    // A role that may not create tables may still run on a database migrated by its owner.
    if (!(await hasHistory(client)))
      await client.query(`CREATE TABLE schema_migration (
        id int PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
    const done = await client.query<{ id: number; name: string; sha256: string }>(
      "SELECT id, name, sha256 FROM schema_migration ORDER BY id",
    )
    checkHistory(migrations, done.rows, target.name)
    const applied: Array<number> = []
    if (done.rows.length < migrations.length && !(await mayMigrate(client)))
      throw new SqlUnavailable({
        message: `the database at ${target.name} lacks migrations ${done.rows.length + 1} to ${migrations.length}, and this role may not apply them: run \`npm run admin -- migrate\` as its owner first`,
      })
    for (const migration of migrations.slice(done.rows.length)) {
      await applyOne(client, migration, target)
      applied.push(migration.id)
    }
    return { applied }
  } catch (error) {
    throw error instanceof SqlUnavailable
      ? error
      : new SqlUnavailable({ message: `cannot migrate the database at ${target.name}: ${reasonOf(error)}` })
  } finally {
    await client.end() // releases the lock
  }
}

/** Whether anything was ever migrated here. */
const hasHistory = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('schema_migration') IS NOT NULL AS there")
  return rows[0]?.there === true
}

/** Whether `migrate` would change anything: a look, which waits for no lock. */
export const lacksMigrations = async (url: string): Promise<boolean> => {
  const client = await connectDedicated(url, { applicationName: "venue-gateway migrate" })
  try {
    if (!(await hasHistory(client))) return true
    const done = await client.query<{ count: number }>("SELECT count(*)::int AS count FROM schema_migration")
    return done.rows[0]!.count < newestMigration()
  } finally {
    await client.end()
  }
}

const mayMigrate = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ may: boolean }>(
    "SELECT pg_has_role(relowner, 'MEMBER') AS may FROM pg_class WHERE oid = 'schema_migration'::regclass",
  )
  return rows[0]?.may === true
}

const checkHistory = (
  migrations: ReadonlyArray<Migration>,
  done: ReadonlyArray<{ readonly id: number; readonly name: string; readonly sha256: string }>,
  database: string,
): void => {
  for (const [index, row] of done.entries()) {
    const file = migrations[index]
    if (file === undefined) {
      throw new SqlUnavailable({
        message: `the database at ${database} is newer than this program: it has migration ${row.id} (${row.name}), and the newest known here is ${migrations.length}`,
      })
    }
    if (row.id !== file.id) {
      throw new SqlUnavailable({ message: `the database at ${database} lacks migration ${file.id} but has ${row.id}` })
    }
    if (row.sha256 !== file.sha256) {
      throw new SqlUnavailable({
        message: `migration ${file.id} (${file.name}) was changed after it ran in the database at ${database}: restore the file and add a new one`,
      })
    }
  }
}

const applyOne = async (client: pg.Client, migration: Migration, target: Target): Promise<void> => {
  const label = `migration ${migration.id} (${migration.name})`
  try {
    await client.query("BEGIN")
    await client.query(migration.text)
    // A COMMIT inside the file would leave half of it behind when the rest fails.
    if (client.getTransactionStatus() !== "T") throw new Error("the file commits or rolls back its own transaction")
    await client.query("INSERT INTO schema_migration (id, name, sha256) VALUES ($1, $2, $3)", [
      migration.id,
      migration.name,
      migration.sha256,
    ])
    await client.query("COMMIT")
  } catch (error) {
    // The connection is closed next, which rolls back whatever is open.
    const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN
    const line = position > 0 ? ` (line ${migration.text.slice(0, position).split("\n").length})` : ""
    throw new SqlUnavailable({
      message: `${label} failed in the database at ${target.name}: ${reasonOf(error)}${line}`,
    })
  }
}

/**
 * Rejects with SqlUnavailable unless a COMMIT that returned survives a power cut. `allowUnsafe` lets fsync and full_page_writes be off,
 * for test servers; asynchronous commits are never allowed.
 */
export const checkDurability = async (url: string, options: { readonly allowUnsafe?: boolean } = {}): Promise<void> => {
  const settings = options.allowUnsafe ? ["synchronous_commit"] : ["synchronous_commit", "fsync", "full_page_writes"]
  const { name } = resolveTarget(url, {})
  const client = await connectDedicated(url, { statementTimeoutMillis: 5_000 })
  try {
    const found = await client.query<{ name: string }>(
      "SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name",
      [settings],
    )
    if (found.rows.length === 0) return
    const off = found.rows.map((row) => row.name).join(", ")
    throw new SqlUnavailable({
      message: `the database at ${name} could lose acknowledged orders: turn ${off} on (also for this role and database)`,
    })
  } finally {
    await client.end()
  }
}
