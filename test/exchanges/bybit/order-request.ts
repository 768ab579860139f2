/**
 * Reads the fields of a new order as Bybit does: names first, then precision and the smallest order, then money. Source: docs/v5/order/create-order.
 */
import { readFixed, toFixed8 } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import type { OrderWords } from "./model.ts"
import { parameterError, priceTooPrecise, quantityTooPrecise, quantityTooSmall } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

const TIMES_IN_FORCE: ReadonlyArray<string> = ["GTC", "IOC", "FOK", "PostOnly"]

/** Letters, digits, dashes and underscores. */
const LINK_ID = /^[A-Za-z0-9_-]{1,36}$/

export const fieldOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const decimalOf = (fields: Fields, name: string, tooPrecise: () => Error): bigint => {
  const text = fieldOf(fields, name)
  const units = text === undefined ? "malformed" : readFixed(text)
  if (units === "too precise") throw tooPrecise()
  if (units === "malformed" || units === 0n) throw parameterError(name)
  return units
}

export const readPrice = (market: Market, fields: Fields): bigint => {
  const price = decimalOf(fields, "price", priceTooPrecise)
  if (price % market.filters.tickSize !== 0n) throw priceTooPrecise()
  return price
}

export const readQuantity = (market: Market, fields: Fields): bigint => {
  const quantity = decimalOf(fields, "qty", quantityTooPrecise)
  if (quantity % market.filters.stepSize !== 0n) throw quantityTooPrecise()
  if (quantity < toFixed8(market.rules.minQuantity ?? market.rules.stepSize)) throw quantityTooSmall()
  return quantity
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `BybitRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { symbol, category, side, orderType, timeInForce = "GTC", orderFilter = "Order", isLeverage = 0 } = fields
  if (category !== "spot") throw parameterError("category")
  if (side !== "Buy" && side !== "Sell") throw parameterError("side")
  if (orderType !== "Limit" && orderType !== "Market") throw parameterError("orderType")
  if (typeof timeInForce !== "string" || !TIMES_IN_FORCE.includes(timeInForce)) throw parameterError("timeInForce")
  if (orderFilter !== "Order" || Number(isLeverage) !== 0) throw parameterError("not served by the loopback exchange")
  const linkId = fieldOf(fields, "orderLinkId")
  if (linkId !== undefined && !LINK_ID.test(linkId)) throw parameterError("orderLinkId")
  const isMarket = orderType === "Market"
  // A market buy is by value unless the order says otherwise.
  const unit = isMarket ? (fieldOf(fields, "marketUnit") ?? (side === "Buy" ? "quoteCoin" : "baseCoin")) : ""
  const byValue = unit === "quoteCoin"
  const quantity = byValue ? undefined : readQuantity(market, fields)
  return {
    request: {
      symbol: String(symbol),
      side: side === "Buy" ? "BUY" : "SELL",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: timeInForce === "IOC" || timeInForce === "FOK" ? timeInForce : "GTC",
      quantity,
      quoteOrderQuantity: byValue ? decimalOf(fields, "qty", quantityTooPrecise) : undefined,
      price: isMarket ? undefined : readPrice(market, fields),
      stopPrice: undefined,
      clientOrderId: linkId,
    },
    words: {
      orderType,
      timeInForce: isMarket ? "IOC" : timeInForce,
      marketUnit: fieldOf(fields, "marketUnit") ?? "",
      cancelType: "UNKNOWN",
      rejectReason: "EC_NoError",
    },
  }
}
