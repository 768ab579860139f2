/**
 * Public REST of Kraken: routes by path, each a plain function from the query to `result`.
 * A route throws a `KrakenRefusal`; rest.ts turns it into Kraken's error answer.
 */
import { type Core, marketOf } from "../core.ts"
import { intervalName } from "../intervals.ts"
import { ASSETS, isNamed, type KrakenPair } from "../pairs.ts"
import { findPair } from "./order-request.ts"
import { invalidArguments, KrakenRefusal, unknownPair } from "./refusal.ts"
import { assetJson, candleJson, depthJson, nanosOf, pairJson, tickerJson, tradeJson } from "./wire-public.ts"

type Route = (core: Core, query: URLSearchParams) => unknown

const one = (core: Core, query: URLSearchParams): KrakenPair => findPair(core.pairs, query.get("pair") ?? undefined)

const several = (core: Core, query: URLSearchParams): ReadonlyArray<KrakenPair> => {
  const names = query.get("pair")
  if (names === null) return core.pairs
  return names.split(",").map((name) => findPair(core.pairs, name))
}

const limitOf = (query: URLSearchParams, usual: number, most: number): number => {
  const text = query.get("count")
  if (text === null) return usual
  if (!/^\d{1,6}$/.test(text)) throw invalidArguments("count")
  return Math.min(Number(text), most)
}

const assets: Route = (_, query) => {
  const wanted = query.get("asset")?.split(",")
  const found = ASSETS.filter(({ id, altname }) => wanted?.some((name) => name === id || name === altname) ?? true)
  if (found.length === 0) throw new KrakenRefusal("EQuery:Unknown asset")
  return Object.fromEntries(found.map((asset) => [asset.id, assetJson(asset)]))
}

const trades: Route = (core, query) => {
  const pair = one(core, query)
  const { tape } = marketOf(core, pair)
  const since = query.get("since") ?? "0"
  if (!/^\d{1,19}$/.test(since)) throw invalidArguments("since")
  // Nanoseconds, or seconds where it is short.
  const sinceMillis = since.length > 12 ? Number(BigInt(since) / 1_000_000n) : Number(since) * 1000
  const found = tape.trades.filter((trade) => trade.tradedAt >= sinceMillis)
  const limit = limitOf(query, 1000, 1000)
  // With a start the oldest come first, without one the newest count.
  const page = query.has("since") ? found.slice(0, limit) : found.slice(-limit)
  const last = page.at(-1) ?? tape.last
  return {
    [pair.id]: page.map((trade) => tradeJson(pair, trade)),
    last: last === undefined ? since : nanosOf(last),
  }
}

const candles: Route = (core, query) => {
  const pair = one(core, query)
  const name = intervalName(query.get("interval") ?? 1)
  if (name === undefined) throw invalidArguments()
  const since = Number(query.get("since") ?? 0) * 1000
  const found = marketOf(core, pair)
    .tape.candles(name, core.now())
    .filter(({ openAt }) => openAt >= since)
  // Without a word the venue never gives more than its newest 720.
  const page = found.slice(-720)
  return { [pair.id]: page.map((candle) => candleJson(pair, candle)), last: (page.at(-2)?.openAt ?? 0) / 1000 }
}

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [
    "GET /0/public/Time",
    (core) => ({ unixtime: Math.floor(core.now() / 1000), rfc1123: new Date(core.now()).toUTCString() }),
  ],
  [
    "GET /0/public/SystemStatus",
    (core) => ({ status: "online", timestamp: new Date(core.now()).toISOString().replace(/\.\d+Z/, "Z") }),
  ],
  ["GET /0/public/Assets", assets],
  [
    "GET /0/public/AssetPairs",
    (core, query) => {
      const found = several(core, query)
      if (found.length === 0) throw unknownPair()
      return Object.fromEntries(found.map((pair) => [pair.id, pairJson(pair)]))
    },
  ],
  [
    "GET /0/public/Ticker",
    (core, query) =>
      Object.fromEntries(
        several(core, query).map((pair) => [pair.id, tickerJson(pair, marketOf(core, pair), core.now())]),
      ),
  ],
  [
    "GET /0/public/Depth",
    (core, query) => {
      const pair = one(core, query)
      return { [pair.id]: depthJson(pair, marketOf(core, pair), limitOf(query, 100, 500), core.now()) }
    },
  ],
  ["GET /0/public/Trades", trades],
  ["GET /0/public/OHLC", candles],
])

/** For the judge: the symbol behind whatever a placement calls its pair. */
export const symbolNamed = (core: Core, name: string): string =>
  core.pairs.find((pair) => isNamed(pair, name))?.symbol ?? name
