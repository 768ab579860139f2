/** A token bucket: so many takings a second in the long run, so many at once. Time is given from outside, monotonic ms. */

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export class TokenBucket {
  private tokens: number
  private at: number

  constructor(
    readonly rate: Rate,
    now: number,
  ) {
    this.tokens = rate.burst
    this.at = now
  }

  /** Takes one token. The answer is 0, or in how many ms there will be one: nothing is taken then. */
  take(now: number): number {
    this.fill(now)
    if (this.tokens < 1) return Math.max(1, Math.ceil(((1 - this.tokens) / this.rate.perSecond) * 1_000))
    this.tokens -= 1
    return 0
  }

  /** Whole tokens that are left. */
  left(now: number): number {
    this.fill(now)
    return Math.floor(this.tokens)
  }

  private fill(now: number): void {
    const elapsed = Math.max(0, now - this.at)
    this.at = Math.max(this.at, now)
    this.tokens = Math.min(this.rate.burst, this.tokens + (elapsed * this.rate.perSecond) / 1_000)
  }
}
