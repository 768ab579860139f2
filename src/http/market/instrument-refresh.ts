/**
 * Refreshes the instruments of the venues in use every hour: new listings, changed steps and limits, delistings. In use is a venue that
 * something was asked of since the start, be it an instrument that it does not list: one that nobody uses is not woken up for its list.
 */
import { Effect, Random, type Scope } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { VenueId } from "../../domain/ids.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { keepLoop } from "../../kernel/loop.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { InstrumentSync } from "./instrument-sync.ts"

interface Parts {
  /** Those that this installation offers. */
  readonly venues: ReadonlyArray<Venue>
  readonly health: VenuePort["Type"]["health"]
  readonly directory: Pick<InstrumentDirectory, "knows" | "isDoubted">
  readonly sync: Pick<InstrumentSync, "sync" | "ageMillis">
  readonly monotonic: () => number
  /** A word for the operator. */
  readonly notice: (what: string, fields: Readonly<Record<string, unknown>>) => void
}

const EVERY_MILLIS = 3_600_000
/** After an attempt that failed. */
const AGAIN_MILLIS = 300_000
/** How often it is looked which venues are due. */
const LOOK = "1 minute"
/** One venue after the other, and each may take minutes. */
const LATE_AFTER = "1 hour"

/** Not all venues at once, and not every gateway at the same time. */
const jittered = (millis: number): Effect.Effect<number> => Random.nextRange(0.9 * millis, 1.1 * millis)

/** Goes on in the scope; one venue after the other. */
export const refreshInstruments = ({
  venues,
  health,
  directory,
  sync,
  monotonic,
  notice,
}: Parts): Effect.Effect<void, never, Scope.Scope> => {
  /** By venue, how old its list may become this time. */
  const ageMax = new Map<VenueId, number>()
  /** By venue, when it may be asked again. */
  const notBefore = new Map<VenueId, number>()

  const isDue = (venue: VenueId): boolean =>
    sync.ageMillis(venue) >= (ageMax.get(venue) ?? EVERY_MILLIS) &&
    monotonic() >= (notBefore.get(venue) ?? Number.NEGATIVE_INFINITY)

  const drawAge = (venue: VenueId): Effect.Effect<void> =>
    Effect.map(jittered(EVERY_MILLIS), (millis) => void ageMax.set(venue, millis))

  const refresh = (venue: VenueId): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* drawAge(venue)
      const again = yield* jittered(AGAIN_MILLIS)
      yield* sync.sync(venue, null).pipe(
        // Somebody else's sync runs: if it is not of the whole list, the next look finds the venue due.
        Effect.catchTag("SyncRunning", () => Effect.void),
        Effect.catchAll((error) =>
          Effect.sync(() => {
            notBefore.set(venue, monotonic() + again)
            const reason = "reason" in error ? error.reason : error.message
            notice("the instruments could not be refreshed", { venue, reason })
          }),
        ),
      )
    })

  const look = Effect.suspend(() => {
    const idle = new Set(health().flatMap(({ venue, status }) => (status === "idle" ? [venue] : [])))
    const due = venues.filter(
      ({ venue, status }) =>
        status === "ACTIVE" &&
        (!idle.has(venue) || directory.isDoubted(venue)) &&
        directory.knows(venue) &&
        isDue(venue),
    )
    return Effect.forEach(due, ({ venue }) => refresh(venue), { discard: true })
  })

  return Effect.forEach(venues, ({ venue }) => drawAge(venue), { discard: true }).pipe(
    Effect.zipRight(keepLoop({ name: "instruments", pause: LOOK, round: look, lateAfter: LATE_AFTER })),
  )
}
