/** The spot products of the loopback Coinbase, with increments like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

export const COINBASE_PRODUCTS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC-USD",
    base: "BTC",
    quote: "USD",
    tickSize: "0.01",
    stepSize: "0.00000001",
    minNotional: "1",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH-USD",
    base: "ETH",
    quote: "USD",
    tickSize: "0.01",
    stepSize: "0.00000001",
    minNotional: "1",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
