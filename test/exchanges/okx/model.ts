/**
 * What OKX remembers beside the matching engine's orders and fills: passphrases, which environment a key belongs to, why an order
 * ended, and the words it was placed with.
 */
import type { Account, Fill, Order } from "../binance/model.ts"

export interface OkxAccount extends Account {
  readonly passphrase: string
  /** A key of demo trading: good for requests with `x-simulated-trading: 1` only. */
  readonly isSimulated: boolean
}

/** What a placement asked for in OKX's own words. */
export interface OrderWords {
  readonly ordType: string
  readonly tgtCcy: string
  readonly tag: string
  /** `cancelSource` of its end; "" while it lives or when it is filled. */
  cancelSource: string
  /** The last fill that was told; a row repeats it. */
  lastFill: Fill | undefined
}

/** OKX's order ids are long; ours are the engine's numbers on top of this. */
const FIRST_ORDER_ID = 2_510_789_768_700_000_000n
const FIRST_BILL_ID = 2_610_789_768_700_000_000n

export const ordIdOf = (orderId: number): string => String(FIRST_ORDER_ID + BigInt(orderId))

export const orderIdOf = (ordId: string): number => {
  if (!/^\d{1,20}$/.test(ordId)) return Number.NaN
  return Number(BigInt(ordId) - FIRST_ORDER_ID)
}

/** A bill per fill, in the account's order; `index` counts its fills from 0. */
export const billIdOf = (index: number): string => String(FIRST_BILL_ID + BigInt(index))

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known !== undefined) return known
  const fresh = { ordType: "limit", tgtCcy: "", tag: "", cancelSource: "", lastFill: undefined }
  words.set(order, fresh)
  return fresh
}
