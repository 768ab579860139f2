/**
 * Public REST of OKX: routes by `METHOD /path`, each a plain function from the query to the rows of `data`. A route throws a
 * `RequestRefusal`; rest.ts makes OKX's envelope of either.
 */
import type { MarketView } from "../binance/market.ts"
import { plain } from "../plain-numbers.ts"
import type { Core } from "./core.ts"
import { emptyParameter, notServed, unknownInstrument, wrongParameter } from "./refusal.ts"
import { candleRow, instrumentRow, intervalOf, tickerRow, tradeRow } from "./wire-public.ts"

type Rows = ReadonlyArray<unknown>
type Route = (core: Core, query: URLSearchParams) => Rows

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /api/v5/public/time", (core) => [{ ts: String(core.now()) }]],
  [
    "GET /api/v5/public/instruments",
    (core, query) => {
      const instId = query.get("instId")
      return spot(core, query)
        .filter(({ rules }) => instId === null || rules.symbol === instId)
        .map(({ rules }) => instrumentRow(rules))
    },
  ],
  ["GET /api/v5/market/tickers", (core, query) => spot(core, query).filter(isTraded).map(tickerRow)],
  ["GET /api/v5/market/ticker", (core, query) => [one(core, query)].filter(isTraded).map(tickerRow)],
  ["GET /api/v5/market/books", (core, query) => [book(core, query)]],
  ["GET /api/v5/market/trades", (core, query) => trades(core, query, 500)],
  ["GET /api/v5/market/history-trades", (core, query) => trades(core, query, 100)],
  ["GET /api/v5/market/candles", (core, query) => candles(core, query, 300)],
  ["GET /api/v5/market/history-candles", (core, query) => candles(core, query, 100)],
])

const isTraded = (view: MarketView): boolean => view.tape.last !== undefined

const spot = (core: Core, query: URLSearchParams): ReadonlyArray<MarketView> => {
  const instType = query.get("instType")
  if (instType === null) throw emptyParameter("instType")
  // Other kinds of instruments exist at the venue, and not here.
  return instType === "SPOT" ? [...core.views.values()] : []
}

const one = (core: Core, query: URLSearchParams): MarketView => {
  const instId = query.get("instId")
  if (instId === null) throw emptyParameter("instId")
  const view = core.views.get(instId)
  if (view === undefined) throw unknownInstrument()
  return view
}

const limitOf = (query: URLSearchParams, name: string, usual: number, most: number): number => {
  const text = query.get(name)
  if (text === null) return usual
  if (!/^\d{1,6}$/.test(text)) throw wrongParameter(name)
  return Math.min(Number(text), most)
}

const book = (core: Core, query: URLSearchParams) => {
  const { rules, now } = one(core, query)
  const market = core.matching.market(rules.symbol)
  const size = limitOf(query, "sz", 1, 400)
  const rows = (side: "bids" | "asks") =>
    market[side].levels
      .slice(0, size)
      .map((level) => [plain(level.price), plain(level.total), "0", String(level.queue.length)])
  return { asks: rows("asks"), bids: rows("bids"), ts: String(now()), seqId: market.updateId }
}

/** Newest first. `after` (type 1) asks for what is older than a trade id. */
const trades = (core: Core, query: URLSearchParams, most: number): Rows => {
  const { rules, tape } = one(core, query)
  const after = Number(query.get("after") ?? Number.POSITIVE_INFINITY)
  return tape.trades
    .filter(({ tradeId }) => tradeId < after)
    .slice(-limitOf(query, "limit", 100, most))
    .reverse()
    .map((trade) => tradeRow(rules.symbol, trade))
}

/** Newest first; `after` and `before` are exclusive bounds of the open instant. */
const candles = (core: Core, query: URLSearchParams, most: number): Rows => {
  const view = one(core, query)
  const bar = query.get("bar") ?? "1m"
  const interval = intervalOf(bar)
  if (interval === undefined) throw notServed(`bar ${bar}`)
  const after = Number(query.get("after") ?? Number.POSITIVE_INFINITY)
  const before = Number(query.get("before") ?? Number.NEGATIVE_INFINITY)
  const now = view.now()
  return view.tape
    .candles(interval, now)
    .filter(({ openAt }) => openAt < after && openAt > before)
    .slice(-limitOf(query, "limit", 100, most))
    .reverse()
    .map((candle) => candleRow(candle, now))
}
