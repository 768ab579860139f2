/** Rate limit of one client's commands: past its bucket they are refused (111), and a client that continues is disconnected. */
import { type Rate, TokenBucket } from "../../foundation/token-bucket.ts"

export class CommandRate {
  private readonly commands: TokenBucket
  /** As many refusals: a client that never backs off costs as much as one that is served. */
  private readonly refusals: TokenBucket

  constructor(
    rate: Rate,
    /** Monotonic ms. */
    private readonly now: () => number,
  ) {
    this.commands = new TokenBucket(rate)
    this.refusals = new TokenBucket(rate)
  }

  /** Of one more command. */
  judge(): "within" | "refused" | "too many" {
    const now = this.now()
    if (this.commands.take(now) === 0) return "within"
    return this.refusals.take(now) === 0 ? "refused" : "too many"
  }
}
