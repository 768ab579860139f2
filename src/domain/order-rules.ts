/**
 * What a submit request must satisfy before anything is held, stored or sent: pure, in the order of contract C12's numbers after
 * the form itself. The answer is the resolved order or the one error the caller gets.
 */
import { Decimal, type Rounding } from "./decimal.ts"
import {
  ConflictingParameters,
  ContingentUnsupported,
  type DomainError,
  ExpireAtRequired,
  InstrumentNotFound,
  InstrumentNotTradable,
  InvalidExpireAt,
  InvalidInstrumentId,
  InvalidOrderSide,
  InvalidParameter,
  InvalidPricePrecision,
  InvalidQuantityPrecision,
  InvalidTimeInForce,
  LeverageNotAllowed,
  LimitPriceRequired,
  MissingParameter,
  NotionalBelowMinimum,
  ParameterNotAllowed,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  QuoteIdRequired,
  TimeInForceNotAllowed,
  UnsupportedOrderType,
  UnsupportedTimeInForce,
  VenueInactive,
} from "./errors.ts"
import { type Instrument, parseInstrumentId, priceStep, quantityStep } from "./instrument.ts"
import type { SubmitRequest } from "./submit-request.ts"
import type { OrderSide, OrderType, StoredTimeInForce } from "./trade-order.ts"
import { orderTypesAt, timesInForceAt, type Venue } from "./venue.ts"

/** A request that passed: everything defaulted, rounded and typed. */
export interface OrderPlan {
  readonly instrument: Instrument
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly timeInForce: StoredTimeInForce
  readonly limitPrice: Decimal | null
  /** As the client gave it. */
  readonly quantity: Decimal
  /** Rounded to the lot. */
  readonly baseQuantity: Decimal
  readonly quantityRounding: string
}

export interface OrderCircumstances {
  /** The account's venue. */
  readonly venue: Venue
  readonly findInstrument: (id: string) => Instrument | undefined
  /** Wall ms. */
  readonly now: number
}

export type Checked = { readonly plan: OrderPlan } | { readonly error: DomainError }

const EXPIRY_MILLIS_MAX = 365 * 86_400_000
const absent = (value: unknown): value is null | undefined => value === null || value === undefined

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

const CONTINGENT = [
  "takeProfitPrice",
  "takeProfitLimitPrice",
  "stopLossPrice",
  "stopLossLimitPrice",
  "takeProfitTimeInForce",
  "stopLossTimeInForce",
] as const

/** A refusal on its way out of the checks; never leaves this file. */
class Refusal {
  constructor(readonly error: DomainError) {}
}
const refuse = (error: DomainError): never => {
  throw new Refusal(error)
}

export const checkOrder = (request: SubmitRequest, circumstances: OrderCircumstances): Checked => {
  try {
    return { plan: planOf(request, circumstances) }
  } catch (refusal) {
    if (refusal instanceof Refusal) return { error: refusal.error }
    throw refusal
  }
}

const planOf = (request: SubmitRequest, { venue, findInstrument, now }: OrderCircumstances): OrderPlan => {
  if (absent(request.instrumentId) && request.orderType !== "QUOTED")
    refuse(new MissingParameter({ parameter: "instrumentId" }))
  const orderType = typeOf(request, venue)
  const orderSide = request.orderSide === "UNKNOWN" ? refuse(new InvalidOrderSide({})) : request.orderSide
  const instrument = instrumentOf(request.instrumentId ?? "", venue, findInstrument)
  const limitPrice = limitPriceOf(request, orderType)
  checkFields(request, venue)
  const timeInForce = timeInForceOf(request, orderType, venue, now)
  const quantity = Decimal.of(request.quantity)
  const baseQuantity = quantityOf(request, quantity, instrument)
  if (limitPrice !== null) {
    const step = priceStep(instrument, limitPrice)
    if (!limitPrice.isMultipleOf(step))
      refuse(new InvalidPricePrecision({ parameter: "limitPrice", step: step.toString() }))
    if (instrument.minNotional !== null && limitPrice.multiply(baseQuantity).lessThan(instrument.minNotional))
      refuse(new NotionalBelowMinimum({ minNotional: instrument.minNotional.toString() }))
  }
  const quantityRounding = request.quantityRounding ?? ""
  return { instrument, orderSide, orderType, timeInForce, limitPrice, quantity, baseQuantity, quantityRounding }
}

const typeOf = (request: SubmitRequest, venue: Venue): OrderType => {
  const word = request.orderType
  switch (word) {
    case "MARKET":
    case "LIMIT":
    case "LIMIT_MAKER":
      return orderTypesAt(venue).includes(word) ? word : refuse(new UnsupportedOrderType({ orderType: word }))
    case "QUOTED":
      if (absent(request.quoteId)) refuse(new QuoteIdRequired({}))
      return refuse(new UnsupportedOrderType({ orderType: word }))
    default:
      return refuse(new UnsupportedOrderType({ orderType: word === "STOP_MARKET" ? "STOP" : word }))
  }
}

const instrumentOf = (id: string, venue: Venue, find: (id: string) => Instrument | undefined): Instrument => {
  const name = parseInstrumentId(id) ?? refuse(new InvalidInstrumentId({}))
  if (name.venue !== venue.venue)
    refuse(new ConflictingParameters({ parameters: ["instrumentId", "tradingAccountId"] }))
  if (venue.status === "INACTIVE") refuse(new VenueInactive({}))
  const instrument = find(id) ?? refuse(new InstrumentNotFound({ instrumentId: id }))
  return instrument.status === "ACTIVE" ? instrument : refuse(new InstrumentNotTradable({}))
}

const limitPriceOf = (request: SubmitRequest, orderType: OrderType): Decimal | null => {
  if (orderType === "MARKET") {
    if (!absent(request.limitPrice)) refuse(new ParameterNotAllowed({ parameter: "limitPrice" }))
    return null
  }
  if (absent(request.limitPrice)) return refuse(new LimitPriceRequired({}))
  const price = Decimal.of(request.limitPrice)
  return price.isPositive()
    ? price
    : refuse(new InvalidParameter({ parameter: "limitPrice", reason: "must be greater than zero" }))
}

const checkFields = (request: SubmitRequest, venue: Venue): void => {
  for (const parameter of ["stopPrice", "positionId", "quoteId"] as const)
    if (!absent(request[parameter])) refuse(new ParameterNotAllowed({ parameter }))
  if (CONTINGENT.some((field) => !absent(request[field]))) refuse(new ContingentUnsupported({}))
  if (absent(request.leverage) || request.leverage === 1) return
  if (request.leverage < 1) refuse(new InvalidParameter({ parameter: "leverage", reason: "must be at least 1" }))
  if (venue.features.includes("SPOT") || venue.features.length === 0) refuse(new LeverageNotAllowed({}))
}

const timeInForceOf = (request: SubmitRequest, type: OrderType, venue: Venue, now: number): StoredTimeInForce => {
  const { expireAt } = request
  const word = request.timeInForce ?? (absent(expireAt) ? "GTC" : "GTD")
  const supported = timesInForceAt(venue)
  if (word === "UNKNOWN") return refuse(new InvalidTimeInForce({}))
  if (word === "GTD" && absent(expireAt)) refuse(new ExpireAtRequired({}))
  if (!absent(expireAt) && (word !== "GTD" || expireAt <= now || expireAt > now + EXPIRY_MILLIS_MAX))
    refuse(new InvalidExpireAt({}))
  if (type === "MARKET" && (word === "GTD" || word === "GTX")) refuse(new TimeInForceNotAllowed({ timeInForce: word }))
  if (type === "LIMIT_MAKER" && (word === "IOC" || word === "FOK"))
    refuse(new TimeInForceNotAllowed({ timeInForce: word }))
  // A market order is over at once: GTC and DAY say nothing about it.
  if (word === "GTC" || (word === "DAY" && type === "MARKET")) return word
  if ((word === "IOC" || word === "FOK" || word === "GTX") && supported.includes(word)) return word
  return refuse(new UnsupportedTimeInForce({ timeInForce: word, supported }))
}

const quantityOf = (request: SubmitRequest, quantity: Decimal, instrument: Instrument): Decimal => {
  const { quantityType, orderQuantityType } = request
  if (!absent(quantityType) && !absent(orderQuantityType) && quantityType !== orderQuantityType)
    refuse(new ConflictingParameters({ parameters: ["quantityType", "orderQuantityType"] }))
  const type = quantityType ?? orderQuantityType ?? "BASE"
  if (type !== "BASE")
    refuse(new InvalidParameter({ parameter: "quantityType", reason: `${type} is not supported yet, use BASE` }))
  if (!quantity.isPositive())
    refuse(new InvalidParameter({ parameter: "quantity", reason: "must be greater than zero" }))
  const step = quantityStep(instrument)
  const rounding = ROUNDINGS[request.quantityRounding ?? ""]
  if (rounding === undefined && !quantity.isMultipleOf(step))
    refuse(new InvalidQuantityPrecision({ step: step.toString() }))
  const resolved = rounding === undefined ? quantity : quantity.roundTo(step, rounding)
  if (resolved.isZero() || resolved.lessThan(instrument.minQuantity))
    refuse(new QuantityBelowMinimum({ minQuantity: instrument.minQuantity.toString() }))
  if (instrument.maxQuantity !== null && resolved.greaterThan(instrument.maxQuantity))
    refuse(new QuantityAboveMaximum({ maxQuantity: instrument.maxQuantity.toString() }))
  return resolved
}
