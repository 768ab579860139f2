/** What Bitstamp remembers beside the matching engine's orders and fills: the words an order was placed with, and an account's number. */
import type { Account, Order } from "../binance/model.ts"

export interface BitstampAccount extends Account {
  /** The newest order of each `client_order_id`: nothing keeps a user from using one twice. */
  readonly byName: Map<string, Order>
  /** Lists that are told again for a while, by path. */
  readonly cached: Map<string, { readonly at: number; readonly rows: ReadonlyArray<object> }>
}

/** `order_subtype` of the stream, as far as ccxt 4.5.84 and recordings of public orders name them. */
export const SUBTYPES = { LIMIT: 0, INSTANT: 1, MARKET: 2, IOC: 4, MOC: 5, FOK: 6, GTD: 8 } as const

export type Subtype = keyof typeof SUBTYPES

export interface OrderWords {
  readonly clientOrderId: string | undefined
  readonly subtype: Subtype
}

/** One count of ids over all markets. */
const FIRST_ORDER_ID = 2_046_839_000_000_000

export const orderIdOf = (order: number): number => FIRST_ORDER_ID + order

export const orderOf = (orderId: string): number =>
  /^\d{1,16}$/.test(orderId) ? Number(orderId) - FIRST_ORDER_ID : Number.NaN

/** Trades are counted over all markets, too; the engine counts those of each. */
const FIRST_TRADE_ID = 629_000_000

export const tradeIdOf = (symbol: string, tradeId: number): number =>
  FIRST_TRADE_ID + tradeId * 1000 + ([...symbol].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 1000)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known === undefined) throw new Error(`an order without words: ${order.orderId}`)
  return known
}
