/** A venue's clock, as far as it is known: its offset from ours, learnt from messages that carry their sending time. */
export class VenueClock {
  readonly #now: () => number
  #ahead = 0

  /** `now`: our wall clock, ms. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Ms since the Unix epoch. */
  now(): number {
    return this.#now() + this.#ahead
  }

  /** The venue's clock was `venueAt` at some moment between `from` and now, by our clock. */
  saw(venueAt: number, from: number): void {
    this.#ahead = Math.min(Math.max(this.#ahead, venueAt - this.#now()), venueAt - from)
  }
}
