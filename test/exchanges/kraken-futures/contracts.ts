/** The perpetuals of the loopback exchange, and one inverse contract that is listed beside them, as the venue does it. */
import type { SymbolRules } from "../binance/model.ts"

export const KRAKEN_CONTRACTS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "PF_XBTUSD",
    base: "BTC",
    quote: "USD",
    tickSize: "0.1",
    stepSize: "0.0001",
    minNotional: "0.0001",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "PF_ETHUSD",
    base: "ETH",
    quote: "USD",
    tickSize: "0.1",
    stepSize: "0.001",
    minNotional: "0.0001",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
