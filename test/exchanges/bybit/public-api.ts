/** Public REST of Bybit, spot, as far as order entry needs it: the clock, the pairs, a book, tickers and the newest trades. */
import type { BookSide } from "../binance/book-side.ts"
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, marketOf } from "./core.ts"
import { invalidSymbol, parameterError } from "./refusal.ts"

type Route = (core: Core, query: URLSearchParams) => object

const RECENT_MOST = 60
const BOOK_MOST = 200

const spotOnly = (query: URLSearchParams): void => {
  if (query.get("category") !== "spot") throw parameterError("category")
}

const viewsOf = (core: Core, query: URLSearchParams): ReadonlyArray<MarketView> => {
  spotOnly(query)
  const symbol = query.get("symbol")
  if (symbol === null) return [...core.views.values()]
  const view = core.views.get(symbol)
  if (view === undefined) throw invalidSymbol()
  return [view]
}

const instrumentRow = ({ rules }: MarketView) => ({
  symbol: rules.symbol,
  baseCoin: rules.base,
  quoteCoin: rules.quote,
  innovation: "0",
  status: "Trading",
  marginTrading: "utaOnly",
  stTag: "0",
  lotSizeFilter: {
    basePrecision: rules.stepSize,
    quotePrecision: "0.0000001",
    minOrderQty: rules.minQuantity ?? rules.stepSize,
    maxOrderQty: rules.maxQuantity ?? "9000",
    minOrderAmt: rules.minNotional ?? "5",
    maxOrderAmt: "8000000",
  },
  priceFilter: { tickSize: rules.tickSize },
  riskParameters: { priceLimitRatioX: "0.05", priceLimitRatioY: "0.05" },
})

export const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  const short = (text: string | undefined) => (text === undefined ? "" : text.replace(/\.?0+$/, ""))
  return {
    symbol: view.rules.symbol,
    bid1Price: short(bids[0]?.[0]),
    bid1Size: short(bids[0]?.[1]),
    ask1Price: short(asks[0]?.[0]),
    ask1Size: short(asks[0]?.[1]),
    lastPrice: plain(day.close),
    prevPrice24h: plain(day.open),
    price24hPcnt: "0",
    highPrice24h: plain(day.high),
    lowPrice24h: plain(day.low),
    turnover24h: plain(day.quoteVolume),
    volume24h: plain(day.volume),
    usdIndexPrice: "",
  }
}

export const tradeIdOf = ({ tradeId }: PublicTrade): string => String(2_290_000_000_000_000_000n + BigInt(tradeId))

const tradeRow = (symbol: string, trade: PublicTrade) => ({
  execId: tradeIdOf(trade),
  symbol,
  price: plain(trade.price),
  size: plain(trade.quantity),
  side: trade.isBuyerMaker ? "Sell" : "Buy",
  time: String(trade.tradedAt),
  isBlockTrade: false,
})

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /v5/market/time", ({ now }) => ({ timeSecond: String(Math.floor(now() / 1000)), timeNano: `${now()}000000` })],
  [
    "GET /v5/market/instruments-info",
    (core, query) => ({ category: "spot", list: viewsOf(core, query).map(instrumentRow), nextPageCursor: "" }),
  ],
  [
    "GET /v5/market/tickers",
    (core, query) => ({
      category: "spot",
      list: viewsOf(core, query)
        .filter(({ tape }) => tape.last !== undefined)
        .map(tickerRow),
    }),
  ],
  [
    "GET /v5/market/orderbook",
    (core, query) => {
      spotOnly(query)
      const market = marketOf(core, query.get("symbol"))
      if (market === undefined) throw invalidSymbol()
      const most = Math.min(Number(query.get("limit") ?? 1), BOOK_MOST)
      const rows = (side: BookSide) =>
        side.levels.slice(0, most).map(({ price, total }) => [plain(price), plain(total)])
      const [b, a] = [rows(market.bids), rows(market.asks)]
      return { s: market.rules.symbol, b, a, ts: core.now(), u: market.updateId, seq: market.updateId, cts: core.now() }
    },
  ],
  [
    "GET /v5/market/recent-trade",
    (core, query) => {
      const [view] = viewsOf(core, query)
      if (view === undefined) throw invalidSymbol()
      const most = Math.min(Number(query.get("limit") ?? RECENT_MOST), RECENT_MOST)
      const newest = view.tape.trades.slice(-most).reverse()
      return { category: "spot", list: newest.map((trade) => tradeRow(view.rules.symbol, trade)) }
    },
  ],
])
