/**
 * From the top of a book to a firm price (contract C8): which prices are out of line, the walk over the levels, what is added to it, and the
 * rounding, always against the client. Pure and exact: the price is the rounded quotient of integers, nothing is rounded on the way.
 */
import { Decimal } from "../decimal.ts"
import { type Instrument, priceStep, quantityStep } from "../instrument/instrument.ts"
import type { BookRows } from "../order/plan.ts"
import type { OrderSide } from "../order/trade-order.ts"
import { AMOUNT_DIGITS_MAX, digitsOf } from "../wallet/wallet.ts"
import type { PricingReceipt } from "./quote.ts"
import type { QuoteSize } from "./quote-request.ts"

// Which of several prices of one thing are out of line: those too far from the median of them all. The one thing to know: of two the median
// lies between them, so both are out of line or neither, because it is unknown which of them is wrong.

const TWO = Decimal.of("2")
const HUNDRED = Decimal.of("100")
const DIGITS = 18

/** Prices are above zero; of none there is none. */
export const medianOf = (prices: ReadonlyArray<Decimal>): Decimal | undefined => {
  const sorted = prices.toSorted((a, b) => a.compare(b))
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper && lower && upper.add(lower).divide(TWO, DIGITS, "HALF_EVEN")
}

/** Farther from the median than `percent` of it. */
export const isOutOfLine = (price: Decimal, median: Decimal, percent: Decimal): boolean => {
  const distance = price.subtract(median).abs()
  return distance.multiply(HUNDRED).greaterThan(median.multiply(percent))
}

/** What was taken of a book. */
interface Walk {
  /** Best first: what was taken of each level. */
  readonly levels: ReadonlyArray<readonly [price: Decimal, quantity: Decimal]>
  readonly quantity: Decimal
  /** Exactly Σ price × quantity. */
  readonly cost: Decimal
}

/** Basis points that are added for a buy and taken off for a sell. */
interface Margin {
  readonly takerFeeBps: Decimal
  readonly markupBps: Decimal
  /** For the whole life of the quote. */
  readonly ttlBps: Decimal
}

export interface Priced {
  readonly walk: Walk
  readonly price: Decimal
  /** In base, whole lots. */
  readonly quantity: Decimal
}

/** Digits of what a walk in quote asset takes of its last level, and of average prices. */
const QUOTIENT_DIGITS = 18
const ALL_BPS = Decimal.of("10000")

/** Rows of a book that are read at most. */
const ROWS_MAX = 1_000

type Level = readonly [price: Decimal, offered: Decimal]

/** The levels of one side, read once and no further than the longest walk over them: most end at the first of a thousand. */
class Ladder {
  readonly #rows: Iterator<BookRows[number]>
  readonly #read: Array<Level> = []
  #left = ROWS_MAX

  constructor(rows: Iterable<BookRows[number]>) {
    this.#rows = rows[Symbol.iterator]()
  }

  /** From the best (0) on; undefined where there are no more. */
  at(rank: number): Level | undefined {
    while (this.#read.length <= rank && this.#left > 0) {
      this.#left--
      const { done, value } = this.#rows.next()
      if (done === true) this.#left = 0
      else this.#take(value)
    }
    return this.#read[rank]
  }

  /** Rows that are no prices are passed over. */
  #take([priceText, offeredText]: BookRows[number]): void {
    const price = Decimal.fromVenue(priceText)
    const offered = Decimal.fromVenue(offeredText)
    if (price?.isPositive() === true && offered?.isPositive() === true) this.#read.push([price, offered])
  }
}

/** Takes levels, best first, until the size is covered; undefined when the rows do not reach that far. */
export const walkBook = (rows: Iterable<BookRows[number]>, size: QuoteSize): Walk | undefined =>
  walkLadder(new Ladder(rows), size)

const walkLadder = (ladder: Ladder, size: QuoteSize): Walk | undefined => {
  const levels: Array<readonly [Decimal, Decimal]> = []
  let quantity = Decimal.ZERO
  let cost = Decimal.ZERO
  for (let level = ladder.at(0), rank = 0; level !== undefined; level = ladder.at(++rank)) {
    const [price, offered] = level
    const taken = Decimal.min(offered, missing(size, price, quantity, cost))
    if (taken.isPositive()) {
      levels.push([price, taken])
      quantity = quantity.add(taken)
      cost = cost.add(price.multiply(taken))
    }
    if (isCovered(size, price, quantity, cost, offered.greaterThan(taken))) return { levels, quantity, cost }
  }
  return undefined
}

/** What is still wanted, in base. */
const missing = (size: QuoteSize, price: Decimal, quantity: Decimal, cost: Decimal): Decimal =>
  size.quantityType === "BASE"
    ? size.quantity.subtract(quantity)
    : size.quoteQuantity.subtract(cost).divide(price, QUOTIENT_DIGITS, "DOWN")

const isCovered = (size: QuoteSize, price: Decimal, quantity: Decimal, cost: Decimal, leftOver: boolean): boolean => {
  if (size.quantityType === "BASE") return quantity.atLeast(size.quantity)
  // The last level was divided: what is missing is less than the last digit of a quantity is worth.
  return cost.atLeast(size.quoteQuantity) || (leftOver && missing(size, price, quantity, cost).isZero())
}

/** Fractional digits of prices at most, so that price × quantity is an amount that the ledger can write down exactly. */
const priceDigitsMax = (quantityDigits: number): number => Math.max(0, AMOUNT_DIGITS_MAX - quantityDigits)

/** What prices are whole numbers of, near this one; where any price is taken, as many digits as the venue shows. */
const stepOf = (instrument: Instrument, near: Decimal, quantityDigits: number): Decimal => {
  const step = priceStep(instrument, near)
  const shown = step.isPositive() ? step : Decimal.fromUnits(1n, instrument.precision)
  return Decimal.max(shown, Decimal.fromUnits(1n, priceDigitsMax(quantityDigits)))
}

const factorOf = (side: OrderSide, { takerFeeBps, markupBps, ttlBps }: Margin): Decimal => {
  const bps = takerFeeBps.add(markupBps).add(ttlBps)
  return side === "BUY" ? ALL_BPS.add(bps) : ALL_BPS.subtract(bps)
}

/** Before rounding, to compare one venue with another: cost × factor over quantity, as two numbers. */
export const isBetter = (side: OrderSide, a: Offer, b: Offer): boolean => {
  const mine = a.walk.cost.multiply(factorOf(side, a.margin)).multiply(b.walk.quantity)
  const other = b.walk.cost.multiply(factorOf(side, b.margin)).multiply(a.walk.quantity)
  return side === "BUY" ? mine.lessThan(other) : mine.greaterThan(other)
}

interface Offer {
  readonly walk: Walk
  readonly margin: Margin
}

/**
 * The firm price, and how much of base it is for: a size in quote asset buys or sells whole lots, down. Undefined when nothing is left of
 * the price, because the margin of a sell eats it up; null when the size comes to less than one lot.
 */
export const priceOffer = (
  side: OrderSide,
  { walk, margin }: Offer,
  size: QuoteSize,
  instrument: Instrument,
): Priced | null | undefined => {
  const numerator = walk.cost.multiply(factorOf(side, margin))
  const denominator = walk.quantity.multiply(ALL_BPS)
  if (!numerator.isPositive()) return undefined
  const lot = quantityStep(instrument)
  const digits = size.quantityType === "BASE" ? digitsOf(size.quantity) : digitsOf(lot)
  const near = numerator.divide(denominator, QUOTIENT_DIGITS, "HALF_EVEN")
  if (!near.isPositive()) return undefined
  const step = stepOf(instrument, near, digits)
  const steps = numerator.divide(denominator.multiply(step), 0, side === "BUY" ? "CEIL" : "FLOOR")
  const price = steps.multiply(step)
  if (!price.isPositive()) return undefined
  const quantity =
    size.quantityType === "BASE"
      ? size.quantity
      : size.quoteQuantity.divide(price, QUOTIENT_DIGITS, "DOWN").roundTo(lot, "DOWN")
  return quantity.isPositive() ? { walk, price, quantity } : null
}

/** The same with the walk that it is the price of. */
export interface Sold extends Priced {
  readonly offer: Offer
}

/** Each round walks at least a lot further, and gives a little less for one: what is not settled by then is beyond the book. */
const ROUNDS_MAX = 10

/**
 * A book's price for a whole size, from a walk that is as long as what it sells. The one thing to know: a seller who is to get so much is
 * paid less than the walk brings, so it sells more than so much of the book; what the hedge has to sell was walked all of it. Undefined and
 * null as `priceOffer` says, undefined also where the book does not reach so far.
 */
export const priceSize = (
  side: OrderSide,
  rows: Iterable<BookRows[number]>,
  size: QuoteSize,
  margin: Margin,
  instrument: Instrument,
): Sold | null | undefined => {
  const ladder = new Ladder(rows)
  let walk = walkLadder(ladder, grossOf(side, size, margin))
  for (let round = 0; round < ROUNDS_MAX && walk !== undefined; round++) {
    const offer = { walk, margin }
    const priced = priceOffer(side, offer, size, instrument)
    if (!priced) return priced
    if (priced.quantity.atMost(walk.quantity)) return { ...priced, offer }
    walk = walkLadder(ladder, { quantityType: "BASE", quantity: priced.quantity })
  }
  return undefined
}

/** What the walk has to bring for the client to get the size; with nothing left after the margin, the size itself. */
const grossOf = (side: OrderSide, size: QuoteSize, margin: Margin): QuoteSize => {
  const factor = factorOf(side, margin)
  if (side === "BUY" || size.quantityType === "BASE" || !factor.isPositive()) return size
  return { ...size, quoteQuantity: size.quoteQuantity.multiply(ALL_BPS).divide(factor, QUOTIENT_DIGITS, "UP") }
}

/** Cost over quantity, for people and for what a perfect hedge would cost. */
export const averageOf = ({ cost, quantity }: Walk): Decimal => cost.divide(quantity, QUOTIENT_DIGITS, "HALF_EVEN")

/**
 * Levels of a walk that are kept with its quote. What was taken beyond them stands in one row, exactly: no quote is larger because it went
 * deeper, and sums and averages can still be checked.
 */
const LEVELS_KEPT = 20

/** What a receipt keeps of a walk. */
export const keptLevels = ({ levels, quantity, cost }: Walk): Pick<PricingReceipt, "levels" | "levelsBeyond"> => {
  if (levels.length <= LEVELS_KEPT) return { levels, levelsBeyond: null }
  const kept = levels.slice(0, LEVELS_KEPT)
  const beyond = kept.reduce(
    (left, [price, taken]) => ({
      quantity: left.quantity.subtract(taken),
      cost: left.cost.subtract(price.multiply(taken)),
    }),
    { quantity, cost },
  )
  return { levels: kept, levelsBeyond: { count: levels.length - LEVELS_KEPT, ...beyond } }
}

/** Of the last level. */
export const worstOf = ({ levels }: Walk): Decimal => levels.at(-1)![0]

/** Between the best of both sides; undefined while one of them is empty. */
export const midOf = (bids: BookRows, asks: BookRows): Decimal | undefined => {
  const bid = bids[0] && Decimal.fromVenue(bids[0][0])
  const ask = asks[0] && Decimal.fromVenue(asks[0][0])
  return bid && ask && bid.add(ask).divide(Decimal.of("2"), QUOTIENT_DIGITS, "HALF_EVEN")
}
