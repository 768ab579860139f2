/**
 * The streams Binance sends by the clock: kline_*, ticker and miniTicker, one second apart.
 * A candle that has ended is sent once more with `x: true` before its successor appears.
 */
import type { MarketView } from "../market.ts"
import type { Candle } from "../replay/tape.ts"
import { isInterval } from "../replay/tape.ts"
import type { StreamHub } from "./stream-hub.ts"
import { candleEvent, miniTickerEvent, tickerEvent } from "./wire-public.ts"

export class TimedStreams {
  /** Open instant of the candle last sent, by stream. */
  readonly #lastSent = new Map<string, number>()

  constructor(
    readonly hub: StreamHub,
    readonly views: ReadonlyMap<string, MarketView>,
  ) {}

  tick(): void {
    // Whoever subscribes later gets nothing of what ended before.
    for (const stream of this.#lastSent.keys()) if (!this.hub.has(stream)) this.#lastSent.delete(stream)
    for (const stream of this.hub.streams) {
      const [name = "", kind = ""] = stream.split("@")
      const view = this.views.get(name.toUpperCase())
      if (view?.tape.last === undefined) continue
      if (kind === "ticker") this.hub.publish(stream, JSON.stringify(tickerEvent(view)))
      else if (kind === "miniTicker") this.hub.publish(stream, JSON.stringify(miniTickerEvent(view)))
      else if (kind.startsWith("kline_")) this.#candles(stream, kind.slice("kline_".length), view)
    }
  }

  #candles(stream: string, interval: string, view: MarketView): void {
    if (!isInterval(interval)) return
    const candles = view.tape.candles(interval, view.now())
    const newest = candles.at(-1)
    if (newest === undefined) return
    const since = this.#lastSent.get(stream) ?? newest.openAt
    // A late tick leaves none out.
    for (const ended of candles.filter(({ openAt }) => openAt >= since && openAt < newest.openAt))
      this.#send(stream, interval, view, ended, true)
    this.#send(stream, interval, view, newest, false)
    this.#lastSent.set(stream, newest.openAt)
  }

  #send(stream: string, interval: string, view: MarketView, candle: Candle, isClosed: boolean): void {
    this.hub.publish(stream, JSON.stringify(candleEvent(view.rules.symbol, interval, candle, isClosed, view.now())))
  }
}
