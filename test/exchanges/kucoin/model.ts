/** What KuCoin remembers beside the matching engine's orders and fills: the words an order was placed with, and whether it ever stood in the book. */
import type { Account, Order } from "../binance/model.ts"
import type { LoopbackUser } from "../loopback.ts"

/** UNIFIED and LOW_FREQUENCY accounts have other orders than the ones that are served here. */
export type AccountKind = "HIGH_FREQUENCY" | "LOW_FREQUENCY" | "UNIFIED"

export interface KucoinUser extends LoopbackUser {
  readonly apiPassphrase: string
  /** Default HIGH_FREQUENCY. */
  readonly kind?: AccountKind
  /** Its fees are taken in KCS, as users of the venue may choose. */
  readonly paysInKcs?: boolean
}

export interface KucoinAccount extends Account {
  readonly apiPassphrase: string
  readonly kind: AccountKind
  readonly paysInKcs: boolean
}

export interface OrderWords {
  readonly timeInForce: string
  readonly isPostOnly: boolean
  /** Of a market order by value, 1e-8 units of the quote asset; 0n elsewhere. */
  readonly funds: bigint
  hasRested: boolean
}

/** Object ids: 24 hex digits. */
const ORDER_PREFIX = "6717422bd51c2900"

export const orderIdOf = (order: number): string => ORDER_PREFIX + order.toString(16).padStart(8, "0")

export const orderOf = (orderId: string): number =>
  orderId.startsWith(ORDER_PREFIX) ? Number.parseInt(orderId.slice(ORDER_PREFIX.length), 16) : Number.NaN

/** Above what a float holds exactly, one behind the other, and of each symbol for itself. */
const FIRST_TRADE_ID = 11_029_373_945_659_391n

export const tradeIdOf = ({ tradeId }: { readonly tradeId: number }): string => String(FIRST_TRADE_ID + BigInt(tradeId))

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without words: ${order.orderId}`)
  return known
}

export const clientOidOf = ({ clientOrderId }: Order): string => (clientOrderId.startsWith("web_") ? "" : clientOrderId)
