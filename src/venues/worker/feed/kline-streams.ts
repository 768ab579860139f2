/**
 * The bar streams of one instance: the available intervals, every state of every bar in a frame, which of them it marks as closed, and the
 * venue's clock for them.
 */
import { type Bar, barEnd, barStart, isKlineInterval, type KlineInterval } from "../../../domain/market/kline.ts"
import { tapCache } from "../exchange/cache-tap.ts"
import type { CcxtCandle, CcxtCandleCache, CcxtExchange } from "../exchange/ccxt.ts"
import type { Digits } from "./digits.ts"

// Which bars a raw message calls closed: venues say so in their streams, and ccxt leaves it out. By ccxt exchange id.

type Fields = Readonly<Record<string, unknown>>
type Reader = (message: Fields) => ReadonlyArray<number>

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const rows = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const READERS: Readonly<Record<string, Reader>> = {
  // developers.binance.com, WebSocket streams: `k.x`, "Is this kline closed?"
  binance: (message) => {
    const { e: event, k: kline } = message["data"] === undefined ? message : fields(message["data"])
    if (event !== "kline") return []
    const { t: openAt, x: isClosed } = fields(kline)
    return isClosed === true ? [Number(openAt)] : []
  },
  // bybit-exchange.github.io, v5 public kline: `confirm`.
  bybit: ({ topic, data }) =>
    typeof topic === "string" && topic.startsWith("kline.")
      ? rows(data).flatMap((row) => (fields(row)["confirm"] === true ? [Number(fields(row)["start"])] : []))
      : [],
  // okx.com, candlesticks channel: the ninth field, `confirm`.
  okx: ({ arg, data }) =>
    String(fields(arg)["channel"]).startsWith("candle")
      ? rows(data).flatMap((row) => (rows(row)[8] === "1" ? [Number(rows(row)[0])] : []))
      : [],
}

/** Open times; none where the venue does not say. */
const closedBars = (exchange: string, message: unknown): ReadonlyArray<number> =>
  READERS[exchange]?.(fields(message)) ?? []

// Sees every state of every bar that a stream shows: connectors append each to `ohlcvs[symbol][timeframe]` while the loop around
// `watchOHLCV` only meets the newest. What one venue frame brought of one series is handed on together, in the order of time.

type SeenBars = (symbol: string, timeframe: string, bars: ReadonlyArray<Bar>) => void

class KlineTap {
  readonly #digits: Digits
  readonly #emit: SeenBars
  readonly #watched = new WeakSet<object>()
  /** By symbol and timeframe. */
  #gathered = new Map<string, { readonly symbol: string; readonly timeframe: string; readonly bars: Array<Bar> }>()
  #inFrame = false

  constructor(digits: Digits, emit: SeenBars) {
    this.#digits = digits
    this.#emit = emit
  }

  /** In place, before the instance keeps its first bar. */
  install(exchange: CcxtExchange): void {
    exchange.ohlcvs = new Proxy(exchange.ohlcvs, {
      set: (all, symbol, caches: Record<string, CcxtCandleCache>) =>
        Reflect.set(all, symbol, this.#watch(String(symbol), caches)),
    })
  }

  frameStarts(): void {
    this.#inFrame = true
  }

  frameEnds(): void {
    this.#inFrame = false
    if (this.#gathered.size === 0) return
    const gathered = this.#gathered
    this.#gathered = new Map()
    for (const { symbol, timeframe, bars } of gathered.values())
      this.#emit(
        symbol,
        timeframe,
        bars.sort((a, b) => a.openAt - b.openAt),
      )
  }

  #watch(symbol: string, caches: Record<string, CcxtCandleCache>): Record<string, CcxtCandleCache> {
    // Connectors put the same object back before each bar.
    if (this.#watched.has(caches)) return caches
    const watched = new Proxy(caches, {
      set: (own, timeframe, cache: CcxtCandleCache) => {
        this.#tap(symbol, String(timeframe), cache)
        return Reflect.set(own, timeframe, cache)
      },
    })
    this.#watched.add(watched)
    for (const [timeframe, cache] of Object.entries(caches)) this.#tap(symbol, timeframe, cache)
    return watched
  }

  #tap(symbol: string, timeframe: string, cache: CcxtCandleCache): void {
    if (this.#watched.has(cache)) return
    this.#watched.add(cache)
    for (const candle of cache) this.#onCandle(symbol, timeframe, candle)
    tapCache({ cache }, "cache", (candle) => this.#onCandle(symbol, timeframe, candle))
  }

  #onCandle(symbol: string, timeframe: string, candle: CcxtCandle): void {
    const bar = this.#digits.bar(candle)
    if (bar === null) return
    if (!this.#inFrame) return this.#emit(symbol, timeframe, [bar])
    const key = `${symbol} ${timeframe}`
    const kept = this.#gathered.get(key)
    if (kept === undefined) this.#gathered.set(key, { symbol, timeframe, bars: [bar] })
    else kept.bars.push(bar)
  }
}

export interface SeenBar {
  readonly bar: Bar
  /** The venue called it closed. */
  readonly isFinal: boolean
}

export class KlineStreams {
  readonly #exchange: CcxtExchange
  readonly #tap: KlineTap
  /** Intervals that ccxt cannot stream here after all, or whose bars lie beside the grid. */
  readonly #refused = new Set<KlineInterval>()
  #closed: ReadonlyArray<number> = []

  constructor(
    exchange: CcxtExchange,
    digits: Digits,
    onBars: (symbol: string, interval: KlineInterval, bars: ReadonlyArray<SeenBar>) => void,
  ) {
    this.#exchange = exchange
    this.#tap = new KlineTap(digits, (symbol, timeframe, bars) => {
      if (!isKlineInterval(timeframe) || this.#refused.has(timeframe)) return
      if (bars.some(({ openAt }) => barStart(timeframe, openAt) !== openAt)) this.#refused.add(timeframe)
      onBars(
        symbol,
        timeframe,
        bars.map((bar) => ({ bar, isFinal: this.#closed.includes(bar.openAt) })),
      )
    })
  }

  install(): void {
    this.#tap.install(this.#exchange)
  }

  frameStarts(message: unknown): void {
    this.#closed = closedBars(this.#exchange.id, message)
    this.#tap.frameStarts()
  }

  frameEnds(): void {
    this.#tap.frameEnds()
    this.#closed = []
  }

  has(interval: KlineInterval): boolean {
    const { has, timeframes } = this.#exchange
    return has["watchOHLCV"] === true && timeframes?.[interval] !== undefined && !this.#refused.has(interval)
  }

  refuse(interval: KlineInterval): void {
    this.#refused.add(interval)
  }

  async watch(symbol: string, interval: KlineInterval): Promise<void> {
    await this.#exchange.watchOHLCV(symbol, interval)
  }

  async unwatch(symbol: string, interval: KlineInterval): Promise<void> {
    if (this.#exchange.has["unWatchOHLCV"] === true) await this.#exchange.unWatchOHLCV(symbol, interval)
  }
}

// The venue's clock for its bars. The measured one is late by the way of one answer, so that a bar that the stream has called closed would
// still be open in the history read next: what the stream shows is a lower bound of it.

/** A bar so far ahead of the measured clock says nothing: no answer travels that long. */
const AHEAD_MAX_MILLIS = 10_000

export class BarClock {
  readonly #measured: () => number
  #shownAt = 0

  /** `measured`: the venue's clock as it was measured, ms. */
  constructor(measured: () => number) {
    this.#measured = measured
  }

  /** Ms since the Unix epoch. */
  now(): number {
    return Math.max(this.#measured(), this.#shownAt)
  }

  /** The stream shows a bar: it has begun, and a final one is over. */
  saw(interval: KlineInterval, { bar, isFinal }: SeenBar): void {
    const at = isFinal ? barEnd(interval, bar.openAt) : bar.openAt
    if (at <= this.#measured() + AHEAD_MAX_MILLIS) this.#shownAt = Math.max(this.#shownAt, at)
  }
}
