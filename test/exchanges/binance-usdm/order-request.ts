/** Reads the parameters of a new order. Source: developers.binance.com, USDS-margined futures, "New Order". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { required } from "../binance/wire/order-request.ts"
import {
  illegalCharacters,
  invalidOrderType,
  invalidSide,
  invalidTimeInForce,
  Refusal,
  unwantedParameter,
} from "../binance/wire/refusal.ts"
import type { Parameters } from "../binance/wire/signature.ts"
import type { UsdmAccount } from "./model.ts"
import { badClientId, badPrecision, offStep, offTick, wrongPositionSide } from "./refusal.ts"
import type { OrderWords } from "./words.ts"

const TIMES_IN_FORCE: ReadonlyArray<string> = ["GTC", "IOC", "FOK", "GTX"]
const CLIENT_ORDER_ID = /^[.A-Z:/a-z0-9_-]{1,36}$/

const decimal = (parameters: Parameters, name: string): bigint => {
  const units = readFixed(required(parameters, name))
  if (units === "malformed") throw illegalCharacters(name)
  if (units === "too precise") throw badPrecision()
  return units
}

export const readPrice = (market: Market, parameters: Parameters): bigint => {
  const price = decimal(parameters, "price")
  if (price === 0n || price % market.filters.tickSize !== 0n) throw offTick()
  return price
}

export const readQuantity = (market: Market, parameters: Parameters): bigint => {
  const quantity = decimal(parameters, "quantity")
  if (quantity === 0n) throw new Refusal(400, -4003, "Quantity less than or equal to zero.")
  if (quantity > market.filters.maxQuantity) throw new Refusal(400, -4005, "Quantity greater than max quantity.")
  if (quantity % market.filters.stepSize !== 0n) throw offStep()
  return quantity
}

/** Of long and short at once nothing is served. */
export const checkPositionSide = (account: UsdmAccount, { positionSide = "BOTH" }: Parameters): void => {
  if (account.isDualSide || positionSide !== "BOTH") throw wrongPositionSide()
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, account: UsdmAccount, parameters: Parameters): Placement => {
  const symbol = required(parameters, "symbol")
  const side = required(parameters, "side")
  const type = required(parameters, "type")
  if (side !== "BUY" && side !== "SELL") throw invalidSide()
  if (type !== "LIMIT" && type !== "MARKET") throw invalidOrderType()
  checkPositionSide(account, parameters)
  const clientOrderId = parameters["newClientOrderId"]
  if (clientOrderId !== undefined && !CLIENT_ORDER_ID.test(clientOrderId)) throw badClientId()
  const isMarket = type === "MARKET"
  for (const name of ["price", "timeInForce"])
    if (isMarket && parameters[name] !== undefined) throw unwantedParameter(name)
  const timeInForce = isMarket ? "GTC" : required(parameters, "timeInForce")
  if (!TIMES_IN_FORCE.includes(timeInForce)) throw invalidTimeInForce()
  return {
    request: {
      symbol,
      side,
      type,
      timeInForce: timeInForce === "IOC" || timeInForce === "FOK" ? timeInForce : "GTC",
      quantity: readQuantity(market, parameters),
      quoteOrderQuantity: undefined,
      price: isMarket ? undefined : readPrice(market, parameters),
      stopPrice: undefined,
      clientOrderId,
      isReduceOnly: parameters["reduceOnly"] === "true",
    },
    words: { type, timeInForce, expiry: 0 },
  }
}
