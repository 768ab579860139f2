/**
 * The arrays of orders, trades and wallets, cell by cell as Bitfinex sends them: the places are those that ccxt 4.5.84 parses and that the venue documents
 * (docs.bitfinex.com, "Retrieve Orders", "Trades", "Wallets"); statuses are those of its glossary.
 */
import { UNIT } from "../binance/fixed.ts"
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { paidFor } from "./fees.ts"
import { type BitfinexAccount, orderIdOf, tradeIdOf, wordsOf } from "./model.ts"
import { type Bare, bare } from "./numbers.ts"

const ORDER_CELLS = 32
const IS_POST_ONLY = 4096

export const signed = ({ side }: Pick<Order, "side">, units: bigint): bigint => (side === "SELL" ? -units : units)

/** `EXECUTED @ 107.6(-0.2)`; of several fills those before, newest first. */
const executions = (order: Order, first: string): string => {
  const [last, ...before] = [...order.fills].reverse()
  if (last === undefined) return first
  const at = ({ price, quantity }: Fill): string => `@ ${plain(price)}(${plain(signed(order, quantity))})`
  const was = before.map((fill) => `PARTIALLY FILLED ${at(fill)}`).join(", ")
  return `${first} ${at(last)}${was === "" ? "" : `: was ${was}`}`
}

const ended = (order: Order, word: string): string =>
  order.fills.length === 0 ? word : `${word} was: ${executions(order, "PARTIALLY FILLED")}`

export const statusOf = (order: Order): string => {
  const { kind, isKilled } = wordsOf(order)
  if (isOpen(order)) return order.fills.length === 0 ? "ACTIVE" : executions(order, "PARTIALLY FILLED")
  if (order.status === "FILLED") return executions(order, "EXECUTED")
  if (isKilled) return "POSTONLY CANCELED"
  if (order.status !== "EXPIRED") return ended(order, "CANCELED")
  if (kind.endsWith("FOK")) return "FILLORKILL CANCELED"
  return ended(order, kind.endsWith("IOC") ? "IOC CANCELED" : "RSN_BOOK_SLIP")
}

/** `asSubmitted`: what the answer to a submit says of it, whatever became of it meanwhile. */
export const orderRow = (order: Order, asSubmitted = false): ReadonlyArray<unknown> => {
  const { cid, kind, flags } = wordsOf(order)
  const executed = executedQuantity(order)
  const row: Array<unknown> = Array.from({ length: ORDER_CELLS }, () => null)
  row[0] = orderIdOf(order.orderId)
  row[2] = cid ?? order.placedAt
  row[3] = order.symbol
  row[4] = order.placedAt
  row[5] = asSubmitted ? order.placedAt : order.updatedAt
  row[6] = bare(signed(order, asSubmitted ? order.quantity : order.left))
  row[7] = bare(signed(order, order.quantity))
  row[8] = kind
  row[12] = flags
  row[13] = asSubmitted ? "ACTIVE" : statusOf(order)
  row[16] = bare(order.price)
  row[17] = bare(asSubmitted || executed === 0n ? 0n : (order.cost * UNIT) / executed)
  row[18] = 0
  row[19] = 0
  row[23] = 0
  row[24] = 0
  row[28] = "API>BFX"
  row[31] = (flags & IS_POST_ONLY) === 0 ? {} : { $F7: 1 }
  return row
}

/** The fee is below zero where it was paid, and comes with `tu` and in lists alone. */
export const tradeRow = (order: Order, fill: Fill, hasFee = true): ReadonlyArray<unknown> => {
  const { asset, amount } = paidFor(fill)
  const { cid, kind } = wordsOf(order)
  return [
    tradeIdOf(fill.symbol, fill.tradeId),
    fill.symbol,
    fill.filledAt,
    orderIdOf(fill.orderId),
    bare(signed(order, fill.quantity)),
    bare(fill.price),
    kind,
    bare(order.price),
    fill.isMaker ? 1 : -1,
    hasFee ? bare(-amount) : null,
    hasFee ? asset : null,
    cid ?? order.placedAt,
  ]
}

type WalletRow = readonly [
  type: string,
  currency: string,
  balance: Bare,
  interest: number,
  available: Bare | null,
  description: string | null,
  meta: object | null,
]

export const walletRow = (account: BitfinexAccount, currency: string, isCalculated = true): WalletRow => {
  const { free, locked } = balanceOf(account, currency)
  const change = isCalculated ? null : `Exchange for ${currency} on wallet exchange`
  return ["exchange", currency, bare(free + locked), 0, isCalculated ? bare(free) : null, change, null]
}

/** Notifications answer what was asked for. */
export const notification = (at: number, type: string, data: unknown, text: string): ReadonlyArray<unknown> => [
  at,
  type,
  null,
  null,
  data,
  null,
  "SUCCESS",
  text,
]
