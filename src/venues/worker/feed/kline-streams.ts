/** The streams of bars of one instance: which intervals there are, and what a frame says of them. */

import type { Bar } from "../../../domain/market/kline.ts"
import { barStart, isKlineInterval, type KlineInterval } from "../../../domain/market/kline.ts"
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { closedBars } from "./closed-bars.ts"
import type { Digits } from "./digits.ts"
import { KlineTap } from "./kline-tap.ts"

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
