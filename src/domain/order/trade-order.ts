/**
 * A trade order as the actor holds it and the store keeps it: an immutable image; each change is a new image with the next
 * `version`. Its public record is in trade-order-record.ts.
 */
import { Schema } from "effect"
import { Decimal } from "../decimal.ts"
import type {
  DealerAccountId,
  ExecutionId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../ids.ts"
import { isTerminal, type OrderStatus } from "./status.ts"
import type { OrderTerms } from "./terms.ts"

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

/** What is not known of an order: one kind at a time (`evidence/doubt.ts` says which). */
export type OrderDoubt =
  /** It may or may not have arrived. Carries how far the proof that it did not has come, so that a restart goes on from there. */
  | {
      readonly kind: "SUBMIT"
      /** Explicit "unknown order" answers. */
      readonly notFounds: number
      /** For how long, by monotonic clocks and without the time between two processes, the order has been known since its submit; ms. */
      readonly knownMillis: number
      /** So long it has to be known before "not found" proves anything: an order that may be this one was shown. Absent: none was. */
      readonly provesFrom?: number
    }
  /** Whether the change that is under way was made. */
  | { readonly kind: "AMEND" }
  /** Whether its cancel arrived. */
  | { readonly kind: "CANCEL" }
  /** Its cancel is confirmed, so it was there and is over: what it executed until then is not known. */
  | { readonly kind: "EXECUTED" }
  /** The venue has it, but there is no session: what became of it since is not known. */
  | { readonly kind: "UNREACHABLE" }

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
  /** Closes a gap that no trade of the venue has explained yet. */
  readonly inferred: boolean
  /** The inferred execution that this one takes the place of, which counts no more: by a trade that explains it, or what is left of it. */
  readonly replaces: ExecutionId | null
  readonly executedAt: number
}

/** How many executions an order carries with it: its work and its events cost the same however often it was filled. */
export const EXECUTIONS_KEPT = 10

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
  /** Of a hedge: the executed quotes whose exposure it closes, oldest first; of more than `QUOTES_NAMED` the oldest, and the newest. */
  readonly hedgeForQuoteIds: ReadonlyArray<QuoteId>
  /** How many they are in all. */
  readonly hedgeForQuoteCount: number
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
  /** Why it is being cancelled, or was. */
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
  /** The newest that count, at most `EXECUTIONS_KEPT`, in order of application. */
  readonly executions: ReadonlyArray<Execution>
  /** How many count. */
  readonly executionCount: number
  /** Of all executions, summed per asset in order of first appearance. */
  readonly fees: ReadonlyArray<Fee>
  /** The inferred execution that no trade has explained yet, however old; one at most. */
  readonly unexplained: Execution | null
  /** Ids of trades that `executions` has no more; only on an image that was read for an actor, and true of that image alone. */
  readonly olderTradeIds?: ReadonlyArray<string>
  readonly clientOrderId: string | null
  /** `idempotencyKey` of the request. */
  readonly idempotencyKey: string | null
  /** SHA-256 (hex) of the canonical request (contract C2); null on foreign orders. */
  readonly fingerprint: string | null
  readonly externalOrderId: string | null
  readonly origin: "GATEWAY" | "EXTERNAL"
  /** What is not known of it; funds stay held until there is evidence. */
  readonly doubt: OrderDoubt | null
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

/** The initial state of every order, whatever its origin. */
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
  hedgeForQuoteCount: 0,
  terms: null,
  orderQuantityType: "BASE",
  executedQuantity: Decimal.ZERO,
  executedCost: Decimal.ZERO,
  executedPrice: null,
  overfillQuantity: Decimal.ZERO,
  executions: [],
  executionCount: 0,
  fees: [],
  unexplained: null,
  clientOrderId: null,
  idempotencyKey: null,
  fingerprint: null,
  externalOrderId: null,
  evidence: [],
  doubt: null,
  cancelRequested: false,
  notAfter: null,
  submitDeadline: null,
  expireAt: null,
  canceledAt: null,
  venueUpdatedAt: null,
} as const satisfies Partial<TradeOrder>

/**
 * Where an order is. WAITING: for the fills of its parent or, fired, for the account; nothing of it was ever sent. ARMED: its trigger is
 * watched by the gateway. VENUE: at the venue or on its way there. DEALER: it executes a quote, which its dealer settles and no
 * client or operator can cancel.
 */
export type Place = "WAITING" | "ARMED" | "VENUE" | "DEALER" | "OVER"

export const placeOf = (order: TradeOrder): Place => {
  const { origin, orderStatus, orderType, externalOrderId, notAfter, terms } = order
  if (isTerminal(orderStatus)) return "OVER"
  if (origin === "EXTERNAL") return "VENUE"
  if (orderType === "QUOTED") return "DEALER"
  const trigger = terms?.trigger ?? null
  const isWatched = trigger !== null && trigger.execution === "EMULATED" && trigger.triggeredAt === null
  if (isWatched && trigger.armedAt !== null) return "ARMED"
  return notAfter === null && externalOrderId === null ? "WAITING" : "VENUE"
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

/** An execution on its way to the store, with the inferred one that it replaces. */
export interface AppliedExecution {
  readonly execution: Execution
  readonly replaced: Execution | null
}

/**
 * What of a replaced execution another one stands for: the quantity that both name, at the price that was counted until now. An order's
 * balances move by the execution less this. Null: it replaces none.
 */
export const shareOf = ({ execution, replaced }: AppliedExecution): Execution | null => {
  if (replaced === null) return null
  const executedQuantity = Decimal.min(execution.executedQuantity, replaced.executedQuantity)
  return { ...replaced, executedQuantity, executedCost: replaced.executedPrice.multiply(executedQuantity) }
}

/** What it has moved beyond what it replaces. */
export const beyondReplaced = (applied: AppliedExecution): { readonly quantity: Decimal; readonly cost: Decimal } => {
  const { executedQuantity, executedCost } = applied.execution
  const share = shareOf(applied)
  if (share === null) return { quantity: executedQuantity, cost: executedCost }
  return {
    quantity: executedQuantity.subtract(share.executedQuantity),
    cost: executedCost.subtract(share.executedCost),
  }
}

/** What it spends, and so holds: a BUY quote, a SELL base. */
export const heldAssetOf = ({ orderSide, quoteAsset, baseAsset }: TradeOrder): string =>
  orderSide === "BUY" ? quoteAsset : baseAsset

/** Summed fees with more of them, per asset in order of first appearance. */
export const withFees = (sums: ReadonlyArray<Fee>, more: ReadonlyArray<Fee>): ReadonlyArray<Fee> => {
  if (more.length === 0) return sums
  const all = [...sums]
  for (const fee of more) {
    const known = all.findIndex(({ asset }) => asset === fee.asset)
    if (known < 0) all.push(fee)
    else all[known] = { ...fee, quantity: all[known]!.quantity.add(fee.quantity) }
  }
  return all
}

/** executedCost / executedQuantity with 18 fractional digits, HALF_EVEN; null without executions. */
export const averagePrice = (order: TradeOrder): Decimal | null =>
  order.executedQuantity.isZero() ? null : order.executedCost.divide(order.executedQuantity, 18, "HALF_EVEN")
