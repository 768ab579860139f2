/**
 * Which feeds stay open although nobody holds them: what clients read within the last hour, so that the first read after a silence is
 * answered at once. The one thing to know: it is bounded, in all and by venue, and what was read longest ago makes room.
 */
import type { VenueId } from "../../domain/ids.ts"

const WARM_MILLIS = 3_600_000
/** What one venue may have of them, so that a client who reads all of its instruments cools no other venue's. */
const SHARE_OF_VENUE = 4

export class WarmFeeds {
  readonly #max: number
  readonly #maxOfVenue: number
  /** By venue, feed → monotonic ms of its last read, in the order of reading. */
  readonly #readAt = new Map<VenueId, Map<string, number>>()
  #count = 0

  /** `max` 0: none. */
  constructor(max: number) {
    this.#max = max
    this.#maxOfVenue = Math.ceil(max / SHARE_OF_VENUE)
  }

  /** A client has read it now. */
  read(venue: VenueId, feed: string, now: number): void {
    if (this.#max === 0) return
    const feeds = this.#readAt.get(venue) ?? new Map<string, number>()
    this.#readAt.set(venue, feeds)
    if (feeds.delete(feed)) this.#count -= 1
    else if (feeds.size >= this.#maxOfVenue) this.#forgetOldest(feeds)
    else if (this.#count >= this.#max) this.#forgetOldest(this.#oldest())
    feeds.set(feed, now)
    this.#count += 1
  }

  isWarm(venue: VenueId, feed: string, now: number): boolean {
    const readAt = this.#readAt.get(venue)?.get(feed)
    return readAt !== undefined && now - readAt < WARM_MILLIS
  }

  /** The feeds of the venue whose oldest was read longest ago. */
  #oldest(): Map<string, number> | undefined {
    let oldest: Map<string, number> | undefined
    let at = Number.POSITIVE_INFINITY
    for (const feeds of this.#readAt.values()) {
      const [readAt] = feeds.values()
      if (readAt === undefined || readAt >= at) continue
      at = readAt
      oldest = feeds
    }
    return oldest
  }

  #forgetOldest(feeds: Map<string, number> | undefined): void {
    const [feed] = feeds?.keys() ?? []
    if (feed !== undefined && feeds?.delete(feed) === true) this.#count -= 1
  }
}
