/**
 * One venue behind a ccxt connector, as a VenueAdapter. Its first shard has the public feed and up to 200 private sessions;
 * further sessions get shards of their own. Threads start at the first use, so a venue nobody asks for costs nothing.
 */
import { Effect, type Scope } from "effect"
import { CredentialsInvalid, VenueUnavailable } from "../domain/errors.ts"
import type { VenueSession } from "../ports/venue-port.ts"
import { instrumentOf } from "./instrument-of.ts"
import type { VenueProfile } from "./profile.ts"
import { PROFILES, venueOf } from "./registry.ts"
import { SHARD_TIMES, type ShardTimes } from "./shard.ts"
import { Supervisor, unavailable } from "./supervisor.ts"
import type { VenueAdapter } from "./venue-adapter.ts"
import type { VenueFailure } from "./wire.ts"

const SESSIONS_PER_SHARD = 200
const CALL_MILLIS = 15_000
/** The first use of a venue also starts its thread and loads its markets. */
const FIRST_CALL_MILLIS = 30_000
/** Pages of fills wait for the venue's budget. */
const FILLS_MILLIS = 60_000

export interface CcxtVenuesOptions {
  /** VENUE_ROUTES; null dials the venues themselves. */
  readonly venueRoutes: Readonly<Record<string, string>> | null
  readonly venuesInactive: ReadonlyArray<string>
  /** Where words for the operator go; nowhere by default. */
  readonly notice?: (venue: string, what: string) => void
  /** Private sessions of one thread; 200 when absent (order-path 3). */
  readonly sessionsPerShard?: number
  /** Of the threads; for tests. */
  readonly times?: Partial<ShardTimes>
}

export interface CcxtVenue extends VenueAdapter {
  /** The first shard, for tests that break it. */
  readonly supervisor: Supervisor
}

const refusesCredential = ({ category }: VenueFailure): boolean =>
  category === "VENUE_AUTHENTICATION" || category === "PERMISSION_DENIED" || category === "ACCOUNT_SUSPENDED"

/** `breakable` shards obey `Supervisor.break`: for tests only. */
export const ccxtVenue = (
  profile: VenueProfile,
  options: CcxtVenuesOptions,
  breakable = false,
): Effect.Effect<CcxtVenue, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Shards(profile, options, breakable)),
      (shards) => Effect.promise(() => shards.stop()),
    ),
    (shards) => adapter(profile, options, shards),
  )

/** Every venue of the registry. They live as long as the scope; no thread starts before its first use. */
export const ccxtVenues = (
  options: CcxtVenuesOptions,
): Effect.Effect<ReadonlyArray<VenueAdapter>, never, Scope.Scope> =>
  Effect.forEach(PROFILES, (profile) => ccxtVenue(profile, options))

class Shards {
  readonly first: Supervisor
  readonly #all: Array<Supervisor>
  readonly #make: () => Supervisor
  readonly #sessionsMax: number

  constructor(profile: VenueProfile, options: CcxtVenuesOptions, breakable: boolean) {
    this.#make = () =>
      new Supervisor({
        settings: { profile, routes: options.venueRoutes, breakable },
        times: { ...SHARD_TIMES, ...options.times },
        notice: (what) => options.notice?.(profile.venue, what),
      })
    this.#sessionsMax = options.sessionsPerShard ?? SESSIONS_PER_SHARD
    this.first = this.#make()
    this.#all = [this.first]
  }

  forSession(): Supervisor {
    const free = this.#all.find((shard) => shard.sessionCount < this.#sessionsMax)
    if (free !== undefined) return free
    const shard = this.#make()
    this.#all.push(shard)
    return shard
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((shard) => shard.stop()))
  }
}

const adapter = (profile: VenueProfile, options: CcxtVenuesOptions, shards: Shards): CcxtVenue => {
  const { venue } = profile
  const { first } = shards
  let opened = 0
  const told = teller((what) => options.notice?.(venue, what))
  return {
    venue: venueOf(profile, options.venuesInactive),
    supervisor: first,
    verify: (secrets) =>
      first
        .call("verify", { secrets }, FIRST_CALL_MILLIS)
        .pipe(
          Effect.mapError((failure) =>
            refusesCredential(failure) ? new CredentialsInvalid({ reason: failure.category }) : told(failure),
          ),
        ),
    openSession: ({ account, secrets, report }) =>
      Effect.gen(function* () {
        if (secrets === null) return yield* new VenueUnavailable({ reason: "no credentials" })
        const shard = shards.forSession()
        const session = `${account.tradingAccountId}#${++opened}`
        yield* Effect.acquireRelease(
          Effect.sync(() => shard.openSession(session, secrets, report)),
          () => Effect.sync(() => shard.closeSession(session)),
        )
        yield* shard.call("ready", { session }, FIRST_CALL_MILLIS).pipe(Effect.mapError(told))
        return sessionOf(shard, session, told)
      }),
    instruments: (symbols) =>
      first.call("instruments", { symbols }, FIRST_CALL_MILLIS).pipe(
        Effect.map((rows) => rows.map((row) => instrumentOf(venue, row))),
        Effect.mapError(told),
      ),
    market: (sink) => {
      first.listen(sink)
      return {
        open: (stream, instrumentId) => first.open(stream, instrumentId),
        close: (stream, instrumentId) => first.close(stream, instrumentId),
        resync: (instrumentId) => first.resync(instrumentId),
      }
    },
    health: () => ({ venue, ...first.health() }),
  }
}

type Told = (failure: VenueFailure) => VenueUnavailable

const NOTICE_MILLIS = 60_000

/** The caller gets the category, the operator the words, the same ones at most once a minute: audits ask all the time. */
const teller = (notice: (what: string) => void): Told => {
  const toldAt = new Map<string, number>()
  return (failure) => {
    const what = `a call failed: ${failure.category}: ${failure.text}`
    const now = Date.now()
    if (now - (toldAt.get(what) ?? Number.NEGATIVE_INFINITY) >= NOTICE_MILLIS) {
      if (toldAt.size > 100) toldAt.clear()
      toldAt.set(what, now)
      notice(what)
    }
    return unavailable(failure)
  }
}

const sessionOf = (shard: Supervisor, session: string, told: Told): VenueSession => ({
  submit: (order) => shard.submit(session, order),
  cancel: (order) => shard.cancel(session, order),
  fetchOrder: (order) =>
    shard.call("order", { session, order }, CALL_MILLIS).pipe(
      Effect.map((state) =>
        state === null ? ({ _tag: "NotFound", definite: false } as const) : ({ _tag: "Found", state } as const),
      ),
      Effect.mapError(told),
    ),
  fetchOpenOrders: shard.call("openOrders", { session }, CALL_MILLIS).pipe(Effect.mapError(told)),
  fetchFills: (since, instruments) =>
    shard.call("fills", { session, since, instruments }, FILLS_MILLIS).pipe(Effect.mapError(told)),
  fetchBalances: shard.call("balances", { session }, CALL_MILLIS).pipe(Effect.mapError(told)),
})
