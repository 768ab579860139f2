/**
 * Reads the parameters of a new order: which are mandatory for its type, which must be absent, and what each must look like.
 * Source: developers.binance.com, Spot API, "New order (TRADE)", table of mandatory parameters by type.
 */

import { readFixed } from "../fixed.ts"
import type { ListRequest } from "../matching.ts"
import type { OrderType, Side, TimeInForce } from "../model.ts"
import { hasLimitPrice, hasTrigger, ORDER_TYPES } from "../model.ts"
import type { OrderRequest } from "./filters.ts"
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

/** The parameters of one leg of a list, whose names begin with `above` or `below`, as those of an order. */
const legParameters = (parameters: Parameters, leg: "above" | "below"): Parameters => {
  const named: Record<string, string> = {}
  for (const name of ["symbol", "side", "quantity"]) named[name] = required(parameters, name)
  for (const [name, ours] of LEG_NAMES) {
    const value = parameters[`${leg}${name}`]
    if (value !== undefined) named[ours] = value
  }
  return named
}

const LEG_NAMES = [
  ["Type", "type"],
  ["Price", "price"],
  ["StopPrice", "stopPrice"],
  ["TimeInForce", "timeInForce"],
  ["ClientOrderId", "newClientOrderId"],
] as const

const STOPS: ReadonlyArray<OrderType> = ["STOP_LOSS", "STOP_LOSS_LIMIT"]
const PROFITS: ReadonlyArray<OrderType> = ["LIMIT_MAKER", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"]

/** "New order list - OCO (TRADE)": one leg stops a loss, the other takes a profit. */
export const readListRequest = (parameters: Parameters): ListRequest => {
  for (const leg of ["above", "below"]) required(parameters, `${leg}Type`)
  const above = readOrderRequest(legParameters(parameters, "above"))
  const below = readOrderRequest(legParameters(parameters, "below"))
  const [upper, lower] = above.side === "SELL" ? [PROFITS, STOPS] : [STOPS, PROFITS]
  if (!upper.includes(above.type) || !lower.includes(below.type)) throw invalidOrderType()
  return { above, below, listClientOrderId: parameters["listClientOrderId"] }
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
