/**
 * The pairs of the loopback Bitfinex under the venue's own names, of which some have a colon. Its prices have five significant digits, whatever their size: the
 * ticks here are those of the prices about which the pairs trade.
 */
import type { SymbolRules } from "../binance/model.ts"

export const BITFINEX_SYMBOLS: ReadonlyArray<SymbolRules> = [
  {
    symbol: "tBTCUST",
    base: "BTC",
    quote: "UST",
    tickSize: "1",
    stepSize: "0.00000001",
    minQuantity: "0.00004",
    minNotional: "0",
    startPrice: "60000",
    levelNotional: "20000",
  },
  {
    symbol: "tDOGE:UST",
    base: "DOGE",
    quote: "UST",
    tickSize: "0.00001",
    stepSize: "0.00000001",
    minQuantity: "20",
    maxQuantity: "1000000",
    minNotional: "0",
    startPrice: "0.1",
    levelNotional: "20000",
  },
]

/** What the venue calls an asset that everybody else calls by another name. */
const NAMES: Readonly<Record<string, string>> = { USDT: "UST" }

export const currencyOf = (asset: string): string => NAMES[asset] ?? asset
