/** Public REST of Bitfinex, as far as order entry needs it: the pairs, a book, tickers and the newest trades. */

import { toFixed8 } from "../binance/fixed.ts"
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { type Core, marketOf } from "./core.ts"
import { tradeIdOf } from "./model.ts"
import { Bare, bare } from "./numbers.ts"
import { invalid } from "./refusal.ts"

const viewOf = (core: Core, symbol: string): MarketView => {
  const view = core.views.get(symbol)
  if (view === undefined) throw invalid("symbol")
  return view
}

/** `tBTCUST` is BTCUST there, and `tDOGE:UST` DOGE:UST. */
const pairRow = ({ rules }: MarketView) => [
  rules.symbol.slice(1),
  [null, null, null, rules.minQuantity ?? rules.stepSize, rules.maxQuantity ?? "9000", null, null, null, null, null],
]

const number = (text: string | undefined): Bare => bare(toFixed8(text ?? "0"))

export const tickerRow = (view: MarketView): ReadonlyArray<unknown> => {
  const day = view.tape.day(view.now())
  const { bids, asks } = view.depth(1)
  return [
    number(bids[0]?.[0]),
    number(bids[0]?.[1]),
    number(asks[0]?.[0]),
    number(asks[0]?.[1]),
    0,
    0,
    bare(day.close),
    bare(day.volume),
    bare(day.high),
    bare(day.low),
  ]
}

export const publicTradeRow = (symbol: string, trade: PublicTrade): ReadonlyArray<unknown> => [
  tradeIdOf(symbol, trade.tradeId),
  trade.tradedAt,
  bare(trade.isBuyerMaker ? -trade.quantity : trade.quantity),
  bare(trade.price),
]

/** [price, count, amount], and with R0 [order, price, amount]; asks have amounts below zero. */
const bookRows = (core: Core, symbol: string, isRaw: boolean, most: number): ReadonlyArray<unknown> => {
  const { bids, asks } = core.shownBook(viewOf(core, symbol).rules.symbol)
  const row = (sign: string, [price, size]: readonly [string, string], place: number) =>
    isRaw ? [place + 1, number(price), new Bare(`${sign}${size}`)] : [number(price), 1, new Bare(`${sign}${size}`)]
  return [
    ...bids.slice(0, most).map((level, place) => row("", level, place)),
    ...asks.slice(0, most).map((level, place) => row("-", level, 1000 + place)),
  ]
}

const RECENT_MOST = 10_000

type Asked = { readonly core: Core; readonly parts: ReadonlyArray<string>; readonly query: URLSearchParams }

/** By what stands behind `/v2/`. */
const ROUTES: Readonly<Record<string, (asked: Asked) => unknown>> = {
  conf: ({ core, parts: [, config = ""] }) =>
    config.split(",").map((name) => (name === "pub:info:pair" ? [...core.views.values()].map(pairRow) : [])),
  platform: ({ core }) => [core.faults.isInMaintenance ? 0 : 1],
  tickers: ({ core }) =>
    [...core.views.values()]
      .filter(({ tape }) => tape.last !== undefined)
      .map((view) => [view.rules.symbol, ...tickerRow(view)]),
  ticker: ({ core, parts: [, symbol = ""] }) => tickerRow(viewOf(core, symbol)),
  book: ({ core, parts: [, symbol = "", precision], query }) =>
    bookRows(core, symbol, precision === "R0", Number(query.get("len") ?? 25)),
  trades: ({ core, parts: [, symbol = ""], query }) => {
    if (marketOf(core, symbol) === undefined) throw invalid("symbol")
    const most = Math.min(Number(query.get("limit") ?? 120), RECENT_MOST)
    const newest = viewOf(core, symbol)
      .tape.trades.slice(-most)
      .map((trade) => publicTradeRow(symbol, trade))
    return query.get("sort") === "1" ? newest : newest.reverse()
  },
}

/** Undefined: there is no such page. */
export const publicAnswer = (core: Core, path: string, query: URLSearchParams): unknown => {
  const parts = decodeURIComponent(path).slice("/v2/".length).split("/")
  return ROUTES[parts[0] ?? ""]?.({ core, parts, query })
}
