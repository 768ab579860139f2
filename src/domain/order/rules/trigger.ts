/**
 * Orders that wait for a price (contract C5): what triggers them, who watches, whether the market is already there, and the distance of a
 * trailing stop.
 */
import { Decimal } from "../../decimal.ts"
import { TickerUnavailable } from "../../errors/market.ts"
import {
  InvalidTrailingDistance,
  ParameterNotAllowed,
  StopPriceRequired,
  WouldTriggerImmediately,
} from "../../errors/order-parameters.ts"
import { ConflictingParameters } from "../../errors/request.ts"
import type { Instrument } from "../../instrument/instrument.ts"
import type { Venue } from "../../instrument/venue.ts"
import { isAbsent, type OrderCircumstances, refuse } from "../plan.ts"
import type { SubmitRequest } from "../submit-request.ts"
import type { Trailing, Trigger } from "../terms.ts"
import type { OrderSide, OrderType } from "../trade-order.ts"
import { reaches, stopAt } from "../trigger-prices.ts"
import { knownPrice, lastPriceOf, priceOf } from "./price.ts"

const DELTA_MAX = 5_000

type Kind = Trigger["kind"]

/** What triggers an order of this type; null: nothing, it goes to the book at once. */
export const kindOf = (type: OrderType): Kind | null => {
  switch (type) {
    case "STOP":
    case "STOP_LIMIT":
    case "STOP_LOSS":
    case "STOP_LOSS_LIMIT":
      return "STOP"
    case "TAKE_PROFIT":
    case "TAKE_PROFIT_LIMIT":
      return "TAKE_PROFIT"
    case "TRAILING_STOP":
      return "TRAILING_STOP"
    default:
      return null
  }
}

/** A stop runs with the market, a take-profit against it. */
export const directionOf = (kind: Kind, orderSide: OrderSide): Trigger["on"] =>
  (orderSide === "BUY") === (kind === "TAKE_PROFIT") ? "FALL" : "RISE"

/** The venue itself where it can, because that survives us; a trigger of a list of exits is always ours. */
export const executionOf = (kind: Kind, { capabilities }: Venue): Trigger["execution"] => {
  const { stop, takeProfit, trailing } = capabilities.triggers
  return kind === "STOP" ? stop : kind === "TAKE_PROFIT" ? takeProfit : trailing
}

/** A trigger that nothing has happened to yet. */
export const triggerAt = (
  kind: Kind,
  orderSide: OrderSide,
  stopPrice: Decimal,
  execution: Trigger["execution"],
  trailing: Trailing | null = null,
): Trigger => ({
  kind,
  execution,
  source: "LAST_TRADE",
  on: directionOf(kind, orderSide),
  stopPrice,
  trailing,
  armedAt: null,
  triggeredAt: null,
  triggeredBy: null,
  triggerPrice: null,
  health: "LIVE",
})

export interface TriggerFacts {
  readonly instrument: Instrument
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly limitPrice: Decimal | null
  /** It is one of a pair of exits. */
  readonly isPaired: boolean
}

/** The trigger of a submitted order, armed from now on where the gateway watches it. */
export const triggerOf = (
  request: SubmitRequest,
  facts: TriggerFacts,
  circumstances: OrderCircumstances,
): Trigger | null => {
  const { orderType, orderSide, instrument, isPaired } = facts
  const kind = kindOf(orderType)
  if (kind !== "TRAILING_STOP")
    for (const parameter of ["trailingDelta", "trailingAmount"] as const)
      if (!isAbsent(request[parameter])) refuse(new ParameterNotAllowed({ parameter }))
  const stopPrice = priceOf(request.stopPrice, "stopPrice", instrument)
  if (kind === null) return stopPrice === null ? null : refuse(new ParameterNotAllowed({ parameter: "stopPrice" }))
  const { venue, now } = circumstances
  const native = isPaired ? "EMULATED" : executionOf(kind, venue)
  if (kind === "TRAILING_STOP") {
    const trailing = trailingOf(request, stopPrice, facts, circumstances)
    // What a venue releases at a trailing limit differs from venue to venue: that offset is kept by the gateway.
    const execution = trailing.trailing.limitOffset === null ? native : "EMULATED"
    return armed(triggerAt(kind, orderSide, trailing.stopPrice, execution, trailing.trailing), now)
  }
  if (stopPrice === null) {
    const given = ([kind === "STOP" ? "stopLossPrice" : "takeProfitPrice"] as const).find(
      (it) => !isAbsent(request[it]),
    )
    const reason =
      given && `the trigger of a ${orderType} order goes into stopPrice; ${given} is for an exit attached to another`
    return refuse(new StopPriceRequired({ reason }))
  }
  // Legs of a pair are taken or refused together, so those wait for the price.
  const last = (isPaired ? lastPriceOf : knownPrice)(instrument, circumstances)
  if (last !== null) checkBreach(directionOf(kind, orderSide), stopPrice, last)
  const trigger = armed(triggerAt(kind, orderSide, stopPrice, native), now)
  return last === null && !isPaired && native === "EMULATED" ? { ...trigger, isUnpriced: true } : trigger
}

export const armed = (trigger: Trigger, at: number): Trigger =>
  trigger.execution === "EMULATED" ? { ...trigger, armedAt: at } : trigger

/** The venue watches it. */
export const native = (trigger: Trigger): Trigger => ({ ...trigger, execution: "NATIVE", armedAt: null })

export const checkBreach = (on: Trigger["on"], stopPrice: Decimal, last: Decimal): void => {
  if (reaches(on, stopPrice, last))
    refuse(new WouldTriggerImmediately({ stopPrice: stopPrice.toString(), lastPrice: last.toString() }))
}

/** A stop price alone says the distance: from the price at acceptance. A distance that is given wins. */
const trailingOf = (
  request: SubmitRequest,
  stopPrice: Decimal | null,
  { instrument, orderSide, limitPrice }: TriggerFacts,
  circumstances: OrderCircumstances,
): { readonly stopPrice: Decimal; readonly trailing: Trailing } => {
  const asked = askedDistance(request, instrument)
  if (asked === null && stopPrice === null) refuse(new InvalidTrailingDistance({}))
  const on = directionOf("TRAILING_STOP", orderSide)
  const mark =
    lastPriceOf(instrument, circumstances) ?? refuse(new TickerUnavailable({ instrumentId: instrument.instrumentId }))
  if (stopPrice !== null) checkBreach(on, stopPrice, mark)
  const distance = asked ?? { delta: null, amount: mark.subtract(stopPrice ?? mark) }
  const amount = distance.amount?.isNegative() === true ? distance.amount.negate() : distance.amount
  const trailed = stopAt(on, { ...distance, amount }, mark)
  const start =
    stopPrice === null ? trailed : on === "RISE" ? Decimal.min(stopPrice, trailed) : Decimal.max(stopPrice, trailed)
  if (!start.isPositive()) refuse(new InvalidTrailingDistance({}))
  const limitOffset = limitPrice === null ? null : limitPrice.subtract(stopPrice ?? start)
  return { stopPrice: start, trailing: { delta: distance.delta, amount, limitOffset, highWaterMark: mark } }
}

const askedDistance = (
  { trailingDelta, trailingAmount }: SubmitRequest,
  instrument: Instrument,
): Pick<Trailing, "delta" | "amount"> | null => {
  if (!isAbsent(trailingDelta) && !isAbsent(trailingAmount))
    refuse(new ConflictingParameters({ parameters: ["trailingDelta", "trailingAmount"] }))
  if (!isAbsent(trailingDelta)) {
    if (trailingDelta < 1 || trailingDelta > DELTA_MAX) refuse(new InvalidTrailingDistance({}))
    return { delta: trailingDelta, amount: null }
  }
  if (isAbsent(trailingAmount)) return null
  if (!Decimal.of(trailingAmount).isPositive()) refuse(new InvalidTrailingDistance({}))
  return { delta: null, amount: priceOf(trailingAmount, "trailingAmount", instrument) }
}
