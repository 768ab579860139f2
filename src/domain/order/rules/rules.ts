/**
 * What a submit request must satisfy before anything is held, stored or sent: pure. The result is the resolved order, the one error the caller
 * gets, or the prices that must be known first. Each separate rule has its own file.
 */
import type { Decimal } from "../../decimal.ts"
import { InstrumentNotFound, OrderBookUnavailable } from "../../errors/market.ts"
import {
  InvalidOrderSide,
  LimitPriceRequired,
  ParameterNotAllowed,
  QuantityExceedsPosition,
  QuoteIdRequired,
  UnsupportedOrderType,
} from "../../errors/order-parameters.ts"
import { ConflictingParameters, InvalidParameter, MissingParameter } from "../../errors/request.ts"
import { LeverageNotAllowed } from "../../errors/risk.ts"
import { PositionNotFound } from "../../errors/trade-order.ts"
import { NotSupportedByVenue, VenueInactive } from "../../errors/venue.ts"
import { positionIdOf } from "../../ids.ts"
import { type Instrument, invalidInstrumentId, parseInstrumentId, tradingFault } from "../../instrument/instrument.ts"
import { isSpot, orderTypesAt, type Venue } from "../../instrument/venue.ts"
import { type Checked, checking, isAbsent, type OrderCircumstances, type OrderPlan, refuse } from "../plan.ts"
import type { SubmitRequest } from "../submit-request.ts"
import type { OrderTerms, Trigger } from "../terms.ts"
import type { OrderSide, OrderType } from "../trade-order.ts"
import { exitFieldsOf, exitsOf, hasExits, ownLegOf } from "./exits.ts"
import {
  checkCollar,
  checkNotional,
  collaredPrice,
  collarReferenceOf,
  farPriceOf,
  priceOf,
  wantTouch,
} from "./price.ts"
import { quantityOf } from "./quantity.ts"
import { timeOf } from "./time.ts"
import { native, triggerOf } from "./trigger.ts"

export const checkOrder = (request: SubmitRequest, circumstances: OrderCircumstances): Checked =>
  checking(() => planOf(request, circumstances))

const planOf = (request: SubmitRequest, circumstances: OrderCircumstances): OrderPlan => {
  const { venue, now } = circumstances
  if (isAbsent(request.instrumentId) && request.orderType !== "QUOTED")
    refuse(new MissingParameter({ parameter: "instrumentId" }))
  const orderType = typeOf(request, venue)
  const orderSide = request.orderSide === "UNKNOWN" ? refuse(new InvalidOrderSide({})) : request.orderSide
  const instrument = instrumentOf(request.instrumentId ?? "", venue, circumstances.findInstrument)
  const limitPrice = limitPriceOf(request, orderType, instrument)
  if (!isAbsent(request.quoteId)) refuse(new ParameterNotAllowed({ parameter: "quoteId" }))
  const leverage = leverageOf(request, venue)
  const positionId = positionOf(request, instrument, venue)
  const { timeInForce, expireAt } = timeOf(request, orderType, venue, now)
  const withExits = hasExits(request)
  const isPaired = withExits && ownLegOf(orderType) !== null
  const trigger = triggerOf(request, { instrument, orderSide, orderType, limitPrice, isPaired }, circumstances)
  const price = limitPrice ?? trigger?.stopPrice ?? null
  const amount = quantityOf(request, { instrument, orderSide, price }, circumstances)
  const reduces = reducesOf(request, { instrument, orderSide, baseQuantity: amount.baseQuantity }, circumstances)
  // What is left of a position may be worth less than the venue opens one with.
  if (price !== null && reduces === undefined) checkNotional(instrument, price, amount.baseQuantity)
  // What a buy at market costs is what the book asks: without one everything that is free would be held for it.
  if (orderType === "MARKET" && orderSide === "BUY" && amount.budget === null && isSpot(venue))
    wantTouch(instrument, orderSide, circumstances)
  if (limitPrice !== null) {
    const reference = trigger?.stopPrice ?? collarReferenceOf(instrument, orderSide, limitPrice, circumstances)
    checkCollar(orderSide, limitPrice, reference, "limitPrice")
  }
  const facts = {
    instrument,
    orderSide,
    orderType,
    limitPrice,
    trigger,
    baseQuantity: amount.baseQuantity,
    timeInForce,
  }
  const list = withExits ? exitsOf(request, facts, circumstances) : null
  // They would buy back what it sold: reduce-only as it is, the venue refuses them as long as the position is there, and afterwards.
  if (reduces !== undefined && list?.leg === null)
    refuse(new ConflictingParameters({ parameters: ["positionId", ...exitFieldsOf(request)] }))
  return {
    instrument,
    orderSide,
    orderType,
    timeInForce,
    expireAt,
    limitPrice: limitPrice ?? standInPrice(orderType, orderSide, instrument, circumstances),
    quantity: amount.quantity,
    orderQuantityType: amount.orderQuantityType,
    quantityRounding: amount.quantityRounding,
    baseQuantity: amount.baseQuantity,
    positionId,
    terms: termsOf(trigger, amount.budget, { leverage, reduces }, list),
    list: list?.list ?? null,
  }
}

/** Null where there is nothing beyond side, price and quantity. */
const termsOf = (
  trigger: Trigger | null,
  budget: OrderTerms["budget"],
  { leverage, reduces }: { readonly leverage: number | null; readonly reduces: true | undefined },
  list: ReturnType<typeof exitsOf> | null,
): OrderTerms | null =>
  trigger === null && budget === null && leverage === null && reduces === undefined && list === null
    ? null
    : {
        trigger: trigger !== null && list?.list.isNative === true ? native(trigger) : trigger,
        exits: list?.exits ?? null,
        parentId: null,
        leg: list?.leg ?? null,
        pairedWith: null,
        leverage,
        ...(reduces !== undefined && { reduces }),
        budget,
        change: null,
      }

const typeOf = (request: SubmitRequest, venue: Venue): OrderType => {
  const word = request.orderType === "STOP_MARKET" ? "STOP" : request.orderType
  if (word === "QUOTED" && isAbsent(request.quoteId)) return refuse(new QuoteIdRequired({}))
  const type = orderTypesAt(venue).find((it) => it === word)
  return type ?? refuse(new UnsupportedOrderType({ orderType: word }))
}

const instrumentOf = (id: string, venue: Venue, find: (id: string) => Instrument | undefined): Instrument => {
  const name = parseInstrumentId(id) ?? refuse(invalidInstrumentId(id))
  if (name.venue !== venue.venue)
    refuse(new ConflictingParameters({ parameters: ["instrumentId", "tradingAccountId"] }))
  if (venue.status === "INACTIVE") refuse(new VenueInactive({}))
  const instrument = find(id) ?? refuse(new InstrumentNotFound({ instrumentId: id }))
  const fault = tradingFault(instrument)
  return fault === undefined ? instrument : refuse(fault)
}

const limitPriceOf = (request: SubmitRequest, orderType: OrderType, instrument: Instrument): Decimal | null => {
  const isGiven = !isAbsent(request.limitPrice)
  switch (orderType) {
    case "MARKET":
    case "STOP":
    case "STOP_LOSS":
    case "TAKE_PROFIT":
      return isGiven ? refuse(new ParameterNotAllowed({ parameter: "limitPrice" })) : null
    case "TRAILING_STOP":
      break
    default:
      if (!isGiven) refuse(new LimitPriceRequired({}))
  }
  return priceOf(request.limitPrice, "limitPrice", instrument)
}

/** Of a market order where the venue has none: it goes as far as its collar and no further. */
const standInPrice = (
  orderType: OrderType,
  orderSide: OrderSide,
  instrument: Instrument,
  circumstances: OrderCircumstances,
): Decimal | null => {
  if (orderType !== "MARKET" || circumstances.venue.capabilities.marketOrders) return null
  const touch = farPriceOf(instrument, orderSide, circumstances)
  if (touch === null) return refuse(new OrderBookUnavailable({ instrumentId: instrument.instrumentId }))
  return collaredPrice(orderSide, touch, instrument)
}

/** No connector sends an order with more than 1, which venues set by account and not by order; null where there is nothing to lever. */
const leverageOf = ({ leverage }: SubmitRequest, venue: Venue): number | null => {
  if (isAbsent(leverage)) return null
  if (leverage < 1) refuse(new InvalidParameter({ parameter: "leverage", reason: "must be at least 1" }))
  if (leverage > 1) refuse(new LeverageNotAllowed({ leverage, max: 1 }))
  return isSpot(venue) ? null : leverage
}

/** An order that names its position makes it smaller, by no more than is open. */
const reducesOf = (
  { positionId }: SubmitRequest,
  { instrument, orderSide, baseQuantity }: Pick<OrderPlan, "instrument" | "orderSide" | "baseQuantity">,
  { position }: OrderCircumstances,
): true | undefined => {
  if (isAbsent(positionId)) return undefined
  const open = position?.(instrument.instrumentId) ?? refuse(new NotSupportedByVenue({ feature: "positionId" }))
  if (open.isZero()) refuse(new PositionNotFound({}))
  const isOpposite = orderSide === (open.isNegative() ? "BUY" : "SELL")
  if (!isOpposite || baseQuantity.greaterThan(open.abs()))
    refuse(new QuantityExceedsPosition({ open: open.toString() }))
  return true
}

const positionOf = (request: SubmitRequest, instrument: Instrument, venue: Venue): string | null => {
  const own = isSpot(venue) ? null : positionIdOf(request.tradingAccountId, instrument.instrumentId)
  if (!isAbsent(request.positionId) && request.positionId.toLowerCase() !== own) refuse(new PositionNotFound({}))
  return own
}
