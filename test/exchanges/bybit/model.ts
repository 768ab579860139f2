/** What Bybit remembers beside the matching engine's orders and fills: the words an order was placed with, and why it ended. */
import type { Account, Order } from "../binance/model.ts"

export interface OrderWords {
  readonly orderType: "Limit" | "Market"
  readonly timeInForce: string
  readonly marketUnit: string
  /** "UNKNOWN" while it lives, and where the venue ended it itself. */
  cancelType: string
  rejectReason: string
}

export interface BybitAccount extends Account {
  /** Every `orderLinkId` that was ever used. */
  readonly linkIds: Set<string>
}

/** Spot orders have long numbers; ours are the engine's on top of this. */
const FIRST_ORDER_ID = 1_321_052_653_536_515_584n
const FIRST_EXEC_ID = 2_210_000_000_101_610_464n

export const orderIdOf = (order: number): string => String(FIRST_ORDER_ID + BigInt(order))

export const orderOf = (orderId: string): number =>
  /^\d{1,20}$/.test(orderId) ? Number(BigInt(orderId) - FIRST_ORDER_ID) : Number.NaN

/** A trade has two sides, and an account may be both. */
export const execIdOf = (tradeId: number, isBuyer: boolean): string =>
  String(FIRST_EXEC_ID + BigInt(tradeId) * 2n + (isBuyer ? 1n : 0n))

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

export const wordsOf = (order: Order): OrderWords => {
  const known = words.get(order)
  if (known !== undefined) return known
  const fresh: OrderWords = {
    orderType: "Limit",
    timeInForce: "GTC",
    marketUnit: "",
    cancelType: "UNKNOWN",
    rejectReason: "EC_NoError",
  }
  words.set(order, fresh)
  return fresh
}

export const linkIdOf = ({ clientOrderId }: Order): string => (clientOrderId.startsWith("web_") ? "" : clientOrderId)
