/** Prices and quantities as a matcher counts them: whole numbers of 10^-digits. */
import type { Decimal } from "../../domain/decimal.ts"
import { type Instrument, quantityStep } from "../../domain/instrument/instrument.ts"
import type { PlainOrderType } from "../../domain/order/trade-order.ts"

// What an instrument asks of an order at an in-process venue: its steps and limits.

/** Why it is refused whatever the book and the balances; undefined when it may go. Codes are the words of the errno table. */
export const stepsRefusalOf = (
  instrument: Instrument,
  {
    orderType,
    quantity,
    limitPrice,
  }: { readonly orderType: PlainOrderType; readonly quantity: Decimal; readonly limitPrice: Decimal | null },
): { readonly code: string; readonly text: string } | undefined => {
  if (!quantity.isPositive() || quantity.lessThan(instrument.minQuantity))
    return { code: "QUANTITY_BELOW_MINIMUM", text: `quantity below ${instrument.minQuantity}` }
  if (!quantity.isMultipleOf(quantityStep(instrument)))
    return { code: "INVALID_QUANTITY_PRECISION", text: `quantity is not a multiple of ${quantityStep(instrument)}` }
  if (instrument.maxQuantity !== null && quantity.greaterThan(instrument.maxQuantity))
    return { code: "QUANTITY_ABOVE_MAXIMUM", text: `quantity above ${instrument.maxQuantity}` }
  if (orderType !== "MARKET" && limitPrice === null)
    return { code: "LIMIT_PRICE_REQUIRED", text: "a limit order needs a price" }
  if (limitPrice !== null && !(limitPrice.isPositive() && limitPrice.isMultipleOf(instrument.tickSize)))
    return { code: "INVALID_PRICE_PRECISION", text: `price is not a multiple of ${instrument.tickSize}` }
  const notional = limitPrice?.multiply(quantity)
  if (instrument.minNotional !== null && notional?.lessThan(instrument.minNotional) === true)
    return { code: "NOTIONAL_BELOW_MINIMUM", text: `price × quantity below ${instrument.minNotional}` }
  return undefined
}

/** A decimal as a whole number of 10^-digits; undefined when it is none. */
export const unitsOf = (value: Decimal, digits: number): bigint | undefined => {
  if (value.scale <= digits) return value.units * 10n ** BigInt(digits - value.scale)
  const power = 10n ** BigInt(value.scale - digits)
  return value.units % power === 0n ? value.units / power : undefined
}

/** Of what must be one: a defect otherwise. */
export const countOf = (value: Decimal, digits: number): bigint => {
  const units = unitsOf(value, digits)
  if (units === undefined) throw new Error(`${value} is not a multiple of 10^-${digits}`)
  return units
}
