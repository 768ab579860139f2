/**
 * Bybit's error answers: `retCode` and `retMsg`, nearly all of them with HTTP 200. Source: bybit-exchange.github.io/docs/v5/error.
 */
import { Refusal } from "../binance/wire/refusal.ts"

export class BybitRefusal extends Error {
  constructor(
    readonly retCode: number,
    message: string,
    readonly status = 200,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const parameterError = (what: string) => new BybitRefusal(10001, `Request parameter error: ${what}`)
export const expired = (recvWindow: number, timestamp: number, now: number) =>
  new BybitRefusal(
    10002,
    `invalid request, please check your server timestamp or recv_window param. req_timestamp[${timestamp}],server_timestamp[${now}],recv_window[${recvWindow}]`,
  )
export const invalidKey = () => new BybitRefusal(10003, "API key is invalid.")
export const wrongSignature = () =>
  new BybitRefusal(10004, "Error sign, please check your signature generation algorithm.")
export const tooManyVisits = (headers: Readonly<Record<string, string>>) =>
  new BybitRefusal(10006, "Too many visits. Exceeded the API Rate Limit.", 200, headers)
export const notLoggedIn = () => new BybitRefusal(10003, "API key is invalid.")
export const unknownOperation = () => new BybitRefusal(10404, "op type is not found")
export const repeatedRequest = () => new BybitRefusal(20006, "reqId is duplicated")
export const notServed = (what: string) =>
  new BybitRefusal(10017, `Route not found: the loopback exchange does not serve ${what}`, 404)
export const invalidSymbol = () => new BybitRefusal(170121, "Invalid symbol.")
export const insufficientBalance = () => new BybitRefusal(170131, "Insufficient balance.")
export const priceTooPrecise = () => new BybitRefusal(170134, "Order price has too many decimals.")
export const quantityTooSmall = () => new BybitRefusal(170136, "Order quantity exceeded lower limit.")
export const quantityTooPrecise = () => new BybitRefusal(170137, "Order quantity has too many decimals.")
export const valueTooSmall = () => new BybitRefusal(170140, "Order value exceeded lower limit.")
export const duplicateLinkId = () => new BybitRefusal(170141, "Duplicate clientOrderId.")
export const orderNotFound = () => new BybitRefusal(170213, "Order does not exist.")
export const alreadyFilled = () => new BybitRefusal(170139, "Order has been filled.")
export const alreadyCancelled = () => new BybitRefusal(170142, "Order has been canceled.")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown): BybitRefusal | undefined => {
  if (cause instanceof BybitRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return priceTooPrecise()
  if (cause.message.includes("LOT_SIZE")) return quantityTooPrecise()
  if (cause.message.includes("NOTIONAL")) return valueTooSmall()
  if (cause.message.includes("Duplicate")) return duplicateLinkId()
  if (cause.message.includes("insufficient balance")) return insufficientBalance()
  if (cause.code === -1121) return invalidSymbol()
  return cause.code === -2011 ? orderNotFound() : undefined
}
