/**
 * Amending a resting order: it keeps its id, gives up its place in the queue, and trades at once where its new price reaches. A
 * smaller size below what is executed ends it.
 */
import { multiply } from "./binance/fixed.ts"
import type { Market } from "./binance/market.ts"
import type { Matching } from "./binance/matching.ts"
import { executedQuantity, isOpen, type Order } from "./binance/model.ts"

/** `carry` takes what the venue remembers of an order over to what stands in its place; undefined: there is nothing to amend. */
export const amend = (
  matching: Matching,
  market: Market,
  order: Order,
  change: { readonly price: bigint | undefined; readonly quantity: bigint | undefined },
  carry: (from: Order, to: Order) => void,
): Order | undefined => {
  if (!isOpen(order) || !order.isResting) return undefined
  const price = change.price ?? order.price
  const quantity = change.quantity ?? order.quantity
  const left = quantity - executedQuantity(order)
  if (left <= 0n) return matching.cancel(order, order.symbol)
  const own = order.side === "BUY" ? market.bids : market.asks
  market.updateId += 1
  matching.listener.onLevel(market, own.side, order.price, own.remove(order))
  const { account, side, isReduceOnly = false } = order
  const due = { account, side, quantity: left, isReduceOnly }
  matching.purse.release(order, order.reserved)
  const { asset, amount: needed } = matching.purse.due(due, market.rules, () => multiply(price, left))
  matching.purse.reserve(account, asset, needed)
  const amended: Order = {
    ...order,
    price,
    quantity,
    left,
    reserved: needed,
    isResting: false,
    updatedAt: matching.now(),
  }
  carry(order, amended)
  account.orders.set(order.orderId, amended)
  account.byClientOrderId.set(order.clientOrderId, amended)
  matching.listener.onOrder(amended, "NEW", undefined)
  matching.work(market, amended)
  return amended
}
