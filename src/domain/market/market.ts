/** Public market records: order book, ticker, trade (specification, Resources; contract C13 for the extra fields). */
import { Schema } from "effect"

/** SYNCED: equal to the venue's book. RESYNCING: a gap was met, a SNAPSHOT follows. STALE: the feed is silent. */
export const BookQuality = Schema.Literal("SYNCED", "RESYNCING", "STALE")
export type BookQuality = typeof BookQuality.Type

const Row = Schema.Tuple(Schema.String, Schema.String, Schema.String)

/**
 * How far a book reaches. Within it no level is missing, beyond it nothing is said: not that there is nothing. Where there is none the book
 * is all that the venue has.
 */
export const BookRange = Schema.Struct({
  /** All bids at this price or above are there; null: to the last of them. */
  lowestBid: Schema.NullOr(Schema.String),
  /** All asks at this price or below. */
  highestAsk: Schema.NullOr(Schema.String),
  /** Of each side no more than so many of the best levels; null: whatever their number. */
  levels: Schema.NullOr(Schema.Int),
}).annotations({ identifier: "OrderBookRange" })
export type BookRange = typeof BookRange.Type

export const OrderBookRecord = Schema.Struct({
  updateType: Schema.Literal("SNAPSHOT", "DIFF"),
  instrumentId: Schema.String,
  venue: Schema.String,
  symbol: Schema.String,
  orderBookType: Schema.Literal("L2"),
  columns: Schema.Array(Schema.String),
  /** [price, quantity, orderCount]: the venue's own digits; orderCount is "" where the venue gives none; quantity "0" deletes (DIFF). */
  bids: Schema.Array(Row),
  asks: Schema.Array(Row),
  /** Venue time, or the gateway's where the venue gives none. */
  timestamp: Schema.Int,
  /** Grows by one with every publication of this book since its feed was opened. */
  sequence: Schema.Int,
  previousSequence: Schema.NullOr(Schema.Int),
  quality: BookQuality,
  /**
   * Of the gateway's whole book, however few rows are in the record. A DIFF that moves it has the levels that are newly known, and deletes
   * those that are given up. Absent: to the end of the book.
   */
  coveredRange: Schema.optional(BookRange),
}).annotations({ identifier: "OrderBook" })
export type OrderBookRecord = typeof OrderBookRecord.Type

/** The whole book, as a channel publishes it and as HTTP answers it. */
export const OrderBookSnapshot = Schema.Struct({
  ...OrderBookRecord.fields,
  updateType: Schema.Literal("SNAPSHOT"),
  previousSequence: Schema.Null,
}).annotations({ identifier: "OrderBookSnapshot" })

/** The new quantities of the levels that changed, to be applied to the book at `previousSequence`. */
export const OrderBookDiff = Schema.Struct({
  ...OrderBookRecord.fields,
  updateType: Schema.Literal("DIFF"),
  previousSequence: Schema.Int,
}).annotations({ identifier: "OrderBookDiff" })

/** One level of a book that is read as a map. */
export const OrderBookLevel = Schema.Struct({
  side: Schema.Literal("bids", "asks"),
  price: Schema.String,
  quantity: Schema.String,
  orderCount: Schema.String,
}).annotations({ identifier: "OrderBookLevel" })

/** What holds of the whole of such a book; the last entry of every change. */
export const OrderBookState = Schema.Struct({
  sequence: Schema.Int,
  timestamp: Schema.Int,
  quality: BookQuality,
  coveredRange: Schema.optional(BookRange),
}).annotations({ identifier: "OrderBookState" })

export const TickerRecord = Schema.Struct({
  instrumentId: Schema.String,
  venue: Schema.String,
  symbol: Schema.String,
  lastPrice: Schema.NullOr(Schema.String),
  lastQuantity: Schema.NullOr(Schema.String),
  bidPrice: Schema.NullOr(Schema.String),
  bidQuantity: Schema.NullOr(Schema.String),
  askPrice: Schema.NullOr(Schema.String),
  askQuantity: Schema.NullOr(Schema.String),
  timestamp: Schema.Int,
  /** The venue's stream of it is interrupted: this is the last that it said. Absent while it is not. */
  isStale: Schema.optional(Schema.Literal(true)),
}).annotations({ identifier: "Ticker" })
export type TickerRecord = typeof TickerRecord.Type

export const TradeRecord = Schema.Struct({
  tradeId: Schema.String,
  externalTradeId: Schema.String,
  instrumentId: Schema.String,
  venue: Schema.String,
  symbol: Schema.String,
  price: Schema.String,
  quantity: Schema.String,
  /** The taker's side. */
  side: Schema.Literal("BUY", "SELL", "UNKNOWN"),
  timestamp: Schema.Int,
  timestampDateTime: Schema.String,
  sequence: Schema.Int,
}).annotations({ identifier: "Trade" })
export type TradeRecord = typeof TradeRecord.Type

export const SubscriptionRecord = Schema.Struct({
  subscriptionId: Schema.String,
  venue: Schema.String,
  tradingAccountId: Schema.NullOr(Schema.String),
  instrumentId: Schema.String,
  subscriptionType: Schema.Literal("MARKET.SUBSCRIPTION.ORDERBOOK"),
  status: Schema.Literal("ACTIVE", "INACTIVE"),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
  lastEventTimestamp: Schema.NullOr(Schema.Int),
  lastEventTimestampDateTime: Schema.NullOr(Schema.String),
}).annotations({ identifier: "OrderBookSubscription" })
export type SubscriptionRecord = typeof SubscriptionRecord.Type
