/** Take-profit and stop-loss that come with an order (contract C4): which orders they make, and how their prices must stand. */
import type { Decimal } from "../../decimal.ts"
import {
  ContingentUnsupported,
  IncompleteExits,
  InvalidPriceRelation,
  ParameterNotAllowed,
} from "../../errors/order-parameters.ts"
import type { Instrument } from "../../instrument/instrument.ts"
import { isAbsent, type LegPlan, type ListPlan, type OrderCircumstances, refuse } from "../plan.ts"
import type { SubmitRequest } from "../submit-request.ts"
import type { Exits, Trigger } from "../terms.ts"
import type { OrderSide, OrderType, StoredTimeInForce } from "../trade-order.ts"
import { checkCollar, checkNotional, knownPrice, lastPriceOf, midPriceOf, priceOf } from "./price.ts"
import { exitTimeOf } from "./time.ts"
import { armed, checkBreach, executionOf, native, triggerAt } from "./trigger.ts"

export interface ExitFacts {
  readonly instrument: Instrument
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly limitPrice: Decimal | null
  readonly trigger: Trigger | null
  readonly baseQuantity: Decimal
  readonly timeInForce: StoredTimeInForce
}

export interface ExitPlan {
  readonly exits: Exits
  readonly list: ListPlan
  /** Which leg of the pair the submitted order is; null for an entry. */
  readonly leg: LegPlan["leg"] | null
}

const FIELDS = [
  "takeProfitPrice",
  "takeProfitLimitPrice",
  "stopLossPrice",
  "stopLossLimitPrice",
  "takeProfitTimeInForce",
  "stopLossTimeInForce",
] as const

export const exitFieldsOf = (request: SubmitRequest): ReadonlyArray<string> =>
  FIELDS.filter((field) => !isAbsent(request[field]))

export const hasExits = (request: SubmitRequest): boolean => exitFieldsOf(request).length > 0

/** Which exit the submitted order is itself, when another comes with it; null: an entry. */
export const ownLegOf = (type: OrderType): LegPlan["leg"] | null => {
  switch (type) {
    case "TAKE_PROFIT":
    case "TAKE_PROFIT_LIMIT":
      return "TAKE_PROFIT"
    case "STOP_LOSS":
    case "STOP_LOSS_LIMIT":
      return "STOP_LOSS"
    default:
      return null
  }
}

export const exitsOf = (request: SubmitRequest, facts: ExitFacts, circumstances: OrderCircumstances): ExitPlan => {
  const { instrument, orderSide, orderType } = facts
  if (orderType === "TRAILING_STOP") refuse(new ContingentUnsupported({}))
  const price = (field: (typeof FIELDS)[0 | 1 | 2 | 3]) => priceOf(request[field], field, instrument)
  const prices: ExitPrices = {
    takeProfitPrice: price("takeProfitPrice"),
    takeProfitLimitPrice: price("takeProfitLimitPrice"),
    stopLossPrice: price("stopLossPrice"),
    stopLossLimitPrice: price("stopLossLimitPrice"),
  }
  checkComplete(request, prices)
  const own = ownLegOf(orderType)
  checkOwn(own, prices)
  const side = own === null ? opposite(orderSide) : orderSide
  const takeProfit = takeProfitOf(request, prices, side, circumstances)
  const stopLoss = stopLossOf(request, prices, side, circumstances)
  const exits: Exits = {
    ...prices,
    takeProfitTimeInForce: takeProfit?.timeInForce ?? null,
    stopLossTimeInForce: stopLoss?.timeInForce ?? null,
  }
  const drafts = [takeProfit, stopLoss].filter((leg) => leg !== null)
  for (const leg of drafts) checkLeg(leg, facts)
  if (own === null) {
    checkAround(prices, facts, circumstances)
    const isLone = drafts.length === 1
    const legs = drafts.map((leg) => (isLone ? watchedBy(leg, circumstances) : leg))
    return { exits, list: { contingencyType: isLone ? "OTO" : "OTOCO", legs, isNative: false }, leg: null }
  }
  checkPair(drafts, own, facts, circumstances)
  const isNative = isVenuesPair(drafts, facts, circumstances)
  const watched = (trigger: Trigger): Trigger => (isNative ? native(trigger) : armed(trigger, circumstances.now))
  const legs = drafts.map((leg) => ({ ...leg, trigger: leg.trigger && watched(leg.trigger) }))
  return { exits, list: { contingencyType: "OCO", legs, isNative }, leg: own }
}

type ExitPrices = Pick<Exits, "takeProfitPrice" | "takeProfitLimitPrice" | "stopLossPrice" | "stopLossLimitPrice">

const opposite = (side: OrderSide): OrderSide => (side === "BUY" ? "SELL" : "BUY")

const checkComplete = (request: SubmitRequest, prices: ExitPrices): void => {
  const { takeProfitPrice, takeProfitLimitPrice, stopLossPrice, stopLossLimitPrice } = prices
  if (stopLossPrice === null && (stopLossLimitPrice !== null || !isAbsent(request.stopLossTimeInForce)))
    refuse(new IncompleteExits({ missing: "stopLossPrice" }))
  const hasTakeProfit = takeProfitPrice !== null || takeProfitLimitPrice !== null
  if (!hasTakeProfit && !isAbsent(request.takeProfitTimeInForce))
    refuse(new IncompleteExits({ missing: "takeProfitPrice" }))
}

/** An exit takes the other exit with it, not a second of its own kind. */
const checkOwn = (own: LegPlan["leg"] | null, prices: ExitPrices): void => {
  const ownFields =
    own === "TAKE_PROFIT"
      ? (["takeProfitPrice", "takeProfitLimitPrice"] as const)
      : own === "STOP_LOSS"
        ? (["stopLossPrice"] as const)
        : []
  for (const parameter of ownFields)
    if (prices[parameter] !== null) {
      const place =
        parameter === "takeProfitLimitPrice" ? "limit price goes into limitPrice" : "trigger goes into stopPrice"
      const reason = `is for an exit attached to another order; this order is a ${own}: its own ${place}`
      refuse(new ParameterNotAllowed({ parameter, reason }))
    }
}

const takeProfitOf = (
  request: SubmitRequest,
  { takeProfitPrice, takeProfitLimitPrice }: ExitPrices,
  orderSide: OrderSide,
  { venue, now }: OrderCircumstances,
): LegPlan | null => {
  const isResting =
    takeProfitLimitPrice !== null && (takeProfitPrice === null || takeProfitPrice.equals(takeProfitLimitPrice))
  const shape = { leg: "TAKE_PROFIT", orderSide, limitPrice: takeProfitLimitPrice } as const
  const time = (): ReturnType<typeof exitTimeOf> => exitTimeOf(request.takeProfitTimeInForce, isResting, venue, now)
  // It rests at the venue and keeps its place in the queue: no trigger is needed to sell at a price that is better.
  if (isResting) return { ...shape, ...time(), orderType: "LIMIT", trigger: null }
  if (takeProfitPrice === null) return null
  const trigger = triggerAt("TAKE_PROFIT", orderSide, takeProfitPrice, "EMULATED")
  const orderType = takeProfitLimitPrice === null ? "TAKE_PROFIT" : "TAKE_PROFIT_LIMIT"
  return { ...shape, ...time(), orderType, trigger }
}

const stopLossOf = (
  request: SubmitRequest,
  { stopLossPrice, stopLossLimitPrice }: ExitPrices,
  orderSide: OrderSide,
  { venue, now }: OrderCircumstances,
): LegPlan | null =>
  stopLossPrice === null
    ? null
    : {
        leg: "STOP_LOSS",
        orderSide,
        ...exitTimeOf(request.stopLossTimeInForce, false, venue, now),
        orderType: stopLossLimitPrice === null ? "STOP_LOSS" : "STOP_LOSS_LIMIT",
        limitPrice: stopLossLimitPrice,
        trigger: triggerAt("STOP", orderSide, stopLossPrice, "EMULATED"),
      }

/** The only exit of an entry is the venue's to watch where it can. */
const watchedBy = (leg: LegPlan, { venue }: OrderCircumstances): LegPlan =>
  leg.trigger === null ? leg : { ...leg, trigger: { ...leg.trigger, execution: executionOf(leg.trigger.kind, venue) } }

/** The venue keeps the pair itself where it can: it has no legs that end by time. */
const isVenuesPair = (
  others: ReadonlyArray<LegPlan>,
  { timeInForce }: ExitFacts,
  { venue }: OrderCircumstances,
): boolean =>
  venue.capabilities.oco === "NATIVE" &&
  [timeInForce, ...others.map((it) => it.timeInForce)].every((it) => it === "GTC")

/** An exit that the venue would never take protects nothing. */
const checkLeg = ({ leg, orderSide, limitPrice, trigger }: LegPlan, { instrument, baseQuantity }: ExitFacts): void => {
  const price = limitPrice ?? trigger?.stopPrice ?? null
  if (price !== null) checkNotional(instrument, price, baseQuantity)
  const parameter = leg === "STOP_LOSS" ? "stopLossLimitPrice" : "takeProfitLimitPrice"
  if (limitPrice !== null) checkCollar(orderSide, limitPrice, trigger?.stopPrice ?? null, parameter)
}

const relation = (parameter: string, reference: Decimal): never =>
  refuse(new InvalidPriceRelation({ parameter, reference: reference.toString() }))

/** stopLoss < entry < takeProfit for a BUY, mirrored for a SELL. Equality is refused. */
const checkAround = (prices: ExitPrices, facts: ExitFacts, circumstances: OrderCircumstances): void => {
  const { instrument, orderSide, limitPrice, trigger, orderType } = facts
  const asked = orderType === "MARKET" ? null : (limitPrice ?? trigger?.stopPrice ?? null)
  const entry = asked ?? midPriceOf(instrument, circumstances)
  const { stopLossPrice: stop } = prices
  const profit = prices.takeProfitPrice ?? prices.takeProfitLimitPrice
  const isLong = orderSide === "BUY"
  const isBelow = (low: Decimal, high: Decimal): boolean => (isLong ? low.lessThan(high) : high.lessThan(low))
  if (entry !== null) {
    if (stop !== null && !isBelow(stop, entry)) relation("stopLossPrice", entry)
    if (profit !== null && !isBelow(entry, profit)) relation("takeProfitPrice", entry)
  } else if (stop !== null && profit !== null && !isBelow(stop, profit)) relation("takeProfitPrice", stop)
}

/** Both legs of a pair work from now on: neither may be there already, and the market lies between them. */
const checkPair = (
  [other]: ReadonlyArray<LegPlan>,
  own: LegPlan["leg"],
  { instrument, orderSide, trigger }: ExitFacts,
  circumstances: OrderCircumstances,
): void => {
  if (other === undefined || trigger === null) return
  const level = other.trigger?.stopPrice ?? other.limitPrice ?? trigger.stopPrice
  const [stop, profit] = own === "STOP_LOSS" ? [trigger.stopPrice, level] : [level, trigger.stopPrice]
  const parameter = own === "STOP_LOSS" ? "takeProfitPrice" : "stopLossPrice"
  const isApart = orderSide === "SELL" ? stop.lessThan(profit) : profit.lessThan(stop)
  if (!isApart) relation(parameter, trigger.stopPrice)
  if (other.trigger !== null) {
    const last = lastPriceOf(instrument, circumstances)
    if (last !== null) checkBreach(other.trigger.on, level, last)
    return
  }
  const last = knownPrice(instrument, circumstances)
  if (last !== null && !(orderSide === "SELL" ? last.lessThan(level) : level.lessThan(last))) relation(parameter, last)
}
