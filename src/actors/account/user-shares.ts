/**
 * A user's share of the way to the store: so many submits of one user are being stored at a time, over all accounts; the others wait here,
 * first in, first out. A burst of one user, which its limits allow, then delays the orders of other users by a few of its own and not by
 * all of them: behind 200 at once those of others took 79 ms at p50, behind eight at a time 22 to 40, behind four about 25 (`torture -- fairness`, two
 * idle cores).
 */
import type { UserId } from "../../domain/ids.ts"
import type { Rate } from "../../foundation/token-bucket.ts"

/** With a commit of 5 ms 800 orders a second. */
const AT_ONCE_MIN = 4
/** Where limits are raised: what a user may send in so long, which is two slow commits. */
const AT_ONCE_MILLIS = 20

export const storedAtOnce = ({ perSecond }: Rate): number =>
  Math.max(AT_ONCE_MIN, Math.ceil((perSecond * AT_ONCE_MILLIS) / 1_000))

interface Share {
  storing: number
  readonly waiting: Array<() => void>
}

export class UserShares {
  /** Of users with something on its way. */
  private readonly shares = new Map<UserId, Share>()

  constructor(private readonly most: number) {}

  isUsedUp(user: UserId): boolean {
    return (this.shares.get(user)?.storing ?? 0) >= this.most
  }

  /** `run` is called when there is room again. */
  wait(user: UserId, run: () => void): void {
    this.shares.get(user)?.waiting.push(run)
  }

  /** One more is being stored. The answer is called once, when that has an outcome. */
  enter(user: UserId): () => void {
    const share = this.shares.get(user) ?? { storing: 0, waiting: [] }
    this.shares.set(user, share)
    share.storing++
    return () => {
      share.storing--
      // One that is refused, or whose actor is gone, has stored nothing: the next one is due.
      while (share.storing < this.most && share.waiting.length > 0) share.waiting.shift()?.()
      if (share.storing === 0 && share.waiting.length === 0 && this.shares.get(user) === share) this.shares.delete(user)
    }
  }
}
