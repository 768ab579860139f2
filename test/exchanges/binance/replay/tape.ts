/**
 * What has been traded in one symbol: the last trades, candles of every Binance interval, the 24 hour figures.
 * Fed by the matching engine, or by the trade frames of a replayed capture. Fixed point throughout (fixed.ts).
 */
import { multiply } from "../fixed.ts"
import type { PublicTrade } from "../model.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Length of an interval in ms; a month has none (`1M` is cut at the calendar). */
const INTERVAL_MILLIS: ReadonlyMap<string, number> = new Map([
  ["1s", 1000],
  ["1m", MINUTE],
  ["3m", 3 * MINUTE],
  ["5m", 5 * MINUTE],
  ["15m", 15 * MINUTE],
  ["30m", 30 * MINUTE],
  ["1h", HOUR],
  ["2h", 2 * HOUR],
  ["4h", 4 * HOUR],
  ["6h", 6 * HOUR],
  ["8h", 8 * HOUR],
  ["12h", 12 * HOUR],
  ["1d", DAY],
  ["3d", 3 * DAY],
  ["1w", 7 * DAY],
])

/** The epoch was a Thursday; Binance's weeks open on Monday. */
const FIRST_MONDAY = 4 * DAY

const KEPT = 1000

export const isInterval = (interval: string): boolean => interval === "1M" || INTERVAL_MILLIS.has(interval)

/** Open and close instants (inclusive) of the candle that holds `at`. */
export const candlePeriod = (interval: string, at: number): { readonly openAt: number; readonly closeAt: number } => {
  const length = INTERVAL_MILLIS.get(interval)
  if (length === undefined) {
    const date = new Date(at)
    const month = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
    return { openAt: month(0), closeAt: month(1) - 1 }
  }
  const shift = interval === "1w" ? FIRST_MONDAY : 0
  const openAt = Math.floor((at - shift) / length) * length + shift
  return { openAt, closeAt: openAt + length - 1 }
}

export interface Candle {
  readonly openAt: number
  readonly closeAt: number
  readonly open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: bigint
  quoteVolume: bigint
  takerBuyVolume: bigint
  takerBuyQuoteVolume: bigint
  tradeCount: number
  /** -1 while the candle holds no trade, as Binance prints it. */
  firstTradeId: number
  lastTradeId: number
}

export class Tape {
  readonly trades: Array<PublicTrade> = []
  readonly #candles = new Map<string, Array<Candle>>([...INTERVAL_MILLIS.keys(), "1M"].map((name) => [name, []]))

  get last(): PublicTrade | undefined {
    return this.trades.at(-1)
  }

  add(trade: PublicTrade): void {
    this.trades.push(trade)
    if (this.trades.length > KEPT) this.trades.shift()
    const cost = multiply(trade.price, trade.quantity)
    for (const [interval, candles] of this.#candles) {
      const candle = this.#openCandle(candles, interval, trade.tradedAt, trade.price)
      if (trade.price > candle.high) candle.high = trade.price
      if (trade.price < candle.low) candle.low = trade.price
      candle.close = trade.price
      candle.volume += trade.quantity
      candle.quoteVolume += cost
      if (!trade.isBuyerMaker) {
        candle.takerBuyVolume += trade.quantity
        candle.takerBuyQuoteVolume += cost
      }
      if (candle.tradeCount === 0) candle.firstTradeId = trade.tradeId
      candle.tradeCount += 1
      candle.lastTradeId = trade.tradeId
    }
  }

  /** The candles of an interval, oldest first, without holes; the newest one holds `now`, empty if nothing traded in it yet. */
  candles(interval: string, now: number): ReadonlyArray<Candle> {
    const traded = this.#candles.get(interval) ?? []
    // After a pause that is longer than the memory only the last of it counts.
    const remembered = now - KEPT * (INTERVAL_MILLIS.get(interval) ?? 31 * DAY)
    const whole: Array<Candle> = []
    for (const [at, candle] of traded.entries()) {
      if (candle.closeAt >= remembered) whole.push(candle)
      const next = traded[at + 1]?.openAt ?? now + 1
      for (
        let from = Math.max(candle.closeAt + 1, remembered);
        from < next;
        from = candlePeriod(interval, from).closeAt + 1
      )
        whole.push(flat(candlePeriod(interval, from), candle.close))
    }
    return whole.slice(-KEPT)
  }

  /** The last 24 hours, to the hour. */
  day(now: number) {
    const hours = this.candles("1h", now).filter((candle) => candle.closeAt > now - DAY)
    const withTrades = hours.filter((candle) => candle.tradeCount > 0)
    const close = hours.at(-1)?.close ?? 0n
    return {
      openAt: now - DAY,
      closeAt: now,
      open: hours[0]?.open ?? 0n,
      high: hours.reduce((high, candle) => (candle.high > high ? candle.high : high), hours[0]?.high ?? 0n),
      low: hours.reduce((low, candle) => (candle.low < low ? candle.low : low), hours[0]?.low ?? 0n),
      close,
      volume: hours.reduce((sum, candle) => sum + candle.volume, 0n),
      quoteVolume: hours.reduce((sum, candle) => sum + candle.quoteVolume, 0n),
      tradeCount: hours.reduce((sum, candle) => sum + candle.tradeCount, 0),
      firstTradeId: withTrades[0]?.firstTradeId ?? -1,
      lastTradeId: withTrades.at(-1)?.lastTradeId ?? -1,
    }
  }

  #openCandle(candles: Array<Candle>, interval: string, at: number, price: bigint): Candle {
    const newest = candles.at(-1)
    if (newest !== undefined && at <= newest.closeAt) return newest
    const candle = flat(candlePeriod(interval, at), price)
    candles.push(candle)
    if (candles.length > KEPT) candles.shift()
    return candle
  }
}

/** Binance goes on at the last price when nobody trades. */
const flat = (period: { readonly openAt: number; readonly closeAt: number }, price: bigint): Candle => ({
  ...period,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 0n,
  quoteVolume: 0n,
  takerBuyVolume: 0n,
  takerBuyQuoteVolume: 0n,
  tradeCount: 0,
  firstTradeId: -1,
  lastTradeId: -1,
})
