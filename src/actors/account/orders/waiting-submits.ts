/**
 * Submits that wait before there is an order of them: for their dealer, whose keys and quotes are kept here, or for their user's share of the
 * way to the store. The one thing to know: whatever is asked of an order by its name, or of all orders, must meet those that wait too. They go
 * on at once then, and are found: a cancel that passed by one would be answered, and the order would leave for the venue after it.
 */
import type { UserId } from "../../../domain/ids.ts"
import type { SubmitRequest } from "../../../domain/order/submit-request.ts"
import { LeanMap, LeanSet } from "../../../foundation/lean.ts"
import type { Rate } from "../../../foundation/token-bucket.ts"

// A user's share of the way to the store: so many submits of one user are being stored at a time, over all accounts; the others wait here,
// first in, first out. A burst of one user, which its limits allow, then delays the orders of other users by a few of its own and not by
// all of them: their p99 in a storm is 40 to 73 ms with four at a time, 54 to 147 with eight (`torture -- fairness`, two idle cores).

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

// Submits of type QUOTED that wait for their dealer: there is no order of them yet, so their keys and their quotes are kept here. A second
// submit under one of the keys waits until the first is decided.

type Keys = Pick<SubmitRequest, "idempotencyKey" | "clientOrderId">

/** One text may be both. */
const keysOf = ({ idempotencyKey, clientOrderId }: Keys): ReadonlyArray<string> => [
  ...new Set([idempotencyKey, clientOrderId].filter((it) => it !== null && it !== undefined)),
]

/** Behind one key. Each that begins anew asks the store, and those behind it wait again. */
const WAITING_MAX = 32

export class Quoting {
  readonly #waiting = new LeanMap<string, Array<() => void>>()

  get isIdle(): boolean {
    return this.#waiting.size === 0
  }

  /** `waits`: `run` is called once the submit that goes before it is decided. `full`: too many wait for that already. */
  holdUp(keys: Keys, run: () => void): "free" | "waits" | "full" {
    for (const key of keysOf(keys)) {
      const queue = this.#waiting.get(key)
      if (queue === undefined) continue
      if (queue.length >= WAITING_MAX) return "full"
      queue.push(run)
      return "waits"
    }
    return "free"
  }

  /** The answer ends it. */
  begin(keys: Keys): () => void {
    const own = keysOf(keys)
    for (const key of own) this.#waiting.set(key, [])
    return () => {
      const held = own.map((key) => this.#waiting.get(key) ?? [])
      for (const key of own) this.#waiting.delete(key)
      for (const run of held.flat()) run()
    }
  }
}

export interface WaitingSubmit {
  readonly request: Pick<SubmitRequest, "clientOrderId">
  readonly goOn: () => void
}

export class WaitingSubmits {
  private readonly waiting = new LeanSet<WaitingSubmit>()

  add(one: WaitingSubmit): void {
    this.waiting.add(one)
  }

  /** False: it does not wait any more. */
  remove(one: WaitingSubmit): boolean {
    return this.waiting.delete(one)
  }

  /** In a turn. The gateway's own id of an order is made when it goes on: no client knows it before. */
  hastenNamed(clientOrderId: string): void {
    this.hasten(({ request }) => request.clientOrderId === clientOrderId)
  }

  /** In a turn. */
  hastenAll(): void {
    this.hasten(() => true)
  }

  private hasten(isMeant: (one: WaitingSubmit) => boolean): void {
    if (this.waiting.size === 0) return
    for (const one of [...this.waiting]) if (isMeant(one)) one.goOn()
  }
}
