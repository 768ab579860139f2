/**
 * The account's connection to its venue: the private session, how far it is reconciled, and what waits for that. Changed only by the keeper of
 * the session.
 */
import { Effect } from "effect"
import type { AwayReason } from "../../../domain/errors/trading-account.ts"
import type { Venue } from "../../../domain/instrument/venue.ts"
import { LeanSet } from "../../../foundation/lean.ts"
import type { SessionReport, VenueSession } from "../../../ports/venue-session.ts"

/**
 * Slow work, one piece at a time in the order of asking; while there is none it costs two fields. The end of one wakes the next alone: a semaphore
 * of Effect's wakes all that wait, which was a quarter of what the main thread allocated while an account had hundreds of cancels in doubt.
 */
export class Turns {
  readonly #waiting = new LeanSet<() => void>()
  #isTaken = false

  run<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      let isMine = false
      let begin = (): void => undefined
      const turn = Effect.async<void>((resume) => {
        begin = () => {
          isMine = true
          resume(Effect.void)
        }
        if (this.#isTaken) this.#waiting.add(begin)
        else {
          this.#isTaken = true
          begin()
        }
      })
      // However it ends: it may be interrupted while it waits, and when its turn has come and it does not know yet.
      const end = Effect.sync(() => {
        if (isMine) this.#next()
        else this.#waiting.delete(begin)
      })
      return Effect.ensuring(Effect.zipRight(turn, work), end)
    })
  }

  #next(): void {
    const next = this.#waiting[Symbol.iterator]().next().value
    if (next === undefined) {
      this.#isTaken = false
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

const QUERY_SPACING_MILLIS = 100
const spaced = <A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.ensuring(question, Effect.sleep(QUERY_SPACING_MILLIS))

/** Commands that wait for a waking account. */
const SLEEPERS_MAX = 256
const NO_REPORTS: ReadonlyArray<SessionReport> = []

export class Connection {
  session: VenueSession | null = null
  phase: "away" | "reconciling" | "ready" = "away"
  /** The first agreement with a venue in this process is under way: a matter of one turn, so submits wait for it. */
  isWaking = false
  /** Events may be missing: until the stream is up again and the venue agreed with, the account is not ready, but it is audited. */
  isStreamDown = false
  /** What the venue was last asked for, it did not answer; or its stream is interrupted. */
  isUnreachable = false
  /** Commands that wait for the end of `isWaking`. */
  private readonly sleepers: Array<() => void> = []
  /** What runs when the account is ready, or when it will not be. */
  private readonly waiting: Array<() => void> = []
  private buffered: Array<SessionReport> = []
  private readonly queries = new Turns()
  private readonly lists = new Turns()

  constructor(private readonly venue: Pick<Venue, "inProcess">) {}

  /** Why the account is not ready, while it is not. */
  get awayReason(): AwayReason {
    return this.isUnreachable ? "VENUE_UNREACHABLE" : "RECONCILING"
  }

  /** The venue can be asked and its answers be applied. */
  get isAuditable(): boolean {
    return this.phase === "ready" || (this.phase === "away" && this.isStreamDown)
  }

  /** False: the account is awake, or too many wait already. */
  waitsAwake(run: () => void): boolean {
    if (!this.isWaking || this.sleepers.length >= SLEEPERS_MAX) return false
    this.sleepers.push(run)
    return true
  }

  awake(): void {
    this.isWaking = false
    for (const run of this.sleepers.splice(0)) run()
  }

  /** Runs when the account is ready, or when it will not be. */
  whenReady(run: () => void): void {
    this.waiting.push(run)
  }

  /** Callers waiting for the account continue, ready or not. */
  settle(): void {
    this.awake()
    for (const run of this.waiting.splice(0)) run()
  }

  /** A report that waits for the end of a reconciliation. */
  buffer(report: SessionReport): void {
    this.buffered.push(report)
  }

  takeBuffered(): ReadonlyArray<SessionReport> {
    if (this.buffered.length === 0) return NO_REPORTS
    const reports = this.buffered
    this.buffered = []
    return reports
  }

  /** A question to the venue: one at a time and 100 ms apart, unless the venue is in this process (contract C3). */
  budget<A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (this.venue.inProcess) return question
    return this.queries.run(spaced(question))
  }

  /** The same, and what has its answer by the time of its turn gives the turn up and is null: a thousand cancels that ended hold up no other. */
  budgetWhile<A, E>(isAsked: () => boolean, question: Effect.Effect<A, E>): Effect.Effect<A | null, E> {
    if (this.venue.inProcess) return question
    return this.queries.run(Effect.suspend(() => (isAsked() ? spaced(question) : Effect.succeed(null))))
  }

  /** A question for a list. They have a turn of their own: where audits wait at the venue's budget, no order in doubt waits with them. */
  listing<A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.venue.inProcess ? question : this.lists.run(question)
  }
}
