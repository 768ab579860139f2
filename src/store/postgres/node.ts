/**
 * One process owns a database: a session advisory lock on a connection of its own, and an epoch that fences every write of an owner
 * before it. The one thing to know: when that session is lost, so is the ownership, and the process has to end.
 */
import { Data, Effect, type Scope } from "effect"
import type pg from "pg"
import { connectDedicated, SqlUnavailable } from "./sql.ts"

/** Another process owns the database. One line, for the operator. */
export class DatabaseOwned extends Data.TaggedError("DatabaseOwned")<{ readonly message: string }> {}

export interface OwnedNode {
  readonly nodeId: string
  /** In every batch of the order writer; a newer owner has a newer one. */
  readonly epoch: number
  /** Resolves with the reason when the ownership is lost; never while it is released in order. */
  readonly lost: Promise<string>
}

/** Session advisory lock of the owner; any fixed number that nothing else in the database locks ("node" in ASCII). */
export const OWNER_LOCK = 0x6e6f6465
/** A process that was killed leaves its session behind for a moment. */
const ATTEMPTS = 10
const ATTEMPT_MILLIS = 300
const RELEASE_MILLIS = 1_000

/**
 * Owns the database as long as the scope is open. Waits 3 s for a predecessor that is just ending, then fails with DatabaseOwned.
 * Rows of other nodes go: with one process per database, who they name owns nothing any more.
 */
export const ownDatabase = (
  url: string,
  options: {
    readonly nodeId?: string
    readonly now: () => number
    readonly attempts?: number
    /** Runs once no other process can own the database and before this one does: the place to migrate it. */
    readonly prepare?: Effect.Effect<void, SqlUnavailable>
  },
): Effect.Effect<OwnedNode, DatabaseOwned | SqlUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const nodeId = options.nodeId ?? "gateway"
    const { client, lost } = yield* holdDatabase(url, options.attempts)
    yield* options.prepare ?? Effect.void
    const epoch = yield* query(async () => {
      const result = await client.query<{ epoch: string }>(
        `WITH others AS (DELETE FROM gateway_node WHERE node_id <> $1)
         INSERT INTO gateway_node AS n (node_id, epoch, started_at) VALUES ($1, 1, $2)
         ON CONFLICT (node_id) DO UPDATE SET epoch = n.epoch + 1, started_at = excluded.started_at RETURNING epoch`,
        [nodeId, options.now()],
      )
      return Number(result.rows[0]!.epoch)
    })
    return { nodeId, epoch, lost }
  })

/**
 * No other process owns the database as long as the scope is open: what `ownDatabase` begins with, and all that is needed to change what a
 * gateway works on while there is none.
 */
export const holdDatabase = (
  url: string,
  attempts = ATTEMPTS,
): Effect.Effect<
  { readonly client: pg.Client; readonly lost: Promise<string> },
  DatabaseOwned | SqlUnavailable,
  Scope.Scope
> =>
  Effect.gen(function* () {
    let released = false
    const client = yield* Effect.acquireRelease(connect(url), (open) =>
      Effect.promise(async () => {
        released = true
        await open.end().catch(() => undefined)
        // A server that stands still never says goodbye.
      }).pipe(Effect.interruptible, Effect.timeoutOption(RELEASE_MILLIS)),
    )
    const lost = new Promise<string>((resolve) => {
      client.once("end", () => {
        if (!released) resolve("the session that owns the database was lost")
      })
    })
    yield* takeLock(client, attempts)
    return { client, lost }
  })

const unavailable = (error: unknown): SqlUnavailable =>
  error instanceof SqlUnavailable
    ? error
    : new SqlUnavailable({
        message: `ownership of the database cannot be taken: ${error instanceof Error ? error.message : error}`,
      })

const connect = (url: string): Effect.Effect<pg.Client, SqlUnavailable> =>
  Effect.tryPromise({
    try: () => connectDedicated(url, { applicationName: "venue-gateway owner" }),
    catch: unavailable,
  })

const query = <A>(run: () => Promise<A>): Effect.Effect<A, SqlUnavailable> =>
  Effect.tryPromise({ try: run, catch: unavailable })

const takeLock = (client: pg.Client, attempts: number): Effect.Effect<void, DatabaseOwned | SqlUnavailable> =>
  Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      const taken = yield* query(async () => {
        const result = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [OWNER_LOCK])
        return result.rows[0]?.taken === true
      })
      if (taken) return
      if (attempt >= attempts) break
      yield* Effect.sleep(ATTEMPT_MILLIS)
    }
    return yield* new DatabaseOwned({
      message: "another gateway process owns this database: stop it first, or give this one its own database",
    })
  })
