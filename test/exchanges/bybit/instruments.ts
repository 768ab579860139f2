/** The spot pairs of the loopback Bybit, with steps like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

export const BYBIT_INSTRUMENTS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTCUSDT",
    base: "BTC",
    quote: "USDT",
    tickSize: "0.1",
    stepSize: "0.000001",
    minQuantity: "0.000011",
    minNotional: "5",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETHUSDT",
    base: "ETH",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.00001",
    minQuantity: "0.0002",
    minNotional: "5",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
