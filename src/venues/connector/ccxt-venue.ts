/**
 * One venue behind ccxt connectors, as a VenueAdapter. Its first connector has the public feed and up to 200 private sessions; further sessions
 * get connectors of their own. They start at the first use, in their assigned thread: an unused venue costs nothing.
 */
import { Effect, type Scope } from "effect"
import { CredentialsInvalid } from "../../domain/errors/credential.ts"
import { NotSupportedByVenue, VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import type { MeterBoard } from "../../ports/meters.ts"
import type { SharedOwnership } from "../../ports/ownership.ts"
import type { VenueFill, VenueSession } from "../../ports/venue-session.ts"
import type { ConnectorStats, VenueStats } from "../../ports/venue-stats.ts"
import { capabilitiesOf } from "../adapters/capabilities.ts"
import { isNewestFirst, type VenueProfile } from "../adapters/profile.ts"
import { PROFILES, venueOf } from "../adapters/registry.ts"
import { instrumentOf } from "../instrument-of.ts"
import { VenueMeters } from "../venue-meters.ts"
import type { VenueAdapter } from "../venues.ts"
import { Placement, type ShardRule } from "./placement.ts"
import { type Health, IDLE } from "./reach.ts"
import { SHARD_TIMES, type ShardTimes } from "./shard.ts"
import { Supervisor, unavailable } from "./supervisor.ts"
import type { Errand, VenueFailure } from "./wire.ts"

// All pages of a list of fills as one answer. What a question that failed had read is kept, and the same question goes on from there:
// asked from the beginning each time, a list that is longer than the venue's budget allows at once would never be read to its end.

/** Of questions that failed; the oldest is forgotten. */
const KEPT = 8
/** The venue's clock and ours, and trades that it lists late. */
const MARGIN_MILLIS = 60_000

type FetchPage = NonNullable<VenueSession["fetchFillsPage"]>

/** From `since` up to when its first page was asked for. */
interface Stretch {
  readonly since: number
  /** Wall ms, ours. */
  readonly startedAt: number
  /** In the venue's order. */
  fills: ReadonlyArray<VenueFill>
  cursor: string | null
  isBegun: boolean
}

const isWhole = ({ isBegun, cursor }: Stretch): boolean => isBegun && cursor === null

const stretch = (since: number): Stretch => ({
  since,
  startedAt: Date.now(),
  fills: [],
  cursor: null,
  isBegun: false,
})

/** `page`: see VenueSession. `isNewestFirst`: each page is older than the one before. */
export const allFills = (page: FetchPage, isNewestFirst: boolean): VenueSession["fetchFills"] => {
  const unfinished = new Map<string, Array<Stretch>>()

  const readOn = (read: Stretch, instruments: ReadonlyArray<InstrumentId>): Effect.Effect<void, VenueUnavailable> =>
    isWhole(read)
      ? Effect.void
      : Effect.suspend(() => page(read.since, instruments, read.cursor)).pipe(
          Effect.tap(({ fills, next }) =>
            Effect.sync(() => {
              read.fills = isNewestFirst ? [...fills, ...read.fills] : [...read.fills, ...fills]
              read.cursor = next
              read.isBegun = true
            }),
          ),
          // tidy: ends with the last page
          Effect.repeat({ until: () => isWhole(read) }),
          Effect.asVoid,
        )

  const keep = (key: string, read: Array<Stretch>): void => {
    unfinished.set(key, read)
    for (const oldest of unfinished.keys()) {
      if (unfinished.size <= KEPT) return
      unfinished.delete(oldest)
    }
  }

  return (since, instruments) =>
    Effect.suspend(() => {
      const key = `${since} ${[...instruments].sort().join(" ")}`
      const read = unfinished.get(key) ?? [stretch(since)]
      unfinished.delete(key)
      const newest = read.at(-1)
      // Lists that begin with the newest trade have the ones of the meantime before the first page.
      if (newest?.isBegun === true) read.push(stretch(Math.max(since, newest.startedAt - MARGIN_MILLIS)))
      return Effect.forEach(read, (it) => readOn(it, instruments), { discard: true }).pipe(
        Effect.tapError(() => Effect.sync(() => read.some(({ isBegun }) => isBegun) && keep(key, read))),
        Effect.map(() => distinct(read.flatMap(({ fills }) => fills))),
      )
    })
}

/** Pages may overlap; both sides of a self trade carry one id. */
const distinct = (fills: ReadonlyArray<VenueFill>): ReadonlyArray<VenueFill> => {
  const all = new Map<string, VenueFill>()
  for (const fill of fills) all.set(`${fill.instrumentId} ${fill.externalTradeId} ${fill.orderSide}`, fill)
  return [...all.values()].sort((a, b) => a.executedAt - b.executedAt)
}

const SESSIONS_PER_CONNECTOR = 200
const CALL_MILLIS = 15_000
/** The first use of a venue also starts its thread and loads its markets. */
const FIRST_CALL_MILLIS = 30_000
/** Of one page, which waits for the venue's budget. */
const PAGE_MILLIS = 60_000
/** Of a list that an account waits for to open, behind those of others: longer than a full window of any venue. */
const OPENING_MILLIS = 90_000
/** Of pages of klines, which wait for the venue's budget, too: a client over HTTP waits no longer than this. */
const KLINES_MILLIS = 40_000
/** For a word of a connection that is open. */
const CONFIRM_MILLIS = 2_000

export interface CcxtVenuesOptions {
  /** VENUE_ROUTES; null dials the venues themselves. */
  readonly venueRoutes: Readonly<Record<string, string>> | null
  readonly venuesInactive: ReadonlyArray<string>
  /** EXPERIMENTAL_ORDERS: venues whose orders are sent although they are not proven; none when absent. */
  readonly experimentalOrders?: ReadonlyArray<string>
  /** SOCKET_ORDERS: venues whose orders go over their socket; none when absent. */
  readonly socketOrders?: ReadonlyArray<string>
  /** VENUE_PROXIES: venue → URL of its proxy, `*` for those not named, null for none. The environment's proxy variables are ignored. */
  readonly proxies?: Readonly<Record<string, string | null>>
  /** VENUE_SHARDS; `auto` when absent. */
  readonly shards?: ShardRule
  /** Of the process's database: orders are signed only while it lasts. Absent: always. */
  readonly owned?: SharedOwnership
  /** Heap limit of a thread; 1,024 when absent. */
  readonly heapMegabytes?: number
  /** Where words for the operator go, by venue or thread; nowhere by default. */
  readonly notice?: (concerned: string, what: string) => void
  readonly meters?: MeterBoard
  /** Told how every question to a venue ended. */
  readonly debug?: (what: string, fields: () => Readonly<Record<string, unknown>>) => void
  /** Private sessions of one connector; 200 when absent (order-path 3). */
  readonly sessionsPerConnector?: number
  /** Of the threads; for tests. */
  readonly times?: Partial<ShardTimes>
  /** The folder of the threads' code (`ShardOptions`); for tests. */
  readonly threadCode?: string | undefined
  /** Threads that outlive these venues, instead of their own; then `shards`, `heapMegabytes`, `threadCode` and the threads' `times` are its own. For tests. */
  readonly placement?: Placement
  /** Connectors obey `Supervisor.break`; for tests. */
  readonly breakable?: boolean
}

export interface CcxtVenue extends VenueAdapter {
  /** The first connector, for tests that break it. */
  readonly supervisor: Supervisor
  readonly connectors: () => ReadonlyArray<ConnectorStats>
}

/** The venues that run in workers, and the workers. */
export interface CcxtVenues {
  readonly venues: ReadonlyArray<CcxtVenue>
  readonly stats: () => VenueStats
}

const HEAP_MEGABYTES = 1024

const refusesCredential = ({ category }: VenueFailure): boolean =>
  category === "VENUE_AUTHENTICATION" || category === "PERMISSION_DENIED" || category === "ACCOUNT_SUSPENDED"

/** The given profiles as venues. They live as long as the scope; no thread starts before its first use. */
export const ccxtVenues = (
  options: CcxtVenuesOptions,
  profiles: ReadonlyArray<VenueProfile> = PROFILES,
): Effect.Effect<CcxtVenues, never, Scope.Scope> =>
  Effect.gen(function* () {
    const placement =
      options.placement ??
      new Placement({
        rule: options.shards ?? "auto",
        times: { ...SHARD_TIMES, ...options.times },
        heapMegabytes: options.heapMegabytes ?? HEAP_MEGABYTES,
        threadCode: options.threadCode,
        notice: (shard, what) => options.notice?.(shard, what),
      })
    const venues = yield* Effect.forEach(profiles, (profile) =>
      Effect.acquireRelease(
        Effect.sync(() => new Connectors(profile, options, placement)),
        (connectors) => Effect.promise(() => connectors.stop()),
      ).pipe(Effect.map((connectors) => adapter(profile, options, connectors))),
    )
    return {
      venues,
      stats: () => ({
        shards: placement.shards.map((shard) => shard.stats()),
        connectors: venues.flatMap((venue) => venue.connectors()),
      }),
    }
  })

/** One venue alone. */
export const ccxtVenue = (
  profile: VenueProfile,
  options: CcxtVenuesOptions,
): Effect.Effect<CcxtVenue, never, Scope.Scope> =>
  Effect.map(ccxtVenues(options, [profile]), ({ venues: [venue] }) => {
    if (venue === undefined) throw new Error("one profile makes one venue")
    return venue
  })

class Connectors {
  readonly first: Supervisor
  readonly #all: Array<Supervisor>
  readonly #make: (number: number) => Supervisor
  readonly #sessionsMax: number
  /** Private sessions are to be in another thread than the market data, so never in the first connector. */
  readonly #isSplit: boolean

  constructor(profile: VenueProfile, options: CcxtVenuesOptions, placement: Placement) {
    const { venue } = profile
    this.#isSplit = placement.isSplit(venue)
    this.#make = (number) =>
      new Supervisor({
        settings: {
          connector: number === 1 ? venue : `${venue} ${number}`,
          profile,
          routes: options.venueRoutes,
          proxy: proxyOf(options.proxies ?? {}, venue),
          socketOrders: profile.socketOrders === true && options.socketOrders?.includes(venue) === true,
          breakable: options.breakable === true,
          owned: options.owned,
        },
        times: { ...SHARD_TIMES, ...options.times },
        placement,
        notice: (what) => options.notice?.(venue, what),
        meters: options.meters && new VenueMeters(options.meters, venue, options.debug),
      })
    this.#sessionsMax = options.sessionsPerConnector ?? SESSIONS_PER_CONNECTOR
    this.first = this.#make(1)
    this.#all = [this.first]
  }

  get all(): ReadonlyArray<Supervisor> {
    return this.#all
  }

  forSession(): Supervisor {
    const free = this.#all.slice(this.#isSplit ? 1 : 0).find(({ sessionCount }) => sessionCount < this.#sessionsMax)
    if (free !== undefined) return free
    const connector = this.#make(this.#all.length + 1)
    this.#all.push(connector)
    // One address, one budget: its connectors have equal parts of it.
    for (const each of this.#all) each.share(this.#all.length)
    return connector
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((connector) => connector.stop()))
  }
}

const proxyOf = (proxies: Readonly<Record<string, string | null>>, venue: string): string | null =>
  (Object.hasOwn(proxies, venue) ? proxies[venue] : proxies["*"]) ?? null

const adapter = (profile: VenueProfile, options: CcxtVenuesOptions, connectors: Connectors): CcxtVenue => {
  const { venue } = profile
  const { first } = connectors
  let opened = 0
  const told = teller((what) => options.notice?.(venue, what))
  return {
    venue: venueOf(profile, options.venuesInactive, options.experimentalOrders),
    supervisor: first,
    connectors: () => connectors.all.map((connector) => connector.stats()),
    verify: (secrets) =>
      first.call("verify", { secrets }, FIRST_CALL_MILLIS).pipe(
        Effect.mapError((failure) =>
          refusesCredential(failure) ? new CredentialsInvalid({ reason: failure.category }) : told(failure),
        ),
        Effect.filterOrFail(
          ({ notTaken }) => notTaken === null,
          ({ notTaken }) => new NotSupportedByVenue({ feature: notTaken ?? "" }),
        ),
        Effect.map(({ externalAccountId }) => ({ externalAccountId })),
      ),
    openSession: ({ account, secrets, report }) =>
      Effect.gen(function* () {
        if (secrets === null) return yield* new VenueUnavailable({ reason: "no credentials" })
        const connector = connectors.forSession()
        const session = `${account.tradingAccountId}#${++opened}`
        yield* Effect.acquireRelease(
          Effect.sync(() => connector.openSession(session, secrets, report)),
          () => Effect.sync(() => connector.closeSession(session)),
        )
        yield* connector.call("ready", { session }, FIRST_CALL_MILLIS).pipe(Effect.mapError(told))
        return sessionOf({ connector, session, told, profile })
      }),
    instruments: (symbols) =>
      first.call("instruments", { symbols }, FIRST_CALL_MILLIS).pipe(
        Effect.map((rows) => rows.map((row) => instrumentOf(venue, row))),
        Effect.mapError(told),
      ),
    klines: (bars) =>
      first
        .call("klines", { bars }, KLINES_MILLIS)
        .pipe(
          Effect.mapError((failure) =>
            failure.category === "NOT_SUPPORTED"
              ? new NotSupportedByVenue({ feature: `klines of ${bars.interval}` })
              : told(failure),
          ),
        ),
    market: (sink) => {
      first.listen(sink)
      return {
        open: (stream, instrumentId) => first.open(stream, instrumentId),
        close: (stream, instrumentId) => first.close(stream, instrumentId),
        resync: (instrumentId, reason) => first.resync(instrumentId, reason),
        confirm: (instrumentId) =>
          first.call("confirm", { instrumentId }, CONFIRM_MILLIS).pipe(Effect.orElseSucceed(() => false)),
      }
    },
    health: () => {
      const stats = connectors.all.map((connector) => connector.stats())
      const sum = (of: (each: ConnectorStats) => number): number => stats.reduce((total, each) => total + of(each), 0)
      return {
        venue,
        ...worst(connectors.all.map((connector) => connector.health())),
        // All market data are the first one's.
        outage: first.outage(),
        restarts: sum(({ restarts }) => restarts),
        streams: sum(({ streams }) => streams),
        sessions: sum(({ sessions }) => sessions),
      }
    },
  }
}

/** One that cannot reach the venue counts for all. */
const worst = (all: ReadonlyArray<Health>): Health =>
  all.find(({ status }) => status === "down") ?? all.find(({ status }) => status === "up") ?? IDLE

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

interface SessionParts {
  readonly connector: Supervisor
  readonly session: string
  readonly told: Told
  readonly profile: VenueProfile
}

const sessionOf = (parts: SessionParts): VenueSession => {
  const { connector, session, told, profile } = parts
  return {
    submit: (order) => connector.submit(session, order),
    ...(profile.signsAhead === true && {
      prepare: (order) => connector.prepare(session, order),
      forgo: (tradeOrderId) => connector.forgo(session, tradeOrderId),
    }),
    cancel: (order) => connector.cancel(session, order),
    ...(capabilitiesOf(profile).amend && { amend: (order, to) => connector.amend(session, order, to) }),
    fetchOrder: (order) =>
      connector.call("order", { session, order }, CALL_MILLIS).pipe(
        Effect.map((state) =>
          state === null ? ({ _tag: "NotFound", definite: false } as const) : ({ _tag: "Found", state } as const),
        ),
        Effect.mapError(told),
      ),
    ...listsOf(parts, "audit"),
    ...restOf(parts, "audit"),
    forProof: listsOf(parts, "doubt"),
    // Made anew at each call: an account that rests keeps none.
    forOpening: () => ({ ...listsOf(parts, "opening"), ...restOf(parts, "opening") }),
  }
}

const millisFor = (errand: Errand): number => (errand === "opening" ? OPENING_MILLIS : CALL_MILLIS)

const listsOf = ({ connector, session, told, profile }: SessionParts, errand: Errand) => {
  const fetchFillsPage: NonNullable<VenueSession["fetchFillsPage"]> = (since, instruments, cursor) =>
    connector.call("fills", { session, errand, since, instruments, cursor }, PAGE_MILLIS).pipe(Effect.mapError(told))
  return {
    fetchOpenOrders: connector.call("openOrders", { session, errand }, millisFor(errand)).pipe(Effect.mapError(told)),
    fetchFillsPage,
    fetchFills: allFills(fetchFillsPage, isNewestFirst(profile.fills.paging)),
  }
}

const restOf = ({ connector, session, told, profile }: SessionParts, errand: Errand) => {
  const fetchEnded: NonNullable<VenueSession["fetchEnded"]> = (markets, cursor) =>
    connector.call("ended", { session, errand, markets, cursor }, PAGE_MILLIS).pipe(Effect.mapError(told))
  return {
    ...(profile.endedOrders !== null && { fetchEnded }),
    fetchBalances: connector.call("balances", { session, errand }, millisFor(errand)).pipe(Effect.mapError(told)),
  }
}
