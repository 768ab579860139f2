/**
 * Gate's error answers: `{label, message}` under a status that says little. Sources: www.gate.com/docs/developers/apiv4, "Error Handling", "Label list", and
 * the texts that ccxt 4.5.84 quotes in `exceptions`.
 */
import { Refusal } from "../binance/wire/refusal.ts"

export class GateRefusal extends Error {
  constructor(
    readonly label: string,
    message: string,
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const missingHeader = () => new GateRefusal("MISSING_REQUIRED_HEADER", "Missing required header: Timestamp")
export const unknownKey = () => new GateRefusal("INVALID_KEY", "Invalid key provided", 401)
export const wrongSignature = () => new GateRefusal("INVALID_SIGNATURE", "Signature mismatch", 401)
export const requestExpired = () =>
  new GateRefusal("REQUEST_EXPIRED", "gap between request Timestamp and server time exceeds 60", 403)
export const forbidden = () => new GateRefusal("FORBIDDEN", "Request API key does not have account permission", 403)
export const tooManyRequests = (headers: Readonly<Record<string, string>>) =>
  new GateRefusal("TOO_MANY_REQUESTS", "Request Rate Limit Exceeded", 429, headers)
export const notServed = (what: string) =>
  new GateRefusal("NOT_FOUND", `the loopback exchange does not serve ${what}`, 404)
export const invalidValue = (what: string) => new GateRefusal("INVALID_PARAM_VALUE", `Invalid value: ${what}`)
export const missingParameter = (what: string) =>
  new GateRefusal("MISSING_REQUIRED_PARAM", `Missing required parameter: ${what}`)
export const invalidPair = () => new GateRefusal("INVALID_CURRENCY_PAIR", "Invalid currency pair")
export const invalidPrecision = (what: string) => new GateRefusal("INVALID_PRECISION", `Invalid precision of ${what}`)
export const orderTooSmall = () =>
  new GateRefusal("INVALID_PARAM_VALUE", "Your order size is too small. The minimum is 3 USDT")
export const insufficientBalance = () => new GateRefusal("BALANCE_NOT_ENOUGH", "Not enough balance")
export const wouldTake = () =>
  new GateRefusal("POC_FILL_IMMEDIATELY", "Order would match and take immediately so its cancelled")
export const fokNotFilled = () => new GateRefusal("FOK_NOT_FILL", "FOK order cannot be filled completely")
export const orderNotFound = () => new GateRefusal("ORDER_NOT_FOUND", "Order not found", 404)
export const textNotFound = (text: string) =>
  new GateRefusal("CLIENT_ID_NOT_FOUND", `Order with client ID ${text} not found`, 404)
export const orderClosed = () => new GateRefusal("ORDER_CLOSED", "Order already closed")
export const orderCancelled = () => new GateRefusal("ORDER_CANCELLED", "Order already cancelled")
export const noChange = () => new GateRefusal("NO_CHANGE", "No change is made")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown): GateRefusal | undefined => {
  if (cause instanceof GateRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return invalidPrecision("price")
  if (cause.message.includes("LOT_SIZE")) return invalidPrecision("amount")
  if (cause.message.includes("NOTIONAL")) return orderTooSmall()
  if (cause.message.includes("insufficient balance")) return insufficientBalance()
  return cause.code === -1121 ? invalidPair() : undefined
}
