/** What Gate remembers beside the matching engine's orders and fills: the words an order was placed with, and what an account pays its fees in. */
import type { Account, Order } from "../binance/model.ts"
import type { LoopbackUser } from "../loopback.ts"

/** CLASSIC accounts trade spot by themselves; UNIFIED ones have other balances and other orders than those that are served here. */
export type AccountKind = "CLASSIC" | "UNIFIED"

export interface GateUser extends LoopbackUser {
  /** Default CLASSIC. */
  readonly kind?: AccountKind
  /** Its fees are taken from its GT or from its points, as users of the venue may choose; absent: from what is received. */
  readonly paysIn?: "GT" | "POINT"
  /** The key may not read what kind of account it is of. */
  readonly hidesAccount?: boolean
}

export interface GateAccount extends Account {
  readonly kind: AccountKind
  readonly paysIn: "GT" | "POINT" | undefined
  readonly hidesAccount: boolean
  /** The newest order of each `text`: nothing keeps a user from using one twice. */
  readonly byText: Map<string, Order>
}

export interface OrderWords {
  readonly text: string
  readonly timeInForce: string
  /** Of a market buy, whose amount is of the quote asset, 1e-8 units; 0n elsewhere. */
  readonly budget: bigint
  /** It may only make, and would have taken. */
  isKilled: boolean
}

/** One count of ids over all pairs; ours are the engine's on top of this. */
const FIRST_ORDER_ID = 1_036_717_000_000

export const orderIdOf = (order: number): string => String(FIRST_ORDER_ID + order)

export const orderOf = (orderId: string): number =>
  /^\d{1,15}$/.test(orderId) ? Number(orderId) - FIRST_ORDER_ID : Number.NaN

/** Trades are counted over all pairs, too; the engine counts those of each. */
const FIRST_TRADE_ID = 8_000_000_000

export const tradeIdOf = (symbol: string, tradeId: number): number =>
  FIRST_TRADE_ID + tradeId * 1000 + ([...symbol].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 1000)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without words: ${order.orderId}`)
  return known
}
