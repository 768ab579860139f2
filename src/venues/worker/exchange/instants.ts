/** Plausible venue times: an implausible one is discarded, and the reader uses another time or none. */

/** Before it there was nothing to trade: a zero for "none yet", or seconds in place of ms, would lie there. */
const EARLIEST = Date.UTC(2009, 0)
/** Microseconds in place of ms would lie far behind it. */
const LATEST = Date.UTC(2100, 0)

/** Whole ms since the Unix epoch; null for what is no instant of an exchange. */
export const venueInstant = (at: number | null | undefined): number | null =>
  typeof at === "number" && at >= EARLIEST && at < LATEST ? Math.floor(at) : null
