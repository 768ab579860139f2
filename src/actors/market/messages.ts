/** What the edges ask of market data: reads are plain calls answered by a Reply, holds keep a feed open without a socket. */
import { Context } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import type { KlineInterval, KlineRecord } from "../../domain/market/kline.ts"
import type { TickerRecord } from "../../domain/market/market.ts"
import type { Reply } from "../../domain/reply.ts"

/** Which bars: bounds of open times, inclusive; without `from` the last `limit` ones up to `to`, or up to now. */
export interface KlineRange {
  readonly interval: KlineInterval
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
}

/**
 * A part of this process that follows an instrument: called in the venue's order, in the turn in which it arrives, with the venue's own
 * text. Must not throw.
 */
export interface MarketListener {
  /** `at`: venue time. The newest trade known is told at once. */
  readonly onTrade?: (price: string, at: number) => void
  /** Best prices of a whole book, whenever one of them changes; null: nothing on that side. Keeps the book's feed open. */
  readonly onQuote?: (bid: string | null, ask: string | null) => void
  /** False: neither trades nor a whole book for more than 5 s. True: one of them comes again. Live until said otherwise. */
  readonly onHealth?: (isLive: boolean) => void
  /** The trades are interrupted: the newest one that was told may be old by now. */
  readonly onDown?: () => void
  /** Trades may be missing between `since` (wall ms) and the one that is told next. */
  readonly onGap?: (since: number) => void
}

export class Markets extends Context.Tag("actors/Markets")<
  Markets,
  {
    /**
     * The book as JSON text of an OrderBook record (updateType SNAPSHOT), best first, cached per (book, depth, version).
     * A closed feed is opened, waits up to 5 s for its first SYNCED state, and stays open 30 s, or warm for an hour; then
     * OrderBookUnavailable. At once: InstrumentDelisted, and VenueUnavailable where the venue is known to be down.
     */
    readonly readBook: (instrumentId: InstrumentId, depth: number, reply: Reply<string, DomainError>) => void
    /** As `readBook`; the feed's first ticker within 5 s, else TickerUnavailable. */
    readonly readTicker: (instrumentId: InstrumentId, reply: Reply<TickerRecord, DomainError>) => void
    /** Bars of the venue's history, closed ones from memory when they were read before; the one that lives is always fresh. */
    readonly readKlines: (instrumentId: InstrumentId, range: KlineRange, reply: Reply<KlineRecord, DomainError>) => void
    /** As `readKlines`, and asked of the venue whatever its list or its streams say: a trigger that missed prices is not turned away. */
    readonly lookBack: (instrumentId: InstrumentId, range: KlineRange, reply: Reply<KlineRecord, DomainError>) => void
    /** All tickers known now that the tenant sees, by instrumentId. */
    readonly tickers: (viewer: TenantId) => ReadonlyArray<TickerRecord>
    /** Top of book for pricing a market order's hold: [price, quantity] rows best first; empty when there is no SYNCED book. */
    readonly topOfBook: (
      instrumentId: InstrumentId,
      side: "bids" | "asks",
      rows: number,
    ) => ReadonlyArray<readonly [price: string, quantity: string]>
    /** The same, all of them, one at a time: a reader that stops early pays for what was read. For now alone, not for a later turn. */
    readonly levels: (
      instrumentId: InstrumentId,
      side: "bids" | "asks",
    ) => Iterable<readonly [price: string, quantity: string]>
    /**
     * Whether those are all that the venue has. False: they end where the book is not known any further, and a walk that needs more has no
     * price.
     */
    readonly isWhole: (instrumentId: InstrumentId, side: "bids" | "asks") => boolean
    /** Price of the newest trade, as decimal text, as far as an open feed knows it. */
    readonly lastPrice: (instrumentId: InstrumentId) => string | null
    /** An order book subscription registered over HTTP: keeps the book's feed open until released. `key` is its subscription id. */
    readonly hold: (instrumentId: InstrumentId, key: string) => void
    readonly release: (instrumentId: InstrumentId, key: string) => void
    /** Every public trade of an instrument, its feed open meanwhile; the answer ends it. Not there at all: `onHealth(false)`. */
    readonly follow: (instrumentId: InstrumentId, listener: MarketListener) => () => void
    /** Time of the newest update of an instrument's book; null before the first. */
    readonly lastUpdateAt: (instrumentId: InstrumentId) => number | null
    /**
     * Asks the venue whether a SYNCED book that has not moved is still its own, within a second: then its age begins anew. Fails with
     * OrderBookUnavailable where the venue does not say so.
     */
    readonly confirmBook: (instrumentId: InstrumentId, reply: Reply<void, DomainError>) => void
    /**
     * How long ago a SYNCED book was last confirmed, by an update or by the venue's word, in ms; null while there is none, and while its
     * market is closed.
     */
    readonly bookAge: (instrumentId: InstrumentId) => number | null
    /** Its venue refuses orders because the market does not trade: its book is not used as a price until there is evidence that it trades again. */
    readonly marketClosed: (instrumentId: InstrumentId) => void
    /** Its venue says that it trades: by an order that it took, or on its list. `askedAt`: when it was asked, wall ms. */
    readonly marketOpen: (instrumentId: InstrumentId, askedAt: number) => void
    /**
     * The directory says otherwise than before whether the venue lists the instrument: its channels end, and what in this process follows
     * it waits; or what they follow opens again.
     */
    readonly listingChanged: (instrumentId: InstrumentId) => void
    /** Open feeds by venue, for health and metrics. */
    readonly stats: () => ReadonlyArray<{
      readonly venue: VenueId
      readonly books: number
      readonly stale: number
      /** For how long the one that waits longest has not been the venue's; 0: all are. */
      readonly lostMillis: number
      /** Streams that are open for the next read alone. */
      readonly warm: number
    }>
  }
>() {}
