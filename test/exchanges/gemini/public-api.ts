/** Public REST of Gemini, as far as order entry needs it: the markets, a book, the newest trades, and the page of the exchange that has the markets' steps. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, marketOf } from "./core.ts"
import { idOf, nameOf } from "./markets.ts"
import { publicIdOf } from "./model.ts"
import { notServed, wrongSymbol } from "./refusal.ts"

const viewOf = (core: Core, id: string): MarketView => {
  const view = core.views.get(marketOf(core, id)?.rules.symbol ?? "")
  if (view === undefined) throw wrongSymbol(id)
  return view
}

const places = (step: string): number => step.split(".")[1]?.length ?? 0

/** As the page has them: name, places of prices and of quantities, the smallest quantity, places of rounding, that the smallest is one. */
const pairRow = ({ rules }: MarketView) => [
  nameOf(rules.symbol),
  places(rules.tickSize),
  places(rules.stepSize),
  rules.minQuantity ?? rules.stepSize,
  places(rules.stepSize) + 2,
  true,
]

const currencyRow = (asset: string, isFiat: boolean) => [asset, asset, 1, 8, 0, 8, 8, isFiat ? "1" : "", null, null]

export const exchangePage = ({ views }: Core): string => {
  const tradingPairs = [...views.values()].map(pairRow)
  const assets = new Set([...views.values()].flatMap(({ rules }) => [rules.base, rules.quote]))
  const currencies = [...assets].map((asset) => currencyRow(asset, asset === "USD"))
  const data = JSON.stringify({ tradingPairs, currencies, networks: [] })
  return `<html><body><script type="application/json" id="currencyData">${data}</script></body></html>`
}

const bookRow = ([price, amount]: readonly [string, string]) => ({ price, amount, timestamp: "0" })

/** `trade` of the market data, and of the first message. */
export const tradeTold = (symbol: string, { tradeId, price, quantity, tradedAt, isBuyerMaker }: PublicTrade) => ({
  type: "trade",
  symbol: nameOf(symbol),
  event_id: publicIdOf(symbol, tradeId),
  timestamp: tradedAt,
  price: plain(price),
  quantity: plain(quantity),
  side: isBuyerMaker ? "sell" : "buy",
})

/** `parts` are behind `/v1/` or `/v2/`. */
export const publicAnswer = (core: Core, key: string, parts: ReadonlyArray<string>): unknown => {
  const [name, id = ""] = parts
  switch (name) {
    case "symbols":
      return [...core.views.keys()].map(idOf)
    case "book": {
      const { bids, asks } = core.shownBook(viewOf(core, id).rules.symbol)
      return { bids: bids.map(bookRow), asks: asks.map(bookRow) }
    }
    case "pubticker": {
      const view = viewOf(core, id)
      const { bids, asks } = view.depth(1)
      const { close, volume } = view.tape.day(view.now())
      const { base } = view.rules
      const said = { [base]: plain(volume), timestamp: view.now() }
      return { bid: bids[0]?.[0], ask: asks[0]?.[0], last: plain(close), volume: said }
    }
    case "trades": {
      const { tape, rules } = viewOf(core, id)
      return tape.trades
        .map((trade) => ({
          timestamp: Math.floor(trade.tradedAt / 1000),
          timestampms: trade.tradedAt,
          tid: publicIdOf(rules.symbol, trade.tradeId),
          price: plain(trade.price),
          amount: plain(trade.quantity),
          exchange: "gemini",
          type: trade.isBuyerMaker ? "sell" : "buy",
        }))
        .reverse()
        .slice(0, 500)
    }
    default:
      throw notServed(key)
  }
}
