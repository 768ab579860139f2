/** What each venue is asked for the trades that its stream missed, by its real ccxt class, without a network. */
import { describe, expect, it } from "vitest"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

/** What ccxt does on its own with a request, and what makes a market known to it. */
interface Asked extends CcxtExchange {
  request: (path: string, api: unknown, method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>
  safeMarketStructure(market: Readonly<Record<string, unknown>>): unknown
  setMarkets(markets: ReadonlyArray<unknown>): unknown
}

const question = async (profile: VenueProfile): Promise<readonly [string, Readonly<Record<string, unknown>>]> => {
  if (profile.tradeHistory.way !== "BY_ID") throw new Error(`${profile.venue} is not asked by id`)
  const settings = { profile, routes: {}, breakable: false, proxy: null }
  const exchange = publicInstance(await loadExchange(profile.exchange), settings) as Asked
  const isSpot = profile.lists === "spot"
  const symbol = isSpot ? "BTC/USD" : "BTC/USD:USD"
  const kind = { type: isSpot ? "spot" : "swap", spot: isSpot, swap: !isSpot, contract: !isSpot, linear: !isSpot }
  const names = { id: "BTCUSD", symbol, base: "BTC", quote: "USD", baseId: "BTC", quoteId: "USD" }
  const settle = isSpot ? {} : { settle: "USD", settleId: "USD" }
  exchange.setMarkets([exchange.safeMarketStructure({ ...names, ...kind, ...settle })])
  let asked: readonly [string, Readonly<Record<string, unknown>>] | undefined
  exchange.request = (path, _, __, params) => {
    asked ??= [path, params]
    return Promise.reject(new Error("no network"))
  }
  await exchange.fetchTrades(symbol, undefined, undefined, { ...profile.tradeHistory.params }).catch(() => undefined)
  if (asked === undefined) throw new Error(`${profile.venue} was asked nothing`)
  return asked
}

describe("the history of trades", () => {
  it.each([
    ["BINANCE", "trades", { limit: 1000 }],
    ["BINANCEUSDM", "trades", { limit: 1000 }],
    ["BITFINEX", "trades/{symbol}/hist", { limit: 1000 }],
    ["BITSTAMP", "transactions/{pair}/", { time: "hour" }],
    ["BYBIT", "v5/market/recent-trade", { limit: 60 }],
    ["COINBASE", "brokerage/market/products/{product_id}/ticker", { limit: 1000 }],
    ["DERIBIT", "get_last_trades_by_instrument", { count: 1000 }],
    ["GATE", "trades", { limit: 1000 }],
    ["GEMINI", "v1/trades/{symbol}", { limit_trades: 500 }],
    ["KRAKENFUTURES", "history", {}],
    ["OKX", "market/trades", { limit: 500 }],
  ])("of %s is %s", async (venue, path, params) => {
    const profile = PROFILES.find((it) => it.venue === venue)
    if (profile === undefined) throw new Error(`${venue} is not in the registry`)
    const [asked, given] = await question(profile)
    expect(asked).toBe(path)
    expect(given).toMatchObject(params)
  })

  it("is said of every venue, and asked wherever it has the stream's ids", () => {
    const others = PROFILES.filter(({ tradeHistory }) => tradeHistory.way !== "BY_ID")
    expect(others.map(({ venue, tradeHistory }) => [venue, tradeHistory.way])).toEqual(
      expect.arrayContaining([
        ["KRAKEN", "BY_NUMBER"],
        ["KUCOIN", "NONE"],
      ]),
    )
    expect(others.length).toBe(2)
  })
})
