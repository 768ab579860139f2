/**
 * Buckets by name: of users, addresses, sessions. Those that are full are like new ones and go; and whoever comes under ever new names
 * finds a limit: past `max` of them the oldest go too, so that the memory of all is bounded.
 */
import { type Rate, TokenBucket } from "./token-bucket.ts"

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
