/**
 * Balances of the loopback exchange: what an order reserves, what a fill moves, what comes back when the order ends.
 * At every moment free + locked over all accounts changes only by trades with the anonymous market and by fees.
 */
import { multiply } from "./fixed.ts"
import type { Account, Fill, Order, PublicTrade, SymbolRules } from "./model.ts"
import { balanceOf, hasLimitPrice } from "./model.ts"
import { insufficientBalance } from "./wire/refusal.ts"

/** 0.1 % of what is received, maker and taker alike. */
const FEE_DIVISOR = 1000n

export const reserve = (account: Account, asset: string, amount: bigint): void => {
  const balance = balanceOf(account, asset)
  if (balance.free < amount) throw insufficientBalance()
  balance.free -= amount
  balance.locked += amount
}

/** Gives back part of what an order still holds. */
export const settleRelease = (order: Order, amount: bigint): void => {
  const balance = balanceOf(order.account, order.reservedAsset)
  balance.locked -= amount
  balance.free += amount
  order.reserved -= amount
}

/** Books one trade on one order: quantities, status, both assets, the fee. */
export const settleFill = (rules: SymbolRules, order: Order, trade: PublicTrade, isMaker: boolean): Fill => {
  const isBuyer = order.side === "BUY"
  const cost = multiply(trade.price, trade.quantity)
  const [paid, received] = isBuyer ? [cost, trade.quantity] : [trade.quantity, cost]
  const feeAsset = isBuyer ? rules.base : rules.quote
  const fee = received / FEE_DIVISOR
  order.left -= trade.quantity
  order.cost += cost
  order.updatedAt = trade.tradedAt
  order.status = order.left === 0n ? "FILLED" : "PARTIALLY_FILLED"
  if (order.left === 0n) order.isResting = false
  balanceOf(order.account, order.reservedAsset).locked -= paid
  order.reserved -= paid
  balanceOf(order.account, feeAsset).free += received - fee
  settleRelease(order, order.reserved - stillNeeded(order))
  const fill = {
    tradeId: trade.tradeId,
    orderId: order.orderId,
    orderListId: order.list?.orderListId ?? -1,
    symbol: order.symbol,
    price: trade.price,
    quantity: trade.quantity,
    cost,
    fee,
    feeAsset,
    filledAt: trade.tradedAt,
    isBuyer,
    isMaker,
  }
  order.fills.push(fill)
  order.account.fills.push(fill)
  return fill
}

/** A limit buy that filled below its limit needs less from then on; a market buy keeps its rest for the next level. */
const stillNeeded = (order: Order): bigint => {
  if (order.left === 0n) return 0n
  if (order.side === "SELL") return order.left
  return hasLimitPrice(order.type) ? multiply(order.price, order.left) : order.reserved
}
