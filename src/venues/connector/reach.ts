/**
 * Whether a venue was reachable at the last attempt, and since when. The one thing to know: an outage, for which callers are refused, concerns
 * its market data only: an account's stream may fail because of its own key.
 */
import type { VenueHealth } from "../../ports/venue-port.ts"

export type Health = Pick<VenueHealth, "status" | "reason" | "since">

/** Failures, by category, that say nothing but that the venue is not there: a refused order does not, a gap does not. */
const OUT_OF_REACH = /^VENUE_(UNREACHABLE|NETWORK|TIMEOUT|UNAVAILABLE)\b/

export const IDLE: Health = { status: "idle", reason: null, since: null }

export class Reach {
  /** Undefined: never tried. */
  #isThere: boolean | undefined
  #since: number | null = null
  #reason: string | null = null
  #outage: VenueHealth["outage"]

  /** The venue said something. */
  seen(): void {
    if (this.#isThere !== true) this.#change(true, null)
  }

  /** Something went wrong, in the words of a failure: with what all share, or with what is one account's. */
  failed(reason: string, of: "MARKET" | "ACCOUNT"): void {
    if (!OUT_OF_REACH.test(reason)) return
    if (of === "MARKET") this.lost(reason)
    else this.#away(reason)
  }

  lost(reason: string): void {
    this.#away(reason)
    this.#outage = { reason, failedAt: Date.now() }
  }

  outage(isIdle: boolean): VenueHealth["outage"] {
    return isIdle ? undefined : this.#outage
  }

  health(isIdle: boolean): Health {
    if (isIdle || this.#isThere === undefined) return IDLE
    return { status: this.#isThere ? "up" : "down", reason: this.#reason, since: this.#since }
  }

  #away(reason: string): void {
    if (this.#isThere === false) this.#reason = reason
    else this.#change(false, reason)
  }

  #change(isThere: boolean, reason: string | null): void {
    this.#isThere = isThere
    this.#reason = reason
    this.#since = Date.now()
    if (isThere) this.#outage = undefined
  }
}
