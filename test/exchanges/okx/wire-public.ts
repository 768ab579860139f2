/** The JSON of public market data, as OKX sends it: instruments, tickers, trades and candles. Everything is text. */
import type { MarketView } from "../binance/market.ts"
import type { PublicTrade, SymbolRules } from "../binance/model.ts"
import { type Candle, isInterval } from "../binance/replay/tape.ts"
import { plain } from "../plain-numbers.ts"
import { instIdCodeOf } from "./instruments.ts"

export const instrumentRow = (rules: SymbolRules) => ({
  alias: "",
  auctionEndTime: "",
  baseCcy: rules.base,
  category: "1",
  contTdSwTime: "1704876947000",
  ctMult: "",
  ctType: "",
  ctVal: "",
  ctValCcy: "",
  expTime: "",
  futureSettlement: false,
  instFamily: "",
  instId: rules.symbol,
  instIdCode: instIdCodeOf(rules.symbol),
  instType: "SPOT",
  lever: "10",
  listTime: "1548133413000",
  lotSz: rules.stepSize,
  maxIcebergSz: "9999999999.0000000000000000",
  maxLmtAmt: "20000000",
  maxLmtSz: rules.maxQuantity ?? "9999999999",
  maxMktAmt: "1000000",
  maxMktSz: "1000000",
  maxStopSz: "1000000",
  maxTriggerSz: "9999999999.0000000000000000",
  maxTwapSz: "9999999999.0000000000000000",
  minSz: rules.minQuantity ?? rules.stepSize,
  openType: "fix_price",
  optType: "",
  quoteCcy: rules.quote,
  ruleType: "normal",
  settleCcy: "",
  state: "live",
  stk: "",
  tickSz: rules.tickSize,
  uly: "",
})

export const tickerRow = (view: MarketView) => {
  const now = view.now()
  const day = view.tape.day(now)
  const { bids, asks } = view.depth(1)
  const short = (text: string | undefined) => (text === undefined ? "" : text.replace(/\.?0+$/, ""))
  return {
    instType: "SPOT",
    instId: view.rules.symbol,
    last: plain(day.close),
    lastSz: plain(view.tape.last?.quantity ?? 0n),
    askPx: short(asks[0]?.[0]),
    askSz: short(asks[0]?.[1]),
    bidPx: short(bids[0]?.[0]),
    bidSz: short(bids[0]?.[1]),
    open24h: plain(day.open),
    high24h: plain(day.high),
    low24h: plain(day.low),
    volCcy24h: plain(day.quoteVolume),
    vol24h: plain(day.volume),
    ts: String(now),
    sodUtc0: plain(day.open),
    sodUtc8: plain(day.open),
  }
}

/** REST and `trades-all`: one match. */
export const tradeRow = (instId: string, trade: PublicTrade) => ({
  instId,
  tradeId: String(trade.tradeId),
  px: plain(trade.price),
  sz: plain(trade.quantity),
  side: trade.isBuyerMaker ? "sell" : "buy",
  source: "0",
  ts: String(trade.tradedAt),
})

/** `trades`: the matches of one taker at one price, under the last one's id. */
export const aggregateRow = (instId: string, matches: readonly [PublicTrade, ...ReadonlyArray<PublicTrade>]) => {
  const [first] = matches
  const { source, ...row } = tradeRow(instId, matches.at(-1) ?? first)
  return { ...row, sz: plain(matches.reduce((sum, { quantity }) => sum + quantity, 0n)), count: String(matches.length) }
}

/** `confirm` is 1 once the candle has ended. */
export const candleRow = (candle: Candle, now: number): ReadonlyArray<string> => [
  String(candle.openAt),
  plain(candle.open),
  plain(candle.high),
  plain(candle.low),
  plain(candle.close),
  plain(candle.volume),
  plain(candle.quoteVolume),
  plain(candle.quoteVolume),
  now > candle.closeAt ? "1" : "0",
]

/**
 * The tape's interval of a bar: minutes and hours are the same everywhere, days and longer only in UTC (without `utc` OKX opens
 * them at midnight in Hong Kong, which this exchange does not serve). Undefined for no bar of ours.
 */
export const intervalOf = (bar: string): string | undefined => {
  const parts = /^(\d+)([smHDWM])(utc)?$/.exec(bar)
  if (parts === null) return undefined
  const [, length = "", unit = "", utc] = parts
  const needsUtc = unit === "D" || unit === "W" || unit === "M" || (unit === "H" && Number(length) >= 6)
  if (needsUtc !== (utc === "utc")) return undefined
  const interval = `${length}${unit === "M" ? "M" : unit.toLowerCase()}`
  return isInterval(interval) ? interval : undefined
}
