/**
 * Assets and pairs of the loopback Kraken, under all their names: REST knows `XXBTZUSD` (also `XBTUSD`), WebSocket v2 `BTC/USD`,
 * which is the matching engine's symbol, too. The figures are the venue's of 2025, minimum cost and fees included.
 */
import type { SymbolRules } from "../binance/model.ts"

export interface KrakenAsset {
  readonly id: string
  readonly altname: string
  /** WebSocket v2 and the matching engine. */
  readonly name: string
  readonly decimals: number
  readonly displayDecimals: number
}

export interface KrakenPair {
  readonly id: string
  readonly altname: string
  /** WebSocket v1's name, which REST lists. */
  readonly wsname: string
  /** WebSocket v2's name, which ccxt uses. */
  readonly symbol: string
  readonly base: KrakenAsset
  readonly quote: KrakenAsset
  readonly priceDecimals: number
  readonly lotDecimals: number
  readonly costDecimals: number
  readonly tickSize: string
  readonly orderMinimum: string
  readonly costMinimum: string
  readonly startPrice: string
}

const asset = (id: string, altname: string, name: string, decimals: number, displayDecimals: number): KrakenAsset => ({
  id,
  altname,
  name,
  decimals,
  displayDecimals,
})

const BTC = asset("XXBT", "XBT", "BTC", 10, 5)
const ETH = asset("XETH", "ETH", "ETH", 10, 5)
const SOL = asset("SOL", "SOL", "SOL", 10, 5)
const DOGE = asset("XXDG", "XDG", "DOGE", 8, 2)
const USD = asset("ZUSD", "USD", "USD", 4, 2)
const USDT = asset("USDT", "USDT", "USDT", 8, 4)

export const ASSETS: ReadonlyArray<KrakenAsset> = [BTC, ETH, SOL, DOGE, USD, USDT]

const pair = (
  id: string,
  base: KrakenAsset,
  quote: KrakenAsset,
  priceDecimals: number,
  figures: Pick<KrakenPair, "tickSize" | "orderMinimum" | "costMinimum" | "startPrice">,
): KrakenPair => ({
  id,
  altname: `${base.altname}${quote.altname}`,
  wsname: `${base.altname}/${quote.altname}`,
  symbol: `${base.name}/${quote.name}`,
  base,
  quote,
  priceDecimals,
  lotDecimals: 8,
  costDecimals: 5,
  ...figures,
})

export const DEFAULT_PAIRS: ReadonlyArray<KrakenPair> = [
  pair("XXBTZUSD", BTC, USD, 1, { tickSize: "0.1", orderMinimum: "0.00005", costMinimum: "0.5", startPrice: "60000" }),
  pair("XBTUSDT", BTC, USDT, 1, { tickSize: "0.1", orderMinimum: "0.00005", costMinimum: "0.5", startPrice: "60000" }),
  pair("XETHZUSD", ETH, USD, 2, { tickSize: "0.01", orderMinimum: "0.001", costMinimum: "0.5", startPrice: "3000" }),
  pair("XETHXXBT", ETH, BTC, 5, {
    tickSize: "0.00001",
    orderMinimum: "0.001",
    costMinimum: "0.00002",
    startPrice: "0.05",
  }),
  pair("SOLUSD", SOL, USD, 2, { tickSize: "0.01", orderMinimum: "0.02", costMinimum: "0.5", startPrice: "150" }),
  pair("XDGUSD", DOGE, USD, 7, { tickSize: "0.0000001", orderMinimum: "13", costMinimum: "0.5", startPrice: "0.12" }),
]

/** The pair for the matching engine. */
export const rulesOf = (it: KrakenPair): SymbolRules => ({
  symbol: it.symbol,
  base: it.base.name,
  quote: it.quote.name,
  tickSize: it.tickSize,
  stepSize: `0.${"0".repeat(it.lotDecimals - 1)}1`,
  minQuantity: it.orderMinimum,
  maxQuantity: "1000000000",
  minNotional: it.costMinimum,
  levelNotional: it.quote === BTC ? "2" : "20000",
  startPrice: it.startPrice,
})

/** Every name under which REST takes a pair. */
export const isNamed = (it: KrakenPair, name: string): boolean =>
  name === it.id || name === it.altname || name === it.wsname || name === it.symbol
