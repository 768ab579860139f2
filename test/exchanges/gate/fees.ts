/**
 * Fees of the loopback Gate: 0.1 % of what is received, or of the cost, from the GT (at ten of the quote asset each) or the points (one each) of those who
 * chose so. The matching engine keeps the first: it is given back to the others.
 */
import { balanceOf, type Fill, type Order } from "../binance/model.ts"
import type { GateAccount } from "./model.ts"

const PER_MILLE = 1000n
const GT_PRICE = 10n

export interface PaidFee {
  readonly fee: bigint
  readonly gt: bigint
  readonly point: bigint
}

const paid = new WeakMap<Fill, PaidFee>()

export const paidFor = (fill: Fill): PaidFee => paid.get(fill) ?? { fee: fill.fee, gt: 0n, point: 0n }

/** When the fill is told first. */
export const charge = (order: Order, fill: Fill): void => {
  const { paysIn } = order.account as GateAccount
  if (paysIn === undefined) return
  const amount = fill.cost / PER_MILLE / (paysIn === "GT" ? GT_PRICE : 1n)
  balanceOf(order.account, fill.feeAsset).free += fill.fee
  balanceOf(order.account, paysIn).free -= amount
  paid.set(fill, { fee: 0n, gt: paysIn === "GT" ? amount : 0n, point: paysIn === "POINT" ? amount : 0n })
}
