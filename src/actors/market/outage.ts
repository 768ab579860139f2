/** Whether a venue is known to be down, for those who would wait for it in vain. Asked only where something is not there: not on the way of a read. */
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { VenueId } from "../../domain/ids.ts"
import type { VenuePort } from "../../ports/venue-port.ts"

/** An attempt that failed longer ago says little of now: connectors pause no longer than this between two. */
const KNOWN_MILLIS = 60_000
/** What a failure begins with. The rest of its words is for the operator. */
const CATEGORY = /^VENUE_[A-Z_]+/

/** Of what nothing tries again by itself: what was told to wait so long (`Retry-After`) is tried when it comes again. */
export const RETRY_MILLIS = 5_000

export type Outage = (venue: VenueId, knownMillis?: number) => VenueUnavailable | undefined

/** `now`: wall ms. */
export const outageOf =
  ({ health }: Pick<VenuePort["Type"], "health">, now: () => number): Outage =>
  (venue, knownMillis = KNOWN_MILLIS) => {
    const found = health().find((it) => it.venue === venue)?.outage
    if (found === undefined || now() - found.failedAt > knownMillis) return undefined
    return new VenueUnavailable({ reason: CATEGORY.exec(found.reason)?.[0] ?? "VENUE_UNREACHABLE" })
  }
