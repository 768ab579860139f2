/** A token bucket: a sustained rate per second and a burst; and buckets by name. Time is given from outside, in monotonic ms. */

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export const perMinute = (count: number, burst = count): Rate => ({ perSecond: count / 60, burst })
export const perHour = (count: number, burst = count): Rate => ({ perSecond: count / 3_600, burst })

/** A rate in whole tokens: so many in so many seconds. */
interface Sustained {
  readonly limit: number
  readonly windowSeconds: number
}

/** A second, a minute or an hour, whichever is the shortest that has whole tokens; else as long as one takes. */
export const sustained = ({ perSecond }: Rate): Sustained => {
  for (const windowSeconds of [1, 60, 3_600]) {
    const limit = Math.round(perSecond * windowSeconds)
    if (limit >= 1 && Math.abs(perSecond * windowSeconds - limit) < 1e-6) return { limit, windowSeconds }
  }
  return perSecond < 1
    ? { limit: 1, windowSeconds: Math.ceil(1 / perSecond) }
    : { limit: Math.floor(perSecond), windowSeconds: 1 }
}

/** What a caller may know of a bucket. */
interface BucketState extends Sustained {
  /** Tokens of a full one. */
  readonly burst: number
  readonly remaining: number
  /** Until it is full again. */
  readonly resetMs: number
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

  /** Takes so many tokens. The answer is 0, or in how many ms there will be as many: nothing is taken then. */
  take(now: number, tokens = 1): number {
    const missing = Math.max(0, this.fullAt - now)
    // What is dearer than a full bucket takes all of it.
    const count = Math.min(tokens, this.rate.burst)
    const wait = missing - (this.rate.burst - count) * this.millisEach
    // A clock of whole ms and a third of one: less than that is no wait.
    if (wait > 1e-6) return Math.ceil(wait)
    this.fullAt = now + missing + count * this.millisEach
    return 0
  }

  /** What was taken for nothing. */
  giveBack(now: number, tokens = 1): void {
    this.fullAt = Math.max(now, this.fullAt - tokens * this.millisEach)
  }

  /** Whole tokens that could be taken now. */
  remaining(now: number): number {
    const missing = Math.max(0, this.fullAt - now)
    return Math.max(0, Math.floor(this.rate.burst - missing / this.millisEach + 1e-6))
  }

  resetMillis(now: number): number {
    return Math.max(0, Math.ceil(this.fullAt - now))
  }

  state(now: number): BucketState {
    const { burst } = this.rate
    return { ...sustained(this.rate), burst, remaining: this.remaining(now), resetMs: this.resetMillis(now) }
  }
}

// Buckets by name: of users, addresses, sessions. Those that are full are like new ones and go; and a client that comes under ever new names
// finds a limit: past `max` of them the oldest go too, so that the memory of all is bounded.

const SWEEP_MIN = 1_000
const KEPT_MAX = 50_000

export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>()
  /** A sweep is due at this many: it doubles with those that cannot go, so that a request costs little on average. */
  private sweepAt: number

  constructor(
    readonly rate: Rate,
    private readonly max = KEPT_MAX,
  ) {
    this.sweepAt = Math.min(SWEEP_MIN, max)
  }

  get size(): number {
    return this.buckets.size
  }

  /** Made where there is none. */
  of(name: string, now: number): TokenBucket {
    const known = this.buckets.get(name)
    if (known !== undefined) return known
    if (this.buckets.size >= this.sweepAt) this.sweep(now)
    const made = new TokenBucket(this.rate)
    this.buckets.set(name, made)
    return made
  }

  /** Undefined: like a full one. */
  find(name: string): TokenBucket | undefined {
    return this.buckets.get(name)
  }

  private sweep(now: number): void {
    for (const [name, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(name)
    // Oldest first: a map keeps the order in which names came.
    let surplus = this.buckets.size - Math.floor(this.max * 0.75)
    if (surplus > 0)
      for (const name of this.buckets.keys()) {
        if (surplus-- <= 0) break
        this.buckets.delete(name)
      }
    this.sweepAt = Math.min(this.max, Math.max(SWEEP_MIN, 2 * this.buckets.size))
  }
}
