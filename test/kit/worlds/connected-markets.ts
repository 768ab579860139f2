/**
 * The market data actors over real connectors in real threads, and channels that remember what was published: all of the gateway's way
 * of market data but the sockets. `tap` stands between a connector and its feed.
 */
import { Effect, Layer } from "effect"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { marketsLayer } from "../../../src/actors/market/markets.ts"
import { Markets } from "../../../src/actors/market/messages.ts"
import { clockLive, idsLive } from "../../../src/live.ts"
import type { MarketSink } from "../../../src/ports/market-source.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { type CcxtVenuesOptions, ccxtVenues } from "../../../src/venues/connector/ccxt-venue.ts"
import { venuesLayer } from "../../../src/venues/venues.ts"
import { THREAD_CODE } from "../thread-code.ts"
import { RecordingChannels } from "./market-channels.ts"

/** Lives as long as the scope. */
export const connectedMarkets = (
  profiles: ReadonlyArray<VenueProfile>,
  options: CcxtVenuesOptions,
  tap: (sink: MarketSink) => MarketSink = (sink) => sink,
) =>
  Effect.gen(function* () {
    const { venues, stats } = yield* ccxtVenues({ threadCode: THREAD_CODE, ...options }, profiles)
    const tapped = venues.map((venue) => ({ ...venue, market: (sink: MarketSink) => venue.market(tap(sink)) }))
    const channels = new RecordingChannels()
    const parts = Layer.mergeAll(
      venuesLayer(tapped, stats),
      channels.layer,
      InstrumentDirectory.Default,
      clockLive,
      idsLive,
    )
    const built = yield* Layer.build(marketsLayer({ warmFeeds: 0 }).pipe(Layer.provideMerge(parts)))
    const directory = yield* InstrumentDirectory.pipe(Effect.provide(built))
    for (const venue of venues) directory.put(yield* venue.instruments(null).pipe(Effect.orDie))
    const markets = yield* Markets.pipe(Effect.provide(built))
    return { channels, markets, stats }
  })
