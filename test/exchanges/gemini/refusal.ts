/** Gemini's error answers, `{result: "error", reason, message}`. Sources: developer.gemini.com, "Error codes", and the texts that ccxt 4.5.84 has. */
import { Refusal } from "../binance/wire/refusal.ts"

export class GeminiRefusal extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message)
  }

  get body(): object {
    return { result: "error", reason: this.reason, message: this.message }
  }
}

const wrong = (reason: string, message: string, status = 400) => new GeminiRefusal(status, reason, message)

export const missingHeader = (reason: string, name: string) => wrong(reason, `Must provide '${name}' header`)
export const unknownKey = () => wrong("InvalidApiKey", "Invalid API key")
export const wrongSignature = () => wrong("InvalidSignature", "InvalidSignature")
export const malformedJson = () => wrong("InvalidJson", "The JSON provided is invalid")
export const wrongEndpoint = () => wrong("EndpointMismatch", "EndpointMismatch")
export const missingNonce = () => wrong("MissingNonce", "Must provide 'nonce' in the payload")
export const lowNonce = (nonce: string, previous: bigint) =>
  wrong("InvalidNonce", `Out-of-sequence nonce <${nonce}> precedes previously used nonce <${previous}>`)
export const nonceOutOfTime = (nonce: string, seconds: number) =>
  wrong("InvalidNonce", `Nonce '${nonce}' is not within 30 seconds of server time '${seconds}'`)
export const tooManyRequests = () => wrong("RateLimit", "Requests were made too frequently", 429)
export const missingField = (name: string) => wrong("MissingPayloadKey", `Missing payload key: ${name}`)
export const missingOrder = () => wrong("MissingOrderField", "Must provide an order_id")
export const wrongSymbol = (symbol: string) => wrong("InvalidSymbol", `Received invalid symbol ${symbol}`)
export const wrongPrice = (price: string) => wrong("InvalidPrice", `Invalid price for symbol: ${price}`)
export const wrongQuantity = (amount: string) => wrong("InvalidQuantity", `Invalid quantity for symbol: ${amount}`)
export const wrongSide = (side: string) => wrong("InvalidSide", `Invalid side for order: ${side}`)
export const wrongType = (type: string) => wrong("InvalidOrderType", `Invalid order type: ${type}`)
export const wrongStop = (reason: string) => wrong(reason, "Invalid stop price")
export const optionsNoArray = () => wrong("OptionsMustBeArray", "Options must be an array")
export const conflictingOptions = () => wrong("ConflictingOptions", "A single order supports at most one option")
export const unsupportedOption = (option: string) => wrong("UnsupportedOption", `Option ${option} is not supported`)
export const nameTooLong = () => wrong("ClientOrderIdTooLong", "The Client Order ID must be under 100 characters")
export const nameNoText = () => wrong("ClientOrderIdMustBeString", "The Client Order ID must be a string")
export const insufficient = () => wrong("InsufficientFunds", "Failed to place order due to insufficient funds", 406)
export const orderNotFound = (id: string) => wrong("OrderNotFound", `Order ${id} not found`, 404)
export const notServed = (what: string) =>
  wrong("EndpointNotFound", `the loopback exchange does not serve ${what}`, 404)

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const refusalOf = (cause: unknown): GeminiRefusal | undefined => {
  if (cause instanceof GeminiRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (/LOT_SIZE|NOTIONAL/.test(cause.message)) return wrongQuantity("")
  if (cause.message.includes("PRICE_FILTER")) return wrongPrice("")
  if (cause.message.includes("immediately")) return wrongStop("InvalidStopPrice")
  return cause.message.includes("insufficient balance") ? insufficient() : undefined
}
