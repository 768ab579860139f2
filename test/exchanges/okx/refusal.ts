/**
 * OKX's error answers. A request that is wrong as a whole has its code outside; an operation that was refused has `code` "1"
 * outside and its own `sCode` and `sMsg` in the row, because ccxt and the venue's clients look in both places.
 * Source: okx.com/docs-v5, "Error Code", REST API and WebSocket.
 */
import { Refusal } from "../binance/wire/refusal.ts"

/** The whole request is refused: `{"code", "msg", "data": []}` under an HTTP status. */
export class RequestRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** One operation is refused, with HTTP 200: `sCode` and `sMsg` of its row. */
export class OperationRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export const bodyIsEmpty = () => new RequestRefusal(400, "50000", "Body for POST request cannot be empty.")
export const badJson = () => new RequestRefusal(400, "50002", "JSON syntax error")
export const emptyParameter = (name: string) => new RequestRefusal(400, "50014", `Parameter ${name} can not be empty.`)
export const wrongParameter = (name: string) => new RequestRefusal(400, "51000", `Parameter ${name} error`)
export const unknownInstrument = () =>
  new RequestRefusal(200, "51001", "Instrument ID, Instrument ID code or Spread ID doesn't exist.")
export const missingOrderId = () => new RequestRefusal(200, "51003", "Either client order ID or order ID is required.")
export const orderDoesNotExist = () => new RequestRefusal(200, "51603", "Order does not exist")

export const wrongEnvironment = () => new RequestRefusal(401, "50101", "APIKey does not match current environment.")
export const timestampExpired = () => new RequestRefusal(401, "50102", "Timestamp request expired.")
export const missingHeader = (code: string, name: string) =>
  new RequestRefusal(401, code, `Request header "${name}" cannot be empty.`)
export const wrongPassphrase = () =>
  new RequestRefusal(401, "50105", 'Request header "OK-ACCESS-PASSPHRASE" incorrect.')
export const unknownKey = () => new RequestRefusal(401, "50111", "Invalid OK-ACCESS-KEY")
export const wrongTimestamp = () => new RequestRefusal(401, "50112", "Invalid OK-ACCESS-TIMESTAMP")
export const wrongSignature = () => new RequestRefusal(401, "50113", "Invalid signature")
export const tooManyRequests = () => new RequestRefusal(429, "50011", "Too Many Requests")
export const notServed = (what: string) =>
  new RequestRefusal(404, "404", `not served by the loopback exchange: ${what}`)

export const wrongField = (name: string) => new OperationRefusal("51000", `Parameter ${name} error`)
export const noSuchInstrument = () =>
  new OperationRefusal("51001", "Instrument ID, Instrument ID code or Spread ID doesn't exist.")
export const expired = () =>
  new OperationRefusal(
    "50036",
    "The expTime can't be earlier than the current system time. Please adjust the expTime and try again.",
  )
export const insufficientBalance = (asset: string) =>
  new OperationRefusal("51008", `Order failed. Insufficient ${asset} balance in account.`)
export const duplicateClientOrderId = () => new OperationRefusal("51016", "Client order ID already exists.")
export const tooSmall = () =>
  new OperationRefusal("51020", "Your order should meet or exceed the minimum order amount.")
export const tooLarge = () => new OperationRefusal("51005", "Your order amount exceeds the max order amount.")
export const offLot = () => new OperationRefusal("51121", "Order quantity must be a multiple of the lot size.")
export const tooPrecise = () =>
  new OperationRefusal("51150", "The number of decimal places of the size or the price exceeds the limit.")
export const cannotCancel = () =>
  new OperationRefusal("51400", "Order cancellation failed as the order has been filled, canceled or does not exist.")
export const postOnlyAmend = () =>
  new OperationRefusal("51511", "Modification failed as the order price did not meet the requirement for Post Only.")
export const cannotAmend = () => new OperationRefusal("51503", "Order modification failed as the order does not exist.")

/** The matching engine speaks Binance's codes; what is not listed here cannot come out of a request that was read by this exchange. */
export const operationRefusal = (cause: unknown, asset: string): OperationRefusal | undefined => {
  if (cause instanceof OperationRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return tooPrecise()
  if (cause.message.includes("LOT_SIZE")) return offLot()
  if (cause.message.includes("NOTIONAL")) return tooLarge()
  if (cause.message.includes("Duplicate")) return duplicateClientOrderId()
  if (cause.message.includes("insufficient balance")) return insufficientBalance(asset)
  if (cause.code === -1121) return noSuchInstrument()
  if (cause.code === -2011) return cannotCancel()
  return undefined
}
