/**
 * A venue's request budget for one address or account, in ccxt's units of cost: over a rolling window, or as a counter that runs off evenly. The
 * most urgent request goes first: cancel, the query about a doubtful order, submit, market data, the opening of an account, audit. Less urgent ones
 * leave room for the others and wait; audits get a quarter at most (order-path 7). After 429 or 418 the venue gets no requests for as long as it
 * demands.
 */
import { type BudgetLoad, PURPOSES, type Purpose } from "../../../ports/venue-stats.ts"
import { TooLate, WITHDRAWN } from "../exchange/errors.ts"

/** The share of the budget up to which requests of a kind may fill it. */
const CEILINGS: Readonly<Record<Purpose, number>> = {
  cancel: 1,
  doubt: 0.97,
  submit: 0.95,
  market: 0.65,
  opening: 0.85,
  audit: 0.85,
}
/** Of market data beside accounts that open: a thousand of them fill the budget for minutes. */
const CEILING_BESIDE_OPENINGS = 0.9
/** Of market data while there are no accounts to leave room for. */
const CEILING_ALONE = 0.95
const AUDITS_SHARE = 0.25
/** Of questions about orders in doubt while an account opens: they are repeated until the venue's word comes, and it waits for all of them otherwise. */
const DOUBTS_SHARE_BESIDE_OPENINGS = 0.5
/**
 * Of the budget of an address: so far go the orders, and the cancels, of an account that has had more than an equal part of what the accounts have taken
 * in the window. The rest is for those that have had less: one that storms does not hold back the cancels of another.
 */
const CEILINGS_BEYOND_PART: Readonly<Partial<Record<Purpose, number>>> = { cancel: 0.9, submit: 0.75 }
/** What sums of floats are wrong by, and more. */
const NOTHING = 1e-6
/** When the venue says none itself. */
const PAUSE_BANNED_MILLIS = 120_000

export interface BudgetLimits {
  /** Units of cost in a window. */
  readonly capacity: number
  readonly windowMillis: number
  /** What was spent runs off evenly, all of the capacity in a window; otherwise it counts in full until a window has passed. */
  readonly runsOff?: boolean
  /** What audits may take up of it; a quarter when absent. */
  readonly auditsShare?: number
  /** After an answer 429 that names no time of its own. */
  readonly limitedMillis: number
}

/** Who takes: one account of several. */
export type Owner = object

interface TakeOptions {
  readonly owner?: Owner | null
  readonly withdrawn?: AbortSignal | undefined
}

const EXHAUSTED = "the venue's request budget was exhausted until the request's deadline"

interface Waiting {
  readonly cost: number
  readonly purpose: Purpose
  readonly owner: Owner | null
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout | undefined
}

interface Spent {
  readonly at: number
  readonly purpose: Purpose | null
  readonly owner: Owner | null
  /** What still counts of it. */
  cost: number
}

/** What was counted for one request, and for no other that is like it. */
export type Taken = ReadonlyArray<Spent>

const byPurpose = <A>(make: (purpose: Purpose) => A): Record<Purpose, A> =>
  Object.fromEntries(PURPOSES.map((purpose) => [purpose, make(purpose)])) as Record<Purpose, A>

export class RateBudget {
  readonly #limits: BudgetLimits
  readonly #monotonic: () => number
  readonly #queues = byPurpose((): Array<Waiting> => [])
  readonly #sent = byPurpose(() => 0)
  readonly #answers = { ok: 0, limited: 0, refused: 0, failed: 0 }
  #spent: Array<Spent> = []
  #used = 0
  /** Of that, by purpose. */
  #usedFor = byPurpose(() => 0)
  /** Of that, by account. */
  readonly #usedBy = new Map<Owner, number>()
  #share = 1
  #pausedUntil = 0
  #accounts = 0
  #countedAt: number
  #timer: NodeJS.Timeout | undefined

  constructor(limits: BudgetLimits, monotonic: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonic = monotonic
    this.#countedAt = monotonic()
  }

  /** So many share the venue's budget for this address. */
  share(of: number): void {
    this.#share = of
    this.#admit()
  }

  /** So many accounts trade here, for which room is kept. */
  keepRoom(accounts: number): void {
    this.#accounts = accounts
    this.#admit()
  }

  /**
   * Resolves when the request may leave; rejects with TooLate when it could not within `waitMillis` (null: waits for ever), or was withdrawn
   * first. It leaves with `left`, or never, with `giveBack`.
   */
  take(
    cost: number,
    purpose: Purpose,
    waitMillis: number | null,
    { owner = null, withdrawn }: TakeOptions = {},
  ): Promise<Taken> {
    if (withdrawn?.aborted === true) return Promise.reject(new TooLate(WITHDRAWN))
    // What the venue does not count (orders, at Kraken) waits for nothing that it does.
    if (cost === 0 && this.#pausedUntil <= this.#monotonic()) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const timer =
        waitMillis === null ? undefined : setTimeout(() => this.#giveUp(waiting, EXHAUSTED), Math.max(0, waitMillis))
      const waiting: Waiting = { cost, purpose, owner, resolve, reject, timer }
      this.#queues[purpose].push(waiting)
      this.#admit()
      if (withdrawn !== undefined && this.#queues[purpose].includes(waiting))
        withdrawn.addEventListener("abort", () => this.#giveUp(waiting, WITHDRAWN), { once: true })
    })
  }

  /** Of what was taken, once. */
  left(purpose: Purpose): void {
    this.#sent[purpose] += 1
  }

  /** What was taken for a request that never leaves; what has run off meanwhile is free already. */
  giveBack(taken: Taken): void {
    this.#expire()
    const given = taken.filter((spent) => this.#spent.includes(spent))
    if (given.length === 0) return
    this.#spent = this.#spent.filter((spent) => !given.includes(spent))
    for (const spent of given) this.#uncount(spent, spent.cost)
    this.#admit()
  }

  /**
   * An answer came. `retryAfterMillis`: what it asks for; null where it does not say. `isStop`: it wants fewer requests, whatever its
   * status. Answers the pause that it calls for, in ms.
   */
  answered(status: number, retryAfterMillis: number | null, isStop = status === 418 || status === 429): number {
    this.#answers[isStop ? "limited" : status < 400 ? "ok" : status < 500 ? "refused" : "failed"] += 1
    if (!isStop) return 0
    const { limitedMillis } = this.#limits
    return Math.max(1, retryAfterMillis ?? (status === 418 ? PAUSE_BANNED_MILLIS : limitedMillis))
  }

  /** Nothing leaves for so long. */
  pause(millis: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#monotonic() + millis)
    this.#admit()
  }

  /** The venue's own count, as a share of its limit. Others may use the same address: what we did not spend is theirs. */
  observe(used: number): void {
    this.#expire()
    const foreign = used * this.#limits.capacity - this.#used * this.#share
    if (foreign > 0) this.#spend(foreign / this.#share, null)
  }

  isQueueing(purpose: Purpose): boolean {
    return this.#queues[purpose].length > 0
  }

  /** Nothing waits, nothing counts any more, and it is not held: a new one would do the same. */
  isIdle(): boolean {
    this.#expire()
    const isHeld = this.#pausedUntil > this.#monotonic()
    return !isHeld && this.#used === 0 && PURPOSES.every((purpose) => this.#queues[purpose].length === 0)
  }

  load(): BudgetLoad {
    this.#expire()
    const capacity = this.#capacity()
    return {
      capacity,
      used: this.#used / capacity,
      audits: this.#usedFor.audit / (capacity * this.#auditsShare()),
      waiting: byPurpose((purpose) => this.#queues[purpose].length),
      sent: { ...this.#sent },
      answers: { ...this.#answers },
      pausedMillis: Math.max(0, Math.ceil(this.#pausedUntil - this.#monotonic())),
    }
  }

  /** All waiting requests are rejected with this. */
  close(): void {
    clearTimeout(this.#timer)
    for (const purpose of PURPOSES)
      for (const { timer, reject } of this.#queues[purpose].splice(0)) {
        clearTimeout(timer)
        reject(new TooLate("the connector is stopping"))
      }
  }

  #capacity(): number {
    return this.#limits.capacity / this.#share
  }

  #auditsShare(): number {
    return this.#limits.auditsShare ?? AUDITS_SHARE
  }

  #ceiling(purpose: Purpose): number {
    return purpose === "market" && this.#accounts === 0 ? CEILING_ALONE : CEILINGS[purpose]
  }

  #giveUp(waiting: Waiting, why: string): void {
    const queue = this.#queues[waiting.purpose]
    const at = queue.indexOf(waiting)
    if (at < 0) return
    queue.splice(at, 1)
    clearTimeout(waiting.timer)
    waiting.reject(new TooLate(why))
    this.#admit()
  }

  #admit(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#expire()
    let soonest = Number.POSITIVE_INFINITY
    const holdsDoubts = this.#holdsDoubts()
    for (const purpose of PURPOSES) {
      if (purpose === "doubt" && holdsDoubts) continue
      const queue = this.#queues[purpose]
      for (let head = this.#nextIn(purpose); head !== undefined; head = this.#nextIn(purpose)) {
        const waitMillis = this.#waitMillis(head, purpose)
        if (waitMillis > 0) {
          soonest = Math.min(soonest, waitMillis)
          // Nothing overtakes a more urgent request. Market data is held back for the sake of the others, audits among them; and so is who has had
          // more than its part.
          if (purpose === "market" || this.#isBeyondPart(head, purpose)) break
          this.#timer = setTimeout(() => this.#admit(), soonest)
          return
        }
        queue.splice(queue.indexOf(head), 1)
        clearTimeout(head.timer)
        head.resolve(this.#spend(head.cost, purpose, head.owner))
      }
    }
    if (holdsDoubts && this.isQueueing("doubt") && !this.#holdsDoubts()) return this.#admit()
    if (soonest < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#admit(), soonest)
  }

  #holdsDoubts(): boolean {
    return this.isQueueing("opening") && this.#usedFor.doubt >= this.#capacity() * DOUBTS_SHARE_BESIDE_OPENINGS
  }

  /** The oldest one; where one account's turns are not to hold back another's, of the account that has taken the least. */
  #nextIn(purpose: Purpose): Waiting | undefined {
    const queue = this.#queues[purpose]
    let next = queue[0]
    if (this.#accounts < 2 || CEILINGS_BEYOND_PART[purpose] === undefined) return next
    for (const waiting of queue) if (this.#takenBy(waiting) < this.#takenBy(next!)) next = waiting
    return next
  }

  #takenBy({ owner }: Pick<Waiting, "owner">): number {
    return owner === null ? 0 : (this.#usedBy.get(owner) ?? 0)
  }

  /** The budget is so full that what is left is for accounts that have had less. */
  #isBeyondPart({ cost, owner }: Waiting, purpose: Purpose): boolean {
    const ceiling = CEILINGS_BEYOND_PART[purpose]
    if (ceiling === undefined || owner === null) return false
    const capacity = this.#capacity()
    if (this.#accounts < 2 || this.#used + cost <= capacity * ceiling) return false
    // One that has taken nothing yet has a part, too.
    const parts = this.#usedBy.size + (this.#usedBy.has(owner) ? 1 : 2)
    return this.#takenBy({ owner }) + cost > capacity / parts
  }

  #hasRoom(waiting: Waiting, purpose: Purpose): boolean {
    if (this.#used === 0) return true
    if (this.#isBeyondPart(waiting, purpose)) return false
    const capacity = this.#capacity()
    const wanted = this.#used + waiting.cost
    if (wanted <= capacity * this.#ceiling(purpose)) return true
    const isBeside = purpose === "market" && wanted <= capacity * CEILING_BESIDE_OPENINGS
    return isBeside && wanted - this.#usedFor.opening <= capacity * this.#ceiling(purpose)
  }

  /** Until it may leave; 0: now. What alone is larger than its share may leave when nothing else does. */
  #waitMillis(waiting: Waiting, purpose: Purpose): number {
    const { cost } = waiting
    const now = this.#monotonic()
    if (this.#pausedUntil > now) return this.#pausedUntil - now
    const capacity = this.#capacity()
    const hasRoom = this.#hasRoom(waiting, purpose)
    const isFair =
      purpose !== "audit" || this.#usedFor.audit === 0 || this.#usedFor.audit + cost <= capacity * this.#auditsShare()
    if (hasRoom && isFair) return 0
    if (this.#limits.runsOff === true) return this.#runsOffMillis(cost, purpose, hasRoom)
    const first = hasRoom ? this.#spent.find((each) => each.purpose === "audit") : this.#spent[0]
    return Math.max(1, (first?.at ?? now) + this.#limits.windowMillis - now)
  }

  /** Until so much has run off, the oldest first, that it has room; or, where it has room, so much of audits that it is within their share. */
  #runsOffMillis(cost: number, purpose: Purpose, hasRoom: boolean): number {
    const capacity = this.#capacity()
    let over = hasRoom
      ? this.#usedFor.audit + cost - capacity * this.#auditsShare()
      : this.#used + cost - capacity * this.#ceiling(purpose)
    let units = 0
    for (const spent of this.#spent) {
      if (hasRoom && spent.purpose !== "audit") units += spent.cost
      else {
        units += Math.min(spent.cost, over)
        over -= spent.cost
        if (over <= 0) break
      }
    }
    return Math.max(1, Math.ceil(units / this.#perMilli()))
  }

  #perMilli(): number {
    return this.#capacity() / this.#limits.windowMillis
  }

  /** What is larger than a window has room for takes up the next ones, too. */
  #spend(cost: number, purpose: Purpose | null, owner: Owner | null = null): Taken {
    const capacity = this.#capacity()
    const taken: Array<Spent> = []
    for (let left = cost, at = this.#monotonic(); left > 0; left -= capacity, at += this.#limits.windowMillis)
      taken.push({ at, purpose, owner, cost: Math.min(left, capacity) })
    this.#spent.push(...taken)
    this.#used += cost
    if (owner !== null) this.#count(owner, cost)
    if (purpose !== null) this.#usedFor[purpose] += cost
    return taken
  }

  #uncount({ purpose, owner }: Spent, cost: number): void {
    this.#used -= cost
    if (owner !== null) this.#count(owner, -cost)
    if (purpose !== null) this.#usedFor[purpose] -= cost
  }

  #count(owner: Owner, cost: number): void {
    const taken = this.#takenBy({ owner }) + cost
    if (taken > NOTHING) this.#usedBy.set(owner, taken)
    else this.#usedBy.delete(owner)
  }

  /** The oldest runs off first. */
  #runOff(): void {
    const now = this.#monotonic()
    let left = (now - this.#countedAt) * this.#perMilli()
    this.#countedAt = now
    for (let first = this.#spent[0]; first !== undefined && left > 0; first = this.#spent[0]) {
      const part = Math.min(first.cost, left)
      this.#uncount(first, part)
      first.cost -= part
      left -= part
      if (first.cost <= 0) this.#spent.shift()
    }
  }

  #expire(): void {
    if (this.#limits.runsOff === true) this.#runOff()
    else {
      const since = this.#monotonic() - this.#limits.windowMillis
      let count = 0
      for (const spent of this.#spent) {
        if (spent.at > since) break
        count += 1
        this.#uncount(spent, spent.cost)
      }
      if (count > 0) this.#spent.splice(0, count)
    }
    // Sums of floats drift; an empty window is nothing.
    if (this.#spent.length === 0) {
      this.#used = 0
      this.#usedFor = byPurpose(() => 0)
      this.#usedBy.clear()
    } else if (!this.#spent.some((each) => each.purpose === "audit")) this.#usedFor.audit = 0
  }
}
