// The embedded database: a real PostgreSQL server from npm, run as a child of this process and alive exactly as long as it.
// State in `<dataDir>/postgres`: `cluster/` (the server's), `run/` (its unix socket; no TCP port), `password` (0600), `postgres.log`.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Runtime, type Scope } from "effect"
import { findBinaries } from "./binaries.ts"
import {
  bootstrap,
  ensureCluster,
  passwordOf,
  prepareSocketDirectory,
  readOrCreateSecret,
  socketUrl,
} from "./cluster.ts"
import { chooseStateDirectory, noteElsewhere, preferredDirectory } from "./os-account.ts"
import { clearPrevious } from "./previous.ts"
import { type ExitReason, launch } from "./process.ts"
import { EmbeddedPostgresUnavailable, systemErrorCode } from "./unavailable.ts"

export interface EmbeddedPostgresOptions {
  /** The gateway's `DATA_DIR`; the database is in its folder `postgres`. As root possibly elsewhere, see chooseStateDirectory. */
  readonly dataDir: string
  /** What to say where there is no database; null: one is made. Default null. */
  readonly whenNone?: string | null
  /** The application's role, owner of `database` and no superuser. Default "gateway". */
  readonly role?: string
  /** Default "gateway". */
  readonly database?: string
  /** False only for throw-away test servers: no fsync. Default true. */
  readonly durable?: boolean
  readonly connectionsMax?: number
  /** Further server settings, last word. */
  readonly settings?: Readonly<Record<string, string>>
  /** A PostgreSQL `bin` directory to use instead of the npm package. Default: the environment's `PG_BIN_DIR`. */
  readonly binDir?: string
  readonly startTimeoutMillis?: number
  readonly stopTimeoutMillis?: number
  readonly log?: (message: string) => void
}

export interface EmbeddedPostgres {
  /** A URL for the application's role. Holds its password: never log it. */
  readonly url: (database?: string) => string
  /** A URL for the superuser `postgres`: tests only. */
  readonly adminUrl: (database?: string) => string
  readonly pid: number
  /** As PostgreSQL words it: "18.4". */
  readonly version: string
  /** Resolves when the server is gone for whatever reason; never rejects. Without stop() before, the gateway must end. */
  readonly exited: Promise<ExitReason>
  /** Ends sessions, writes the checkpoint, waits for the end. Repeatable. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the server, creating the cluster on the first run (about 1 s; later starts 0.1 s).
 * Rejects with EmbeddedPostgresUnavailable, for a directory that another instance uses after about 3 s.
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  try {
    return await start(options)
  } catch (error) {
    if (error instanceof EmbeddedPostgresUnavailable) throw error
    const code = systemErrorCode(error)
    const message = error instanceof Error ? error.message : String(error)
    throw new EmbeddedPostgresUnavailable({
      message: `the embedded PostgreSQL cannot start${code === "ENOSPC" ? " (the disk is full)" : ""}: ${message}`,
    })
  }
}

const start = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const log = options.log ?? (() => undefined)
  const role = options.role ?? "gateway"
  const defaultDatabase = options.database ?? "gateway"
  const { directory: stateDirectory, account } = chooseStateDirectory(options.dataDir, log)
  const clusterDirectory = path.join(stateDirectory, "cluster")
  const { whenNone = null } = options
  if (whenNone !== null && !fs.existsSync(clusterDirectory))
    throw new EmbeddedPostgresUnavailable({ message: whenNone })
  const binDir = options.binDir ?? process.env["PG_BIN_DIR"]
  const binaries = findBinaries({ binDir, account, stateDirectory, log })

  const secretFile = path.join(stateDirectory, "password")
  if (fs.existsSync(clusterDirectory) && !fs.existsSync(secretFile)) {
    throw new EmbeddedPostgresUnavailable({
      message: `${secretFile} is missing beside an existing cluster: restore it, or remove ${clusterDirectory} to start with an empty one`,
    })
  }
  const secret = readOrCreateSecret(secretFile)
  const superuserPassword = passwordOf(secret, "postgres")
  const created = await ensureCluster({ binaries, account, stateDirectory, clusterDirectory, superuserPassword })
  if (created) log(`created the database in ${clusterDirectory}`)
  noteElsewhere(preferredDirectory(options.dataDir), stateDirectory)
  const ignorePid = await clearPrevious(clusterDirectory, log)
  const socketDirectory = prepareSocketDirectory(stateDirectory, account)
  const server = await launch({
    binaries,
    account,
    clusterDirectory,
    logFile: path.join(stateDirectory, "postgres.log"),
    settings: { ...serverSettings(options, socketDirectory), ...options.settings },
    ignorePid,
    startTimeoutMillis: options.startTimeoutMillis ?? 60_000,
    stopTimeoutMillis: options.stopTimeoutMillis ?? 20_000,
    log,
  })

  const rolePassword = passwordOf(secret, role)
  const adminUrl = (database = defaultDatabase): string =>
    socketUrl(socketDirectory, "postgres", superuserPassword, database)
  try {
    await bootstrap({
      adminUrl: adminUrl("postgres"),
      role,
      rolePassword,
      database: defaultDatabase,
      major: binaries.major,
    })
  } catch (error) {
    await server.stop()
    throw error
  }
  return {
    url: (database = defaultDatabase) => socketUrl(socketDirectory, role, rolePassword, database),
    adminUrl,
    pid: server.pid,
    version: binaries.version,
    exited: server.exited,
    stop: server.stop,
  }
}

/** No TCP at all; a test server gives up the sync to disk but keeps synchronous commits, so that the order of events stays the real one. */
const serverSettings = (options: EmbeddedPostgresOptions, socketDirectory: string): Record<string, string> => {
  const durable = options.durable === false ? "off" : "on"
  return {
    listen_addresses: "",
    // The setting is a list: a comma or a space in the path needs the quotes.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: "5432", // only names the socket file
    max_connections: String(options.connectionsMax ?? 100),
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off", // no statement of ours is worth compiling
    synchronous_commit: "on",
    fsync: durable,
    full_page_writes: durable,
    // PostgreSQL's own; initdb makes them smaller along with the segments of the log, and full pages would be written every 25 s.
    min_wal_size: "80MB",
    max_wal_size: "1GB",
    // A pause of 2 ms after a millisecond's work in place of five: it takes a third of a core for longer, not most of one at once, from what answers.
    autovacuum_vacuum_cost_limit: "40",
  }
}

/**
 * The server as a scoped resource. Starting is not interruptible, so a SIGTERM during initdb leaves no server behind; acquire it
 * before the pools that use it, so that they close first.
 */
export const embeddedPostgres = (
  options: Omit<EmbeddedPostgresOptions, "log">,
): Effect.Effect<EmbeddedPostgres, EmbeddedPostgresUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const runLog = Runtime.runSync(runtime) // tidy: the supervisor is plain TypeScript and speaks by calling back
    const log = (message: string): void => runLog(Effect.logInfo(message))
    const acquire = Effect.tryPromise({
      try: () => startEmbeddedPostgres({ ...options, log }),
      catch: (error) =>
        error instanceof EmbeddedPostgresUnavailable
          ? error
          : new EmbeddedPostgresUnavailable({ message: String(error) }),
    })
    const server = yield* Effect.acquireRelease(acquire, (running) =>
      Effect.tryPromise(() => running.stop()).pipe(
        Effect.catchAll((failure) => Effect.logError("the embedded PostgreSQL did not stop", failure)),
      ),
    )
    yield* Effect.logInfo(`embedded PostgreSQL ${server.version} is ready, pid ${server.pid}`)
    return server
  })
