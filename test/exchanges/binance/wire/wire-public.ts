/**
 * The JSON of public market data: exchangeInfo, tickers, candles, trades; REST words and the streams' one-letter keys.
 * Everything is derived from a `MarketView`, so a replayed market and a synthetic one answer alike.
 */
import { formatFixed, toFixed8, UNIT } from "../fixed.ts"
import type { MarketView } from "../market.ts"
import type { PublicTrade, SymbolRules } from "../model.ts"
import { ORDER_TYPES } from "../model.ts"
import type { Candle } from "../replay/tape.ts"

const eightPlaces = (text: string) => formatFixed(toFixed8(text))

export const symbolJson = (rules: SymbolRules) => ({
  symbol: rules.symbol,
  status: "TRADING",
  baseAsset: rules.base,
  baseAssetPrecision: 8,
  quoteAsset: rules.quote,
  quotePrecision: 8,
  quoteAssetPrecision: 8,
  baseCommissionPrecision: 8,
  quoteCommissionPrecision: 8,
  orderTypes: ORDER_TYPES,
  icebergAllowed: false,
  ocoAllowed: false,
  otoAllowed: false,
  quoteOrderQtyMarketAllowed: true,
  allowTrailingStop: false,
  cancelReplaceAllowed: false,
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: false,
  filters: [
    {
      filterType: "PRICE_FILTER",
      minPrice: eightPlaces(rules.tickSize),
      maxPrice: "1000000.00000000",
      tickSize: eightPlaces(rules.tickSize),
    },
    {
      filterType: "LOT_SIZE",
      minQty: eightPlaces(rules.minQuantity ?? rules.stepSize),
      maxQty: eightPlaces(rules.maxQuantity ?? "9000"),
      stepSize: eightPlaces(rules.stepSize),
    },
    {
      filterType: "NOTIONAL",
      minNotional: eightPlaces(rules.minNotional ?? "5"),
      applyMinToMarket: true,
      maxNotional: "9000000.00000000",
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
  ],
  permissions: [],
  permissionSets: [["SPOT"]],
  defaultSelfTradePreventionMode: "EXPIRE_MAKER",
  allowedSelfTradePreventionModes: ["EXPIRE_MAKER"],
})

export const tickerJson = (view: MarketView) => {
  const now = view.now()
  const day = view.tape.day(now)
  const top = view.depth(1)
  const change = day.close - day.open
  const none = "0.00000000"
  return {
    symbol: view.rules.symbol,
    priceChange: formatFixed(change),
    priceChangePercent: percent(change, day.open),
    weightedAvgPrice: formatFixed(day.volume === 0n ? day.close : (day.quoteVolume * UNIT) / day.volume),
    prevClosePrice: formatFixed(day.open),
    lastPrice: formatFixed(day.close),
    lastQty: formatFixed(view.tape.last?.quantity ?? 0n),
    bidPrice: top.bids[0]?.[0] ?? none,
    bidQty: top.bids[0]?.[1] ?? none,
    askPrice: top.asks[0]?.[0] ?? none,
    askQty: top.asks[0]?.[1] ?? none,
    openPrice: formatFixed(day.open),
    highPrice: formatFixed(day.high),
    lowPrice: formatFixed(day.low),
    volume: formatFixed(day.volume),
    quoteVolume: formatFixed(day.quoteVolume),
    openTime: day.openAt,
    closeTime: day.closeAt,
    firstId: day.firstTradeId,
    lastId: day.lastTradeId,
    count: day.tradeCount,
  }
}

/** The 24 hour ticker as its stream sends it. */
export const tickerEvent = (view: MarketView) => {
  const t = tickerJson(view)
  return {
    e: "24hrTicker",
    E: view.now(),
    s: t.symbol,
    p: t.priceChange,
    P: t.priceChangePercent,
    w: t.weightedAvgPrice,
    x: t.prevClosePrice,
    c: t.lastPrice,
    Q: t.lastQty,
    b: t.bidPrice,
    B: t.bidQty,
    a: t.askPrice,
    A: t.askQty,
    o: t.openPrice,
    h: t.highPrice,
    l: t.lowPrice,
    v: t.volume,
    q: t.quoteVolume,
    O: t.openTime,
    C: t.closeTime,
    F: t.firstId,
    L: t.lastId,
    n: t.count,
  }
}

/** The short ticker: no bid, no ask. It is what ccxt watches unless told otherwise. */
export const miniTickerEvent = (view: MarketView) => {
  const { s, c, o, h, l, v, q, E } = tickerEvent(view)
  return { e: "24hrMiniTicker", E, s, c, o, h, l, v, q }
}

export const bookTickerEvent = (view: MarketView) => {
  const { lastUpdateId, bids, asks } = view.depth(1)
  const [bid, ask] = [bids[0], asks[0]]
  if (bid === undefined || ask === undefined) return undefined
  return { u: lastUpdateId, s: view.rules.symbol, b: bid[0], B: bid[1], a: ask[0], A: ask[1] }
}

export const tradeEvent = (symbol: string, trade: PublicTrade, now: number) => ({
  e: "trade",
  E: now,
  s: symbol,
  t: trade.tradeId,
  p: formatFixed(trade.price),
  q: formatFixed(trade.quantity),
  T: trade.tradedAt,
  m: trade.isBuyerMaker,
  M: true,
})

/** One trade, one aggregate: Binance merges fills of one taker at one price, this exchange does not. */
export const aggregateEvent = (symbol: string, trade: PublicTrade, now: number) => ({
  e: "aggTrade",
  E: now,
  s: symbol,
  ...aggregateJson(trade),
})

export const aggregateJson = (trade: PublicTrade) => ({
  a: trade.tradeId,
  p: formatFixed(trade.price),
  q: formatFixed(trade.quantity),
  f: trade.tradeId,
  l: trade.tradeId,
  T: trade.tradedAt,
  m: trade.isBuyerMaker,
  M: true,
})

export const tradeJson = (trade: PublicTrade) => ({
  id: trade.tradeId,
  price: formatFixed(trade.price),
  qty: formatFixed(trade.quantity),
  quoteQty: formatFixed((trade.price * trade.quantity) / UNIT),
  time: trade.tradedAt,
  isBuyerMaker: trade.isBuyerMaker,
  isBestMatch: true,
})

export const candleJson = (candle: Candle) => [
  candle.openAt,
  formatFixed(candle.open),
  formatFixed(candle.high),
  formatFixed(candle.low),
  formatFixed(candle.close),
  formatFixed(candle.volume),
  candle.closeAt,
  formatFixed(candle.quoteVolume),
  candle.tradeCount,
  formatFixed(candle.takerBuyVolume),
  formatFixed(candle.takerBuyQuoteVolume),
  "0",
]

export const candleEvent = (symbol: string, interval: string, candle: Candle, isClosed: boolean, now: number) => ({
  e: "kline",
  E: now,
  s: symbol,
  k: {
    t: candle.openAt,
    T: candle.closeAt,
    s: symbol,
    i: interval,
    f: candle.firstTradeId,
    L: candle.lastTradeId,
    o: formatFixed(candle.open),
    c: formatFixed(candle.close),
    h: formatFixed(candle.high),
    l: formatFixed(candle.low),
    v: formatFixed(candle.volume),
    n: candle.tradeCount,
    x: isClosed,
    q: formatFixed(candle.quoteVolume),
    V: formatFixed(candle.takerBuyVolume),
    Q: formatFixed(candle.takerBuyQuoteVolume),
    B: "0",
  },
})

/** Three places, as Binance prints percentages; rounded towards zero. */
const percent = (change: bigint, open: bigint): string => {
  if (open === 0n) return "0.000"
  const thousandths = (change * 100_000n) / open
  const magnitude = thousandths < 0n ? -thousandths : thousandths
  return `${thousandths < 0n ? "-" : ""}${magnitude / 1000n}.${String(magnitude % 1000n).padStart(3, "0")}`
}
