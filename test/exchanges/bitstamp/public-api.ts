/** Public REST of Bitstamp, as far as order entry needs it: the markets, a book, tickers, the newest trades. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, marketOf } from "./core.ts"
import { nameOf, pathOf } from "./markets.ts"
import { tradeIdOf } from "./model.ts"
import { marketNotFound } from "./refusal.ts"

type Route = (core: Core, parts: ReadonlyArray<string>) => unknown

const viewOf = (core: Core, path: string | undefined): MarketView => {
  const view = core.views.get(marketOf(core, path ?? "")?.rules.symbol ?? "")
  if (view === undefined) throw marketNotFound()
  return view
}

const places = (step: string): number => step.split(".")[1]?.length ?? 0

const marketRow = ({ rules }: MarketView) => ({
  name: nameOf(rules.symbol),
  market_symbol: pathOf(rules.symbol),
  base_currency: rules.base,
  base_decimals: places(rules.stepSize),
  counter_currency: rules.quote,
  counter_decimals: places(rules.tickSize),
  minimum_order_value: rules.minNotional ?? "10",
  trading: "Enabled",
  instant_order_counter_decimals: 2,
  instant_and_market_orders: "Enabled",
  description: `${rules.base} / ${rules.quote}`,
  market_type: "SPOT",
})

const seconds = (millis: number): string => String(Math.floor(millis / 1000))

const tickerRow = (view: MarketView) => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  return {
    timestamp: seconds(view.now()),
    open: plain(day.open),
    high: plain(day.high),
    low: plain(day.low),
    last: plain(day.close),
    volume: plain(day.volume),
    vwap: plain(day.close),
    bid: bids[0]?.[0] ?? "",
    ask: asks[0]?.[0] ?? "",
    side: "0",
    open_24: plain(day.open),
    percent_change_24: "0.00",
    pair: nameOf(view.rules.symbol),
    market: nameOf(view.rules.symbol),
    market_type: "SPOT",
  }
}

/** `data` on live_trades. */
export const tradeData = (symbol: string, { tradeId, price, quantity, tradedAt, isBuyerMaker }: PublicTrade) => ({
  id: tradeIdOf(symbol, tradeId),
  timestamp: seconds(tradedAt),
  microtimestamp: String(tradedAt * 1000),
  amount: Number(plain(quantity)),
  amount_str: plain(quantity),
  price: Number(plain(price)),
  price_str: plain(price),
  type: isBuyerMaker ? 1 : 0,
  buy_order_id: 0,
  sell_order_id: 0,
})

export const publicRoutes: Readonly<Record<string, Route>> = {
  markets: ({ views }) => [...views.values()].map(marketRow),
  eur_usd: () => ({ sell: "1.08000", buy: "1.09000" }),
  ticker: (core, parts) => tickerRow(viewOf(core, parts[1])),
  order_book: (core, parts) => {
    const { seqId, bids, asks } = core.shownBook(viewOf(core, parts[1]).rules.symbol)
    const microtimestamp = core.bookTime(seqId)
    return { timestamp: seconds(microtimestamp / 1000), microtimestamp: String(microtimestamp), bids, asks }
  },
  transactions: (core, parts) => {
    const { tape, rules } = viewOf(core, parts[1])
    return tape.trades
      .map((trade) => tradeData(rules.symbol, trade))
      .map(({ id, timestamp, price_str, amount_str, type }) => ({
        date: timestamp,
        tid: String(id),
        amount: amount_str,
        type: String(type),
        price: price_str,
      }))
      .reverse()
  },
}
