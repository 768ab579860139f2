/** How often each user asks a dealer for quotes. Users who have not asked for a while are forgotten: a full bucket is like a new one. */
import type { UserId } from "../domain/ids.ts"
import { type Rate, TokenBucket } from "../domain/token-bucket.ts"

const KEPT_MIN = 1_000

export class UserRates {
  readonly #buckets = new Map<UserId, TokenBucket>()
  /** A sweep is due at this many: it doubles with those that cannot go, so that a request costs little on average. */
  #sweepAt = KEPT_MIN

  get size(): number {
    return this.#buckets.size
  }

  /** 0, or in how many ms the user may ask again. `now` is monotonic. */
  take(user: UserId, rate: Rate, now: number): number {
    let bucket = this.#buckets.get(user)
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(now)
      bucket = new TokenBucket(rate)
      this.#buckets.set(user, bucket)
    }
    return bucket.take(now)
  }

  #sweep(now: number): void {
    for (const [user, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(user)
    this.#sweepAt = Math.max(KEPT_MIN, 2 * this.#buckets.size)
  }
}
