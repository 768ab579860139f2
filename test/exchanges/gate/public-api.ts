/** Public REST of Gate spot, as far as order entry needs it: the clock, the pairs, a book, tickers and the newest trades. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { Core } from "./core.ts"
import { tradeIdOf } from "./model.ts"
import { invalidPair } from "./refusal.ts"

type Route = (core: Core, query: URLSearchParams) => unknown

const RECENT_MOST = 1000
const BOOK_MOST = 1000

const viewOf = (core: Core, query: URLSearchParams): MarketView => {
  const view = core.views.get(query.get("currency_pair") ?? "")
  if (view === undefined) throw invalidPair()
  return view
}

const places = (step: string): number => step.split(".")[1]?.length ?? 0

const pairRow = ({ rules }: MarketView) => ({
  id: rules.symbol,
  base: rules.base,
  base_name: rules.base,
  quote: rules.quote,
  quote_name: rules.quote,
  fee: "0.1",
  min_base_amount: rules.minQuantity ?? rules.stepSize,
  min_quote_amount: rules.minNotional ?? "3",
  max_quote_amount: "5000000",
  amount_precision: places(rules.stepSize),
  precision: places(rules.tickSize),
  trade_status: "tradable",
  sell_start: 0,
  buy_start: 0,
  type: "normal",
})

export const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  return {
    currency_pair: view.rules.symbol,
    last: plain(day.close),
    lowest_ask: asks[0]?.[0] ?? "",
    lowest_size: asks[0]?.[1] ?? "",
    highest_bid: bids[0]?.[0] ?? "",
    highest_size: bids[0]?.[1] ?? "",
    change_percentage: "0",
    base_volume: plain(day.volume),
    quote_volume: plain(day.quoteVolume),
    high_24h: plain(day.high),
    low_24h: plain(day.low),
  }
}

export const publicTradeRow = (symbol: string, trade: PublicTrade) => ({
  id: String(tradeIdOf(symbol, trade.tradeId)),
  create_time: String(Math.floor(trade.tradedAt / 1000)),
  create_time_ms: `${trade.tradedAt}.123000`,
  currency_pair: symbol,
  side: trade.isBuyerMaker ? "sell" : "buy",
  amount: plain(trade.quantity),
  price: plain(trade.price),
  sequence_id: String(trade.tradeId),
})

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /api/v4/spot/time", ({ now }) => ({ server_time: now() })],
  ["GET /api/v4/spot/currency_pairs", ({ views }) => [...views.values()].map(pairRow)],
  // ccxt asks for those of margin with them.
  ["GET /api/v4/margin/currency_pairs", () => []],
  [
    "GET /api/v4/spot/tickers",
    (core, query) =>
      (query.has("currency_pair") ? [viewOf(core, query)] : [...core.views.values()])
        .filter(({ tape }) => tape.last !== undefined)
        .map(tickerRow),
  ],
  [
    "GET /api/v4/spot/order_book",
    (core, query) => {
      const { seqId, bids, asks } = core.shownBook(viewOf(core, query).rules.symbol)
      const most = Math.min(Number(query.get("limit") ?? 10), BOOK_MOST)
      return {
        id: seqId,
        current: core.now(),
        update: core.now(),
        asks: asks.slice(0, most),
        bids: bids.slice(0, most),
      }
    },
  ],
  [
    "GET /api/v4/spot/trades",
    (core, query) => {
      const { tape, rules } = viewOf(core, query)
      const most = Math.min(Number(query.get("limit") ?? 100), RECENT_MOST)
      return tape.trades
        .slice(-most)
        .reverse()
        .map((trade) => publicTradeRow(rules.symbol, trade))
    },
  ],
])
