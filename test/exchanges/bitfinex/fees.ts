/**
 * Fees of the loopback Bitfinex: 0.1 % of what is received; from the LEO of those who chose so, at ten of the quote asset each; a rebate of as much for what
 * some make. The matching engine keeps the first: it is given back to the others.
 */
import { balanceOf, type Fill, type Order } from "../binance/model.ts"
import type { BitfinexAccount } from "./model.ts"

const PER_MILLE = 1000n
const LEO_PRICE = 10n

export interface PaidFee {
  readonly asset: string
  /** Below zero: it was paid to the account. */
  readonly amount: bigint
}

const paid = new WeakMap<Fill, PaidFee>()

export const paidFor = (fill: Fill): PaidFee => paid.get(fill) ?? { asset: fill.feeAsset, amount: fill.fee }

/** When the fill is told first. */
export const charge = (order: Order, fill: Fill): void => {
  const { pays } = order.account as BitfinexAccount
  const received = balanceOf(order.account, fill.feeAsset)
  if (pays === "LEO") {
    const amount = fill.cost / PER_MILLE / LEO_PRICE
    received.free += fill.fee
    balanceOf(order.account, "LEO").free -= amount
    paid.set(fill, { asset: "LEO", amount })
  } else if (pays === "REBATE" && fill.isMaker) {
    received.free += 2n * fill.fee
    paid.set(fill, { asset: fill.feeAsset, amount: -fill.fee })
  }
}
