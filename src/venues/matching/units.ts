/** Prices and quantities as a matcher counts them: whole numbers of 10^-digits. */
import type { Decimal } from "../../domain/decimal.ts"

/** A decimal as a whole number of 10^-digits; undefined when it is none. */
export const unitsOf = (value: Decimal, digits: number): bigint | undefined => {
  if (value.scale <= digits) return value.units * 10n ** BigInt(digits - value.scale)
  const power = 10n ** BigInt(value.scale - digits)
  return value.units % power === 0n ? value.units / power : undefined
}

/** Of what must be one: a defect otherwise. */
export const countOf = (value: Decimal, digits: number): bigint => {
  const units = unitsOf(value, digits)
  if (units === undefined) throw new Error(`${value} is no whole number of 10^-${digits}`)
  return units
}
