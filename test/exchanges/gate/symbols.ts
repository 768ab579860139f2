/** The spot pairs of the loopback Gate, with precisions like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

export const GATE_SYMBOLS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC_USDT",
    base: "BTC",
    quote: "USDT",
    tickSize: "0.1",
    stepSize: "0.000001",
    minQuantity: "0.000001",
    minNotional: "3",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH_USDT",
    base: "ETH",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.0001",
    minQuantity: "0.0001",
    minNotional: "3",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
