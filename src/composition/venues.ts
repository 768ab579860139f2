/** The venues of this installation, and what is known of their instruments. */
import { Effect, Layer } from "effect"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import { Markets } from "../actors/market/messages.ts"
import { outageOf } from "../actors/market/outage.ts"
import { INTERNAL } from "../domain/order/internal-order.ts"
import { refreshInstruments } from "../http/market/instrument-refresh.ts"
import { type InstrumentSync, makeInstrumentSync } from "../http/market/instrument-sync.ts"
import { makeVenueGate } from "../http/venue-gate.ts"
import { Clock } from "../ports/clock.ts"
import { Failpoint } from "../ports/failpoint.ts"
import { Meters } from "../ports/meters.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { Instruments } from "../store/market/instruments.ts"
import { Subscriptions } from "../store/orders/subscriptions.ts"
import { ccxtVenues } from "../venues/connector/ccxt-venue.ts"
import { InternalVenue } from "../venues/internal/venue.ts"
import { mockVenue } from "../venues/mock/venue.ts"
import { paperVenue } from "../venues/paper/venue.ts"
import type { VenueAdapter } from "../venues/venue-adapter.ts"
import { venuesLayer } from "../venues/venues.ts"
import { optIns } from "./experimental-orders.ts"
import type { GatewayOptions } from "./options.ts"

/** MOCK in the process, the others as ccxt connectors in workers. */
export const venues = ({ settings, log, notice }: GatewayOptions) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { adapter } = yield* mockVenue(settings)
      const internal = (yield* InternalVenue).adapter
      const connectors = yield* ccxtVenues({
        venueRoutes: settings.venueRoutes,
        venuesInactive: settings.venuesInactive,
        experimentalOrders: settings.experimentalOrders,
        proxies: settings.venueProxies,
        shards: settings.venueShards,
        heapMegabytes: settings.venueHeapMegabytes,
        notice: (venue, what) => notice(what, { venue }),
        meters: yield* Meters,
        debug: log.debug,
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
    // Its markets are each of one tenant, and PAPER is everybody's.
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
        notice("a venue lists less than half of its instruments: none is taken for delisted", {
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
