/**
 * The error answers of Binance USDⓈ-M: HTTP status, code and text, as the venue words them. Source: developers.binance.com,
 * USDS-margined futures, "Error Code".
 */
import { Refusal } from "../binance/wire/refusal.ts"

export const tooMuchWeight = (status: 418 | 429, most: number) =>
  new Refusal(
    status,
    -1003,
    status === 418
      ? "Way too much request weight used; IP banned. Please use WebSocket Streams for live updates to avoid bans."
      : `Too many requests; current limit of IP is ${most} requests per minute. Please use the websocket for live updates to avoid polling the API.`,
  )
export const tooManyOrders = (most: number, window: string) =>
  new Refusal(429, -1015, `Too many new orders; current limit is ${most} orders per ${window}.`)
export const badPrecision = () => new Refusal(400, -1111, "Precision is over the maximum defined for this asset.")
export const emptyListenKey = () => new Refusal(400, -1125, "This listenKey does not exist.")
export const unknownOrder = () => new Refusal(400, -2011, "Unknown order sent.")
export const noSuchOrder = () => new Refusal(400, -2013, "Order does not exist.")
export const insufficientMargin = () => new Refusal(400, -2019, "Margin is insufficient.")
export const reduceOnlyRejected = () => new Refusal(400, -2022, "ReduceOnly Order is rejected.")
export const offTick = () => new Refusal(400, -4014, "Price not increased by tick size.")
export const badClientId = () => new Refusal(400, -4015, "Client order id is not valid.")
export const offStep = () => new Refusal(400, -4023, "Qty not increased by step size.")
export const marginTypeIsSet = () => new Refusal(400, -4046, "No need to change margin type.")
export const modeIsSet = () => new Refusal(400, -4059, "No need to change position side.")
export const wrongPositionSide = () => new Refusal(400, -4061, "Order's position side does not match user's setting.")
export const duplicateClientId = () => new Refusal(400, -4116, "ClientOrderId is duplicated.")
export const tooSmall = (least: string) =>
  new Refusal(400, -4164, `Order's notional must be no smaller than ${least} (unless you choose reduce only).`)
export const fokRejected = () =>
  new Refusal(
    400,
    -5021,
    "Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history",
  )
export const makerRejected = () =>
  new Refusal(
    400,
    -5022,
    "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history",
  )
export const nothingToChange = () => new Refusal(400, -5027, "No need to modify the order.")

/** The matching engine speaks the codes of spot. */
export const refusalOf = (cause: unknown): Refusal | undefined => {
  if (!(cause instanceof Refusal)) return undefined
  if (cause.message.includes("PRICE_FILTER")) return offTick()
  if (cause.message.includes("LOT_SIZE")) return offStep()
  if (cause.message.includes("NOTIONAL")) return tooSmall("5")
  if (cause.message.includes("Duplicate order")) return duplicateClientId()
  return cause.code === -1111 ? badPrecision() : cause
}
