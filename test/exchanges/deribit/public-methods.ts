/** Public methods of Deribit, as far as order entry needs them: its instruments, a book, a ticker, the newest trades and the time. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade, SymbolRules } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, type Params, textOf } from "./core.ts"
import { tradeIdOf } from "./model.ts"
import { noSuchInstrument } from "./refusal.ts"

type Method = (core: Core, params: Params) => unknown

const viewOf = (core: Core, params: Params): MarketView => {
  const view = core.views.get(textOf(params, "instrument_name") ?? "")
  if (view === undefined) throw noSuchInstrument()
  return view
}

const instrumentRow = (rules: SymbolRules) => ({
  price_index: `${rules.base.toLowerCase()}_${rules.quote.toLowerCase()}`,
  kind: "future",
  instrument_name: rules.symbol,
  max_leverage: 50,
  maker_commission: 0,
  taker_commission: 0.0005,
  instrument_type: "linear",
  expiration_timestamp: 32_503_708_800_000,
  creation_timestamp: 1_534_167_754_000,
  is_active: true,
  tick_size: Number(rules.tickSize),
  contract_size: Number(rules.stepSize),
  min_trade_amount: Number(rules.stepSize),
  settlement_currency: rules.quote,
  settlement_period: "perpetual",
  base_currency: rules.base,
  counter_currency: rules.quote,
  quote_currency: rules.quote,
  tick_size_steps: [],
})

const inverse = {
  kind: "future",
  instrument_type: "reversed",
  is_active: true,
  tick_size: 0.5,
  contract_size: 10,
  min_trade_amount: 10,
  settlement_currency: "BTC",
  base_currency: "BTC",
  counter_currency: "USD",
  quote_currency: "USD",
}

/** Of an inverse perpetual the book is shown, and none takes orders of the gateway. */
const beside = [
  { ...inverse, instrument_name: "BTC-PERPETUAL", settlement_period: "perpetual" },
  {
    ...inverse,
    instrument_name: "BTC-25DEC26",
    settlement_period: "month",
    expiration_timestamp: 1_798_185_600_000,
  },
  {
    ...inverse,
    kind: "option",
    instrument_name: "BTC-25DEC26-100000-C",
    option_type: "call",
    strike: 100_000,
    quote_currency: "BTC",
    settlement_period: "month",
    expiration_timestamp: 1_798_185_600_000,
  },
]

export const levelsOf = (
  view: MarketView,
): Readonly<Record<"bids" | "asks", ReadonlyArray<readonly [number, number]>>> => {
  const { bids, asks } = view.depth(Number.POSITIVE_INFINITY)
  const rows = (side: typeof bids) => side.map(([price, amount]) => [Number(price), Number(amount)] as const)
  return { bids: rows(bids), asks: rows(asks) }
}

export const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  const last = Number(plain(day.close))
  return {
    instrument_name: view.rules.symbol,
    timestamp: view.now(),
    state: "open",
    stats: { high: Number(plain(day.high)), low: Number(plain(day.low)), volume: Number(plain(day.volume)) },
    last_price: last,
    mark_price: last,
    index_price: last,
    best_bid_price: Number(bids[0]?.[0] ?? 0),
    best_bid_amount: Number(bids[0]?.[1] ?? 0),
    best_ask_price: Number(asks[0]?.[0] ?? 0),
    best_ask_amount: Number(asks[0]?.[1] ?? 0),
  }
}

export const publicTradeRow = (core: Core, symbol: string, trade: PublicTrade) => ({
  trade_seq: trade.tradeId,
  trade_id: tradeIdOf(core.placeOf(symbol), trade),
  timestamp: trade.tradedAt,
  tick_direction: 0,
  price: Number(plain(trade.price)),
  mark_price: Number(plain(trade.price)),
  index_price: Number(plain(trade.price)),
  instrument_name: symbol,
  direction: trade.isBuyerMaker ? "sell" : "buy",
  amount: Number(plain(trade.quantity)),
  contracts: Number(plain(trade.quantity)),
})

export const publicMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["public/get_time", (core) => core.now()],
  ["public/test", () => ({ version: "1.2.26" })],
  ["public/get_currencies", () => []],
  [
    "public/get_instruments",
    (core) => [...[...core.views.values()].map(({ rules }) => instrumentRow(rules)), ...beside],
  ],
  ["public/ticker", (core, params) => tickerRow(viewOf(core, params))],
  [
    "public/get_order_book",
    (core, params) => {
      const view = viewOf(core, params)
      return { instrument_name: view.rules.symbol, timestamp: core.now(), change_id: 1, ...levelsOf(view) }
    },
  ],
  [
    "public/get_last_trades_by_instrument",
    (core, params) => {
      const { tape, rules } = viewOf(core, params)
      const newest = tape.trades.slice(-Number(textOf(params, "count") ?? 10)).reverse()
      return { trades: newest.map((trade) => publicTradeRow(core, rules.symbol, trade)), has_more: false }
    },
  ],
])
