/**
 * Balances of the loopback exchange: what an order reserves, what a fill moves, what comes back when the order ends.
 * At every moment free + locked over all accounts changes only by trades with the anonymous market and by fees.
 */
import { multiply } from "./fixed.ts"
import type { Account, Fill, Order, PublicTrade, Side, SymbolRules } from "./model.ts"
import { balanceOf, hasLimitPrice } from "./model.ts"
import { insufficientBalance } from "./wire/refusal.ts"

/** How a venue keeps its accounts' money: spot pays in full, contracts put up a margin. */
export interface Purse {
  /** What an order reserves. `cost`: at its own price, or at what it could take now where it has none. */
  readonly due: (
    order: {
      readonly account: Account
      readonly side: Side
      readonly quantity: bigint
      readonly isReduceOnly: boolean
    },
    rules: SymbolRules,
    cost: () => bigint,
  ) => { readonly asset: string; readonly amount: bigint }
  /** Throws where it is not there. */
  readonly reserve: (account: Account, asset: string, amount: bigint) => void
  /** Gives back part of what an order still holds. */
  readonly release: (order: Order, amount: bigint) => void
  /** Books one trade on one order: quantities, status, money, the fee. */
  readonly fill: (rules: SymbolRules, order: Order, trade: PublicTrade, isMaker: boolean) => Fill
}

/** 0.1 % of what is received, maker and taker alike. */
const FEE_DIVISOR = 1000n

const reserve = (account: Account, asset: string, amount: bigint): void => {
  const balance = balanceOf(account, asset)
  if (balance.free < amount) throw insufficientBalance()
  balance.free -= amount
  balance.locked += amount
}

const release = (order: Order, amount: bigint): void => {
  const balance = balanceOf(order.account, order.reservedAsset)
  balance.locked -= amount
  balance.free += amount
  order.reserved -= amount
}

/** What is executed of an order, and where it stands; the rest is the purse's. */
export const execute = (order: Order, trade: PublicTrade, cost: bigint): void => {
  order.left -= trade.quantity
  order.cost += cost
  order.updatedAt = trade.tradedAt
  order.status = order.left === 0n ? "FILLED" : "PARTIALLY_FILLED"
  if (order.left === 0n) order.isResting = false
}

const fill = (rules: SymbolRules, order: Order, trade: PublicTrade, isMaker: boolean): Fill => {
  const isBuyer = order.side === "BUY"
  const cost = multiply(trade.price, trade.quantity)
  const [paid, received] = isBuyer ? [cost, trade.quantity] : [trade.quantity, cost]
  const feeAsset = isBuyer ? rules.base : rules.quote
  const fee = received / FEE_DIVISOR
  execute(order, trade, cost)
  balanceOf(order.account, order.reservedAsset).locked -= paid
  order.reserved -= paid
  balanceOf(order.account, feeAsset).free += received - fee
  release(order, order.reserved - stillNeeded(order))
  return filled(order, trade, { cost, fee, feeAsset, isMaker })
}

/** Enters the fill into the order and the account. */
export const filled = (
  order: Order,
  trade: PublicTrade,
  of: Pick<Fill, "cost" | "fee" | "feeAsset" | "isMaker">,
): Fill => {
  const made = {
    tradeId: trade.tradeId,
    orderId: order.orderId,
    orderListId: order.list?.orderListId ?? -1,
    symbol: order.symbol,
    price: trade.price,
    quantity: trade.quantity,
    cost: of.cost,
    fee: of.fee,
    feeAsset: of.feeAsset,
    filledAt: trade.tradedAt,
    isBuyer: order.side === "BUY",
    isMaker: of.isMaker,
  }
  order.fills.push(made)
  order.account.fills.push(made)
  return made
}

/** A limit buy that filled below its limit needs less from then on; a market buy keeps its rest for the next level. */
const stillNeeded = (order: Order): bigint => {
  if (order.left === 0n) return 0n
  if (order.side === "SELL") return order.left
  return hasLimitPrice(order.type) ? multiply(order.price, order.left) : order.reserved
}

export const spotPurse: Purse = {
  due: ({ side, quantity }, rules, cost) =>
    side === "SELL" ? { asset: rules.base, amount: quantity } : { asset: rules.quote, amount: cost() },
  reserve,
  release,
  fill,
}
