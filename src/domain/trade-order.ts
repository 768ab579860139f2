/**
 * A trade order as the actor holds it and the store keeps it: an immutable image; each change is a new image with the next
 * `version`. Its public record is in trade-order-record.ts.
 */
import { Schema } from "effect"
import { Decimal } from "./decimal.ts"
import type {
  DealerAccountId,
  ExecutionId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "./ids.ts"
import { isTerminal, type OrderStatus } from "./order-status.ts"
import type { OrderTerms } from "./order-terms.ts"

export const OrderSide = Schema.Literal("BUY", "SELL")
export type OrderSide = typeof OrderSide.Type

/** What a venue's book takes. */
export type PlainOrderType = "MARKET" | "LIMIT" | "LIMIT_MAKER"

/** Order types as stored: STOP is a stop at market, also where the client said STOP_MARKET. */
export type OrderType =
  | PlainOrderType
  | "STOP"
  | "STOP_LIMIT"
  | "STOP_LOSS"
  | "STOP_LOSS_LIMIT"
  | "TAKE_PROFIT"
  | "TAKE_PROFIT_LIMIT"
  | "TRAILING_STOP"
  | "QUOTED"

export type QuantityType = "BASE" | "QUOTE" | "POSITION_RATIO" | "POSITION_PERCENTAGE"

/** OTO: an entry with one exit. OTOCO: an entry with both. OCO: the two exits of a pair. */
export type ContingencyType = "OTO" | "OCO" | "OTOCO"

export type StoredTimeInForce = "GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX"

export type CancelReason =
  | "USER_REQUEST"
  | "ACCOUNT_DISCONNECTED"
  | "VENUE"
  | "IOC_REMAINDER"
  | "FOK_NOT_FILLED"
  | "NO_LIQUIDITY"
  | "SELF_TRADE_PREVENTION"
  | "OCO_SIBLING"
  | "PARENT_CLOSED"
  | "BELOW_MINIMUM"
  | "REPLACED"
  | "RISK"
  | "DEAD_MAN_SWITCH"
  | "ADMIN"

/** Reject reasons of orders that were in doubt and proven not to be at the venue. */
export const NEVER_PLACED = { restarted: "GATEWAY_RESTART", proven: "NOT_PLACED: proven by expiry" } as const

export interface Fee {
  /** The fee asset. */
  readonly asset: string
  /** The charging venue. */
  readonly venue: VenueId
  readonly quantity: Decimal
}

/** One fill. */
export interface Execution {
  readonly executionId: ExecutionId
  /** The venue's trade id: unique per venue, account, instrument and side; the key that makes a repeated fill harmless. */
  readonly externalTradeId: string
  readonly tradeOrderId: TradeOrderId
  readonly tradingAccountId: TradingAccountId
  readonly venue: VenueId
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  readonly executedQuantity: Decimal
  readonly executedPrice: Decimal
  /** Exactly price × quantity. */
  readonly executedCost: Decimal
  readonly fees: ReadonlyArray<Fee>
  /** Closes a gap that the venue's trades never explained (contract C1.3). */
  readonly inferred: boolean
  readonly executedAt: number
}

export interface TradeOrder {
  readonly tradeOrderId: TradeOrderId
  readonly tenantId: TenantId
  readonly tradingAccountId: TradingAccountId
  /** Grows by one with every stored image. */
  readonly version: number
  readonly venue: VenueId
  readonly instrumentId: InstrumentId
  /** The list it belongs to: the entry's id, or an id of its own for a pair of exits without an entry. */
  readonly orderListId: string | null
  readonly contingencyType: ContingencyType | null
  readonly quoteId: string | null
  readonly positionId: string | null
  /** The order whose place this one took. */
  readonly replacesTradeOrderId: TradeOrderId | null
  /** Of a hedge: the dealer that placed it. */
  readonly dealerAccountId: DealerAccountId | null
  /** Of a hedge: the executed quotes whose exposure it closes, oldest first. */
  readonly hedgeForQuoteIds: ReadonlyArray<QuoteId>
  /** Null on plain orders. */
  readonly terms: OrderTerms | null
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly timeInForce: StoredTimeInForce
  readonly orderStatus: OrderStatus
  /** The state before PENDING_CANCEL or PENDING_REPLACE, to return to when the venue refuses. */
  readonly statusBeforeCancel: OrderStatus | null
  readonly rejectReason: string | null
  readonly cancelReason: CancelReason | null
  readonly limitPrice: Decimal | null
  /** As the client gave it. */
  readonly quantity: Decimal
  readonly orderQuantityType: QuantityType
  readonly quantityRounding: string
  /** The resolved quantity in base: progress and FILLED compare with it. */
  readonly baseQuantity: Decimal
  readonly executedQuantity: Decimal
  readonly executedCost: Decimal
  /** Price of the last execution. */
  readonly executedPrice: Decimal | null
  readonly overfillQuantity: Decimal
  /** In order of application. */
  readonly executions: ReadonlyArray<Execution>
  readonly clientOrderId: string | null
  /** `idempotencyKey` of the request. */
  readonly idempotencyKey: string | null
  /** SHA-256 (hex) of the canonical request (contract C2); null on foreign orders. */
  readonly fingerprint: string | null
  readonly externalOrderId: string | null
  readonly origin: "GATEWAY" | "EXTERNAL"
  /** The outcome of a submit or cancel is unknown; funds stay held until there is evidence. */
  readonly inDoubt: boolean
  readonly cancelRequested: boolean
  /** Why a doubt arose and what was asked since: newest last, at most 20 entries. */
  readonly evidence: ReadonlyArray<{ readonly at: number; readonly what: string }>
  /** Past this instant the worker must not send the order any more: commit + 2 s (order-path 3). */
  readonly notAfter: number | null
  /** notAfter plus the venue's own expiry: later the venue cannot take it. */
  readonly submitDeadline: number | null
  /** What the order still holds: quote for a BUY, base for a SELL; zero once terminal. */
  readonly held: Decimal
  readonly createdAt: number
  readonly updatedAt: number
  readonly expireAt: number | null
  readonly canceledAt: number | null
  /** Venue time of the newest status applied. */
  readonly venueUpdatedAt: number | null
}

/** What every order begins with, whoever places it. */
export const UNPLACED = {
  version: 1,
  orderStatus: "CREATED",
  statusBeforeCancel: null,
  rejectReason: null,
  cancelReason: null,
  orderListId: null,
  contingencyType: null,
  quoteId: null,
  positionId: null,
  replacesTradeOrderId: null,
  dealerAccountId: null,
  hedgeForQuoteIds: [],
  terms: null,
  orderQuantityType: "BASE",
  executedQuantity: Decimal.ZERO,
  executedCost: Decimal.ZERO,
  executedPrice: null,
  overfillQuantity: Decimal.ZERO,
  executions: [],
  clientOrderId: null,
  idempotencyKey: null,
  fingerprint: null,
  externalOrderId: null,
  evidence: [],
  inDoubt: false,
  cancelRequested: false,
  notAfter: null,
  submitDeadline: null,
  expireAt: null,
  canceledAt: null,
  venueUpdatedAt: null,
} as const satisfies Partial<TradeOrder>

/**
 * Where an order is. WAITING: for the fills of its parent, nothing was ever sent. ARMED: its trigger is watched by the gateway. VENUE: at
 * the venue, on its way there, or over. DEALER: it executes a quote, which is a dealer's to settle and nobody's to cancel.
 */
export const placeOf = (order: TradeOrder): "WAITING" | "ARMED" | "VENUE" | "DEALER" => {
  const { origin, orderStatus, orderType, notAfter, terms } = order
  if (isTerminal(orderStatus) || origin === "EXTERNAL") return "VENUE"
  if (orderType === "QUOTED") return "DEALER"
  const trigger = terms?.trigger ?? null
  const isWatched = trigger !== null && trigger.execution === "EMULATED" && trigger.triggeredAt === null
  if (isWatched && trigger.armedAt !== null) return "ARMED"
  return notAfter === null ? "WAITING" : "VENUE"
}

/** Its trigger was watched by the gateway, and has fired. */
export const isFired = ({ terms }: TradeOrder): boolean => {
  const trigger = terms?.trigger ?? null
  return trigger !== null && trigger.execution === "EMULATED" && trigger.triggeredAt !== null
}

/** A dealer's own order at a venue; one of type QUOTED is its client's. */
export const isHedge = ({ dealerAccountId, orderType }: TradeOrder): boolean =>
  dealerAccountId !== null && orderType !== "QUOTED"

/** It was placed as one of two legs of a list that the venue keeps. */
export const isPaired = ({ terms }: TradeOrder): boolean => terms !== null && terms.pairedWith !== null

/** What a venue's book is given in the end: a stop that fires is a market or a limit order. */
export const releasedType = ({
  orderType,
  limitPrice,
}: Pick<TradeOrder, "orderType" | "limitPrice">): PlainOrderType => {
  if (orderType === "LIMIT_MAKER") return orderType
  return limitPrice === null ? "MARKET" : "LIMIT"
}

/** Fees of an order, summed per asset in order of first appearance. */
export const feesOf = (executions: ReadonlyArray<Execution>): ReadonlyArray<Fee> => {
  if (executions.length === 1) return executions[0]!.fees
  const sums = new Map<string, Fee>()
  for (const execution of executions)
    for (const fee of execution.fees) {
      const sum = sums.get(fee.asset)
      sums.set(fee.asset, sum === undefined ? fee : { ...sum, quantity: sum.quantity.add(fee.quantity) })
    }
  return [...sums.values()]
}

/** executedCost / executedQuantity with 18 fractional digits, HALF_EVEN; null without executions. */
export const averagePrice = (order: TradeOrder): Decimal | null =>
  order.executedQuantity.isZero() ? null : order.executedCost.divide(order.executedQuantity, 18, "HALF_EVEN")
