/**
 * The time at the venue: ours less what ours is ahead by, which ccxt keeps among an instance's options. The one thing to know: it is late by the way of
 * one answer at most, and ours until the clock was read.
 */
import type { CcxtExchange } from "./ccxt.ts"

/** Ms. */
export const venueNow = ({ options }: Pick<CcxtExchange, "options">): number => {
  const ahead = options["timeDifference"]
  return Date.now() - (typeof ahead === "number" ? ahead : 0)
}
