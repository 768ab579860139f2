/** Why MOCK refuses an order, and how the matcher sees an order that passes. Codes are those of the errno table. */
import { Decimal } from "../../domain/decimal.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { MatchOrder } from "../matching/matcher.ts"
import { stepsRefusalOf, unitsOf } from "../matching/units.ts"
import type { MockOrder } from "./accounts.ts"

/** Why the order is refused before it reaches the book; undefined when it may go. `cost`: of buying so much at once. */
export const refusalOf = (
  market: { readonly instrument: Instrument; readonly cost: (quantity: Decimal) => Decimal } | undefined,
  order: MockOrder,
): { readonly code: string; readonly text: string } | undefined => {
  const { request, quantity, limitPrice } = order
  if (market === undefined) return { code: "INSTRUMENT_NOT_FOUND", text: "no such instrument" }
  const { instrument } = market
  if (request.trigger !== undefined || (request.leverage ?? 1) !== 1)
    return { code: "NOT_SUPPORTED", text: "triggers and leverage are not supported here" }
  const off = stepsRefusalOf(instrument, { ...order, orderType: request.orderType })
  if (off !== undefined) return off
  const notional = limitPrice?.multiply(quantity)
  const isBuy = request.orderSide === "BUY"
  const need = !isBuy
    ? quantity
    : request.orderType === "MARKET" || notional === undefined
      ? market.cost(quantity)
      : notional
  return unaffordable(instrument, order, need)
}

/** Why a resting order cannot become `amended`; its lock is not its own any more while this is asked. */
export const amendRefusalOf = (
  instrument: Instrument,
  amended: MockOrder,
): { readonly code: string; readonly text: string } | undefined => {
  const rest = amended.quantity.subtract(amended.executed)
  if (!rest.isPositive()) return { code: "INVALID_QUANTITY", text: "that quantity is already executed" }
  const need = amended.request.orderSide === "BUY" ? rest.multiply(amended.limitPrice ?? Decimal.ZERO) : rest
  return (
    stepsRefusalOf(instrument, { ...amended, orderType: amended.request.orderType }) ??
    unaffordable(instrument, amended, need)
  )
}

const unaffordable = (instrument: Instrument, { account, request }: MockOrder, need: Decimal) => {
  const asset = request.orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset
  return need.greaterThan(account.available(asset))
    ? { code: "INSUFFICIENT_BALANCE", text: `not enough ${asset}` }
    : undefined
}

export const matchOrderOf = (instrument: Instrument, order: MockOrder): MatchOrder => {
  const { request } = order
  const isMarket = request.orderType === "MARKET"
  const isPostOnly = request.orderType === "LIMIT_MAKER" || request.timeInForce === "GTX"
  const timeInForce = request.timeInForce === "IOC" || request.timeInForce === "FOK" ? request.timeInForce : "GTC"
  return {
    id: request.tradeOrderId,
    owner: order.account.tradingAccountId,
    side: request.orderSide,
    price: isMarket || order.limitPrice === null ? null : unitsOf(order.limitPrice, instrument.precision)!,
    quantity: unitsOf(order.quantity, instrument.scale)!,
    timeInForce,
    postOnly: isPostOnly && !isMarket,
  }
}
