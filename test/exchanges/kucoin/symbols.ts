/** The spot pairs of the loopback KuCoin, with increments like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

export const KUCOIN_SYMBOLS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "BTC-USDT",
    base: "BTC",
    quote: "USDT",
    tickSize: "0.1",
    stepSize: "0.00000001",
    minQuantity: "0.00001",
    minNotional: "0.1",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "ETH-USDT",
    base: "ETH",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.0000001",
    minQuantity: "0.0001",
    minNotional: "0.1",
    startPrice: "3000",
    levelNotional: "20000",
  },
]
