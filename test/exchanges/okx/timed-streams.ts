/** What leaves by the clock: tickers (as soon as somebody listens, then at every tick) and candles. */
import type { MarketView } from "../binance/market.ts"
import type { Arg, Channels } from "./channels.ts"
import { candleRow, intervalOf, tickerRow } from "./wire-public.ts"

export class TimedStreams {
  /** Open instant of the candle last sent, by channel and instrument. */
  readonly #lastSent = new Map<string, number>()

  constructor(
    readonly channels: Channels,
    readonly views: ReadonlyMap<string, MarketView>,
  ) {}

  tick(): void {
    const arg = (channel: string) => channel === "tickers" || channel.startsWith("candle")
    for (const listened of this.channels.listened(arg)) {
      for (const text of this.#messages(listened)) this.channels.publish(listened.channel, listened.instId ?? "", text)
    }
  }

  /** The first message of a new subscription, if there is anything to say. */
  first(arg: Arg): string | undefined {
    return this.#messages(arg).at(-1)
  }

  #messages(arg: Arg): ReadonlyArray<string> {
    const view = this.views.get(arg.instId ?? "")
    if (view?.tape.last === undefined) return []
    if (arg.channel === "tickers") return [JSON.stringify({ arg, data: [tickerRow(view)] })]
    if (!arg.channel.startsWith("candle")) return []
    const interval = intervalOf(arg.channel.slice("candle".length))
    return interval === undefined ? [] : this.#candles(arg, interval, view)
  }

  /** A candle that has ended is sent once more, confirmed, before its successor appears. */
  #candles(arg: Arg, interval: string, view: MarketView): ReadonlyArray<string> {
    const now = view.now()
    const candles = view.tape.candles(interval, now)
    const newest = candles.at(-1)
    if (newest === undefined) return []
    const key = `${arg.channel} ${arg.instId}`
    const previous = candles.at(-2)
    const ended = previous !== undefined && this.#lastSent.get(key) === previous.openAt ? [previous] : []
    this.#lastSent.set(key, newest.openAt)
    return [...ended, newest].map((candle) => JSON.stringify({ arg, data: [candleRow(candle, now)] }))
  }
}
