/** The arithmetic of a trailing stop (contract C5): the stop keeps a distance to the best price since arming and only ever follows it. */
import { Decimal } from "../decimal.ts"
import type { Trailing, Trigger } from "./terms.ts"

const BASIS_POINTS = 4

/** Whether a price triggers; the comparison is inclusive. */
export const reaches = (on: Trigger["on"], stopPrice: Decimal, price: Decimal): boolean =>
  on === "RISE" ? price.atLeast(stopPrice) : price.atMost(stopPrice)

/** A better price than the best so far, for an order that triggers on a rise (a fall). */
export const isBetter = (on: Trigger["on"], price: Decimal, highWaterMark: Decimal): boolean =>
  on === "RISE" ? price.lessThan(highWaterMark) : price.greaterThan(highWaterMark)

/** The stop that belongs to a best price; exact, not rounded to ticks. */
export const stopAt = (
  on: Trigger["on"],
  { delta, amount }: Pick<Trailing, "delta" | "amount">,
  highWaterMark: Decimal,
): Decimal => {
  const distance =
    delta === null ? (amount ?? Decimal.ZERO) : highWaterMark.multiply(Decimal.fromUnits(BigInt(delta), BASIS_POINTS))
  return on === "RISE" ? highWaterMark.add(distance) : highWaterMark.subtract(distance)
}
