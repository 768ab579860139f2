/** One venue's public feed and its history: what is opened, and what then arrives as plain calls. Decimals are the venue's own text. */
import type { Effect } from "effect"
import type { InstrumentId } from "../domain/ids.ts"
import type { Bar, KlineInterval } from "../domain/market/kline.ts"
import type { BookRange } from "../domain/market/market.ts"
import type { ResyncReason } from "./venue-stats.ts"

export type KlineStream = `kline ${KlineInterval}`
export type MarketStream = "book" | "trade" | "ticker" | KlineStream

export const klineStream = (interval: KlineInterval): KlineStream => `kline ${interval}`

/** The interval of a stream of klines; undefined for any other stream. */
export const intervalOf = (stream: MarketStream): KlineInterval | undefined =>
  stream.startsWith("kline ") ? (stream.slice("kline ".length) as KlineInterval) : undefined

export interface DepthUpdate {
  readonly instrumentId: InstrumentId
  /** True: replaces the book. False: absolute quantities of changed levels, "0" deletes. */
  readonly snapshot: boolean
  /** Flat [price, quantity, price, quantity, …], the venue's own digits, no order promised. */
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
  /** Of the feed: +1 per update since its snapshot (the snapshot's own number may be any); a hole means the book is lost. */
  readonly sequence: number
  /** The venue's own sequence, for example Binance's `u`; null where there is none. */
  readonly nonce: number | null
  /** Venue time in ms; null where the venue gives none. */
  readonly venueAt: number | null
  readonly receivedAt: number
  /**
   * How far the book reaches from this update on; of a snapshot without it: to its end. Levels beyond it are never told of, and a change
   * that moves it has the levels that became known and deletes those that are given up.
   */
  readonly range?: BookRange
}

export interface MarketTrade {
  readonly instrumentId: InstrumentId
  readonly externalTradeId: string
  readonly price: string
  readonly quantity: string
  readonly side: "BUY" | "SELL" | "UNKNOWN"
  readonly at: number
}

/** Null: the venue's feed does not carry the field. */
export interface TickerUpdate {
  readonly instrumentId: InstrumentId
  readonly lastPrice: string | null
  readonly lastQuantity: string | null
  readonly bidPrice: string | null
  readonly bidQuantity: string | null
  readonly askPrice: string | null
  readonly askQuantity: string | null
  readonly at: number
}

/** A bar as the venue's stream shows it now. */
export interface KlineUpdate {
  readonly instrumentId: InstrumentId
  readonly interval: KlineInterval
  readonly bar: Bar
  /** The venue said that this is its last word on the bar. */
  readonly isFinal: boolean
  /** The venue's clock when it arrived. */
  readonly venueAt: number
}

export interface KlineAsk {
  readonly instrumentId: InstrumentId
  readonly interval: KlineInterval
  /** Bounds of open times, inclusive. Without `from`: the last `limit` bars up to `to`; without `to`: up to now. */
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
}

export interface KlineAnswer {
  /** Oldest first, on the grid of domain/market/kline.ts, without holes; none where the instrument has no history. */
  readonly bars: ReadonlyArray<Bar>
  /** The venue's clock before it was asked: a bar that ends later may still have changed. */
  readonly venueAt: number
}

/** How the reason of `down` begins for a book whose stream goes on: by REST the venue's is another, or its stream had fallen silent. */
export const BOOK_DIFFERS = "BOOK_DIFFERS"
export const BOOK_SILENT = "BOOK_SILENT"
/** The same of one whose market left the range that was known of it. */
export const BOOK_OUTRUN = "BOOK_OUTRUN"

/** Where market data goes: plain calls in the order of arrival. */
export interface MarketSink {
  readonly depth: (update: DepthUpdate) => void
  /** Trades of one venue frame, in venue order. */
  readonly trades: (trades: ReadonlyArray<MarketTrade>) => void
  /** Between the trades told before and those told next some are missing, and nothing can supply them. */
  readonly tradesMissed: (instrumentId: InstrumentId) => void
  readonly ticker: (update: TickerUpdate) => void
  readonly kline: (update: KlineUpdate) => void
  /** The venue does not stream these bars: who wants them makes them of its trades. */
  readonly unstreamed: (stream: KlineStream, instrumentId: InstrumentId) => void
  /** The stream is interrupted; a book is lost until its next snapshot. */
  readonly down: (stream: MarketStream, instrumentId: InstrumentId, reason: string) => void
}

/** One venue's public feed. Opening what is open, or closing what is closed, does nothing. */
export interface MarketSource {
  readonly open: (stream: MarketStream, instrumentId: InstrumentId) => void
  readonly close: (stream: MarketStream, instrumentId: InstrumentId) => void
  /** The reader found a gap: send a fresh snapshot. */
  readonly resync: (instrumentId: InstrumentId, reason?: ResyncReason) => void
  /**
   * Whether the venue answers now on the very connection that carries the open book: then whatever it changed before has arrived, and a book
   * that has not moved for long is still the venue's. False: it does not, or that is unknown.
   */
  readonly confirm: (instrumentId: InstrumentId) => Effect.Effect<boolean>
}
