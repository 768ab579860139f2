/**
 * Sees every state of every bar that a stream shows: connectors append each to `ohlcvs[symbol][timeframe]` while the loop around
 * `watchOHLCV` only meets the newest. What one venue frame brought of one series is handed on together, in the order of time.
 */
import type { Bar } from "../../../domain/market/kline.ts"
import { tapCache } from "../exchange/cache-tap.ts"
import type { CcxtCandle, CcxtCandleCache, CcxtExchange } from "../exchange/ccxt.ts"
import type { Digits } from "./digits.ts"

export type SeenBars = (symbol: string, timeframe: string, bars: ReadonlyArray<Bar>) => void

export class KlineTap {
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
