/** An order of an in-process venue as a session report. */
import type { Decimal } from "../domain/decimal.ts"
import { venueClientId } from "../domain/ids.ts"
import type { VenueOrder, VenueOrderState } from "../ports/venue-session.ts"

/** What was asked for and stays as it is. */
type Asked = Pick<VenueOrder, "tradeOrderId" | "instrumentId" | "orderSide" | "orderType" | "timeInForce">

/** What has become of it; amends change price and quantity. */
interface Become extends Pick<VenueOrderState, "status" | "ending" | "createdAt" | "updatedAt"> {
  readonly limitPrice: Decimal | null
  readonly quantity: Decimal
  readonly executed: Decimal
}

export const orderState = (asked: Asked, externalOrderId: string, order: Become): VenueOrderState => ({
  tradeOrderId: asked.tradeOrderId,
  externalOrderId,
  clientId: venueClientId(asked.tradeOrderId),
  instrumentId: asked.instrumentId,
  orderSide: asked.orderSide,
  orderType: asked.orderType,
  timeInForce: asked.timeInForce,
  limitPrice: order.limitPrice?.toString() ?? null,
  quantity: order.quantity.toString(),
  executedQuantity: order.executed.toString(),
  status: order.status,
  ending: order.ending,
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
})
