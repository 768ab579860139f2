/**
 * Instruments of a venue: fetched, stored, entered in the directory, and again every hour. One sync per venue at a time; a caller that needs a
 * venue whose instruments are not known yet waits for the sync in progress. The socket uses `ensure` too. Nothing is fetched for INTERNAL: admins
 * list its markets.
 */
import { Cause, Deferred, Effect, Exit, Random, type Scope } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import { SyncRunning } from "../../domain/errors/market.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { type InvalidVenue, VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { WholeLists } from "../../domain/instrument/whole-lists.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import { keepLoop } from "../../kernel/loop.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { Audited } from "../../store/audit/acts.ts"
import type { Instruments, SyncCounts } from "../../store/market/instruments.ts"

const idsOf = (list: ReadonlyArray<Instrument>): ReadonlySet<InstrumentId> =>
  new Set(list.map(({ instrumentId }) => instrumentId))

const delisted = (instrument: Instrument): Instrument => ({ ...instrument, status: "DELISTED" })

const isActive = ({ status }: Instrument): boolean => status === "ACTIVE"

type SyncFailure = InvalidVenue | VenueUnavailable | StorageUnavailable

export interface InstrumentSync {
  /** Fails with SyncRunning while another one of this venue runs. */
  readonly sync: (
    venue: VenueId,
    symbols: ReadonlyArray<string> | null,
    asked?: AskedSync,
  ) => Effect.Effect<SyncCounts, SyncFailure | SyncRunning>
  /** Returns at once when instruments of the venue are known. */
  readonly ensure: (venue: VenueId) => Effect.Effect<void, SyncFailure>
  /** How long ago everything that the venue lists was fetched, in ms; Infinity: not in this process. */
  readonly ageMillis: (venue: VenueId) => number
}

/** Of a sync that a client asked for by HTTP: counted is what its tenant sees. */
interface AskedSync {
  readonly tenantId: TenantId
  readonly audited: Audited<SyncCounts>
  /** An admin asks, and knows the venue: what it lists is all there is, however short the list. */
  readonly isBelieved: boolean
}

/** What a venue lists now. */
interface Listing {
  readonly list: ReadonlyArray<Instrument>
  /** What is not in it is gone. */
  readonly isWhole: boolean
}

/** What a venue has said: what it lists, and what it does not. */
interface Said {
  readonly list: ReadonlyArray<Instrument>
  readonly gone: Parameters<Instruments["upsert"]>[2]
}

type Terms = Pick<AskedSync, "audited" | "isBelieved">

interface Parts {
  readonly venues: Pick<VenuePort["Type"], "instruments">
  readonly directory: InstrumentDirectory
  /** Stores what a venue has said, and nothing else: what this process knows of the others may be old. */
  readonly upsert: Instruments["upsert"]
  /** Runs when that is done: stored, and not in the directory yet. */
  readonly stored: Effect.Effect<void>
  /** Its venue, whose list did not have it, lists it as traded again; `askedAt`: when it was asked, wall ms. */
  readonly isBack: (instrumentId: InstrumentId, askedAt: number) => void
  /** Its venue, whose list had it, lists it no more. */
  readonly isGone: (instrumentId: InstrumentId) => void
  /** Its list has so few of those that were traded there that it is not taken for all of them. */
  readonly isShort: (venue: VenueId, listed: number, before: number) => void
  /** Why the venue would not answer now, if that is known. */
  readonly outage: (venue: VenueId) => VenueUnavailable | undefined
  readonly now: () => number
  readonly monotonic: () => number
}

export const makeInstrumentSync = ({
  venues,
  directory,
  upsert,
  stored,
  isBack,
  isGone,
  isShort,
  outage,
  now,
  monotonic,
}: Parts): InstrumentSync => {
  const flights = new Map<VenueId, Deferred.Deferred<SyncCounts, SyncFailure>>()
  /** Venues known to be down, retried without a waiting caller. */
  const probed = new Set<VenueId>()
  /** By venue, when all of it was fetched. */
  const fetchedAt = new Map<VenueId, number>()
  const wholeLists = new Map<VenueId, WholeLists>()

  const store = (venue: VenueId, said: Said, audited: Audited<SyncCounts>) =>
    Effect.zipLeft(audited(upsert(venue, said.list, said.gone, now())), stored)

  const enter = (list: ReadonlyArray<Instrument>, askedAt: number): void => {
    const changed = list.filter(({ instrumentId, tenantId, status }) => {
      const before = directory.find(instrumentId, tenantId)
      return before !== undefined && before.status !== status
    })
    directory.put(list)
    for (const { instrumentId, status } of changed)
      if (status === "ACTIVE") isBack(instrumentId, askedAt)
      else isGone(instrumentId)
  }

  /** Whether the list may be all that the venue has; one that is not is told of once. */
  const canBeWhole = (venue: VenueId, found: ReadonlyArray<Instrument>, isBelieved: boolean): boolean => {
    const lists = wholeLists.get(venue) ?? new WholeLists(monotonic)
    wholeLists.set(venue, lists)
    if (isBelieved) lists.believed()
    const short = isBelieved
      ? undefined
      : lists.shortness(idsOf(directory.everyTenants(venue).filter(isActive)), idsOf(found))
    if (short?.isNew === true) isShort(venue, short.kept, short.before)
    return short === undefined
  }

  const listOf = (venue: VenueId, isBelieved: boolean) =>
    Effect.gen(function* () {
      const list = yield* venues.instruments(venue, null)
      // A venue without a single instrument is an empty answer, not a closed market.
      if (list.length === 0) return yield* new VenueUnavailable({ reason: "the venue listed no instruments" })
      const traded = list.filter(isActive)
      const isWhole = canBeWhole(venue, traded, isBelieved)
      const listing: Listing = { list: isWhole ? list : traded, isWhole }
      return listing
    })

  /** What the venue lists no more is DELISTED, and ACTIVE again when it comes back. */
  const syncAll = (venue: VenueId, { audited, isBelieved }: Terms) =>
    Effect.gen(function* () {
      const [askedAt, askedMonotonic] = [now(), monotonic()]
      const { list: found, isWhole } = yield* listOf(venue, isBelieved)
      const listed = new Set(found.map((instrument) => instrument.instrumentId))
      const others = directory.everyTenants(venue).filter((it) => !listed.has(it.instrumentId))
      const counts = yield* store(venue, { list: found, gone: isWhole ? "others" : [] }, audited)
      enter(isWhole ? [...found, ...others.map(delisted)] : found, askedAt)
      fetchedAt.set(venue, askedMonotonic)
      return { found, counts: { ...counts, synced: found.length } }
    })

  /** These alone: of the others the venue has said nothing. One of them is gone if the whole list does not have it either. */
  const syncSome = (venue: VenueId, symbols: ReadonlySet<string>, { audited, isBelieved }: Terms) =>
    Effect.gen(function* () {
      const askedAt = now()
      const isAsked = ({ symbol }: Instrument): boolean => symbols.has(symbol)
      const isMissing = (found: ReadonlyArray<Instrument>): boolean => {
        const listed = new Set(found.map(({ instrumentId }) => instrumentId))
        const known = directory.everyTenants(venue).filter(isAsked)
        return known.some(({ instrumentId, status }) => status === "ACTIVE" && !listed.has(instrumentId))
      }
      const some = yield* venues.instruments(venue, [...symbols])
      const all: Listing = isMissing(some) ? yield* listOf(venue, isBelieved) : { list: some, isWhole: true }
      const found = all.isWhole ? all.list.filter(isAsked) : some
      const listed = new Set(found.map((instrument) => instrument.instrumentId))
      const others = directory.everyTenants(venue).filter((it) => !listed.has(it.instrumentId))
      const gone = all.isWhole ? others.filter(isAsked) : []
      const counts = yield* store(venue, { list: found, gone: [...idsOf(gone)] }, audited)
      enter([...found, ...gone.map(delisted)], askedAt)
      return { ...counts, synced: found.length }
    })

  /** Of INTERNAL: the store and the directory have what admins have listed. */
  const count = (symbols: ReadonlyArray<string> | null, viewer: TenantId | null, audited: Audited<SyncCounts>) => {
    const seen = directory
      .ofVenue(INTERNAL, viewer)
      .filter(({ symbol }) => symbols === null || symbols.includes(symbol))
    fetchedAt.set(INTERNAL, monotonic())
    return audited(Effect.succeed({ synced: seen.length, added: 0, updated: 0 }))
  }

  const work = (venue: VenueId, symbols: ReadonlyArray<string> | null, asked: AskedSync | undefined) =>
    Effect.gen(function* () {
      const terms: Terms = asked ?? { audited: (storing) => storing, isBelieved: false }
      if (venue === INTERNAL) return yield* count(symbols, asked?.tenantId ?? null, terms.audited)
      if (symbols === null) return (yield* syncAll(venue, terms)).counts
      const wanted = new Set(symbols)
      if (directory.knows(venue)) return yield* syncSome(venue, wanted, terms)
      // Once a venue is known, a missing instrument counts as unknown: so the first sync is complete.
      const { found } = yield* syncAll(venue, terms)
      const added = found.filter(({ symbol }) => wanted.has(symbol)).length
      return { synced: added, added, updated: 0 }
    })

  const fly = (venue: VenueId, symbols: ReadonlyArray<string> | null, asked?: AskedSync) =>
    Effect.gen(function* () {
      const flight = yield* Deferred.make<SyncCounts, SyncFailure>()
      flights.set(venue, flight)
      return yield* work(venue, symbols, asked).pipe(
        Effect.onExit((exit) => {
          flights.delete(venue)
          const isStopped = Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
          return isStopped
            ? Deferred.fail(flight, new VenueUnavailable({ reason: "the sync was stopped" }))
            : Deferred.done(flight, exit)
        }),
      )
    })

  const probe = (venue: VenueId) => {
    probed.add(venue)
    // What began meanwhile is as good.
    const trying = Effect.suspend(() => (flights.has(venue) ? Effect.void : Effect.ignore(fly(venue, null))))
    return trying.pipe(Effect.ensuring(Effect.sync(() => probed.delete(venue))), Effect.forkDaemon)
  }

  return {
    sync: (venue, symbols, asked) =>
      Effect.suspend(
        (): Effect.Effect<SyncCounts, SyncFailure | SyncRunning> =>
          flights.has(venue) ? new SyncRunning() : fly(venue, symbols, asked),
      ),
    ensure: (venue) =>
      Effect.suspend(() => {
        if (directory.knows(venue)) return Effect.void
        const flight = flights.get(venue)
        const down = outage(venue)
        if (down === undefined) return Effect.asVoid(flight === undefined ? fly(venue, null) : Deferred.await(flight))
        // No caller waits for it, and a request triggers a retry.
        return flight === undefined && !probed.has(venue) ? Effect.zipRight(probe(venue), down) : down
      }),
    ageMillis: (venue) => monotonic() - (fetchedAt.get(venue) ?? Number.NEGATIVE_INFINITY),
  }
}

// Refreshes the instruments of the venues in use every hour: new listings, changed steps and limits, delistings. In use is a venue that
// something was asked of since the start, be it an instrument that it does not list: an unused venue is not started for its list.

interface RefreshParts {
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
}: RefreshParts): Effect.Effect<void, never, Scope.Scope> => {
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
        // Another sync is running: if it is not of the whole list, the next check finds the venue due.
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
