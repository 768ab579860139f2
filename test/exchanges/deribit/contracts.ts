/** The linear perpetuals of the loopback exchange. What the venue lists beside them is in `public-methods.ts`. */
import type { SymbolRules } from "../binance/model.ts"

/** What they are settled in. */
export const SETTLEMENT = "USDC"

export const DERIBIT_CONTRACTS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC_USDC-PERPETUAL",
    base: "BTC",
    quote: SETTLEMENT,
    tickSize: "0.1",
    stepSize: "0.0001",
    minNotional: "0.0001",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH_USDC-PERPETUAL",
    base: "ETH",
    quote: SETTLEMENT,
    tickSize: "0.1",
    stepSize: "0.001",
    minNotional: "0.0001",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
