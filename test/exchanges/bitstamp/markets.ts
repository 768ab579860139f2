/** The spot markets of the loopback Bitstamp, with precisions like the venue's own, and the ways in which it writes their names. */
import type { SymbolRules } from "../binance/model.ts"

export const BITSTAMP_MARKETS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC-USD",
    base: "BTC",
    quote: "USD",
    tickSize: "1",
    stepSize: "0.00000001",
    minNotional: "10",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH-USD",
    base: "ETH",
    quote: "USD",
    tickSize: "0.1",
    stepSize: "0.00000001",
    minNotional: "10",
    startPrice: "3000",
    levelNotional: "20000",
  },
]

/** `market_symbol`, in paths and in names of channels. */
export const pathOf = (symbol: string): string => symbol.replace("-", "").toLowerCase()

/** `market`, in orders. */
export const nameOf = (symbol: string): string => symbol.replace("-", "/")
