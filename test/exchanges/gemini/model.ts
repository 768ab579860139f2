/** What Gemini remembers beside the matching engine's orders and fills: the words an order was placed and ended with, and the kind of a key. */
import type { Account, Order } from "../binance/model.ts"

export interface GeminiAccount extends Account {
  /** The newest order of each `client_order_id`: nothing is known to keep a user from using one twice. */
  readonly byName: Map<string, Order>
  /** Its nonces are seconds of the venue's clock; else they increase. */
  readonly isTimed: boolean
  /** "Requires heartbeat". */
  readonly needsHeartbeat: boolean
  /** `performance.now()` of its newest request. */
  heardAt: number
}

export type Option = "maker-or-cancel" | "immediate-or-cancel" | "fill-or-kill"

export interface OrderWords {
  readonly clientOrderId: string | undefined
  readonly option: Option | undefined
  /** Why it was cancelled. */
  reason: string | undefined
}

/** Ids are longer than a float is exact, as the venue's own are. */
const FIRST_ORDER_ID = 73_751_560_172_000_000n

export const orderIdOf = (order: number): string => String(FIRST_ORDER_ID + BigInt(order))

export const orderOf = (orderId: string): number =>
  /^\d{1,20}$/.test(orderId) ? Number(BigInt(orderId) - FIRST_ORDER_ID) : Number.NaN

/** Trades are counted over all markets; the engine counts those of each. */
const FIRST_TRADE_ID = 73_751_900_000_000_001n

export const tradeIdOf = (symbol: string, tradeId: number): bigint =>
  FIRST_TRADE_ID +
  BigInt(tradeId) * 1000n +
  BigInt([...symbol].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 1000)

/** In market data, whose numbers are shorter. */
export const publicIdOf = (symbol: string, tradeId: number): number =>
  Number(tradeIdOf(symbol, tradeId) - FIRST_ORDER_ID)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without words: ${order.orderId}`)
  return known
}
