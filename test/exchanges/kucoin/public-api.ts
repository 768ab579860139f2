/** Public REST of KuCoin spot, as far as order entry needs it: the clock, the pairs, a book, tickers and the newest trades. */
import { randomUUID } from "node:crypto"
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { Core } from "./core.ts"
import { SOCKET_HOST } from "./hosts.ts"
import { type KucoinAccount, tradeIdOf } from "./model.ts"
import { unsupportedSymbol } from "./refusal.ts"

type Route = (core: Core, query: URLSearchParams) => unknown

const RECENT_MOST = 100
const BOOK_LEVELS = 100
const PING_MILLIS = 18_000

const viewOf = (core: Core, query: URLSearchParams): MarketView => {
  const view = core.views.get(query.get("symbol") ?? "")
  if (view === undefined) throw unsupportedSymbol()
  return view
}

const symbolRow = ({ rules }: MarketView) => ({
  symbol: rules.symbol,
  name: rules.symbol,
  baseCurrency: rules.base,
  quoteCurrency: rules.quote,
  feeCurrency: rules.quote,
  market: "USDS",
  baseMinSize: rules.minQuantity ?? rules.stepSize,
  quoteMinSize: rules.minNotional ?? "0.1",
  baseMaxSize: rules.maxQuantity ?? "10000000000",
  quoteMaxSize: "99999999",
  baseIncrement: rules.stepSize,
  quoteIncrement: "0.000001",
  priceIncrement: rules.tickSize,
  priceLimitRate: "0.1",
  minFunds: rules.minNotional ?? "0.1",
  isMarginEnabled: false,
  enableTrading: true,
  feeCategory: 1,
  makerFeeCoefficient: "1.00",
  takerFeeCoefficient: "1.00",
  st: false,
})

export const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  return {
    symbol: view.rules.symbol,
    symbolName: view.rules.symbol,
    // The venue's own names: what sells, and what buys.
    buy: bids[0]?.[0] ?? "0",
    sell: asks[0]?.[0] ?? "0",
    changeRate: "0",
    changePrice: "0",
    high: plain(day.high),
    low: plain(day.low),
    vol: plain(day.volume),
    volValue: plain(day.quoteVolume),
    last: plain(day.close),
    averagePrice: "0",
    takerFeeRate: "0.001",
    makerFeeRate: "0.001",
    takerCoefficient: "1",
    makerCoefficient: "1",
    time: view.now(),
  }
}

/** Newest trades have no id of the stream's. */
const tradeRow = (trade: PublicTrade) => ({
  sequence: tradeIdOf(trade),
  side: trade.isBuyerMaker ? "sell" : "buy",
  size: plain(trade.quantity),
  price: plain(trade.price),
  time: trade.tradedAt * 1_000_000,
})

/** A token of the sockets, and where they are. */
export const bullet = (core: Core, account?: KucoinAccount) => {
  const token = randomUUID()
  core.tokens.set(token, account)
  const server = { endpoint: `wss://${SOCKET_HOST}/`, encrypt: true, protocol: "websocket" }
  return { token, instanceServers: [{ ...server, pingInterval: PING_MILLIS, pingTimeout: 10_000 }] }
}

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /api/v1/timestamp", ({ now }) => now()],
  ["GET /api/v2/symbols", ({ views }) => [...views.values()].map(symbolRow)],
  [
    "GET /api/v1/market/allTickers",
    ({ views, now }) => ({
      time: now(),
      ticker: [...views.values()].filter(({ tape }) => tape.last !== undefined).map(tickerRow),
    }),
  ],
  ["GET /api/v1/market/stats", (core, query) => tickerRow(viewOf(core, query))],
  [
    "GET /api/v1/market/orderbook/level2_100",
    (core, query) => {
      const { seqId, bids, asks } = core.shownBook(viewOf(core, query).rules.symbol)
      return {
        time: core.now(),
        sequence: String(seqId),
        bids: bids.slice(0, BOOK_LEVELS),
        asks: asks.slice(0, BOOK_LEVELS),
      }
    },
  ],
  ["GET /api/v1/market/histories", (core, query) => viewOf(core, query).tape.trades.slice(-RECENT_MOST).map(tradeRow)],
  ["POST /api/v1/bullet-public", (core) => bullet(core)],
])
