/**
 * Fees of the loopback Coinbase: 0.60 % of a taker and 0.40 % of a maker, in the quote asset; a buy has its fee put aside. The matching engine
 * keeps Binance's fee in what is received: that one is given back.
 */
import { multiply } from "../binance/fixed.ts"
import { balanceOf, type Fill, type Order } from "../binance/model.ts"
import { wordsOf } from "./model.ts"
import { insufficientFund } from "./refusal.ts"

const PER_MILLE = 1000n
const TAKER = 6n
const MAKER = 4n

const quoteOf = ({ symbol }: Order): string => symbol.split("-")[1] ?? ""
const takerFee = (cost: bigint): bigint => (cost * TAKER) / PER_MILLE

const fees = new WeakMap<Fill, bigint>()

export const feeOf = (fill: Fill): bigint => fees.get(fill) ?? 0n

/** What a market buy may spend of an amount that includes its fee. */
export const withoutFee = (amount: bigint): bigint => (amount * PER_MILLE) / (PER_MILLE + TAKER)

/** Beside what the engine reserves. */
export const feeNeeded = (side: Order["side"], cost: bigint): bigint => (side === "BUY" ? takerFee(cost) : 0n)

/** Throws where the account cannot pay it. */
export const holdFee = (order: Order, amount: bigint): void => {
  const balance = balanceOf(order.account, quoteOf(order))
  if (balance.free < amount) throw insufficientFund()
  balance.free -= amount
  balance.locked += amount
  wordsOf(order).feeHeld += amount
}

/** Gives back all but `needed`. */
export const releaseFee = (order: Order, needed: bigint): void => {
  const said = wordsOf(order)
  const amount = said.feeHeld - needed
  if (amount <= 0n) return
  const balance = balanceOf(order.account, quoteOf(order))
  balance.locked -= amount
  balance.free += amount
  said.feeHeld -= amount
}

/** Books the venue's fee of a fill in place of the engine's. */
export const chargeFee = (order: Order, fill: Fill): void => {
  balanceOf(order.account, fill.feeAsset).free += fill.fee
  const fee = fill.isMaker ? (fill.cost * MAKER) / PER_MILLE : takerFee(fill.cost)
  fees.set(fill, fee)
  const said = wordsOf(order)
  const balance = balanceOf(order.account, quoteOf(order))
  const held = fee < said.feeHeld ? fee : said.feeHeld
  balance.locked -= held
  said.feeHeld -= held
  balance.free -= fee - held
  if (order.type === "LIMIT") releaseFee(order, feeNeeded(order.side, multiply(order.price, order.left)))
}
