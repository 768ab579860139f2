/** Public REST of Coinbase, spot, as far as order entry needs it: the clock, the products, a book and the newest trades. */
import type { BookSide } from "../binance/book-side.ts"
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { Core } from "./core.ts"
import { timeText } from "./model.ts"
import { invalidArgument } from "./refusal.ts"

type Route = (core: Core, query: URLSearchParams, path: string) => object

const RECENT_MOST = 1000

const productRow = ({ rules, tape }: MarketView) => ({
  product_id: rules.symbol,
  price: tape.last === undefined ? "" : plain(tape.last.price),
  price_percentage_change_24h: "0",
  volume_24h: "0",
  volume_percentage_change_24h: "0",
  base_increment: rules.stepSize,
  quote_increment: rules.tickSize,
  quote_min_size: rules.minNotional ?? "1",
  quote_max_size: "150000000",
  base_min_size: rules.minQuantity ?? rules.stepSize,
  base_max_size: rules.maxQuantity ?? "3400",
  base_name: rules.base,
  quote_name: rules.quote,
  watched: false,
  is_disabled: false,
  new: false,
  status: "online",
  cancel_only: false,
  limit_only: false,
  post_only: false,
  trading_disabled: false,
  auction_mode: false,
  product_type: "SPOT",
  quote_currency_id: rules.quote,
  base_currency_id: rules.base,
  fcm_trading_session_details: null,
  mid_market_price: "",
  alias: "",
  alias_to: [],
  base_display_symbol: rules.base,
  quote_display_symbol: rules.quote,
  view_only: false,
  price_increment: rules.tickSize,
  display_name: rules.symbol,
  product_venue: "CBE",
})

export const tradeRow = (product_id: string, trade: PublicTrade) => ({
  trade_id: String(trade.tradeId),
  product_id,
  price: plain(trade.price),
  size: plain(trade.quantity),
  time: timeText(trade.tradedAt),
  // The maker's.
  side: trade.isBuyerMaker ? "BUY" : "SELL",
})

export const tickerRow = (view: MarketView) => {
  const { bids, asks } = view.depth(1)
  return {
    type: "ticker",
    product_id: view.rules.symbol,
    price: view.tape.last === undefined ? "0" : plain(view.tape.last.price),
    volume_24_h: "0",
    low_24_h: "0",
    high_24_h: "0",
    low_52_w: "0",
    high_52_w: "0",
    price_percent_chg_24_h: "0",
    best_bid: bids[0]?.[0] ?? "0",
    best_bid_quantity: bids[0]?.[1] ?? "0",
    best_ask: asks[0]?.[0] ?? "0",
    best_ask_quantity: asks[0]?.[1] ?? "0",
  }
}

const viewOf = (core: Core, product: string | null | undefined): MarketView => {
  const view = core.views.get(product ?? "")
  if (view === undefined) throw invalidArgument("product_id")
  return view
}

const PRODUCTS = "/api/v3/brokerage/market/products"

export const publicRoutes: ReadonlyArray<readonly [path: RegExp, route: Route]> = [
  [
    /^GET \/api\/v3\/brokerage\/time$/,
    ({ now }) => {
      const at = now()
      const epochSeconds = String(Math.floor(at / 1000))
      return { iso: timeText(at), epochSeconds, epochMillis: String(at) }
    },
  ],
  [
    /^GET \/api\/v3\/brokerage\/market\/products$/,
    ({ views }, query) => {
      const products = query.get("product_type") === "FUTURE" ? [] : [...views.values()].map(productRow)
      return { products, num_products: products.length }
    },
  ],
  [
    /^GET \/api\/v3\/brokerage\/market\/products\/[^/]+\/ticker$/,
    (core, query, path) => {
      const view = viewOf(core, path.slice(PRODUCTS.length + 1).split("/")[0])
      const most = Math.min(Number(query.get("limit") ?? 100), RECENT_MOST)
      const trades = view.tape.trades.slice(-most).reverse()
      const { best_bid, best_ask } = tickerRow(view)
      return { trades: trades.map((trade) => tradeRow(view.rules.symbol, trade)), best_bid, best_ask }
    },
  ],
  [
    /^GET \/api\/v3\/brokerage\/market\/product_book$/,
    (core, query) => {
      const { rules } = viewOf(core, query.get("product_id"))
      const market = core.matching.market(rules.symbol)
      const most = Number(query.get("limit") ?? Number.POSITIVE_INFINITY)
      const rows = (side: BookSide) =>
        side.levels.slice(0, most).map(({ price, total }) => ({ price: plain(price), size: plain(total) }))
      const [bids, asks] = [rows(market.bids), rows(market.asks)]
      return { pricebook: { product_id: rules.symbol, bids, asks, time: timeText(core.now()) } }
    },
  ],
]
