/**
 * One process owns a database: a session advisory lock on a connection of its own, and a lease with an epoch that fences every write of an
 * owner before it. The one thing to know: when that session is lost, or another has the epoch, so is the ownership, and the process has to end.
 */
import { Data, Effect, type Scope } from "effect"
import type pg from "pg"
import { ownership, type SharedOwnership } from "../../ports/ownership.ts"
import {
  type Ask,
  enterSession,
  granted,
  granting,
  holding,
  LEASE,
  type Lease,
  type LeaseTerms,
  mayAct,
  RENEW,
  type Rows,
  renewed,
} from "./lease.ts"
import type { NewsBell } from "./news-bell.ts"
import { connectDedicated, SqlUnavailable } from "./sql.ts"
import { sqlStateOf } from "./storage-failure.ts"

/** Another process owns the database. One line, for the operator. */
export class DatabaseOwned extends Data.TaggedError("DatabaseOwned")<{ readonly message: string }> {}

/** The lease could not be renewed: the database did not answer. */
class NotRenewed extends Data.TaggedError("NotRenewed")<{ readonly message: string }> {}

export interface OwnedNode {
  readonly nodeId: string
  /** In every batch of the writers; a newer owner has a newer one, and no epoch is used twice. */
  readonly epoch: number
  /** Resolves with the reason when the ownership is lost; never while it is released in order. */
  readonly lost: Promise<string>
  /** Once, now. Fails when the database does not answer in time. The caller repeats it every RENEW_MILLIS. */
  readonly renew: Effect.Effect<void, NotRenewed>
  readonly mayAct: () => boolean
  /** The same for the threads that sign orders. */
  readonly shared: SharedOwnership
  /** Of a new session: it is the owner's, or it is refused and the ownership is lost. */
  readonly enter: (client: pg.ClientBase) => Promise<void>
  /** What this session hears: for as long as the ownership lasts. */
  readonly bell: NewsBell["Type"]
}

/** Session advisory lock of the owner; any fixed number that nothing else in the database locks ("node" in ASCII). */
export const OWNER_LOCK = 0x6e6f6465
/** A process that was killed leaves its session behind for a moment. */
const ATTEMPTS = 10
const ATTEMPT_MILLIS = 300
const RELEASE_MILLIS = 1_000

/** Nearly three of them fit into a lease; a gateway at rest asks for little else. */
export const RENEW_MILLIS = 5_000
/** Without an answer for so long another connection is tried: the way of this one may be what is broken. */
const ANSWER_MILLIS = 2_000

/**
 * Owns the database as long as the scope is open. Waits 3 s for a predecessor that is just ending, takes over from one whose lease has run
 * out, and fails with DatabaseOwned where another renews its own.
 */
export const ownDatabase = (
  url: string,
  options: {
    readonly nodeId?: string
    readonly now: () => number
    /** Monotonic ms; the process's own by default. */
    readonly monotonic?: () => number
    readonly terms?: LeaseTerms
    readonly attempts?: number
    /** Runs once no other process can own the database and before this one does: the place to migrate it. */
    readonly prepare?: Effect.Effect<void, SqlUnavailable>
    /** For the operator. */
    readonly notice?: (what: string) => void
  },
): Effect.Effect<OwnedNode, DatabaseOwned | SqlUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { nodeId = "gateway", terms = LEASE, monotonic = () => performance.now(), notice = () => undefined } = options
    const { client, lost: ended } = yield* holdDatabase(url, options.attempts, notice)
    yield* options.prepare ?? Effect.void
    const askedAt = monotonic()
    const epoch = yield* asking(client, granting(nodeId, options.now(), terms))
    const listeners: Array<() => void> = []
    client.on("notification", () => {
      for (const listener of listeners) listener()
    })
    yield* query(() => client.query("LISTEN gateway_news"))
    let tell: (reason: string) => void = () => undefined
    const taken = new Promise<string>((resolve) => (tell = resolve))
    const owned = ownership()
    let lease = granted(epoch, askedAt, terms)
    const learn = (next: Lease): void => {
      lease = next
      owned.until(next._tag === "Held" ? next.until - monotonic() : Number.NEGATIVE_INFINITY)
      if (next._tag === "Lost") tell(`another process owns the database: node ${nodeId} no longer has epoch ${epoch}`)
    }
    learn(lease)

    const ask = async (on: pg.Client): Promise<void> => {
      const at = monotonic()
      const { rows } = await on.query(RENEW, [nodeId, epoch, terms.millis])
      learn(renewed(lease, at, rows.length > 0, terms))
    }
    /** A renewal that the owner's session has not answered. */
    let silent: Promise<void> | undefined
    const renewOnce = async (): Promise<void> => {
      if (silent === undefined) {
        const asked = ask(client).finally(() => {
          if (silent === asked) silent = undefined
        })
        silent = asked
        if (await isSoon(asked).catch(() => false)) return
      }
      const other = await connectDedicated(url, {
        applicationName: "venue-gateway owner",
        connectTimeoutMillis: ANSWER_MILLIS,
      })
      try {
        if (!(await isSoon(ask(other)))) throw new Error(`no answer within ${ANSWER_MILLIS} ms`)
      } finally {
        void other.end().catch(() => undefined)
      }
    }
    return {
      nodeId,
      epoch,
      bell: { onRing: (listener) => void listeners.push(listener) },
      lost: Promise.race([ended, taken]),
      renew: Effect.tryPromise({
        try: renewOnce,
        catch: (error) => new NotRenewed({ message: `the lease on the database is not renewed: ${wordsOf(error)}` }),
      }),
      mayAct: () => mayAct(lease, monotonic()),
      shared: owned.shared,
      enter: async (session) => {
        const [row] = await rowsOf(session, { text: enterSession(nodeId, epoch), values: [] })
        if (row?.["is_owner"] === true) return
        learn({ _tag: "Lost", epoch })
        throw new Error("another process owns the database")
      },
    }
  })

/**
 * No other process owns the database as long as the scope is open: what `ownDatabase` begins with, and all that is needed to change what a
 * gateway works on while there is none.
 */
export const holdDatabase = (
  url: string,
  attempts = ATTEMPTS,
  notice: (what: string) => void = () => undefined,
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
    const way = yield* asking(client, holding(OWNER_LOCK, attempts))
    if (way === "owned")
      return yield* new DatabaseOwned({
        message: "another gateway process owns this database: stop it first, or give this one its own database",
      })
    if (way === "taken over")
      notice("the process that owned the database has not renewed its lease: its sessions were ended")
    return { client, lost }
  })

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unavailable = (error: unknown): SqlUnavailable =>
  error instanceof SqlUnavailable
    ? error
    : new SqlUnavailable({ message: `ownership of the database cannot be taken: ${wordsOf(error)}` })

const connect = (url: string): Effect.Effect<pg.Client, SqlUnavailable> =>
  Effect.tryPromise({
    try: () => connectDedicated(url, { applicationName: "venue-gateway owner" }),
    catch: unavailable,
  })

const query = <A>(run: () => Promise<A>): Effect.Effect<A, SqlUnavailable> =>
  Effect.tryPromise({ try: run, catch: unavailable })

/** undefined_table, undefined_column. */
const NO_LEASES: ReadonlyArray<string | undefined> = ["42P01", "42703"]

/** Of several statements the last one's. */
const rowsOf = async (client: pg.ClientBase, { text, values, without }: Ask): Promise<Rows> => {
  try {
    const answer: unknown = await client.query(text, [...values])
    return ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult).rows
  } catch (error) {
    if (without !== undefined && NO_LEASES.includes(sqlStateOf(error))) return without
    throw error
  }
}

/** What a process asks one after the other; where it waits, another attempt is due. */
const asking = <A>(client: pg.Client, steps: Generator<Ask | null, A, Rows>): Effect.Effect<A, SqlUnavailable> =>
  Effect.gen(function* () {
    let step = steps.next()
    while (step.done !== true) {
      const asked = step.value
      const rows =
        asked === null ? yield* Effect.as(Effect.sleep(ATTEMPT_MILLIS), []) : yield* query(() => rowsOf(client, asked))
      step = yield* Effect.try({ try: () => steps.next(rows), catch: unavailable })
    }
    return step.value
  })

/** False: not answered within ANSWER_MILLIS; what comes later is heard all the same. */
const isSoon = async (answer: Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MILLIS)
  })
  try {
    return await Promise.race([answer.then(() => true), late])
  } finally {
    clearTimeout(timer)
    answer.catch(() => undefined)
  }
}
