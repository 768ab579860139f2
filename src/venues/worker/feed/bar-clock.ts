/**
 * The venue's clock for its bars. The measured one is late by the way of one answer, so that a bar that the stream has called closed would
 * still be open in the history read next: what the stream shows is a lower bound of it.
 */
import { barEnd, type KlineInterval } from "../../../domain/market/kline.ts"
import type { SeenBar } from "./kline-streams.ts"

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
