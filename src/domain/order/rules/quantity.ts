/** An order's quantity (contract C7): the four quantity types resolved to whole lots of the base asset, exactly. */
import { Decimal, type Rounding } from "../../decimal.ts"
import { OrderBookUnavailable } from "../../errors/market.ts"
import {
  InvalidQuantityPrecision,
  InvalidQuantityRatio,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
} from "../../errors/order-parameters.ts"
import { ConflictingParameters, InvalidParameter } from "../../errors/request.ts"
import { PositionNotFound } from "../../errors/trade-order.ts"
import { NotSupportedByVenue } from "../../errors/venue.ts"
import { type Instrument, quantityStep } from "../../instrument/instrument.ts"
import { isSpot } from "../../instrument/venue.ts"
import { isAbsent, type OrderCircumstances, refuse } from "../plan.ts"
import { walkBase } from "../portfolio.ts"
import type { SubmitRequest } from "../submit-request.ts"
import type { OrderTerms } from "../terms.ts"
import type { OrderSide, QuantityType } from "../trade-order.ts"
import { checkWorth, farPriceOf } from "./price.ts"

export interface OrderQuantity {
  readonly quantity: Decimal
  readonly orderQuantityType: QuantityType
  readonly baseQuantity: Decimal
  readonly quantityRounding: string
  readonly budget: OrderTerms["budget"]
}

/** What of the order its quantity depends on. */
export interface QuantityFacts {
  readonly instrument: Instrument
  readonly orderSide: OrderSide
  /** At which it trades: limitPrice, else stopPrice; null at market. */
  readonly price: Decimal | null
}

const ROUNDINGS: { readonly [word: string]: Rounding } = {
  UP: "UP",
  DOWN: "DOWN",
  CEIL: "CEIL",
  FLOOR: "FLOOR",
  NEAREST: "HALF_UP",
  HALF_UP: "HALF_UP",
  HALF_DOWN: "HALF_DOWN",
  HALF_EVEN: "HALF_EVEN",
}

/** By how much the price may rise before a market buy of all there is no longer fits. */
const MARKET_BUFFER = Decimal.of("1.005")
/** Where the venue keeps a buy's fee in quote: 0.1 %, the usual base rate of a spot venue. */
export const FEE_RATE = Decimal.of("0.001")
const WITH_FEE = Decimal.ONE.add(FEE_RATE)
const PERCENT = Decimal.of("0.01")

export const quantityOf = (
  request: SubmitRequest,
  facts: QuantityFacts,
  circumstances: OrderCircumstances,
): OrderQuantity => {
  const orderQuantityType = typeOf(request)
  const quantity = Decimal.of(request.quantity)
  if (!quantity.isPositive())
    refuse(new InvalidParameter({ parameter: "quantity", reason: "must be greater than zero" }))
  const quantityRounding = request.quantityRounding ?? ""
  const given = { quantity, orderQuantityType, quantityRounding, budget: null }
  const { instrument } = facts
  switch (orderQuantityType) {
    case "BASE":
      return { ...given, baseQuantity: within(instrument, roundedBase(quantity, quantityRounding, instrument)) }
    case "QUOTE":
      return { ...given, ...ofQuote(quantity, quantityRounding, facts, circumstances) }
    default: {
      const share = orderQuantityType === "POSITION_RATIO" ? quantity : quantity.multiply(PERCENT)
      if (share.greaterThan(Decimal.ONE)) refuse(new InvalidQuantityRatio({}))
      return { ...given, baseQuantity: ofShare(share, request, facts, circumstances) }
    }
  }
}

const typeOf = ({ quantityType, orderQuantityType }: SubmitRequest): QuantityType => {
  if (!isAbsent(quantityType) && !isAbsent(orderQuantityType) && quantityType !== orderQuantityType)
    refuse(new ConflictingParameters({ parameters: ["quantityType", "orderQuantityType"] }))
  return quantityType ?? orderQuantityType ?? "BASE"
}

/** Without a word nothing is rounded: the client's own number must be whole lots. */
const roundedBase = (quantity: Decimal, word: string, instrument: Instrument): Decimal => {
  const step = quantityStep(instrument)
  const rounding = ROUNDINGS[word]
  if (rounding !== undefined) return quantity.roundTo(step, rounding)
  return quantity.isMultipleOf(step) ? quantity : refuse(new InvalidQuantityPrecision({ step: step.toString() }))
}

/** Whole lots of what is numerator / denominator: one exact rounding, DOWN without a word. */
const lots = (numerator: Decimal, denominator: Decimal, word: string, instrument: Instrument): Decimal => {
  const step = quantityStep(instrument)
  return numerator.divide(denominator.multiply(step), 0, ROUNDINGS[word] ?? "DOWN").multiply(step)
}

const within = (instrument: Instrument, base: Decimal): Decimal => {
  const { minQuantity, maxQuantity } = instrument
  if (base.isZero() || base.lessThan(minQuantity))
    refuse(new QuantityBelowMinimum({ minQuantity: minQuantity.toString() }))
  if (maxQuantity !== null && base.greaterThan(maxQuantity))
    refuse(new QuantityAboveMaximum({ maxQuantity: maxQuantity.toString() }))
  return base
}

const ofQuote = (
  amount: Decimal,
  word: string,
  { instrument, orderSide, price }: QuantityFacts,
  circumstances: OrderCircumstances,
): Pick<OrderQuantity, "baseQuantity" | "budget"> => {
  checkWorth(instrument, amount)
  if (price !== null) return { baseQuantity: within(instrument, lots(amount, price, word, instrument)), budget: null }
  const { venue, book, isCut } = circumstances
  const { instrumentId } = instrument
  const side = orderSide === "BUY" ? "asks" : "bids"
  const rows = book(instrumentId, side)
  const walked = walkBase(rows, amount, () => isCut?.(instrumentId, side) ?? false)
  const isByCost = orderSide === "BUY" && venue.capabilities.marketOrders && venue.capabilities.marketBuyByCost
  // What comes to so much lies further than is known: only a venue that is told the amount itself can say how much it is.
  if (rows.length > 0 && walked === undefined && !isByCost)
    refuse(new OrderBookUnavailable({ instrumentId, reason: "BEYOND_COVERED_RANGE" }))
  const rounding = isByCost ? "DOWN" : word
  const base =
    walked === undefined
      ? lots(amount, marketPrice(instrument, orderSide, circumstances), rounding, instrument)
      : lots(walked, Decimal.ONE, rounding, instrument)
  const baseQuantity = within(instrument, base)
  return { baseQuantity, budget: isByCost ? { amount, lot: quantityStep(instrument) } : null }
}

const marketPrice = (instrument: Instrument, side: OrderSide, circumstances: OrderCircumstances): Decimal =>
  farPriceOf(instrument, side, circumstances) ??
  refuse(new OrderBookUnavailable({ instrumentId: instrument.instrumentId }))

/** A share of what the account has: the base asset for a SELL, what the free quote asset buys for a BUY. */
const ofShare = (
  share: Decimal,
  request: SubmitRequest,
  { instrument, orderSide, price }: QuantityFacts,
  circumstances: OrderCircumstances,
): Decimal => {
  const { venue, available } = circumstances
  const word = request.quantityRounding ?? ""
  if (!isSpot(venue)) {
    // Of a position that is named; the gateway's own orders and fills would not say what was open before it came.
    const open = isAbsent(request.positionId) ? null : (circumstances.position?.(instrument.instrumentId) ?? null)
    if (open === null) refuse(new NotSupportedByVenue({ feature: typeOf(request) }))
    else if (open.isZero()) refuse(new PositionNotFound({}))
    else return within(instrument, lots(open.abs().multiply(share), Decimal.ONE, word, instrument))
  }
  if (orderSide === "SELL")
    return within(instrument, lots(available(instrument.baseAsset).multiply(share), Decimal.ONE, word, instrument))
  const at = price ?? marketPrice(instrument, orderSide, circumstances).multiply(MARKET_BUFFER)
  const cost = venue.feeInQuote ? at.multiply(WITH_FEE) : at
  return within(instrument, lots(available(instrument.quoteAsset).multiply(share), cost, word, instrument))
}
