/**
 * The public side of a connector without its thread, on an instance that has keys: for exchanges that ccxt signs public subscriptions
 * of. The parts are the connector's own; only the port between the threads is a call.
 */
import { Effect, type Scope } from "effect"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { MarketSink, MarketSource } from "../../../src/ports/market-source.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import type { Batch } from "../../../src/venues/connector/wire.ts"
import { publicInstance } from "../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../src/venues/worker/exchange/load.ts"
import { Markets } from "../../../src/venues/worker/exchange/markets.ts"
import { PublicFeed } from "../../../src/venues/worker/feed/public-feed.ts"
import { Outbox } from "../../../src/venues/worker/outbox.ts"

export const feedWithKeys = (
  profile: VenueProfile,
  routes: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
  sink: MarketSink,
  notice: (what: string) => void,
): Effect.Effect<Pick<MarketSource, "open">, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const settings = { connector: profile.venue, profile, routes, proxy: null, breakable: false }
        const exchange = Object.assign(publicInstance(await loadExchange(profile.exchange), settings), keys)
        const outbox: Outbox = new Outbox({
          postMessage: (batch: Batch) => {
            outbox.acknowledge(batch.weight)
            hand(batch, sink, notice)
          },
        })
        return new PublicFeed(settings, exchange, new Markets(profile, exchange, () => undefined), outbox)
      }),
      (feed) => Effect.promise(() => feed.stop()),
    ),
    (feed) => ({ open: (stream, instrumentId: InstrumentId) => feed.open(stream, instrumentId) }),
  )

const hand = (batch: Batch, sink: MarketSink, notice: (what: string) => void): void => {
  for (const record of batch.records) {
    if (record._tag === "Depth") sink.depth(record.update)
    else if (record._tag === "Trades") sink.trades(record.trades)
    else if (record._tag === "TradesMissed") sink.tradesMissed(record.instrumentId)
    else if (record._tag === "StreamLost") sink.down(record.stream, record.instrumentId, record.reason)
    else if (record._tag === "Noticed") notice(record.what)
  }
}
