/**
 * The order that closes an exposure, or why there is none now: its quantity, its worst price, and what a refusal means for the next attempt.
 * Pure; the one thing to know: an exposure below its venue's minimum order waits for more, and that is not a fault.
 */

import { Decimal } from "../../decimal.ts"
import type { DomainError } from "../../errors/domain-error.ts"
import { type Instrument, priceStep, quantityStep } from "../../instrument/instrument.ts"
import type { BookRows } from "../../order/plan.ts"
import type { OrderSide, TradeOrder } from "../../order/trade-order.ts"
import { sideOf } from "./hedging.ts"
import type { CoveredQuotes, OpenIntents } from "./intent-queue.ts"

// What it means for the next hedge that one was refused. The one thing to know: a venue that finds an order too small says so in words of
// its own, so the words are looked for; what is not known to pass by itself is taken to be for good, and is tried seldom.

/**
 * PASSING: not an answer to the order, another moment is another answer. CLOSED: no order is accepted there now, which passes, but not from
 * one attempt to the next. TOO_SMALL: this quantity, and any below it.
 */
export type HedgeRefusal = "PASSING" | "CLOSED" | "TOO_SMALL" | "FOR_GOOD"

/** The account or the gateway was not ready: nothing was said about the order. */
const PASSING: ReadonlySet<DomainError["_tag"]> = new Set<DomainError["_tag"]>([
  "AccountReconciling",
  "AccountNotActive",
  "AccountDisconnected",
  "Busy",
  "OrderRateLimited",
  "TooManyOpenOrders",
  "TradingHalted",
  "VenueInactive",
  "VenueUnavailable",
  "OrderBookUnavailable",
])

export const refusalOfSubmit = ({ _tag }: DomainError): HedgeRefusal =>
  _tag === "QuantityBelowMinimum" || _tag === "NotionalBelowMinimum"
    ? "TOO_SMALL"
    : PASSING.has(_tag)
      ? "PASSING"
      : "FOR_GOOD"

/** Reasons of our own: the order never reached the venue. */
const OURS = /^(GATEWAY_|NOT_SENT|NOT_PLACED)/
/** The connector's word for a venue that takes no orders for the instrument (venues/connector/wire.ts). */
const CLOSED = /^MARKET_CLOSED\b/
/**
 * BINANCE "Filter failure: NOTIONAL", KRAKEN "volume minimum not met", OKX and KUCOIN "below the minimum", BYBIT "exceeded lower limit",
 * BITFINEX "minimum size for", COINBASE "too small", our own venues QUANTITY_BELOW_MINIMUM and NOTIONAL_BELOW_MINIMUM.
 */
const SMALL = /\bNOTIONAL\b|MIN_NOTIONAL|_BELOW_MINIMUM|\bminimum\b|too[ _]small|lower limit/i

/** Of an order that ended with nothing executed; null: it was not refused. */
export const refusalOfOrder = ({ orderStatus, rejectReason }: TradeOrder): HedgeRefusal | null => {
  if (orderStatus !== "REJECTED") return null
  const reason = rejectReason ?? ""
  if (OURS.test(reason)) return "PASSING"
  if (CLOSED.test(reason)) return "CLOSED"
  return SMALL.test(reason) ? "TOO_SMALL" : "FOR_GOOD"
}

export interface HedgeAttempt {
  readonly instrument: Instrument
  /** What is to be bought; below zero: to be sold. */
  readonly exposure: Decimal
  /** Of its side. */
  readonly open: OpenIntents
  /** The side of the book that it meets, best first; empty when none is known. */
  readonly book: BookRows
  /** How far beyond the last level walked it may go. */
  readonly slippageBps: Decimal
  /** QUOTED: the first attempt, bounded by what the quotes were priced at. BOOK: re-priced. MARKET: at whatever price. */
  readonly at: "QUOTED" | "BOOK" | "MARKET"
}

export type HedgePlan =
  | {
      readonly _tag: "Order"
      readonly orderSide: OrderSide
      /** Whole lots of the base asset. */
      readonly quantity: Decimal
      /** Null: at market. */
      readonly limitPrice: Decimal | null
      readonly quotes: CoveredQuotes
    }
  /** The venue takes no order so small. */
  | { readonly _tag: "TooSmall" }
  /** Nothing says what the market is. */
  | { readonly _tag: "NoPrice" }

const BPS = Decimal.of("0.0001")

export const planHedge = (attempt: HedgeAttempt): HedgePlan => {
  const { instrument, exposure, open } = attempt
  const orderSide = sideOf(exposure)
  const quantity = hedgeQuantity(instrument, exposure)
  if (!quantity.isPositive() || quantity.lessThan(instrument.minQuantity)) return { _tag: "TooSmall" }
  const worst = worstPrice(attempt, orderSide, quantity)
  const limitPrice = worst === null ? null : hedgeLimit(instrument, orderSide, worst, attempt.slippageBps)
  // What an order is worth depends on a price: without a book on what the quotes were priced at.
  const worth = limitPrice ?? open.worst
  if (worth !== null && isWorthTooLittle(instrument, attempt.book, worth, quantity)) return { _tag: "TooSmall" }
  const order = { _tag: "Order", orderSide, quantity, quotes: open.covered(quantity) } as const
  if (attempt.at === "MARKET") return { ...order, limitPrice: null }
  return limitPrice?.isPositive() === true ? { ...order, limitPrice } : { _tag: "NoPrice" }
}

/** Whole lots, never more than the exposure; a larger one than the venue takes is closed piece by piece. */
export const hedgeQuantity = (instrument: Instrument, exposure: Decimal): Decimal => {
  const size = exposure.abs()
  const { maxQuantity } = instrument
  const most = maxQuantity?.isPositive() === true ? Decimal.min(size, maxQuantity) : size
  return most.roundTo(quantityStep(instrument), "DOWN")
}

/** `slippageBps` beyond the worst price walked, on the tick, never further. */
export const hedgeLimit = (
  instrument: Instrument,
  orderSide: OrderSide,
  worst: Decimal,
  slippageBps: Decimal,
): Decimal => {
  const slip = worst.multiply(slippageBps).multiply(BPS)
  const edge = orderSide === "BUY" ? worst.add(slip) : worst.subtract(slip)
  return edge.isPositive() ? edge.roundTo(priceStep(instrument, edge), orderSide === "BUY" ? "DOWN" : "UP") : edge
}

/** The price of the last level that a market order of this size meets; beyond what is shown, of the last level there is. */
export const walkedWorst = (book: BookRows, quantity: Decimal): Decimal | null => {
  let rest = quantity
  let worst: Decimal | null = null
  for (const [priceText, quantityText] of book) {
    const price = Decimal.fromVenue(priceText)
    const offered = Decimal.fromVenue(quantityText)
    if (price === undefined || offered === undefined) continue
    worst = price
    rest = rest.subtract(offered)
    if (!rest.isPositive()) return worst
  }
  return worst
}

/** First what the quotes were priced at, and no worse than the market is now; then the market alone. */
const worstPrice = ({ at, open, book }: HedgeAttempt, orderSide: OrderSide, quantity: Decimal): Decimal | null => {
  const now = walkedWorst(book, quantity)
  const quoted = at === "QUOTED" ? open.worst : null
  if (now === null || quoted === null) return now ?? quoted
  return orderSide === "BUY" ? Decimal.min(quoted, now) : Decimal.max(quoted, now)
}

/** Venues measure by the order's price or by the market's: what passes here passes by either. */
const isWorthTooLittle = (
  { minNotional }: Instrument,
  book: BookRows,
  limitPrice: Decimal,
  quantity: Decimal,
): boolean => {
  if (minNotional === null) return false
  const best = Decimal.fromVenue(book[0]?.[0] ?? "") ?? limitPrice
  return Decimal.min(best, limitPrice).multiply(quantity).lessThan(minNotional)
}
