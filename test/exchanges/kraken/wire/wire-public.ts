/**
 * The JSON of public REST: pairs, assets, ticker, candles, trades, depth, in Kraken's shapes. Prices have at least five places there
 * whatever the pair, and `Depth` rounds quantities to three: no book can be checked against it.
 */
import { UNIT } from "../../binance/fixed.ts"
import type { Market } from "../../binance/market.ts"
import type { PublicTrade } from "../../binance/model.ts"
import type { Candle } from "../../binance/replay/tape.ts"
import { withPlaces } from "../numbers.ts"
import type { KrakenAsset, KrakenPair } from "../pairs.ts"

const FEES = [
  [0, 0.4],
  [10000, 0.35],
  [50000, 0.24],
]
const MAKER_FEES = [
  [0, 0.25],
  [10000, 0.2],
  [50000, 0.14],
]

export const assetJson = (asset: KrakenAsset) => ({
  aclass: "currency",
  altname: asset.altname,
  decimals: asset.decimals,
  display_decimals: asset.displayDecimals,
  status: "enabled",
})

export const pairJson = (pair: KrakenPair) => ({
  altname: pair.altname,
  wsname: pair.wsname,
  aclass_base: "currency",
  base: pair.base.id,
  aclass_quote: "currency",
  quote: pair.quote.id,
  lot: "unit",
  cost_decimals: pair.costDecimals,
  pair_decimals: pair.priceDecimals,
  lot_decimals: pair.lotDecimals,
  lot_multiplier: 1,
  leverage_buy: [],
  leverage_sell: [],
  fees: FEES,
  fees_maker: MAKER_FEES,
  fee_volume_currency: "ZUSD",
  margin_call: 80,
  margin_stop: 40,
  ordermin: pair.orderMinimum,
  costmin: pair.costMinimum,
  tick_size: pair.tickSize,
  status: "online",
})

const REST_PLACES = 5

const priceText = (pair: KrakenPair, units: bigint): string =>
  withPlaces(units, Math.max(REST_PLACES, pair.priceDecimals))

const volumeText = (units: bigint): string => withPlaces(units, 8)

/** What was paid on average. */
export const averagePrice = (cost: bigint, quantity: bigint): bigint =>
  quantity === 0n ? 0n : (cost * UNIT) / quantity

export const tickerJson = (pair: KrakenPair, market: Market, now: number) => {
  const day = market.tape.day(now)
  const [bid, ask, last] = [market.bids.best, market.asks.best, market.tape.last]
  const price = (units: bigint) => priceText(pair, units)
  const level = (top: { readonly price: bigint; readonly total: bigint } | undefined) => [
    price(top?.price ?? 0n),
    withPlaces(top?.total ?? 0n, 0),
    withPlaces(top?.total ?? 0n, 3),
  ]
  const vwap = price(averagePrice(day.quoteVolume, day.volume))
  return {
    a: level(ask),
    b: level(bid),
    c: [price(last?.price ?? 0n), volumeText(last?.quantity ?? 0n)],
    v: [volumeText(day.volume), volumeText(day.volume)],
    p: [vwap, vwap],
    t: [day.tradeCount, day.tradeCount],
    l: [price(day.low), price(day.low)],
    h: [price(day.high), price(day.high)],
    o: price(day.open),
  }
}

export const depthJson = (pair: KrakenPair, market: Market, count: number, now: number) => {
  const rows = (side: "bids" | "asks") =>
    market[side].levels
      .slice(0, count)
      .map((level) => [priceText(pair, level.price), withPlaces(level.total, 3), Math.floor(now / 1000)])
  return { asks: rows("asks"), bids: rows("bids") }
}

export const tradeJson = (pair: KrakenPair, trade: PublicTrade) => [
  priceText(pair, trade.price),
  volumeText(trade.quantity),
  trade.tradedAt / 1000,
  trade.isBuyerMaker ? "s" : "b",
  "l",
  "",
  trade.tradeId,
]

/** Kraken's `last`: nanoseconds, and the `since` of the next page. */
export const nanosOf = (trade: PublicTrade): string => `${trade.tradedAt}000000`

export const candleJson = (pair: KrakenPair, candle: Candle) => {
  const digits = (units: bigint) => withPlaces(units, pair.priceDecimals)
  return [
    candle.openAt / 1000,
    digits(candle.open),
    digits(candle.high),
    digits(candle.low),
    digits(candle.close),
    candle.tradeCount === 0 ? "0.0" : digits(averagePrice(candle.quoteVolume, candle.volume)),
    volumeText(candle.volume),
    candle.tradeCount,
  ]
}
