/**
 * The order that closes an exposure, or why there is none now: how much, and at what price at worst. Pure; the one thing to know: an
 * exposure that no order of its venue is small enough for waits for more of it, and that is no fault.
 */
import { Decimal } from "../../decimal.ts"
import { type Instrument, priceStep, quantityStep } from "../../instrument/instrument.ts"
import type { BookRows } from "../../order/plan.ts"
import type { OrderSide } from "../../order/trade-order.ts"
import { sideOf } from "./hedging.ts"
import type { CoveredQuotes, OpenIntents } from "./intent-queue.ts"

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
