/**
 * Coinbase's error answers. A request that is wrong as a whole is an HTTP status with `{error, error_details, message}`; an order, a cancel or a
 * change that is refused comes under HTTP 200 with a reason of its own list (docs.cdp.coinbase.com, create-order, cancel-order, edit-order).
 */
import { Refusal } from "../binance/wire/refusal.ts"

/** Of a whole request. */
export class HttpRefusal extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    message: string,
  ) {
    super(message)
  }
}

/** Of an order: `error`, and the reason of its preview where that has another name. */
export class OrderRefusal extends Error {
  constructor(
    readonly reason: string,
    message: string,
    readonly preview = `PREVIEW_${reason}`,
  ) {
    super(message)
  }
}

export const rateLimited = () => new HttpRefusal(429, "rate_limit_exceeded", "Rate limit exceeded")
/** The gate in front of the venue answers with a word, and no JSON. */
export const unauthorized = () => new HttpRefusal(401, "", "Unauthorized")
export const invalidArgument = (what: string) => new HttpRefusal(400, "INVALID_ARGUMENT", what)
export const notServed = (what: string) =>
  new HttpRefusal(404, "NOT_FOUND", `the loopback exchange does not serve ${what}`)
export const orderNotFound = () => new HttpRefusal(404, "NOT_FOUND", "order with this orderID was not found")

export const invalidProduct = () => new OrderRefusal("INVALID_PRODUCT_ID", "Invalid product_id")
export const unsupported = (what: string) => new OrderRefusal("UNSUPPORTED_ORDER_CONFIGURATION", what)
export const insufficientFund = () =>
  new OrderRefusal("INSUFFICIENT_FUND", "Insufficient balance in source account", "PREVIEW_INSUFFICIENT_FUND")
export const priceTooPrecise = () => new OrderRefusal("INVALID_PRICE_PRECISION", "Too many decimals in order price")
export const sizeTooPrecise = () => new OrderRefusal("INVALID_SIZE_PRECISION", "Too many decimals in order amount")
export const sizeTooSmall = () => new OrderRefusal("UNKNOWN_FAILURE_REASON", "", "PREVIEW_INVALID_BASE_SIZE_TOO_SMALL")
export const wouldTake = () =>
  new OrderRefusal("INVALID_LIMIT_PRICE_POST_ONLY", "Post only order would match an existing order immediately")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const orderRefusalOf = (cause: unknown): OrderRefusal | undefined => {
  if (cause instanceof OrderRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return priceTooPrecise()
  if (cause.message.includes("LOT_SIZE")) return sizeTooPrecise()
  if (cause.message.includes("NOTIONAL")) return sizeTooSmall()
  if (cause.message.includes("insufficient balance")) return insufficientFund()
  return cause.code === -1121 ? invalidProduct() : undefined
}
