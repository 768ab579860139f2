/**
 * Public REST of Binance Spot: routes by `METHOD /path`, each a plain function from the query to the answer.
 * A route throws a `Refusal`; rest.ts turns it into Binance's error answer.
 */
import type { Core } from "../core.ts"
import type { MarketView } from "../market.ts"
import { isInterval } from "../replay/tape.ts"
import { invalidInterval, invalidSymbol, missingParameter, Refusal } from "./refusal.ts"
import { aggregateJson, candleJson, symbolJson, tickerJson, tradeJson } from "./wire-public.ts"

/** What public data are made of. */
type PublicCore = Pick<Core, "views" | "now">

type Route = (core: PublicCore, query: URLSearchParams) => unknown

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /api/v3/ping", () => ({})],
  ["GET /api/v3/time", (core) => ({ serverTime: core.now() })],
  [
    "GET /api/v3/exchangeInfo",
    (core, query) => ({
      timezone: "UTC",
      serverTime: core.now(),
      rateLimits: [
        { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 6000 },
        { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 100 },
        { rateLimitType: "ORDERS", interval: "DAY", intervalNum: 1, limit: 200_000 },
        { rateLimitType: "RAW_REQUESTS", interval: "MINUTE", intervalNum: 5, limit: 61_000 },
      ],
      exchangeFilters: [],
      symbols: several(core, query).map((view) => symbolJson(view.rules)),
    }),
  ],
  ["GET /api/v3/depth", (core, query) => one(core, query).depth(limitOf(query, 100, 5000))],
  ["GET /api/v3/trades", (core, query) => lastTrades(core, query).map(tradeJson)],
  ["GET /api/v3/historicalTrades", (core, query) => lastTrades(core, query).map(tradeJson)],
  ["GET /api/v3/aggTrades", (core, query) => lastTrades(core, query).map(aggregateJson)],
  ["GET /api/v3/klines", (core, query) => candles(core, query)],
  ["GET /api/v3/uiKlines", (core, query) => candles(core, query)],
  ["GET /api/v3/avgPrice", (core, query) => average(one(core, query))],
  ["GET /api/v3/ticker/24hr", (core, query) => oneOrSeveral(core, query, tickerJson)],
  ["GET /api/v3/ticker/price", (core, query) => oneOrSeveral(core, query, priceOnly)],
  ["GET /api/v3/ticker/bookTicker", (core, query) => oneOrSeveral(core, query, topOnly)],
])

/** Request weight as Binance counts it; what is not listed weighs 1. */
export const weightOf = (key: string, query: URLSearchParams): number => {
  if (key === "GET /api/v3/depth") {
    const limit = Number(query.get("limit") ?? 100)
    return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1000 ? 50 : 250
  }
  if (key === "GET /api/v3/ticker/24hr") return query.has("symbol") ? 2 : 80
  return WEIGHTS.get(key) ?? 1
}

const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["GET /api/v3/exchangeInfo", 20],
  ["GET /api/v3/account", 20],
  ["GET /api/v3/allOrders", 20],
  ["GET /api/v3/myTrades", 20],
  ["GET /api/v3/trades", 25],
  ["GET /api/v3/openOrders", 6],
  ["GET /api/v3/order", 4],
  ["GET /api/v3/aggTrades", 4],
  ["GET /api/v3/klines", 2],
])

const one = (core: PublicCore, query: URLSearchParams): MarketView => {
  const symbol = query.get("symbol")
  if (symbol === null) throw missingParameter("symbol")
  return named(core, symbol)
}

const named = (core: PublicCore, symbol: string): MarketView => {
  const view = core.views.get(symbol)
  if (view === undefined) throw invalidSymbol()
  return view
}

const several = (core: PublicCore, query: URLSearchParams): ReadonlyArray<MarketView> => {
  const symbol = query.get("symbol")
  if (symbol !== null) return [named(core, symbol)]
  const list = query.get("symbols")
  if (list === null) return [...core.views.values()]
  return readList(list).map((name) => named(core, name))
}

const readList = (text: string): ReadonlyArray<string> => {
  const names = /^\["[A-Z0-9_.-]{1,20}"(?:,"[A-Z0-9_.-]{1,20}")*\]$/.test(text) ? text.match(/[A-Z0-9_.-]+/g) : null
  if (names === null) {
    const legal = `^\\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\\]$`
    throw new Refusal(400, -1100, `Illegal characters found in parameter 'symbols'; legal range is '${legal}'.`)
  }
  return names
}

const oneOrSeveral = <A>(
  core: PublicCore,
  query: URLSearchParams,
  show: (view: MarketView) => A,
): A | ReadonlyArray<A> => (query.has("symbol") ? show(one(core, query)) : several(core, query).map(show))

const limitOf = (query: URLSearchParams, usual: number, most: number): number => {
  const text = query.get("limit")
  if (text === null) return usual
  if (!/^\d{1,20}$/.test(text)) {
    throw new Refusal(400, -1100, "Illegal characters found in parameter 'limit'; legal range is '^[0-9]{1,20}$'.")
  }
  return Math.min(Number(text), most)
}

const lastTrades = (core: PublicCore, query: URLSearchParams) => {
  const limit = limitOf(query, 500, 1000)
  return limit === 0 ? [] : one(core, query).tape.trades.slice(-limit)
}

const candles = (core: PublicCore, query: URLSearchParams) => {
  const view = one(core, query)
  const interval = query.get("interval")
  if (interval === null) throw missingParameter("interval")
  if (!isInterval(interval)) throw invalidInterval()
  const from = Number(query.get("startTime") ?? 0)
  const to = Number(query.get("endTime") ?? Number.POSITIVE_INFINITY)
  const wanted = view.tape.candles(interval, view.now()).filter(({ openAt }) => openAt >= from && openAt <= to)
  const limit = limitOf(query, 500, 1000)
  // With a start the oldest come first, without one the newest count.
  return (query.has("startTime") ? wanted.slice(0, limit) : wanted.slice(-limit)).map(candleJson)
}

const average = (view: MarketView) => {
  const { weightedAvgPrice, closeTime } = tickerJson(view)
  return { mins: 5, price: weightedAvgPrice, closeTime }
}

const priceOnly = (view: MarketView) => {
  const { symbol, lastPrice } = tickerJson(view)
  return { symbol, price: lastPrice }
}

const topOnly = (view: MarketView) => {
  const { symbol, bidPrice, bidQty, askPrice, askQty } = tickerJson(view)
  return { symbol, bidPrice, bidQty, askPrice, askQty }
}
