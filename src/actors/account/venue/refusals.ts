/** Evidence that did not become part of an order: what the store refused, and what is in quarantine. */
import { LeanMap } from "../../../foundation/lean.ts"

const REMEMBERED_MAX = 1_000
/** A refusal may have been the fault of something else in the unit; a second one of the same evidence is its own, or the store's. */
const TRIES_AT_ONCE = 2
/** From then on it is tried again after a pause that doubles: what the store refused in one hour it may take in the next. */
const PAUSE_MILLIS = 60_000
const PAUSE_MAX_MILLIS = 600_000
/** One view of the venue says the same in several places: a trial goes on for so long. */
const TRIAL_MILLIS = 1_000

/** Evidence by what it says, whichever way it came: as a report, among the trades, as an answer. */
const keyOf = (evidence: unknown): string => {
  const wrapped = evidence as { readonly fill?: object; readonly state?: object } | null
  const said = wrapped?.fill ?? wrapped?.state ?? wrapped
  return JSON.stringify({ ...said, tradeOrderId: undefined })
}

/** A bounded number of keys, the oldest forgotten first. */
export class Remembered<A> {
  private readonly known = new LeanMap<string, A>()
  get isEmpty(): boolean {
    return this.known.size === 0
  }
  /** Oldest first. */
  get all(): ReadonlyArray<A> {
    return [...this.known.values()]
  }
  of(key: string): A | undefined {
    return this.known.get(key)
  }
  put(key: string, value: A): void {
    this.known.set(key, value)
    if (this.known.size > REMEMBERED_MAX) this.known.delete(this.known.keys().next().value!)
  }
  forget(key: string): void {
    this.known.delete(key)
  }
}

/** All instants are monotonic ms. */
interface Refusal {
  readonly times: number
  readonly until: number
  trialUntil: number
}

/**
 * What the store has refused of an account's evidence. It outlives the incarnations of the actor: each refusal ends one, the next one
 * reads from the store what is true, and without this memory the same report could end it again and again.
 */
export class Refusals {
  private readonly refused = new Remembered<Refusal>()
  /** When something was last refused, or tried again. */
  private triedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly monotonic: () => number) {}

  note(evidence: unknown): void {
    const key = keyOf(evidence)
    const times = (this.refused.of(key)?.times ?? 0) + 1
    const pause = times < TRIES_AT_ONCE ? 0 : Math.min(PAUSE_MAX_MILLIS, PAUSE_MILLIS * 2 ** (times - TRIES_AT_ONCE))
    this.triedAt = this.monotonic()
    this.refused.put(key, { times, until: this.triedAt + pause, trialUntil: 0 })
  }

  /** A unit made of it is durable. */
  taken(evidence: unknown): void {
    if (!this.refused.isEmpty) this.refused.forget(keyOf(evidence))
  }

  /**
   * Whether it may be tried now. Of all that was refused twice one is tried a minute: every refusal ends an incarnation, and too many of
   * them in a minute park the actor.
   */
  allows(evidence: unknown): boolean {
    const refusal = this.barred(evidence)
    if (refusal === undefined) return true
    const now = this.monotonic()
    if (now < refusal.trialUntil) return true
    if (now < this.dueAt(refusal)) return false
    this.triedAt = now
    refusal.trialUntil = now + TRIAL_MILLIS
    return true
  }

  /** How long it has to wait for its next trial, ms; null: it is not barred. */
  pauseOf(evidence: unknown): number | null {
    const refusal = this.barred(evidence)
    return refusal === undefined ? null : Math.max(0, this.dueAt(refusal) - this.monotonic())
  }

  /** A trial after the pause was refused too: nothing should wait for the store to take it. */
  isHopeless(evidence: unknown): boolean {
    return (this.barred(evidence)?.times ?? 0) > TRIES_AT_ONCE
  }

  private barred(evidence: unknown): Refusal | undefined {
    if (this.refused.isEmpty) return undefined
    const refusal = this.refused.of(keyOf(evidence))
    return refusal !== undefined && refusal.times >= TRIES_AT_ONCE ? refusal : undefined
  }

  private dueAt({ until }: Refusal): number {
    return Math.max(until, this.triedAt + PAUSE_MILLIS)
  }
}

/** What this incarnation has put into quarantine. */
export class Quarantine {
  private readonly stored = new Remembered<true>()
  /** Whether it is new. */
  add(evidence: unknown): boolean {
    const key = keyOf(evidence)
    if (this.stored.of(key)) return false
    this.stored.put(key, true)
    return true
  }
}
