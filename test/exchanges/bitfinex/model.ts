/** What Bitfinex remembers beside the matching engine's orders and fills: the words an order was placed with, and what an account pays its fees in. */
import type { Account, Order } from "../binance/model.ts"
import type { LoopbackUser } from "../loopback.ts"

export interface BitfinexUser extends LoopbackUser {
  /** LEO: its fees are taken from an asset of its own. REBATE: what it makes is paid for; absent: from what is received. */
  readonly fees?: "LEO" | "REBATE"
  /** Scopes that the key may not read. */
  readonly mayNotRead?: ReadonlyArray<"account" | "wallets" | "orders" | "history">
}

export interface BitfinexAccount extends Account {
  readonly pays: "LEO" | "REBATE" | undefined
  readonly mayNotRead: ReadonlyArray<string>
  /** The highest nonce that was taken. */
  lastNonce: number
}

export interface OrderWords {
  /** Null: the venue has given it one of its own. */
  readonly cid: number | null
  /** `EXCHANGE LIMIT`. */
  readonly kind: string
  flags: number
  /** It may only make, and would have taken. */
  isKilled: boolean
  /** The stream has told of it as a new one. */
  isTold: boolean
}

/** One count of ids over all pairs; ours are the engine's on top of this. */
const FIRST_ORDER_ID = 95_412_100_000

export const orderIdOf = (order: number): number => FIRST_ORDER_ID + order

export const orderOf = (orderId: unknown): number => Number(orderId) - FIRST_ORDER_ID

/** Trades are counted over all pairs, too; the engine counts those of each. */
const FIRST_TRADE_ID = 1_133_000_000

export const tradeIdOf = (symbol: string, tradeId: number): number =>
  FIRST_TRADE_ID + tradeId * 1000 + ([...symbol].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 1000)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without words: ${order.orderId}`)
  return known
}
