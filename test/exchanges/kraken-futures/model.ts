/** What Kraken Futures remembers beside the matching engine's orders and fills: what an order was placed as, why it ended, and its history. */
import { createHash } from "node:crypto"
import type { Fill, Order } from "../binance/model.ts"
import type { MarginAccount } from "../binance-usdm/model.ts"

export interface FuturesAccount extends MarginAccount {
  readonly accountUid: string
  /** Orders by what they were placed under: an id is never taken twice. */
  readonly usedIds: Set<string>
  /** Oldest first. */
  readonly events: Array<HistoryEvent>
}

export type OrderType = "lmt" | "post" | "ioc" | "mkt"

export interface OrderWords {
  readonly type: OrderType
  readonly cliOrdId: string | null
  /** Of the newest thing that happened to it, in the words of `orders/status`. */
  reason: string
}

/** One line of GET history/orders; what it says of the order is of its moment. */
export interface HistoryEvent {
  readonly uid: string
  readonly at: number
  readonly symbol: string
  readonly event: Readonly<Record<string, unknown>>
}

const idOf = (kind: string, number: number): string => `${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`

const ORDER = "0f0b0a5e"

export const orderIdOf = (order: number): string => idOf(ORDER, order)

export const orderOf = (orderId: string): number =>
  orderId.startsWith(`${ORDER}-`) ? Number.parseInt(orderId.slice(-12), 16) : Number.NaN

/** A trade has two sides, an account may be both, and each contract counts its own. */
export const fillIdOf = ({ symbol, tradeId, isBuyer }: Pick<Fill, "symbol" | "tradeId" | "isBuyer">): string => {
  const hash = createHash("sha256").update(`${symbol} ${tradeId} ${isBuyer}`).digest("hex")
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

export const accountUidOf = (account: number): string => idOf("acc00000", account)

export const eventUidOf = (event: number): string => idOf("e7e70000", event)

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

/** Of a liquidation, which nobody placed. */
const UNSAID: OrderWords = { type: "mkt", cliOrdId: null, reason: "LIQUIDATION_ORDER" }

export const wordsOf = (order: Order): OrderWords => words.get(order) ?? UNSAID
