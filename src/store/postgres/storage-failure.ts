/**
 * What a failed statement means: the database is unavailable (StorageUnavailable, 503, may be repeated), a constraint was violated (the
 * caller looks at its name), or a defect. The one thing to know: only the first is a failure for callers.
 */
import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, type Exit, Schedule } from "effect"
import { StorageUnavailable } from "../../domain/errors/service.ts"

/** SQLSTATE of an error that the server reported; undefined when the server said nothing (connection lost, refused, timed out). */
export const sqlStateOf = (error: unknown): string | undefined => {
  const cause = error instanceof SqlError ? error.cause : error
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined
  return typeof cause.code === "string" && /^[0-9A-Z]{5}$/.test(cause.code) ? cause.code : undefined
}

/** Name of the constraint or unique index that a statement ran into; undefined for every other error. */
export const constraintOf = (error: unknown): string | undefined => {
  const cause = error instanceof SqlError ? error.cause : error
  if (typeof cause !== "object" || cause === null || !("constraint" in cause)) return undefined
  return typeof cause.constraint === "string" ? cause.constraint : undefined
}

/** Name of the table that an error of the server is about; undefined for every other error. */
export const tableOf = (error: unknown): string | undefined => {
  const cause = error instanceof SqlError ? error.cause : error
  if (typeof cause !== "object" || cause === null || !("table" in cause)) return undefined
  return typeof cause.table === "string" ? cause.table : undefined
}

/** What the server adds to an error; it may quote whole rows. Empty without. */
export const detailOf = (error: unknown): string => {
  const cause = error instanceof SqlError ? error.cause : error
  if (typeof cause !== "object" || cause === null || !("detail" in cause)) return ""
  return typeof cause.detail === "string" ? cause.detail : ""
}

/**
 * The server refuses these values now and for ever: a row met twice (21), data exceptions (22), broken constraints (23), limits (54).
 * Everything else may pass when it is sent again.
 */
export const isDefinite = (error: unknown): boolean => /^(21|22|23|54)/.test(sqlStateOf(error) ?? "")

/** Connection trouble (08), resources (53), operator (57: shutdown, cancel, statement timeout), system (58), lock trouble (40, 55). */
const isAway = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return state === undefined || /^(08|40|53|55|57|58)/.test(state)
}

/**
 * How long the present fiber waits for one statement, or one transaction, in ms; null: as long as it takes. Clients' requests are run with
 * a limit, so that a database that stands still is a quick 503 for them; what the process does for itself waits.
 */
export class Patience extends Context.Reference<Patience>()("store/Patience", {
  defaultValue: (): number | null => null,
}) {}

/** Of a client's request, for each thing that it asks of the database. */
export const REQUEST_PATIENCE_MILLIS = 2_000

/** Whether a caller still waits for the current fiber's database work. A transaction without one is rolled back. */
export class Awaited extends Context.Reference<Awaited>()("store/Awaited", {
  defaultValue: (): (() => boolean) => () => true,
}) {}

/**
 * Of clients' requests, under way at once: a database that stands still must not gather everything that clients still ask. What the process
 * does for itself waits for its turn at the pool: a start with many dealers and accounts asks for more than this at once.
 */
const ASKED_MAX = 264
let asked = 0

/**
 * The statement itself goes on: ending it would take the very server that does not answer, and might hit the connection's next one. A plain
 * timer, for every statement of every request comes through here: a race of fibers costs several times as much.
 */
const withinPatience = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  times: number,
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.flatMap(Patience, (millis) => {
    if (millis === null) return effect
    if (asked >= ASKED_MAX) return Effect.fail(new StorageUnavailable())
    let isAwaited = true
    const work = Effect.provideService(effect, Awaited, () => isAwaited)
    return Effect.flatMap(Effect.forkDaemon(work), (running) => {
      asked++
      running.addObserver(() => asked--)
      return Effect.async<A, E | StorageUnavailable>((resume) => {
        const stopWaiting = (): void => {
          clearTimeout(timer)
          running.removeObserver(answered)
        }
        const answered = (exit: Exit.Exit<A, E>): void => {
          clearTimeout(timer)
          resume(exit)
        }
        const timer = setTimeout(() => {
          isAwaited = false
          running.removeObserver(answered)
          resume(Effect.fail(new StorageUnavailable()))
        }, times * millis)
        running.addObserver(answered)
        return Effect.sync(stopWaiting)
      })
    })
  })

/** For what is made by several statements, with a turn at the pool before them: so many times the patience of one. */
export const MAKING_TIMES = 2.5

/**
 * What a client asks for, with what must follow once it is stored. StorageUnavailable when that takes too long: it is then not stored, or it
 * is stored and what follows is done, even if the caller has gone.
 */
export const seenThrough = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  times = 1,
): Effect.Effect<A, E | StorageUnavailable, R> => withinPatience(Effect.provideService(work, Patience, null), times)

const told = <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StorageUnavailable, R> =>
  Effect.catchAll(effect, (error) => (isAway(error) ? Effect.fail(new StorageUnavailable()) : Effect.die(error)))

/** For repositories behind the edges: an unavailable database, or one too slow for the caller, is a failure; any other error a defect. */
export const orUnavailable = <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StorageUnavailable, R> =>
  withinPatience(told(effect), 1)

/** The same for several statements at once, which may have failures of their own. */
export const allOrUnavailable = <A, E, R>(
  work: Effect.Effect<A, E | SqlError, R>,
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
  withinPatience(
    Effect.catchIf(
      work,
      (error): error is E & SqlError => error instanceof SqlError,
      (error) => told(Effect.fail(error as SqlError)),
    ) as Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R>,
    1,
  )

const patience = Schedule.union(Schedule.exponential("50 millis"), Schedule.spaced("1 second"))

/** For actors, which have no caller to fail to: waits until the database answers. What succeeds at once pays nothing for the schedule. */
export const untilAvailable = <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> => {
  const asked = told(effect)
  return Effect.catchAll(asked, () =>
    asked.pipe(
      Effect.delay("50 millis"),
      Effect.retry(patience),
      // The schedule never ends, so there is nothing left to die of.
      Effect.orDie,
    ),
  )
}
