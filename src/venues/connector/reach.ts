/** Whether a venue could be reached the last time anybody tried, and since when that is so. */
import type { VenueHealth } from "../../ports/venue-port.ts"

export type Health = Pick<VenueHealth, "status" | "reason" | "since" | "failedAt">

/** Failures, by category, that say nothing but that the venue is not there: a refused order does not, a gap does not. */
const OUT_OF_REACH = /^VENUE_(UNREACHABLE|NETWORK|TIMEOUT|UNAVAILABLE)\b/

export const IDLE: Health = { status: "idle", reason: null, since: null }

export class Reach {
  /** Undefined: nobody has tried. */
  #isThere: boolean | undefined
  #since: number | null = null
  #reason: string | null = null
  #failedAt = 0

  /** The venue said something. */
  seen(): void {
    if (this.#isThere !== true) this.#change(true, null)
  }

  /** Something went wrong, in the words of a failure. */
  failed(reason: string): void {
    if (OUT_OF_REACH.test(reason)) this.lost(reason)
  }

  lost(reason: string): void {
    this.#failedAt = Date.now()
    if (this.#isThere === false) this.#reason = reason
    else this.#change(false, reason)
  }

  health(isIdle: boolean): Health {
    if (isIdle || this.#isThere === undefined) return IDLE
    const status = this.#isThere ? "up" : "down"
    return { status, reason: this.#reason, since: this.#since, ...(!this.#isThere && { failedAt: this.#failedAt }) }
  }

  #change(isThere: boolean, reason: string | null): void {
    this.#isThere = isThere
    this.#reason = reason
    this.#since = Date.now()
  }
}
