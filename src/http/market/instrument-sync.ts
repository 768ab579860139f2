/**
 * Instruments of a venue: fetched, stored, entered in the directory. One flight per venue; who needs a venue that nothing is known
 * of yet waits for the flight that is in the air. The socket uses `ensure` too.
 */
import { Cause, Deferred, Effect, Exit } from "effect"
import type { InstrumentDirectory } from "../../actors/instrument-directory.ts"
import { type InvalidVenue, type StorageUnavailable, SyncRunning, VenueUnavailable } from "../../domain/errors.ts"
import type { VenueId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { Instruments, SyncCounts } from "../../store/instruments.ts"

type SyncFailure = InvalidVenue | VenueUnavailable | StorageUnavailable

export interface InstrumentSync {
  /** Fails with SyncRunning while another one of this venue runs. */
  readonly sync: (
    venue: VenueId,
    symbols: ReadonlyArray<string> | null,
  ) => Effect.Effect<SyncCounts, SyncFailure | SyncRunning>
  /** Returns at once when instruments of the venue are known. */
  readonly ensure: (venue: VenueId) => Effect.Effect<void, SyncFailure>
}

interface Parts {
  readonly venues: Pick<VenuePort["Type"], "instruments">
  readonly directory: InstrumentDirectory
  /** Stores everything a venue trades now; what it does not name becomes DELISTED. */
  readonly upsert: Instruments["upsert"]
  readonly now: () => number
}

export const makeInstrumentSync = ({ venues, directory, upsert, now }: Parts): InstrumentSync => {
  const flights = new Map<VenueId, Deferred.Deferred<SyncCounts, SyncFailure>>()

  const work = (venue: VenueId, symbols: ReadonlyArray<string> | null) =>
    Effect.gen(function* () {
      const found = yield* venues.instruments(venue, symbols)
      // A venue without a single instrument is an empty answer, not a closed market.
      if (found.length === 0 && symbols === null)
        return yield* new VenueUnavailable({ reason: "the venue listed no instruments" })
      const listed = new Set(found.map((instrument) => instrument.instrumentId))
      const others = directory.ofVenue(venue).filter((it) => !listed.has(it.instrumentId))
      // Asked for some symbols only, the venue has said nothing about the others.
      const counts = yield* upsert(venue, symbols === null ? found : [...found, ...others], now())
      const gone = symbols === null ? others.map((it): Instrument => ({ ...it, status: "DELISTED" })) : []
      directory.put([...found, ...gone])
      return { ...counts, synced: found.length }
    })

  const fly = (venue: VenueId, symbols: ReadonlyArray<string> | null) =>
    Effect.gen(function* () {
      const flight = yield* Deferred.make<SyncCounts, SyncFailure>()
      flights.set(venue, flight)
      return yield* work(venue, symbols).pipe(
        Effect.onExit((exit) => {
          flights.delete(venue)
          const isStopped = Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
          return isStopped
            ? Deferred.fail(flight, new VenueUnavailable({ reason: "the sync was stopped" }))
            : Deferred.done(flight, exit)
        }),
      )
    })

  return {
    sync: (venue, symbols) =>
      Effect.suspend(
        (): Effect.Effect<SyncCounts, SyncFailure | SyncRunning> =>
          flights.has(venue) ? new SyncRunning() : fly(venue, symbols),
      ),
    ensure: (venue) =>
      Effect.suspend(() => {
        if (directory.knows(venue)) return Effect.void
        const flight = flights.get(venue)
        return Effect.asVoid(flight === undefined ? fly(venue, null) : Deferred.await(flight))
      }),
  }
}
