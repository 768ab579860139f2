/** Public REST of Kraken Futures, as far as order entry needs it: its instruments, a book, tickers and the newest trades. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade, SymbolRules } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, iso } from "./core.ts"
import { fillIdOf } from "./model.ts"
import { invalidArgument } from "./refusal.ts"

type Route = (core: Core, query: URLSearchParams) => object

const RECENT_MOST = 100
const BOOK_MOST = 1000

const viewOf = (core: Core, symbol: string): MarketView => {
  const view = core.views.get(symbol.toUpperCase())
  if (view === undefined) throw invalidArgument("symbol")
  return view
}

const places = (step: string): number => step.split(".")[1]?.length ?? 0
const venueBase = (base: string): string => (base === "BTC" ? "XBT" : base)

const margins = [
  { numNonContractUnits: 0, initialMargin: 0.02, maintenanceMargin: 0.01 },
  { numNonContractUnits: 500_000, initialMargin: 0.04, maintenanceMargin: 0.02 },
]

const instrumentRow = (rules: SymbolRules) => ({
  symbol: rules.symbol,
  type: "flexible_futures",
  tickSize: Number(rules.tickSize),
  contractSize: 1,
  tradeable: true,
  impactMidSize: 1,
  maxPositionSize: 1_000_000,
  openingDate: "2022-03-22T13:16:11Z",
  marginLevels: margins,
  fundingRateCoefficient: 8,
  maxRelativeFundingRate: 0.0025,
  contractValueTradePrecision: places(rules.stepSize),
  postOnly: false,
  category: "",
  tags: [],
  base: rules.base,
  quote: rules.quote,
  pair: `${venueBase(rules.base)}:${rules.quote}`,
})

/** An inverse contract of the same pair, and an index: neither takes orders of the gateway. */
const beside = [
  {
    symbol: "PI_XBTUSD",
    type: "futures_inverse",
    underlying: "rr_xbtusd",
    tickSize: 0.5,
    contractSize: 1,
    tradeable: true,
    marginLevels: [{ contracts: 0, initialMargin: 0.02, maintenanceMargin: 0.01 }],
    contractValueTradePrecision: 0,
    tags: [],
  },
  { symbol: "in_xbtusd", type: "spot index", tradeable: false, contractValueTradePrecision: 0, tickSize: 0.01 },
]

export const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  return {
    symbol: view.rules.symbol,
    last: Number(plain(day.close)),
    lastTime: iso(view.now()),
    tag: "perpetual",
    pair: `${venueBase(view.rules.base)}:${view.rules.quote}`,
    markPrice: Number(plain(day.close)),
    bid: Number(bids[0]?.[0] ?? 0),
    bidSize: Number(bids[0]?.[1] ?? 0),
    ask: Number(asks[0]?.[0] ?? 0),
    askSize: Number(asks[0]?.[1] ?? 0),
    vol24h: Number(plain(day.volume)),
    open24h: Number(plain(day.open)),
    lastSize: Number(plain(view.tape.last?.quantity ?? 0n)),
    suspended: false,
    indexPrice: Number(plain(day.close)),
  }
}

/** One trade has one uid, in the list and in the feed. */
export const tradeUid = (symbol: string, { tradeId, isBuyerMaker }: PublicTrade): string =>
  fillIdOf({ symbol, tradeId, isBuyer: !isBuyerMaker })

const history: Route = (core, query) => {
  const { tape, rules } = viewOf(core, query.get("symbol") ?? "")
  const history = tape.trades.slice(-RECENT_MOST).reverse()
  return {
    history: history.map((trade) => ({
      time: iso(trade.tradedAt),
      trade_id: trade.tradeId,
      price: Number(plain(trade.price)),
      size: Number(plain(trade.quantity)),
      side: trade.isBuyerMaker ? "sell" : "buy",
      type: "fill",
      uid: tradeUid(rules.symbol, trade),
    })),
  }
}

const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [
    "instruments",
    (core) => ({ instruments: [...[...core.views.values()].map(({ rules }) => instrumentRow(rules)), ...beside] }),
  ],
  [
    "tickers",
    (core) => ({ tickers: [...core.views.values()].filter(({ tape }) => tape.last !== undefined).map(tickerRow) }),
  ],
  [
    "orderbook",
    (core, query) => {
      const { bids, asks } = viewOf(core, query.get("symbol") ?? "").depth(BOOK_MOST)
      const rows = (side: typeof bids) => side.map((row) => row.map(Number))
      return { orderBook: { bids: rows(bids), asks: rows(asks) } }
    },
  ],
  ["history", history],
])

const TICKER = /^tickers\/([A-Za-z_]+)$/

/** Undefined: it is none of them. */
export const publicAnswer = (core: Core, path: string, query: URLSearchParams): object | undefined => {
  const symbol = TICKER.exec(path)?.[1]
  if (symbol !== undefined) return { ticker: tickerRow(viewOf(core, symbol)) }
  return publicRoutes.get(path)?.(core, query)
}
