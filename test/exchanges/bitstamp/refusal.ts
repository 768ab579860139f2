/**
 * Bitstamp's error answers: `{status, reason, code}` of a request that is not let in, `{status, reason, response_code}` of one that is. A form that is wrong
 * has its reasons by field, `__all__` for all of it. Sources: www.bitstamp.net/api, "Response codes" and "Possible errors", and the texts that ccxt 4.5.84
 * knows.
 */
import { Refusal } from "../binance/wire/refusal.ts"

type Reason = string | Readonly<Record<string, ReadonlyArray<string>>>

export class BitstampRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly reason: Reason,
  ) {
    super(typeof reason === "string" ? reason : Object.values(reason).flat().join(" "))
  }

  get body(): object {
    const { code, reason } = this
    return { status: "error", reason, ...(code.startsWith("API") ? { code } : { response_code: code }) }
  }
}

const denied = (code: string, reason: string) => new BitstampRefusal(403, code, reason)
const wrong = (code: string, reason: Reason, status = 400) => new BitstampRefusal(status, code, reason)
const inAll = (code: string, text: string) => wrong(code, { __all__: [text] })

export const unknownKey = () => denied("API0001", "API key not found")
export const invalidNonce = () => denied("API0004", "Invalid nonce")
export const wrongSignature = () => denied("API0005", "Invalid signature")
export const wrongVersion = () => denied("API0010", "Invalid version")
export const missingHeader = (code: string, name: string) => denied(code, `${name} header is required`)
export const timeOutOfBounds = () => denied("API0017", "X-Auth-Timestamp header is out of boundaries")
export const timeMalformed = () => denied("API0018", "X-Auth-Timestamp header is invalid")
export const wrongContentType = () => denied("API0019", "Content-Type header is not accepted")
export const tooManyRequests = () => wrong("400.002", "Request rejected due to exceeded rate limit.")
export const missing = (name: string) =>
  wrong("400.004", { __all__: [`POST parameter(s) is missing from request: ${name}.`] })
export const malformed = (code: string, name: string) =>
  wrong(code, { [name]: ['Enter a number. Use "." as a decimal point.'] })
export const tooPrecise = (code: string, name: string, places: number) =>
  wrong(code, { [name]: [`Ensure that there are no more than ${places} decimal places.`] })
export const oneOption = () => inAll("400.024", "Only one of optional parameters can be set.")
export const tooSmall = (quote: string) => inAll("400.020", `Minimum order size is 10.00 ${quote}.`)
export const outOfBand = (where: "above" | "below") => inAll("400.021", `Price is more than 20% ${where} market price.`)
export const insufficient = (asset: string) =>
  inAll("400.009", `You have only 0.00 ${asset} available. Check your account balance for details.`)
export const noOrders = (side: "buy" | "sell", market: string) =>
  inAll(side === "buy" ? "500.004" : "500.005", `No ${side === "buy" ? "sell" : "buy"} orders for ${market}.`)
export const orderNotFound = () => wrong("404.002", "Order not found.", 404)
export const notInBook = () => wrong("404.002", "Order not found", 404)
export const marketNotFound = () => wrong("404.007", "Market not found for corresponding request.", 404)
export const invalidId = () => wrong("400.036", "Invalid order id")
export const notServed = (what: string) => wrong("404.001", `the loopback exchange does not serve ${what}`, 404)

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown, quote = "USD"): BitstampRefusal | undefined => {
  if (cause instanceof BitstampRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("NOTIONAL")) return tooSmall(quote)
  if (cause.message.includes("LOT_SIZE")) return tooPrecise("400.026", "amount", 8)
  if (cause.message.includes("PRICE_FILTER")) return tooPrecise("400.041", "price", 0)
  return cause.message.includes("insufficient balance") ? insufficient(quote) : undefined
}
