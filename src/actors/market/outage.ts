/**
 * Whether a venue, or one of its markets, is known to be down, for callers who would otherwise wait in vain. Consulted only when data is missing:
 * not on the path of a read.
 */

import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, VenueId } from "../../domain/ids.ts"
import type { MarketTrade } from "../../ports/market-source.ts"
import type { VenuePort } from "../../ports/venue-port.ts"

// Which of a venue's markets are closed, as far as its refusals say. The one thing to know: that outlives every stream, and ends by evidence
// that the market trades alone. A book that moves is none: orders are taken back in a halt.

/** A trade of just before the refusal may be on its way still, and the venue's clock is not ours. */
const TRADE_MARGIN_MILLIS = 5_000
const WITNESS = "closed market"

export class ClosedMarkets {
  /** When the venue said last that it takes no orders there, wall ms. */
  readonly #closedAt = new Map<InstrumentId, number>()

  constructor(
    private readonly parts: {
      /** Wall ms. */
      readonly now: () => number
      /** Of the stream of trades. */
      readonly hold: (instrumentId: InstrumentId, holder: string) => void
      readonly release: (instrumentId: InstrumentId, holder: string) => void
    },
  ) {}

  has(instrumentId: InstrumentId): boolean {
    return this.#closedAt.has(instrumentId)
  }

  closed(instrumentId: InstrumentId): void {
    this.#closedAt.set(instrumentId, this.parts.now())
  }

  /** Its venue took an order, or lists it as traded; what it was asked before it refused says nothing. */
  open(instrumentId: InstrumentId, askedAt: number): void {
    const closedAt = this.#closedAt.get(instrumentId)
    if (closedAt !== undefined && askedAt > closedAt) this.#reopen(instrumentId)
  }

  /** A stream that opens tells trades of before: by arrival alone they would be new. */
  onTrade({ instrumentId, at }: MarketTrade): void {
    const closedAt = this.#closedAt.get(instrumentId)
    if (closedAt !== undefined && Math.min(at, this.parts.now()) - closedAt >= TRADE_MARGIN_MILLIS)
      this.#reopen(instrumentId)
  }

  /** A caller needs its price: its trades are followed until there is one. */
  bookOpened(instrumentId: InstrumentId): void {
    if (this.has(instrumentId)) this.parts.hold(instrumentId, WITNESS)
  }

  bookClosed(instrumentId: InstrumentId): void {
    this.parts.release(instrumentId, WITNESS)
  }

  #reopen(instrumentId: InstrumentId): void {
    this.#closedAt.delete(instrumentId)
    this.parts.release(instrumentId, WITNESS)
  }
}

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
