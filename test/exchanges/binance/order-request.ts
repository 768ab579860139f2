/**
 * Reads the parameters of a new order: which are mandatory for its type, which must be absent, and what each must look like.
 * Source: developers.binance.com, Spot API, "New order (TRADE)", table of mandatory parameters by type.
 */
import type { OrderRequest } from "./filters.ts"
import { readFixed } from "./fixed.ts"
import type { OrderType, Side, TimeInForce } from "./model.ts"
import { hasLimitPrice, hasTrigger, ORDER_TYPES } from "./model.ts"
import {
  emptyParameter,
  illegalCharacters,
  invalidOrderType,
  invalidSide,
  invalidTimeInForce,
  missingParameter,
  Refusal,
  tooPrecise,
  unwantedParameter,
} from "./refusal.ts"
import type { Parameters } from "./signature.ts"

export const required = (parameters: Parameters, name: string): string => {
  const value = parameters[name]
  if (value === undefined) throw missingParameter(name)
  if (value === "") throw emptyParameter(name)
  return value
}

const decimal = (parameters: Parameters, name: string): bigint | undefined => {
  const text = parameters[name]
  if (text === undefined) return undefined
  const units = readFixed(text)
  if (units === "malformed") throw illegalCharacters(name)
  if (units === "too precise") throw tooPrecise(name)
  return units
}

const CLIENT_ORDER_ID = /^[a-zA-Z0-9-_]{1,36}$/

export const readOrderRequest = (parameters: Parameters): OrderRequest => {
  const symbol = required(parameters, "symbol")
  const side = readSide(required(parameters, "side"))
  const type = readType(required(parameters, "type"))
  const clientOrderId = parameters["newClientOrderId"]
  if (clientOrderId !== undefined && !CLIENT_ORDER_ID.test(clientOrderId)) {
    const text = "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[a-zA-Z0-9-_]{1,36}$'."
    throw new Refusal(400, -1100, text)
  }
  const takesTimeInForce = hasLimitPrice(type) && type !== "LIMIT_MAKER"
  requireExactly(parameters, "timeInForce", takesTimeInForce)
  requireExactly(parameters, "price", hasLimitPrice(type))
  requireExactly(parameters, "stopPrice", hasTrigger(type))
  const byQuote = parameters["quoteOrderQty"] !== undefined
  requireExactly(parameters, "quantity", !(type === "MARKET" && byQuote))
  if (byQuote && type !== "MARKET") throw unwantedParameter("quoteOrderQty")
  return {
    symbol,
    side,
    type,
    timeInForce: takesTimeInForce ? readTimeInForce(required(parameters, "timeInForce")) : "GTC",
    quantity: decimal(parameters, "quantity"),
    quoteOrderQuantity: decimal(parameters, "quoteOrderQty"),
    price: decimal(parameters, "price"),
    stopPrice: decimal(parameters, "stopPrice"),
    clientOrderId,
  }
}

const requireExactly = (parameters: Parameters, name: string, isWanted: boolean): void => {
  if (isWanted) required(parameters, name)
  else if (parameters[name] !== undefined) throw unwantedParameter(name)
}

const readSide = (text: string): Side => {
  if (text === "BUY" || text === "SELL") return text
  throw invalidSide()
}

const readType = (text: string): OrderType => {
  const type = ORDER_TYPES.find((known) => known === text)
  if (type === undefined) throw invalidOrderType()
  return type
}

const readTimeInForce = (text: string): TimeInForce => {
  if (text === "GTC" || text === "IOC" || text === "FOK") return text
  throw invalidTimeInForce()
}
