/**
 * Fees of the loopback Kraken. The matching engine keeps Binance's fee in what is received; here that one is given back and Kraken's
 * is taken: 0.40 % or 0.25 %, in the quote asset unless the order prefers the base asset, rounded to the places of a cost.
 */
import { multiply } from "../binance/fixed.ts"
import type { Fill } from "../binance/model.ts"
import { balanceOf } from "../binance/model.ts"
import { FEE_SCALE, type KrakenOrder, MAKER_FEE_POINTS, TAKER_FEE_POINTS } from "./model.ts"
import { roundUp } from "./numbers.ts"
import { insufficientFunds } from "./wire/refusal.ts"

type Terms = Pick<KrakenOrder, "pair" | "side" | "feeInBase">

export const feeAssetOf = ({ pair, feeInBase }: Terms): string => (feeInBase ? pair.base.name : pair.quote.name)

const feeOf = ({ pair, feeInBase }: Terms, cost: bigint, quantity: bigint, isMaker: boolean): bigint => {
  const points = isMaker ? MAKER_FEE_POINTS : TAKER_FEE_POINTS
  return roundUp(((feeInBase ? quantity : cost) * points) / FEE_SCALE, feeInBase ? pair.lotDecimals : pair.costDecimals)
}

/** What an order needs beside the amount it trades: nothing where the fee comes out of what it receives. */
export const feeNeeded = (terms: Terms, cost: bigint, quantity: bigint): bigint => {
  const isPaidOnTop = (terms.side === "buy") !== terms.feeInBase
  return isPaidOnTop ? feeOf(terms, cost, quantity, false) : 0n
}

/** Puts an amount aside; the matching engine reserves what the order trades by itself. */
export const holdFee = (order: KrakenOrder, amount: bigint): void => {
  const balance = balanceOf(order.account, feeAssetOf(order))
  if (balance.free < amount) throw insufficientFunds()
  balance.free -= amount
  balance.locked += amount
  order.feeHeld += amount
}

/** Gives back all but `needed`. */
export const releaseFee = (order: KrakenOrder, needed: bigint): void => {
  const amount = order.feeHeld - needed
  if (amount <= 0n) return
  const balance = balanceOf(order.account, feeAssetOf(order))
  balance.locked -= amount
  balance.free += amount
  order.feeHeld -= amount
}

/** Books Kraken's fee for a fill in place of the engine's, and answers it. */
export const chargeFee = (order: KrakenOrder, fill: Fill): bigint => {
  balanceOf(order.account, fill.feeAsset).free += fill.fee
  const fee = feeOf(order, fill.cost, fill.quantity, fill.isMaker)
  const balance = balanceOf(order.account, feeAssetOf(order))
  const held = fee < order.feeHeld ? fee : order.feeHeld
  balance.locked -= held
  order.feeHeld -= held
  balance.free -= fee - held
  const left = order.quantity - order.executed
  if (order.kind === "limit") releaseFee(order, feeNeeded(order, multiply(order.price, left), left))
  return fee
}
