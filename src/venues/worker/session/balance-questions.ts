/**
 * Balances that are asked for because the stream said that they moved, and not what they are now. The one thing to know: they are asked for like market
 * data, so that an account that trades without a pause takes nothing from questions about orders in doubt, and leaves audits their room.
 */
import type { VenueBalances } from "../../../ports/venue-session.ts"
import { doingFor } from "../work.ts"

/** What moves within a moment is asked for once. */
const SOON_MILLIS = 1000
/** From one question to the next, while they go on moving. */
const PERIOD_MILLIS = 5000

export class BalanceQuestions {
  readonly #ask: () => Promise<VenueBalances>
  readonly #found: (balances: VenueBalances) => void
  #timer: NodeJS.Timeout | undefined
  #isAsking = false
  /** They moved since they were asked for. */
  #haveMoved = false
  #askedAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(ask: () => Promise<VenueBalances>, found: (balances: VenueBalances) => void) {
    this.#ask = ask
    this.#found = found
  }

  moved(): void {
    if (this.#haveMoved) return
    this.#haveMoved = true
    this.#plan()
  }

  /** Nothing is asked any more. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #plan(): void {
    if (this.#isStopped || this.#isAsking || !this.#haveMoved) return
    const millis = Math.max(SOON_MILLIS, this.#askedAt + PERIOD_MILLIS - performance.now())
    this.#timer = setTimeout(() => this.#begin(), millis).unref()
  }

  /** A question that fails is left to the account's audits. */
  #begin(): void {
    this.#haveMoved = false
    this.#isAsking = true
    this.#askedAt = performance.now()
    doingFor("market", null, this.#ask)
      .then(
        (balances) => {
          if (!this.#isStopped) this.#found(balances)
        },
        () => undefined,
      )
      .finally(() => {
        this.#isAsking = false
        this.#plan()
      })
  }
}
