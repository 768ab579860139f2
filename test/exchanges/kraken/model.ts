/**
 * What Kraken remembers beside the matching engine: nonces, orders under its own ids and words, fees by preference. Amounts are
 * bigints in 1e-8 units (binance/fixed.ts); instants are milliseconds since the Unix epoch.
 */
import type { Account, Order } from "../binance/model.ts"
import type { KrakenPair } from "./pairs.ts"

export type Side = "buy" | "sell"
export type OrderKind = "limit" | "market"
export type TimeInForce = "GTC" | "IOC" | "GTD"
export type OrderStatus = "pending" | "open" | "closed" | "canceled" | "expired"

export interface KrakenAccount extends Account {
  lastNonce: bigint
  /** Points used of the call limit, as of `countedAt`; and of the order limit of each pair. */
  calls: { points: number; countedAt: number }
  readonly trading: Map<string, { points: number; countedAt: number }>
}

export interface KrakenFill {
  /** `T…`: REST's key of the trade and WebSocket's `exec_id`. */
  readonly execId: string
  /** Counts within the pair. */
  readonly tradeId: number
  readonly order: KrakenOrder
  readonly price: bigint
  readonly quantity: bigint
  readonly cost: bigint
  readonly fee: bigint
  readonly feeAsset: string
  readonly filledAt: number
  readonly isMaker: boolean
}

export interface KrakenOrder {
  readonly txid: string
  readonly clOrdId: string | undefined
  readonly userref: number
  readonly account: KrakenAccount
  readonly pair: KrakenPair
  readonly side: Side
  /** What works once it may: at once, or when its stop has triggered. */
  readonly kind: OrderKind
  readonly stop: Stop | undefined
  readonly timeInForce: TimeInForce
  /** GTD only. */
  readonly expireAt: number | undefined
  readonly isPostOnly: boolean
  /** Preference `fcib`: the fee in the base asset; otherwise in the quote asset. */
  readonly feeInBase: boolean
  /** The volume counts the quote asset (`viqc`). */
  readonly isByCost: boolean
  readonly openedAt: number
  readonly fills: Array<KrakenFill>
  price: bigint
  quantity: bigint
  executed: bigint
  cost: bigint
  fee: bigint
  status: OrderStatus
  /** Why it ended, where it did not end by being filled. */
  reason: string | undefined
  closedAt: number | undefined
  /** Put aside for the fee, beside what the matching engine reserved. */
  feeHeld: bigint
  /** The order of the matching engine that works for it now. */
  working: Order | undefined
}

export interface Stop {
  readonly kind: "stop-loss" | "take-profit"
  price: bigint
  isTriggered: boolean
}

/** `ordertype` in REST, `order_type` on the stream. */
export const typeWord = ({ kind, stop }: Pick<KrakenOrder, "kind" | "stop">): string =>
  stop === undefined ? kind : kind === "limit" ? `${stop.kind}-limit` : stop.kind

export const isOpen = ({ status }: KrakenOrder): boolean => status === "pending" || status === "open"

/** Of the first fee tier, in hundredths of a percent. */
export const TAKER_FEE_POINTS = 40n
export const MAKER_FEE_POINTS = 25n
export const FEE_SCALE = 10_000n

/** What happened to an order, as the `executions` channel tells it. */
export type ExecType = "pending_new" | "new" | "trade" | "filled" | "canceled" | "expired" | "amended" | "triggered"
