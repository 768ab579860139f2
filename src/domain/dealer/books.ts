/**
 * Profit and loss of a dealer, event by event (decision 52): the open position is carried at its average cost, and whatever closes a part of it
 * realises the difference. The one thing to know: position + profit is cash, in whatever order events come; once nothing is open all of it is
 * profit.
 */

import { Decimal } from "../decimal.ts"
import type { OrderSide } from "../order/trade-order.ts"
import type { HedgeIntent } from "./dealer.ts"

/** Digits of a share of what something cost: those of the ledger. */
const DIGITS = 18

/** Of one pair. */
export interface PairBook {
  /** In base, executed with clients and at venues: above zero too much, below zero owed. */
  readonly position: Decimal
  /** In quote asset: what that brought (above zero) or cost. */
  readonly cash: Decimal
  /** In quote asset: what is earned for good. */
  readonly profit: Decimal
}

export const EMPTY_BOOK: PairBook = { position: Decimal.ZERO, cash: Decimal.ZERO, profit: Decimal.ZERO }

/** What comes in (above zero) or goes out, of base and of quote asset. */
export interface BookChange {
  readonly base: Decimal
  readonly cash: Decimal
}

/** The book after a change; what it realised is what its profit has grown by. */
export const booked = ({ position, cash, profit }: PairBook, change: BookChange): PairBook => {
  const nextPosition = position.add(change.base)
  const all = cash.add(change.cash)
  const realised = realisedBy({ position, cash }, change, nextPosition, all)
  return { position: nextPosition, cash: all.subtract(realised), profit: profit.add(realised) }
}

const realisedBy = (
  { position, cash }: Pick<PairBook, "position" | "cash">,
  change: BookChange,
  nextPosition: Decimal,
  all: Decimal,
): Decimal => {
  // Nothing is open any more, or was: no share of anything stays behind.
  if (nextPosition.isZero()) return all
  if (position.isZero() || change.base.isZero() || position.isNegative() === change.base.isNegative())
    return Decimal.ZERO
  const [open, moved] = [position.abs(), change.base.abs()]
  const closed = Decimal.min(open, moved)
  return shareOf(cash, closed, open).add(shareOf(change.cash, closed, moved))
}

const shareOf = (amount: Decimal, part: Decimal, whole: Decimal): Decimal =>
  part.equals(whole) ? amount : amount.multiply(part).divide(whole, DIGITS, "HALF_EVEN")

/** What is traded: base one way, money the other. */
export const traded = (side: OrderSide, quantity: Decimal, cost: Decimal): BookChange =>
  side === "BUY" ? { base: quantity, cash: cost.negate() } : { base: quantity.negate(), cash: cost }

/** Of an executed quote: the client is on the side of the hedge, the dealer on the other. */
export const soldTo = ({
  orderSide,
  quantity,
  quotePrice,
}: Pick<HedgeIntent, "orderSide" | "quantity" | "quotePrice">): BookChange =>
  traded(orderSide === "BUY" ? "SELL" : "BUY", quantity, quantity.multiply(quotePrice))
