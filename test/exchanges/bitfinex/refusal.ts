/**
 * Bitfinex's error answers: `["error", code, text]`, under HTTP 500 but for limits. Sources: docs.bitfinex.com, "Abbreviation Glossary"; the texts are those that
 * the venue's users and ccxt 4.5.84 quote.
 */
import { Refusal } from "../binance/wire/refusal.ts"

export class BitfinexRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status = 500,
  ) {
    super(message)
  }
}

/** ERR_GENERIC: the text says what it is. */
const generic = (text: string) => new BitfinexRefusal(10001, text)
/** ERR_PARAMS. */
export const invalid = (what: string) => new BitfinexRefusal(10020, `${what}: invalid`)

export const unknownKey = () => new BitfinexRefusal(10100, "apikey: invalid")
export const wrongSignature = () => new BitfinexRefusal(10100, "apikey: digest invalid")
export const smallNonce = () => new BitfinexRefusal(10114, "nonce: small")
export const notPermitted = () => generic("api_key: permission invalid")
export const tooMany = () => new BitfinexRefusal(11010, "ratelimit: error", 429)
export const inMaintenance = () => new BitfinexRefusal(20060, "maintenance")
export const notServed = (what: string) =>
  new BitfinexRefusal(10020, `${what}: not served by the loopback exchange`, 404)
export const orderNotFound = () => generic("Order not found.")
export const insufficientBalance = (amount: string, pair: string, price: string) =>
  generic(`Invalid order: not enough exchange balance for ${amount} ${pair} at ${price}`)
export const tooSmall = (pair: string, size: string) => generic(`Invalid order: minimum size for ${pair} is ${size}`)
export const tooLarge = (pair: string, size: string) => generic(`Invalid order: maximum size for ${pair} is ${size}`)
export const wrongPrice = () => generic("Invalid order: price is not in the allowed range")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown, order: { amount: string; pair: string; price: string }) => {
  if (cause instanceof BitfinexRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  const { amount, pair, price } = order
  if (cause.message.includes("PRICE_FILTER") || cause.message.includes("NOTIONAL")) return wrongPrice()
  return cause.message.includes("insufficient balance") ? insufficientBalance(amount, pair, price) : undefined
}
