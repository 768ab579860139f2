/** What Coinbase remembers beside the matching engine's orders and fills: the configuration of an order, its edits, its fees. */
import type { Account, Fill, Order } from "../binance/model.ts"

export interface CoinbaseAccount extends Account {
  readonly portfolioId: string
}

export interface Edit {
  readonly price: string
  readonly size: string
  readonly replace_accept_timestamp: string
}

export interface OrderWords {
  /** `order_configuration`, as it was sent: edits stand beside it. */
  readonly configuration: Readonly<Record<string, unknown>>
  readonly timeInForce: "GOOD_UNTIL_CANCELLED" | "IMMEDIATE_OR_CANCEL" | "FILL_OR_KILL"
  readonly isPostOnly: boolean
  /** It was given as an amount of the quote asset. */
  readonly isInQuote: boolean
  readonly edits: Array<Edit>
  cancelMessage: string
}

const idOf = (kind: string, number: number): string => `${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`

const ORDER = "0c0b0a5e"

export const orderIdOf = (order: number): string => idOf(ORDER, order)

export const orderOf = (orderId: string): number =>
  orderId.startsWith(`${ORDER}-`) ? Number.parseInt(orderId.slice(-12), 16) : Number.NaN

/** A trade has two sides, and an account may be both. */
export const tradeIdOf = ({ tradeId, isBuyer }: Fill): string => idOf(isBuyer ? "7ade0001" : "7ade0002", tradeId)

export const portfolioIdOf = (account: number): string => idOf("f0110000", account)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without a configuration: ${order.orderId}`)
  return known
}

/** With microseconds, as the venue writes its instants. */
export const timeText = (millis: number): string => new Date(millis).toISOString().replace("Z", "000Z")
