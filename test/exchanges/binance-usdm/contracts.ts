/** The perpetuals of the loopback exchange, with steps like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

export const USDM_CONTRACTS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTCUSDT",
    base: "BTC",
    quote: "USDT",
    tickSize: "0.1",
    stepSize: "0.001",
    minNotional: "5",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETHUSDT",
    base: "ETH",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.001",
    minNotional: "5",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
