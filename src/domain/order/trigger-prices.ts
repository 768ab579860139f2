/**
 * The prices that triggers are compared with, as arithmetic (contract C5): the level of a trailing stop, and what a trigger missed while its feed
 * was closed, derived from the venue's bars. The one thing to know: a bar proves only what must have happened; a low may come before the high of
 * the same bar, so a trailing stop is compared with the low at its old level, and only then follows the high.
 */
import { Decimal } from "../decimal.ts"
import { type Bar, barEnd, barStart, type KlineInterval } from "../market/kline.ts"
import type { Trailing, Trigger } from "./terms.ts"

// The arithmetic of a trailing stop (contract C5): the stop keeps a distance to the best price since arming and only ever follows it.

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

export const MISSED_INTERVAL: KlineInterval = "1m"

/** A trigger as it stood when it was last watched, at `since`. */
export interface Missed extends Pick<Trigger, "on" | "stopPrice"> {
  readonly trailing: Pick<Trailing, "delta" | "amount" | "highWaterMark"> | null
  /** Bars that opened before prove nothing. */
  readonly armedAt: number
  readonly since: number
}

type Passed = { readonly crossed: Decimal; readonly missed: Missed } | { readonly missed: Missed }

/** Open time of the first bar that can prove anything; it may lie in the future. */
export const firstBarOf = ({ armedAt, since }: Pick<Missed, "armedAt" | "since">): number => {
  const start = barStart(MISSED_INTERVAL, since)
  return start >= armedAt ? start : barEnd(MISSED_INTERVAL, Math.max(armedAt - 1, since))
}

/** Bars in order of time; each from the answer to the one before. */
export const passBar = (missed: Missed, bar: Bar): Passed => {
  const { on, stopPrice, trailing } = missed
  const high = Decimal.fromVenue(bar.high)
  const low = Decimal.fromVenue(bar.low)
  const close = Decimal.fromVenue(bar.close)
  if (high === undefined || low === undefined || close === undefined) return { missed }
  if (bar.openAt < firstBarOf(missed)) return { missed }
  const [against, along] = on === "RISE" ? [high, low] : [low, high]
  // Within the bar that was still watched a trailing stop moved: what came before that is not known.
  const isWhole = bar.openAt >= missed.since || trailing === null
  if (isWhole && reaches(on, stopPrice, against)) return { crossed: against, missed }
  if (trailing === null || !isBetter(on, along, trailing.highWaterMark)) return { missed }
  const followed = stopAt(on, trailing, along)
  const isNearer = on === "RISE" ? followed.lessThan(stopPrice) : followed.greaterThan(stopPrice)
  const next: Missed = {
    ...missed,
    stopPrice: isNearer ? followed : stopPrice,
    trailing: { ...trailing, highWaterMark: along },
  }
  // The close comes after every other price of the bar.
  return reaches(on, next.stopPrice, close) ? { crossed: close, missed: next } : { missed: next }
}
