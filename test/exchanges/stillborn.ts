/** An order that a venue takes and ends at once, before it reaches the engine: post-only orders that would have taken. */
import type { Market } from "./binance/market.ts"
import { type Account, isOpen, type Order } from "./binance/model.ts"
import type { OrderRequest } from "./binance/wire/filters.ts"

/** Entered into the account as open; undefined where its client order id is taken. */
export const stillbornOrder = (
  { rules }: Market,
  account: Account,
  request: OrderRequest,
  { orderId, placedAt }: { readonly orderId: number; readonly placedAt: number },
): Order | undefined => {
  const known = request.clientOrderId === undefined ? undefined : account.byClientOrderId.get(request.clientOrderId)
  if (known !== undefined && isOpen(known)) return undefined
  const order: Order = {
    account,
    orderId,
    clientOrderId: request.clientOrderId ?? `web_${orderId}`,
    symbol: request.symbol,
    side: request.side,
    type: "LIMIT",
    timeInForce: "GTC",
    price: request.price ?? 0n,
    stopPrice: 0n,
    quoteOrderQuantity: 0n,
    quantity: request.quantity ?? 0n,
    placedAt,
    fills: [],
    left: request.quantity ?? 0n,
    cost: 0n,
    status: "NEW",
    updatedAt: placedAt,
    isWorking: true,
    isResting: false,
    reserved: 0n,
    reservedAsset: request.side === "BUY" ? rules.quote : rules.base,
  }
  account.orders.set(orderId, order)
  account.byClientOrderId.set(order.clientOrderId, order)
  return order
}
