/**
 * The venues of this installation, and their known instruments: those of the exchanges, the markets of INTERNAL as admins list and retire them,
 * and EXPERIMENTAL_ORDERS, checked against the existing venues.
 */
import { Effect, Layer } from "effect"
import { AccountDirectory } from "../actors/account/directory.ts"
import { TradingAccounts } from "../actors/account/messages.ts"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import { Markets } from "../actors/market/messages.ts"
import { outageOf } from "../actors/market/outage.ts"
import type { Settings } from "../config.ts"
import { InstrumentNotFound } from "../domain/errors/market.ts"
import { ConflictingParameters } from "../domain/errors/request.ts"
import type { InstrumentId, TenantId } from "../domain/ids.ts"
import { haveSameTerms, type Instrument, MARKET_TERMS } from "../domain/instrument/instrument.ts"
import type { Venue } from "../domain/instrument/venue.ts"
import { INTERNAL } from "../domain/order/internal-order.ts"
import type { OwnMarkets } from "../http/market/instrument-create.ts"
import { type InstrumentSync, makeInstrumentSync, refreshInstruments } from "../http/market/instrument-sync.ts"
import { makeVenueGate } from "../http/venue-gate.ts"
import { Clock } from "../ports/clock.ts"
import { Failpoint } from "../ports/failpoint.ts"
import { Meters } from "../ports/meters.ts"
import type { SharedOwnership } from "../ports/ownership.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { Instruments } from "../store/market/instruments.ts"
import { Subscriptions } from "../store/orders/subscriptions.ts"
import { TradeOrders } from "../store/orders/trade-orders.ts"
import { socketOrderVenues } from "../venues/adapters/registry.ts"
import { ccxtVenues } from "../venues/connector/ccxt-venue.ts"
import { InternalVenue } from "../venues/internal/venue.ts"
import { mockVenue } from "../venues/mock/venue.ts"
import { paperVenue } from "../venues/paper/venue.ts"
import { type VenueAdapter, venuesLayer } from "../venues/venues.ts"
import type { GatewayOptions } from "./options.ts"

// Markets of INTERNAL as admins list and retire them, each for the admin's tenant, one at a time. Stored first; then open for orders, then
// known; retired the other way round.

/** An account answers within a second; one that is being built anew may take longer. */
const SWEEP_MILLIS = 3_000

export const ownMarkets = ({ defaultTenantId }: Pick<Settings, "defaultTenantId">) =>
  Effect.gen(function* () {
    const venue = yield* InternalVenue
    const store = yield* Instruments
    const orders = yield* TradeOrders
    const accounts = yield* TradingAccounts
    const directory = yield* InstrumentDirectory
    const { now, monotonic } = yield* Clock
    const oneAtATime = yield* Effect.makeSemaphore(1)

    /** As it is stored, where another process may have listed or retired it: it is known so here from then on. */
    const asStored = (name: string, tenantId: TenantId, known: Instrument | undefined) =>
      Effect.gen(function* () {
        const stored = yield* store.market(tenantId, name)
        if (stored === undefined) return known
        if (known === undefined || known.status !== stored.status || !haveSameTerms(known, stored)) {
          yield* venue.list(stored)
          directory.put([stored])
        }
        return stored
      })

    const list: OwnMarkets["list"] = (market, tenantId, audited) =>
      Effect.gen(function* () {
        const known = yield* asStored(market.symbol, tenantId, directory.ofPair(INTERNAL, market.symbol, tenantId))
        if (known !== undefined) {
          const isOpen = known.status === "ACTIVE"
          const isSame = haveSameTerms(known, market)
          if (isSame && isOpen) return known
          if (!isSame && (isOpen || (yield* orders.areOpenAt(known.instrumentId))))
            return yield* new ConflictingParameters({ parameters: [...MARKET_TERMS] })
        }
        const listed: Instrument = {
          ...market,
          instrumentId: known?.instrumentId ?? directory.nameOf(market, tenantId, defaultTenantId),
          tenantId,
        }
        yield* audited(listed)(store.put(listed, known ?? null, now()))
        yield* venue.list(listed)
        directory.put([listed])
        return listed
      }).pipe(oneAtATime.withPermits(1))

    /** By their accounts, which watch triggers of their own beside what rests. One that cannot be asked keeps its orders: a repeat asks again. */
    const cancelAll = (instrumentId: InstrumentId) =>
      Effect.flatMap(orders.accountsOpenAt(instrumentId), (found) =>
        Effect.forEach(
          found,
          (account) =>
            Effect.async<void>((resume) => {
              const reply = { ok: () => resume(Effect.void), fail: () => resume(Effect.void) }
              const receivedAt = monotonic()
              accounts.post(account, { _tag: "CancelAllOrders", instrumentId, reason: "ADMIN", receivedAt, reply })
            }).pipe(Effect.timeoutOption(SWEEP_MILLIS)),
          { concurrency: "unbounded", discard: true },
        ),
      )

    const retire: OwnMarkets["retire"] = (instrumentId, tenantId, audited) =>
      Effect.gen(function* () {
        const known = yield* asStored(instrumentId, tenantId, directory.find(instrumentId, tenantId))
        if (known === undefined) return yield* new InstrumentNotFound({ instrumentId })
        const retired: Instrument = { ...known, status: "DELISTED" }
        const put = store.put(retired, known, now())
        // A repeat is no act, and is stored all the same: a list whose answer was lost may have been done.
        yield* known.status === "ACTIVE" ? audited(retired)(put) : put
        directory.put([retired])
        yield* venue.list(retired)
        yield* cancelAll(instrumentId)
        return retired
      }).pipe(oneAtATime.withPermits(1))

    return { list, retire } satisfies OwnMarkets
  })

// EXPERIMENTAL_ORDERS, held to the venues there are, and who is told what follows from it. The one thing to know: a name that can mean
// nothing refuses the start; one whose orders have been proven since is told and does no harm, so that an upgrade starts.

interface OptIns {
  /** Why the gateway does not start; null: it does. */
  readonly refused: string | null
  /** For the operator: what the setting does not do. */
  readonly idle: ReadonlyArray<string>
}

export const optIns = (
  venues: ReadonlyArray<Pick<Venue, "venue" | "orders">>,
  named: ReadonlyArray<string>,
): OptIns => {
  const ofProof = (proof: Venue["orders"]["proof"]): ReadonlyArray<string> =>
    venues.filter((it) => it.orders.proof === proof).map(({ venue }) => venue)
  const unknown = named.filter((name) => !venues.some(({ venue }) => venue === name))
  const experimental = ofProof("EXPERIMENTAL")
  const hint =
    experimental.length > 0
      ? `it may name ${experimental.join(", ")}`
      : "orders are EXPERIMENTAL at no venue, so unset it"
  const without = named.filter((name) => ofProof("NONE").includes(name))
  const proven = named.filter((name) => ofProof("PROVEN").includes(name))
  return {
    refused:
      unknown.length > 0
        ? `EXPERIMENTAL_ORDERS names an unknown venue: ${unknown.join(", ")}; ${hint}`
        : without.length > 0
          ? `EXPERIMENTAL_ORDERS names ${without.join(", ")}, which takes no orders at all: opting in does not change that`
          : null,
    idle: proven.map((venue) => `EXPERIMENTAL_ORDERS does nothing for ${venue}: its orders are proven`),
  }
}

/** Accounts that were connected at a venue before it took an opt-in: at each start the operator hears what they still do. */
export const tellWithoutOptIn = ({ notice }: Pick<GatewayOptions, "notice">) =>
  Effect.gen(function* () {
    const { find } = yield* VenuePort
    const accounts = new Map<string, number>()
    for (const { venue, status } of (yield* AccountDirectory).all())
      if (status !== "DISCONNECTED" && find(venue)?.takesOrders === false)
        accounts.set(venue, (accounts.get(venue) ?? 0) + 1)
    for (const [venue, count] of accounts)
      notice(
        "accounts are connected at a venue whose orders are EXPERIMENTAL: they track their orders and take cancels, but no new orders until EXPERIMENTAL_ORDERS names it",
        { venue, accounts: count },
      )
  })

/** As `venues` makes them, of code that runs for the first time (rehearsal.ts): nothing is asked of a venue, and no thread starts. */
export const tryVenues = ({ settings: { venueRoutes, venuesInactive } }: Pick<GatewayOptions, "settings">) =>
  Effect.scoped(Effect.asVoid(ccxtVenues({ venueRoutes, venuesInactive })))

/** MOCK in the process, the others as ccxt connectors in workers. `owned`: orders are signed only while it lasts (`ownDatabase`). */
export const venues = ({ settings, log, notice }: GatewayOptions, owned: SharedOwnership) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { adapter } = yield* mockVenue(settings)
      const internal = (yield* InternalVenue).adapter
      const connectors = yield* ccxtVenues({
        venueRoutes: settings.venueRoutes,
        venuesInactive: settings.venuesInactive,
        experimentalOrders: settings.experimentalOrders,
        socketOrders: settings.socketOrders,
        proxies: settings.venueProxies,
        shards: settings.venueShards,
        heapMegabytes: settings.venueHeapMegabytes,
        notice: (venue, what) => notice(what, { venue }),
        meters: yield* Meters,
        debug: log.debug,
        owned,
      })
      const listed = yield* withPaper(settings.paperSource, [adapter, internal, ...connectors.venues])
      const known = new Set<string>(listed.map(({ venue }) => venue.venue))
      const named = {
        VENUES_INACTIVE: settings.venuesInactive,
        VENUE_PROXIES: Object.keys(settings.venueProxies),
        VENUE_SHARDS: typeof settings.venueShards === "string" ? [] : Object.keys(settings.venueShards),
      }
      for (const [variable, venues] of Object.entries(named)) {
        const unknown = venues.filter((venue) => venue !== "*" && !known.has(venue))
        if (unknown.length > 0)
          return yield* Effect.fail(new InvalidSetting(`${variable} names an unknown venue: ${unknown.join(", ")}`))
      }
      const overSocket = socketOrderVenues()
      const notOver = settings.socketOrders.filter((venue) => !overSocket.includes(venue))
      if (notOver.length > 0)
        return yield* Effect.fail(
          new InvalidSetting(
            `SOCKET_ORDERS names ${notOver.join(", ")}: orders go there by request alone; it may name ${overSocket.join(", ")}`,
          ),
        )
      const { refused, idle } = optIns(
        listed.map(({ venue }) => venue),
        settings.experimentalOrders,
      )
      if (refused !== null) return yield* Effect.fail(new InvalidSetting(refused))
      for (const what of idle) notice(what)
      return venuesLayer(
        listed.map((each) => (settings.venuesInactive.includes(each.venue.venue) ? switchedOff(each) : each)),
        connectors.stats,
      )
    }),
  )

const switchedOff = (adapter: VenueAdapter): VenueAdapter => ({
  ...adapter,
  venue: { ...adapter.venue, status: "INACTIVE" },
})

/** PAPER beside the venue on whose market it trades. */
const withPaper = (name: string | null, adapters: ReadonlyArray<VenueAdapter>) =>
  Effect.gen(function* () {
    if (name === null) return adapters
    // Its markets belong to one tenant each, and PAPER is shared by all.
    if (name === INTERNAL)
      return yield* Effect.fail(new InvalidSetting("PAPER_SOURCE cannot be INTERNAL: name a real venue"))
    const original = adapters.find(({ venue }) => venue.venue === name)
    if (original === undefined)
      return yield* Effect.fail(new InvalidSetting(`PAPER_SOURCE names an unknown venue: ${name}`))
    const { adapter, source } = yield* paperVenue(original)
    return [adapter, ...adapters.map((each) => (each === original ? source : each))]
  })

export const instrumentSync = ({ notice }: Pick<GatewayOptions, "notice">) =>
  Effect.gen(function* () {
    const port = yield* VenuePort
    const clock = yield* Clock
    const failpoint = yield* Failpoint
    const { upsert } = yield* Instruments
    const markets = yield* Markets
    const sync = makeInstrumentSync({
      venues: port,
      directory: yield* InstrumentDirectory,
      upsert,
      stored: Effect.sync(() => failpoint.hit("sync.halfway")),
      isBack: (instrumentId, askedAt) => {
        markets.marketOpen(instrumentId, askedAt)
        markets.listingChanged(instrumentId)
      },
      isGone: markets.listingChanged,
      isShort: (venue, listed, before) =>
        notice("a venue lists less than half of its known instruments: none is marked as delisted", {
          venue,
          listed,
          before,
        }),
      outage: outageOf(port, clock.now),
      now: clock.now,
      monotonic: clock.monotonic,
    })
    // In-process venues are known from the first moment on; the others when they are first asked for.
    for (const venue of port.venues)
      if (venue.inProcess && venue.source === undefined) yield* sync.sync(venue.venue, null)
    return sync
  })

/** Lists of instruments are fetched anew while the gateway runs. */
export const keepInstruments = ({ settings, notice }: GatewayOptions, sync: InstrumentSync) =>
  Effect.gen(function* () {
    const port = yield* VenuePort
    const { monotonic } = yield* Clock
    const venues = makeVenueGate(port, settings.environment).offered
    const directory = yield* InstrumentDirectory
    yield* refreshInstruments({ venues, health: port.health, directory, sync, monotonic, notice })
  })

/** Registrations of order book interest outlive a restart: their feeds open again. */
export const holdSubscriptions = Effect.gen(function* () {
  const markets = yield* Markets
  for (const { instrumentId, subscriptionId } of yield* (yield* Subscriptions).active)
    markets.hold(instrumentId, subscriptionId)
})
