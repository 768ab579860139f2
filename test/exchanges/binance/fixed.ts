/**
 * Exact decimals of the loopback exchange: a bigint that counts 1e-8 units, the resolution Binance Spot itself prints.
 * Nothing here ever passes through a float, so what goes in as text comes out as the same number.
 */

/** How many units make 1. */
export const UNIT = 100_000_000n

/** Units of a decimal text, or why it is none: Binance answers the two cases with different codes. */
export const readFixed = (text: string): bigint | "malformed" | "too precise" => {
  const parts = /^(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text)
  if (parts === null) return "malformed"
  const fraction = (parts[2] ?? "").replace(/0+$/, "")
  if (fraction.length > 8) return "too precise"
  return BigInt(parts[1] ?? "0") * UNIT + BigInt(fraction.padEnd(8, "0"))
}

/** Units of a decimal text the program itself wrote; throws a `RangeError` on anything else. */
export const toFixed8 = (text: string): bigint => {
  const units = readFixed(text)
  if (typeof units === "string") throw new RangeError(`not a decimal of at most 8 places: ${text}`)
  return units
}

/** Always 8 places, as Binance prints prices and quantities: `0.00100000`. */
export const formatFixed = (units: bigint): string => {
  const magnitude = units < 0n ? -units : units
  return `${units < 0n ? "-" : ""}${magnitude / UNIT}.${String(magnitude % UNIT).padStart(8, "0")}`
}

/** Product of two fixed-point numbers, rounded down. */
export const multiply = (left: bigint, right: bigint): bigint => (left * right) / UNIT
