/**
 * Whether the venue still accepts an account's credential. Refused is for good: nothing more is tried with it. One forbidden order says
 * nothing of the credential yet; a question about the account does.
 */
import { type Failure, forbids, refusesKey } from "../exchange/errors.ts"

export const REFUSED = "the credential was refused"
/** Refused orders ask at most this often what is true of the account: a question weighs as much as 20 orders at Binance. */
const CONFIRM_MILLIS = 30_000

/** What a failed request was about: one order or instrument, or the account itself. */
export type Subject = "order" | "account"

export interface StandingParts {
  /** A question about the account, whose failure is noted here. */
  readonly ask: () => Promise<unknown>
  /** Once. */
  readonly refused: (failure: Failure) => void
}

export class CredentialStanding {
  readonly #parts: StandingParts
  #isRefused = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(parts: StandingParts) {
    this.#parts = parts
  }

  get isRefused(): boolean {
    return this.#isRefused
  }

  note(failure: Failure, subject: Subject): void {
    if (this.#isRefused) return
    if (forbids(failure) && subject === "order") this.#confirm()
    else if (forbids(failure) || refusesKey(failure)) {
      this.#isRefused = true
      this.#parts.refused(failure)
    }
  }

  #confirm(): void {
    const now = performance.now()
    if (now - this.#confirmedAt < CONFIRM_MILLIS) return
    this.#confirmedAt = now
    // A failure has been noted by then.
    this.#parts.ask().catch(() => undefined)
  }
}
