/** A token bucket: so many takings a second in the long run, so many at once. Time is given from outside, monotonic ms. */

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export class TokenBucket {
  /** When it is full again. */
  private fullAt = 0
  private readonly millisEach: number

  constructor(readonly rate: Rate) {
    this.millisEach = 1_000 / rate.perSecond
  }

  isFull(now: number): boolean {
    return this.fullAt <= now
  }

  /** Takes one token. The answer is 0, or in how many ms there will be one: nothing is taken then. */
  take(now: number): number {
    const missing = Math.max(0, this.fullAt - now)
    const wait = missing - (this.rate.burst - 1) * this.millisEach
    // A clock of whole ms and a third of one: less than that is no wait.
    if (wait > 1e-6) return Math.ceil(wait)
    this.fullAt = now + missing + this.millisEach
    return 0
  }
}
