/** What the venue remembers beside the matching engine's orders: the words an order was placed with, and why it ended. */
import type { Order } from "../binance/model.ts"

export interface OrderWords {
  readonly type: "LIMIT" | "MARKET"
  readonly timeInForce: string
  /** `er` of its events: 0 while it lives, and where its owner ended it. */
  expiry: number
}

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known !== undefined) return known
  const fresh: OrderWords = { type: "LIMIT", timeInForce: "GTC", expiry: 0 }
  words.set(order, fresh)
  return fresh
}

/** "Expiry Reason" of the page on order updates. */
const SELF_TRADE = 1
const IOC_REST = 2
const MARKET_REST = 9

/** "Knocked out by another higher priority RO order, or reversed positions would be opened." */
export const NOTHING_TO_REDUCE = 4

/** Why an order ended whose end its owner did not ask for. */
export const expiryOf = ({ status }: Order, { type, timeInForce }: OrderWords): number => {
  if (status === "EXPIRED_IN_MATCH") return SELF_TRADE
  if (status !== "EXPIRED") return 0
  return type === "MARKET" ? MARKET_REST : timeInForce === "IOC" ? IOC_REST : 0
}
