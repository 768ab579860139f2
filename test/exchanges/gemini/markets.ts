/** The spot markets of the loopback Gemini, with steps like the venue's own, and the ways in which it writes their names. */
import type { SymbolRules } from "../binance/model.ts"

export const GEMINI_MARKETS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC-USD",
    base: "BTC",
    quote: "USD",
    tickSize: "0.01",
    stepSize: "0.00000001",
    minQuantity: "0.00001",
    minNotional: "0",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH-USD",
    base: "ETH",
    quote: "USD",
    tickSize: "0.01",
    stepSize: "0.000001",
    minQuantity: "0.001",
    minNotional: "0",
    startPrice: "3000",
    levelNotional: "20000",
  },
]

/** In paths, payloads and orders. */
export const idOf = (symbol: string): string => symbol.replace("-", "").toLowerCase()

/** In market data, and in lists of trades. */
export const nameOf = (symbol: string): string => symbol.replace("-", "")
