/**
 * Which streams of one venue are open: the holders of each, and until when it stays open after the last one left. A stream opens with the first
 * holder and closes 30 s after the last, later where clients read it (`WarmFeeds`). For an instrument that its venue does not list only the
 * interest is recorded: its streams open when the venue lists it again, and stay open for holders that insist.
 */
import type { InstrumentId, VenueId } from "../../domain/ids.ts"
import { type InstrumentName, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { MarketStream } from "../../ports/market-source.ts"

// Which feeds stay open without a holder: what clients read within the last hour, so that the first read after a silence is
// answered at once. The one thing to know: it is bounded, in all and by venue, and what was read longest ago makes room.

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

const LINGER_MILLIS = 30_000

export interface OpenStream {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  readonly name: InstrumentName
}

interface Slot extends OpenStream {
  readonly holders: Set<string>
  /** Those of them for whom it is open although its venue does not list the instrument. */
  readonly insisting: Set<string>
  lingerUntil: number
  isOpen: boolean
}

interface MarketStreamsParts {
  readonly venue: VenueId
  readonly monotonic: () => number
  readonly isListed: (instrumentId: InstrumentId) => boolean
  readonly warm: WarmFeeds
  readonly opened: (it: OpenStream) => void
  readonly closed: (it: OpenStream) => void
}

export class MarketStreams {
  readonly #parts: MarketStreamsParts
  readonly #open = new Map<MarketStream, Map<InstrumentId, Slot>>()
  #warmCount = 0

  constructor(parts: MarketStreamsParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    for (const slots of this.#open.values()) if (slots.size > 0) return false
    return true
  }

  /** Kept open only for the next read. */
  get warmCount(): number {
    return this.#warmCount
  }

  /** Keeps a stream open for `holder`, opening it if need be; nothing happens for a name that is no instrument. */
  hold(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    this.#slot(stream, instrumentId)?.holders.add(holder)
  }

  /** As `hold`, listed or not: a market that is halted is in no list, and the next list may be an hour after its first trade. */
  insist(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    const slot = this.#slot(stream, instrumentId)
    if (slot === undefined) return
    slot.holders.add(holder)
    slot.insisting.add(holder)
    this.#settle(slot)
  }

  /** A client reads it: open for 30 s at least. False: a name that is no instrument of this venue. */
  touch(stream: MarketStream, instrumentId: InstrumentId): boolean {
    const slot = this.#slot(stream, instrumentId)
    if (slot === undefined) return false
    const now = this.#parts.monotonic()
    slot.lingerUntil = now + LINGER_MILLIS
    this.#parts.warm.read(this.#parts.venue, keyOf(slot), now)
    return true
  }

  /** Lets go: the stream closes 30 s after its last holder did. */
  release(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    const slot = this.#open.get(stream)?.get(instrumentId)
    if (slot?.holders.delete(holder) !== true) return
    slot.lingerUntil = this.#parts.monotonic() + LINGER_MILLIS
    if (slot.insisting.delete(holder)) this.#settle(slot)
  }

  /** Closes streams without holders. */
  sweep(now: number): void {
    const { venue, warm, closed } = this.#parts
    let warmCount = 0
    for (const slots of this.#open.values())
      for (const slot of slots.values()) {
        if (slot.holders.size > 0 || now < slot.lingerUntil) continue
        if (warm.isWarm(venue, keyOf(slot), now)) {
          warmCount++
          continue
        }
        slots.delete(slot.instrumentId)
        if (slot.isOpen) closed(slot)
      }
    this.#warmCount = warmCount
  }

  /** The venue lists the instrument, or lists it no more: its streams follow, unless who holds them insists. */
  listingChanged(instrumentId: InstrumentId): void {
    for (const slots of this.#open.values()) {
      const slot = slots.get(instrumentId)
      if (slot !== undefined) this.#settle(slot)
    }
  }

  #settle(slot: Slot): void {
    const isOpen = slot.insisting.size > 0 || this.#parts.isListed(slot.instrumentId)
    if (slot.isOpen === isOpen) return
    slot.isOpen = isOpen
    if (isOpen) this.#parts.opened(slot)
    else this.#parts.closed(slot)
  }

  #slot(stream: MarketStream, instrumentId: InstrumentId): Slot | undefined {
    const open = this.#open.get(stream)?.get(instrumentId)
    if (open !== undefined) return open
    const name = parseInstrumentId(instrumentId)
    if (name === undefined || name.venue !== this.#parts.venue) return undefined
    const lingerUntil = this.#parts.monotonic() + LINGER_MILLIS
    const isOpen = this.#parts.isListed(instrumentId)
    const slot: Slot = { stream, instrumentId, name, holders: new Set(), insisting: new Set(), lingerUntil, isOpen }
    const slots = this.#open.get(stream) ?? new Map<InstrumentId, Slot>()
    this.#open.set(stream, slots.set(instrumentId, slot))
    if (isOpen) this.#parts.opened(slot)
    return slot
  }
}

const keyOf = ({ stream, instrumentId }: OpenStream): string => `${stream} ${instrumentId}`
