/**
 * A market of ccxt as a row of instruments: its steps and limits as decimal text. ccxt hands over floats of what the venue wrote: the
 * shortest text of a float is what was written, as long as that had at most 15 digits that count. What had more is looked up in the
 * venue's own row, which ccxt passes on (OKX's 9999999999999999 is a float of 10000000000000000).
 */
import type { Contract } from "../../../domain/instrument/instrument.ts"
import type { InstrumentRow } from "../../connector/wire.ts"
import type { CcxtExchange, CcxtMarket } from "./ccxt.ts"
import type { Listed } from "./listing.ts"

/** ccxt's `precisionMode`: what `precision` counts. */
const DECIMAL_PLACES = 2
const SIGNIFICANT_DIGITS = 3
const TICK_SIZE = 4

/** 10^-places as text; fewer than none are tens, hundreds, … */
const stepOf = (places: number): string => (places > 0 ? `0.${"1".padStart(places, "0")}` : `1${"0".repeat(-places)}`)

/** At its end. */
const withoutZeros = (text: string): string => {
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end -= 1
  return text.slice(0, end)
}

/** Has more digits that count than a float is sure to hold. */
const isLong = (text: string): boolean => {
  if (text.length <= 15 || !/^\d+(\.\d+)?$/.test(text)) return false
  const digits = text.includes(".") ? withoutZeros(text).replace(".", "") : text
  return digits.replace(/^0+/, "").length > 15
}

/** Numbers of a row that floats do not hold, by the floats that they became. */
const longNumbers = (row: unknown, found: Map<number, string>): Map<number, string> => {
  if (typeof row === "string") {
    if (isLong(row) && !found.has(Number(row))) found.set(Number(row), row)
  } else if (typeof row === "object" && row !== null) {
    for (const value of Object.values(row)) longNumbers(value, found)
  }
  return found
}

type Exchange = Pick<CcxtExchange, "precisionMode" | "numberToString">

const isNumber = (value: number | undefined): value is number => typeof value === "number" && Number.isFinite(value)

/** A market that is neither settled in its quote asset nor in its base is settled in a third. */
const contractTypeOf = ({ linear, inverse }: CcxtMarket): Contract["type"] =>
  linear === true ? "LINEAR" : inverse === true ? "INVERSE" : "QUANTO"

/** A quantity is counted as the venue counts it in its books: in base, or in contracts, and then the row says of what kind and size. */
export const instrumentRow = ({ name, market }: Listed, { precisionMode, numberToString }: Exchange): InstrumentRow => {
  const { precision, limits } = market
  const long = longNumbers(market.info, new Map())
  const textOf = (value: number): string => long.get(value) ?? numberToString(value)
  /** "0": the venue gives no step. */
  const stepText = (value: number | undefined, mode: number): string => {
    if (!isNumber(value)) return "0"
    if (mode === TICK_SIZE) return value > 0 ? textOf(value) : "0"
    return Number.isInteger(value) ? stepOf(value) : "0"
  }
  const limitText = (value: number | undefined): string | null => (isNumber(value) && value > 0 ? textOf(value) : null)
  const inDigits = precisionMode === SIGNIFICANT_DIGITS
  return {
    symbol: name,
    baseAsset: market.base,
    quoteAsset: market.quote,
    // A price of so many significant digits has no step of its own; quantities are counted in decimal places there, too.
    tickSize: inDigits ? "0" : stepText(precision.price, precisionMode),
    lotSize: stepText(precision.amount, inDigits ? DECIMAL_PLACES : precisionMode),
    ...(inDigits && isNumber(precision.price) ? { priceSignificantDigits: precision.price } : {}),
    ...(market.contract === true || market.swap === true
      ? { contract: { type: contractTypeOf(market), size: limitText(market.contractSize) } }
      : {}),
    minQuantity: limitText(limits.amount?.min) ?? "0",
    maxQuantity: limitText(limits.amount?.max),
    minNotional: limitText(limits.cost?.min),
    active: market.active !== false,
  }
}
