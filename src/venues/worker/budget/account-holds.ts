/**
 * What the venue lets one account not do for a while: a limit that counts an account's orders holds its orders, and neither its cancels nor
 * its questions, nor those of any other account.
 */
import type { Purpose } from "../../../ports/venue-stats.ts"
import { TooLate } from "../exchange/errors.ts"

/** Requests that venues count together. */
type Kind = "submit" | "cancel" | "question"

const kindOf = (purpose: Purpose): Kind => (purpose === "submit" || purpose === "cancel" ? purpose : "question")

export class AccountHolds {
  readonly #until = new Map<Kind, number>()
  readonly #monotonic: () => number

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  hold(purpose: Purpose, millis: number): void {
    const kind = kindOf(purpose)
    this.#until.set(kind, Math.max(this.#until.get(kind) ?? 0, this.#monotonic() + millis))
  }

  /** Undefined: it may go at once. Rejects with TooLate at once where it could not within `waitMillis` (null: waits for ever). */
  pass(purpose: Purpose, waitMillis: number | null): Promise<void> | undefined {
    const left = (this.#until.get(kindOf(purpose)) ?? 0) - this.#monotonic()
    if (left <= 0) return undefined
    if (waitMillis !== null && left > waitMillis)
      return Promise.reject(
        new TooLate(`the venue takes no such request of this account for another ${Math.ceil(left / 1000)} s`),
      )
    return new Promise<void>((resolve) => setTimeout(resolve, Math.ceil(left)).unref()).then(() =>
      // It may have been held again meanwhile.
      this.pass(purpose, waitMillis === null ? null : waitMillis - left),
    )
  }
}
