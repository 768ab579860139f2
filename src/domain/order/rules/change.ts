/** What a client's change of an order must satisfy before anything is held, stored or sent: pure (contract C1, C7). */
import { Decimal } from "../../decimal.ts"
import type { DomainError } from "../../errors/domain-error.ts"
import {
  InvalidPricePrecision,
  InvalidPriceRelation,
  InvalidQuantityPrecision,
  NotionalBelowMinimum,
  ParameterNotAllowed,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  WouldTriggerImmediately,
} from "../../errors/order-parameters.ts"
import { InvalidParameter, MissingParameter } from "../../errors/request.ts"
import { PriceOutsideCollar } from "../../errors/risk.ts"
import { OrderClosed, OrderNotChangeable } from "../../errors/trade-order.ts"
import { type Instrument, priceStep, quantityStep } from "../../instrument/instrument.ts"
import { changed, changeOf, type OrderChange } from "../change.ts"
import { replaceWayOf } from "../evidence/law.ts"
import { isTerminal } from "../status.ts"
import { placeOf, type TradeOrder } from "../trade-order.ts"
import { reaches } from "../trigger-prices.ts"
import { type CollarMarket, collarPriceOf, isOutsideCollar, knownPrice } from "./price.ts"

/** As asked for: absolute values, decimal text; null or absent stays as it is. */
export interface AskedChange {
  readonly quantity?: string | null | undefined
  readonly limitPrice?: string | null | undefined
  readonly stopPrice?: string | null | undefined
}

export type CheckedChange =
  | { readonly change: OrderChange }
  /** What is left of it is what was executed: a cancel. */
  | "CANCEL"
  /** It is so already. */
  | "SAME"
  /** The price collar needs a last price, which may be waited for. */
  | "COLLAR"
  | { readonly error: DomainError }

/** Whether the order may be changed now; its values are the affair of `checkChange`. */
export const changeableError = (order: TradeOrder): DomainError | null => {
  const { orderStatus } = order
  if (isTerminal(orderStatus)) return new OrderClosed({ status: orderStatus })
  if (order.cancelRequested) return new OrderNotChangeable({ reason: "it is being cancelled" })
  if (changeOf(order) !== null) return new OrderNotChangeable({ reason: "it is being changed" })
  if (placeOf(order) === "DEALER") return new OrderNotChangeable({ reason: "it executes a quote" })
  return replaceWayOf(order) === "NONE" ? new OrderNotChangeable({ reason: "the venue has not confirmed it" }) : null
}

export interface ChangeCircumstances extends CollarMarket {
  readonly instrument: Instrument
  /** The other exit of its pair, while that is open. */
  readonly sibling: TradeOrder | null
}

export const checkChange = (
  order: TradeOrder,
  asked: AskedChange,
  circumstances: ChangeCircumstances,
): CheckedChange => {
  const { instrument, sibling } = circumstances
  const { quantity, limitPrice, stopPrice } = asked
  if (!quantity && !limitPrice && !stopPrice) return { error: new MissingParameter({ parameter: "quantity" }) }
  const notAllowed = parameterNotAllowed(order, asked)
  if (notAllowed !== null) return { error: new ParameterNotAllowed({ parameter: notAllowed }) }
  const wanted = {
    baseQuantity: quantity ? Decimal.of(quantity) : null,
    limitPrice: limitPrice ? Decimal.of(limitPrice) : null,
    stopPrice: stopPrice ? Decimal.of(stopPrice) : null,
  }
  const next = changed(order, wanted)
  const error =
    quantityError(order, wanted.baseQuantity, instrument) ??
    priceError("limitPrice", wanted.limitPrice, instrument) ??
    priceError("stopPrice", wanted.stopPrice, instrument) ??
    (wanted.baseQuantity?.equals(order.executedQuantity) ? null : worthError(next, instrument)) ??
    relationError(next) ??
    pairError(next, sibling) ??
    breachError(order, wanted.stopPrice, knownPrice(instrument, circumstances)) ??
    collarError(next, wanted.limitPrice, circumstances)
  if (error === "WAIT") return "COLLAR"
  if (error !== null) return { error }
  if (wanted.baseQuantity?.equals(order.executedQuantity)) return "CANCEL"
  const isSame =
    next.baseQuantity.equals(order.baseQuantity) &&
    (wanted.limitPrice === null || order.limitPrice?.equals(wanted.limitPrice) === true) &&
    (wanted.stopPrice === null || order.terms?.trigger?.stopPrice.equals(wanted.stopPrice) === true)
  return isSame ? "SAME" : { change: wanted }
}

/** The field that says nothing about this order. */
const parameterNotAllowed = (order: TradeOrder, { quantity, limitPrice, stopPrice }: AskedChange): string | null => {
  const { terms } = order
  const trigger = terms?.trigger ?? null
  // How much an exit closes follows from its entry, and from the other exit.
  if (quantity && (terms?.leg ?? null) !== null) return "quantity"
  if (quantity && (terms?.budget ?? null) !== null) return "quantity"
  if (limitPrice && (order.limitPrice === null || trigger?.kind === "TRAILING_STOP")) return "limitPrice"
  const isWaiting = trigger !== null && trigger.triggeredAt === null && trigger.kind !== "TRAILING_STOP"
  return stopPrice && !isWaiting ? "stopPrice" : null
}

const quantityError = (order: TradeOrder, quantity: Decimal | null, instrument: Instrument): DomainError | null => {
  if (quantity === null) return null
  const positive = positiveError("quantity", quantity)
  if (positive !== null) return positive
  if (quantity.lessThan(order.executedQuantity))
    return new InvalidParameter({ parameter: "quantity", reason: `${order.executedQuantity} is already executed` })
  const step = quantityStep(instrument)
  if (!quantity.isMultipleOf(step)) return new InvalidQuantityPrecision({ step: step.toString() })
  const { minQuantity, maxQuantity } = instrument
  const rest = quantity.subtract(order.executedQuantity)
  if (rest.isPositive() && rest.lessThan(minQuantity))
    return new QuantityBelowMinimum({ minQuantity: minQuantity.toString() })
  return maxQuantity?.lessThan(quantity) ? new QuantityAboveMaximum({ maxQuantity: maxQuantity.toString() }) : null
}

const priceError = (parameter: string, price: Decimal | null, instrument: Instrument): DomainError | null => {
  if (price === null) return null
  const positive = positiveError(parameter, price)
  if (positive !== null) return positive
  const step = priceStep(instrument, price)
  return price.isMultipleOf(step) ? null : new InvalidPricePrecision({ parameter, step: step.toString() })
}

const positiveError = (parameter: string, value: Decimal): DomainError | null =>
  value.isPositive() ? null : new InvalidParameter({ parameter, reason: "must be greater than zero" })

const worthError = (next: TradeOrder, { minNotional }: Instrument): DomainError | null => {
  const price = next.limitPrice ?? next.terms?.trigger?.stopPrice ?? null
  if (minNotional === null || price === null) return null
  const worth = price.multiply(next.baseQuantity.subtract(next.executedQuantity))
  return worth.lessThan(minNotional) ? new NotionalBelowMinimum({ minNotional: minNotional.toString() }) : null
}

/** A stop or a take-profit that the market has reached already would be an order at market (contract C5). */
const breachError = (order: TradeOrder, stopPrice: Decimal | null, lastPrice: Decimal | null): DomainError | null => {
  const on = order.terms?.trigger?.on
  if (stopPrice === null || lastPrice === null || on === undefined || !reaches(on, stopPrice, lastPrice)) return null
  return new WouldTriggerImmediately({ stopPrice: stopPrice.toString(), lastPrice: lastPrice.toString() })
}

const collarError = (
  next: TradeOrder,
  limitPrice: Decimal | null,
  circumstances: ChangeCircumstances,
): DomainError | "WAIT" | null => {
  if (limitPrice === null) return null
  const { orderSide } = next
  const reference =
    next.terms?.trigger?.stopPrice ?? collarPriceOf(circumstances.instrument, orderSide, limitPrice, circumstances)
  if (reference === "WAIT") return "WAIT"
  if (reference === null || !isOutsideCollar(orderSide, limitPrice, reference)) return null
  return new PriceOutsideCollar({ parameter: "limitPrice", reference: reference.toString() })
}

/** The exits of a pair keep to their sides of the market: of a SELL the stop stays below the take-profit (contract C4). */
const pairError = (next: TradeOrder, sibling: TradeOrder | null): DomainError | null => {
  const price = exitPriceOf(next)
  const other = sibling === null ? null : exitPriceOf(sibling)
  if (price === null || other === null) return null
  const isAbove = (next.orderSide === "SELL") === (next.terms?.leg === "TAKE_PROFIT")
  if (isAbove ? price.greaterThan(other) : price.lessThan(other)) return null
  const parameter = next.terms?.trigger === null ? "limitPrice" : "stopPrice"
  return new InvalidPriceRelation({ parameter, reference: other.toString() })
}

/** Where an exit acts: its trigger, else its limit. */
const exitPriceOf = (exit: TradeOrder): Decimal | null => exit.terms?.trigger?.stopPrice ?? exit.limitPrice

/** stopLoss < entry < takeProfit for a BUY, the other way round for a SELL (contract C4). */
const relationError = (next: TradeOrder): DomainError | null => {
  const exits = next.terms?.exits ?? null
  const entry = next.limitPrice ?? next.terms?.trigger?.stopPrice ?? null
  if (exits === null || entry === null || (next.terms?.leg ?? null) !== null) return null
  const isBelow = (low: Decimal, high: Decimal): boolean =>
    next.orderSide === "BUY" ? low.lessThan(high) : high.lessThan(low)
  const profit = exits.takeProfitPrice ?? exits.takeProfitLimitPrice
  const reference = entry.toString()
  if (exits.stopLossPrice !== null && !isBelow(exits.stopLossPrice, entry))
    return new InvalidPriceRelation({ parameter: "stopLossPrice", reference })
  if (profit !== null && !isBelow(entry, profit))
    return new InvalidPriceRelation({ parameter: "takeProfitPrice", reference })
  return null
}
