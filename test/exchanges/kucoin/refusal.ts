/**
 * KuCoin's error answers: `{code, msg}`, of an order under HTTP 200. One code has many meanings, which the text tells. Sources:
 * www.kucoin.com/docs-new/error-code, and the texts that ccxt 4.5.84 quotes in `exceptions`.
 */
import { Refusal } from "../binance/wire/refusal.ts"

export class KucoinRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 200,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const missingHeader = () => new KucoinRefusal("400001", "Please check the header of your request.", 400)
export const wrongTimestamp = () => new KucoinRefusal("400002", "Invalid KC-API-TIMESTAMP.", 400)
export const unknownKey = () => new KucoinRefusal("400003", "KC-API-KEY does not exist.", 401)
export const wrongPassphrase = () => new KucoinRefusal("400004", "Invalid KC-API-PASSPHRASE.", 401)
export const wrongSignature = () => new KucoinRefusal("400005", "Invalid KC-API-SIGN.", 401)
export const tooManyRequests = (headers: Readonly<Record<string, string>>) =>
  new KucoinRefusal("429000", "Too Many Requests", 429, headers)
export const notServed = (what: string) =>
  new KucoinRefusal("404000", `Url Not Found: the loopback exchange does not serve ${what}`, 404)
export const parameterError = (what: string) => new KucoinRefusal("400100", `${what} is illegal`)
export const unsupportedSymbol = () => new KucoinRefusal("900001", "Unsupported trading pair.")
export const insufficientBalance = () => new KucoinRefusal("200004", "Balance insufficient!")
export const sizeTooSmall = () => new KucoinRefusal("400100", "Order size below the minimum requirement.")
export const sizeTooPrecise = () => new KucoinRefusal("600100", "Order size increment invalid.")
export const priceTooPrecise = () => new KucoinRefusal("600100", "Order price increment invalid.")
export const fundsTooSmall = () => new KucoinRefusal("600101", "The order funds should more then 0.1 USDT.")
export const duplicateClientOid = () => new KucoinRefusal("400100", "validation.createOrder.clientOidDuplicated")
export const orderNotFound = () => new KucoinRefusal("400100", "The order does not exist.")
export const notCancellable = () => new KucoinRefusal("400100", "order_not_exist_or_not_allow_to_cancel")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown): KucoinRefusal | undefined => {
  if (cause instanceof KucoinRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return priceTooPrecise()
  if (cause.message.includes("LOT_SIZE")) return sizeTooPrecise()
  if (cause.message.includes("NOTIONAL")) return fundsTooSmall()
  if (cause.message.includes("Duplicate")) return duplicateClientOid()
  if (cause.message.includes("insufficient balance")) return insufficientBalance()
  return cause.code === -1121 ? unsupportedSymbol() : undefined
}
