/**
 * Which of several prices of one thing are out of line: those too far from the median of them all. The one thing to know: of two the median
 * lies between them, so both are out of line or neither, for nobody can say which of them is wrong.
 */
import { Decimal } from "../decimal.ts"

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
