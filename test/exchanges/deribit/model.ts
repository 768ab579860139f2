/** What Deribit remembers beside the matching engine's orders and fills: what an order was placed as, and orders that wait for a trigger. */
import type { Fill, Order } from "../binance/model.ts"
import type { MarginAccount } from "../binance-usdm/model.ts"
import { SETTLEMENT } from "./contracts.ts"

export interface DeribitAccount extends MarginAccount {
  readonly userId: number
  /** Rows of orders that wait for their trigger, by id. */
  readonly triggers: Map<string, Readonly<Record<string, unknown>>>
  /** The collateral of all currencies is one: what is available is said of each as if it were all in it. */
  isCrossCollateral: boolean
}

export interface OrderWords {
  readonly label: string
  readonly type: "limit" | "market"
  readonly timeInForce: string
  readonly isPostOnly: boolean
  readonly isLiquidation: boolean
  isReplaced: boolean
  /** Absent where the venue says none. */
  cancelReason: string | undefined
}

/** `USDC-104819327443`: orders are counted by currency. */
const OFFSET = 104_819_000_000

export const orderIdOf = (order: number): string => `${SETTLEMENT}-${OFFSET + order}`

export const orderOf = (orderId: string): number =>
  orderId.startsWith(`${SETTLEMENT}-`) ? Number(orderId.slice(SETTLEMENT.length + 1)) - OFFSET : Number.NaN

const TRADES_OF_A_CONTRACT = 100_000_000

/** Trades are counted by currency, and both sides of one have one id. `contract` is its place in the list of contracts. */
export const tradeIdOf = (contract: number, { tradeId }: Pick<Fill, "tradeId">): string =>
  `${SETTLEMENT}-${contract * TRADES_OF_A_CONTRACT + tradeId}`

const words = new WeakMap<Order, OrderWords>()

export const setWords = (order: Order, said: OrderWords): void => void words.set(order, said)

/** Of a liquidation, which nobody placed. */
const UNSAID: OrderWords = {
  label: "",
  type: "market",
  timeInForce: "good_til_cancelled",
  isPostOnly: false,
  isLiquidation: true,
  isReplaced: false,
  cancelReason: undefined,
}

export const wordsOf = (order: Order): OrderWords => words.get(order) ?? UNSAID
