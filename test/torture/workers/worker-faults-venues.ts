/** The venues of `worker-faults`: three loopback exchanges with moving markets, in a process of their own. */
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { startKrakenExchange } from "../../exchanges/kraken/exchange.ts"
import { startOkxExchange } from "../../exchanges/okx/exchange.ts"
import { answer } from "../../kit/servers/process-line.ts"

export type VenuesAsks = {
  /** Between two steps of each market, ms; answers the routes to all of them. */
  readonly start: readonly [stepMillis: number, routes: Readonly<Record<string, string>>]
}

const stops: Array<() => Promise<void>> = []

answer<VenuesAsks>(
  {
    start: async (stepMillis) => {
      const exchanges = await Promise.all([
        startBinanceExchange({ stepMillis }),
        startOkxExchange({ stepMillis }),
        startKrakenExchange({ stepMillis, isLimited: false }),
      ])
      stops.push(...exchanges.map(({ stop }) => stop))
      return Object.assign({}, ...exchanges.map(({ routes }) => routes))
    },
  },
  async () => {
    await Promise.all(stops.map((stop) => stop()))
  },
)
