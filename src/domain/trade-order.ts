/**
 * A trade order as the actor holds it and the store keeps it: an immutable image; each change is a new image with the next
 * `version`. `tradeOrderRecord` is its public record (specification, Trade order; extensions of contract C14a).
 */
import { Schema } from "effect"
import { Decimal } from "./decimal.ts"
import type { ExecutionId, InstrumentId, TenantId, TradeOrderId, TradingAccountId, VenueId } from "./ids.ts"
import { NarrativeStatus, narrative, OrderStatus } from "./order-status.ts"
import { dateTime, dateTimeOrNull } from "./time.ts"

export const OrderSide = Schema.Literal("BUY", "SELL")
export type OrderSide = typeof OrderSide.Type

/** Order types as stored. Wire aliases and the words answered with an error live in `order-rules`. */
export type OrderType = "MARKET" | "LIMIT" | "LIMIT_MAKER"

export type StoredTimeInForce = "GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX"

export type CancelReason =
  | "USER_REQUEST"
  | "ACCOUNT_DISCONNECTED"
  | "VENUE"
  | "IOC_REMAINDER"
  | "FOK_NOT_FILLED"
  | "NO_LIQUIDITY"
  | "SELF_TRADE_PREVENTION"
  | "RISK"
  | "ADMIN"

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
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly timeInForce: StoredTimeInForce
  readonly orderStatus: OrderStatus
  /** The state before PENDING_CANCEL, to return to when the venue refuses the cancel. */
  readonly statusBeforeCancel: OrderStatus | null
  readonly rejectReason: string | null
  readonly cancelReason: CancelReason | null
  readonly limitPrice: Decimal | null
  /** As the client gave it. */
  readonly quantity: Decimal
  readonly orderQuantityType: "BASE"
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
  orderQuantityType: "BASE",
  executedQuantity: Decimal.ZERO,
  executedCost: Decimal.ZERO,
  executedPrice: null,
  overfillQuantity: Decimal.ZERO,
  executions: [],
  inDoubt: false,
  cancelRequested: false,
  expireAt: null,
  canceledAt: null,
  venueUpdatedAt: null,
} as const satisfies Partial<TradeOrder>

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

export const FeeRecord = Schema.Struct({
  security: Schema.String,
  asset: Schema.String,
  venue: Schema.String,
  quantity: Schema.String,
}).annotations({ identifier: "Fee" })

export const ExecutionRecord = Schema.Struct({
  executionId: Schema.String,
  externalTradeId: Schema.String,
  venue: Schema.String,
  instrumentId: Schema.String,
  orderSide: Schema.String,
  executedQuantity: Schema.String,
  executedPrice: Schema.String,
  executedCost: Schema.String,
  fees: Schema.Array(FeeRecord),
  inferred: Schema.Boolean,
  executedAt: Schema.Int,
  executedAtDateTime: Schema.String,
}).annotations({ identifier: "Execution" })
export type ExecutionRecord = typeof ExecutionRecord.Type

const optionalText = Schema.NullOr(Schema.String)
const optionalInstant = Schema.NullOr(Schema.Int)

/** Every field of the specification's record is always present; no value is null (contract C14a). */
export const TradeOrderRecord = Schema.Struct({
  tradeOrderId: Schema.String,
  orderListId: optionalText,
  contingencyType: optionalText,
  tradingAccountId: Schema.String,
  venue: Schema.String,
  positionId: optionalText,
  instrumentId: Schema.String,
  quoteId: optionalText,
  baseAsset: Schema.String,
  quoteAsset: Schema.String,
  orderSide: Schema.String,
  orderType: Schema.String,
  timeInForce: Schema.String,
  status: NarrativeStatus,
  orderStatus: OrderStatus,
  rejectReason: optionalText,
  cancelReason: optionalText,
  limitPrice: optionalText,
  stopPrice: optionalText,
  takeProfitPrice: optionalText,
  takeProfitLimitPrice: optionalText,
  stopLossPrice: optionalText,
  stopLossLimitPrice: optionalText,
  takeProfitTimeInForce: optionalText,
  stopLossTimeInForce: optionalText,
  quantity: Schema.String,
  orderQuantityType: Schema.String,
  quantityRounding: Schema.String,
  baseQuantity: Schema.String,
  executedPrice: optionalText,
  averagePrice: optionalText,
  executedQuantity: Schema.String,
  executedCost: Schema.String,
  overfillQuantity: Schema.String,
  fees: Schema.Array(FeeRecord),
  executions: Schema.Array(ExecutionRecord),
  clientOrderId: optionalText,
  idempotencyKey: optionalText,
  externalOrderId: optionalText,
  origin: Schema.Literal("GATEWAY", "EXTERNAL"),
  inDoubt: Schema.Boolean,
  cancelRequested: Schema.Boolean,
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
  expireAt: optionalInstant,
  expireAtDateTime: optionalText,
  canceledAt: optionalInstant,
  canceledAtDateTime: optionalText,
}).annotations({ identifier: "TradeOrder" })
export type TradeOrderRecord = typeof TradeOrderRecord.Type

const feeRecord = (fee: Fee) => ({
  security: fee.asset,
  asset: fee.asset,
  venue: fee.venue,
  quantity: fee.quantity.toString(),
})

export const executionRecord = (e: Execution): ExecutionRecord => ({
  executionId: e.executionId,
  externalTradeId: e.externalTradeId,
  venue: e.venue,
  instrumentId: e.instrumentId,
  orderSide: e.orderSide,
  executedQuantity: e.executedQuantity.toString(),
  executedPrice: e.executedPrice.toString(),
  executedCost: e.executedCost.toString(),
  fees: e.fees.map(feeRecord),
  inferred: e.inferred,
  executedAt: e.executedAt,
  executedAtDateTime: dateTime(e.executedAt),
})

/** executedCost / executedQuantity with 18 fractional digits, HALF_EVEN; null without executions. */
export const averagePrice = (order: TradeOrder): Decimal | null =>
  order.executedQuantity.isZero() ? null : order.executedCost.divide(order.executedQuantity, 18, "HALF_EVEN")

export const tradeOrderRecord = (o: TradeOrder): TradeOrderRecord => ({
  tradeOrderId: o.tradeOrderId,
  orderListId: null,
  contingencyType: null,
  tradingAccountId: o.tradingAccountId,
  venue: o.venue,
  positionId: null,
  instrumentId: o.instrumentId,
  quoteId: null,
  baseAsset: o.baseAsset,
  quoteAsset: o.quoteAsset,
  orderSide: o.orderSide,
  orderType: o.orderType,
  timeInForce: o.timeInForce,
  status: narrative(o.orderStatus, o.executedQuantity.isPositive()),
  orderStatus: o.orderStatus,
  rejectReason: o.rejectReason,
  cancelReason: o.cancelReason,
  limitPrice: o.limitPrice?.toString() ?? null,
  stopPrice: null,
  takeProfitPrice: null,
  takeProfitLimitPrice: null,
  stopLossPrice: null,
  stopLossLimitPrice: null,
  takeProfitTimeInForce: null,
  stopLossTimeInForce: null,
  quantity: o.quantity.toString(),
  orderQuantityType: o.orderQuantityType,
  quantityRounding: o.quantityRounding,
  baseQuantity: o.baseQuantity.toString(),
  executedPrice: o.executedPrice?.toString() ?? null,
  averagePrice: averagePrice(o)?.toString() ?? null,
  executedQuantity: o.executedQuantity.toString(),
  executedCost: o.executedCost.toString(),
  overfillQuantity: o.overfillQuantity.toString(),
  fees: feesOf(o.executions).map(feeRecord),
  executions: o.executions.map(executionRecord),
  clientOrderId: o.clientOrderId,
  idempotencyKey: o.idempotencyKey,
  externalOrderId: o.externalOrderId,
  origin: o.origin,
  inDoubt: o.inDoubt,
  cancelRequested: o.cancelRequested,
  createdAt: o.createdAt,
  createdAtDateTime: dateTime(o.createdAt),
  updatedAt: o.updatedAt,
  updatedAtDateTime: dateTime(o.updatedAt),
  expireAt: o.expireAt,
  expireAtDateTime: dateTimeOrNull(o.expireAt),
  canceledAt: o.canceledAt,
  canceledAtDateTime: dateTimeOrNull(o.canceledAt),
})

/** Text of a checked form: ids, enumerations, instants. */
const plain = (text: string | null): string => (text === null ? "null" : `"${text}"`)
const digits = (decimal: Decimal | null): string => (decimal === null ? "null" : `"${decimal.toString()}"`)
const list = (records: ReadonlyArray<unknown>): string => (records.length === 0 ? "[]" : JSON.stringify(records))

/**
 * `JSON.stringify(tradeOrderRecord(order))`, letter for letter, at a third of its cost: an order's record is written for its answer
 * and for each of its events. A property test holds the two equal.
 */
export const tradeOrderJson = (o: TradeOrder): string =>
  `{"tradeOrderId":"${o.tradeOrderId}","orderListId":null,"contingencyType":null,"tradingAccountId":"${o.tradingAccountId}",` +
  `"venue":"${o.venue}","positionId":null,"instrumentId":"${o.instrumentId}","quoteId":null,"baseAsset":"${o.baseAsset}",` +
  `"quoteAsset":"${o.quoteAsset}","orderSide":"${o.orderSide}","orderType":"${o.orderType}","timeInForce":"${o.timeInForce}",` +
  `"status":"${narrative(o.orderStatus, o.executedQuantity.isPositive())}","orderStatus":"${o.orderStatus}",` +
  `"rejectReason":${JSON.stringify(o.rejectReason)},"cancelReason":${plain(o.cancelReason)},` +
  `"limitPrice":${digits(o.limitPrice)},"stopPrice":null,"takeProfitPrice":null,"takeProfitLimitPrice":null,` +
  `"stopLossPrice":null,"stopLossLimitPrice":null,"takeProfitTimeInForce":null,"stopLossTimeInForce":null,` +
  `"quantity":${digits(o.quantity)},"orderQuantityType":"${o.orderQuantityType}","quantityRounding":"${o.quantityRounding}",` +
  `"baseQuantity":${digits(o.baseQuantity)},"executedPrice":${digits(o.executedPrice)},` +
  `"averagePrice":${digits(averagePrice(o))},"executedQuantity":${digits(o.executedQuantity)},` +
  `"executedCost":${digits(o.executedCost)},"overfillQuantity":${digits(o.overfillQuantity)},` +
  `"fees":${list(feesOf(o.executions).map(feeRecord))},"executions":${list(o.executions.map(executionRecord))},` +
  `"clientOrderId":${plain(o.clientOrderId)},"idempotencyKey":${plain(o.idempotencyKey)},` +
  `"externalOrderId":${JSON.stringify(o.externalOrderId)},"origin":"${o.origin}","inDoubt":${o.inDoubt},` +
  `"cancelRequested":${o.cancelRequested},"createdAt":${o.createdAt},"createdAtDateTime":"${dateTime(o.createdAt)}",` +
  `"updatedAt":${o.updatedAt},"updatedAtDateTime":"${dateTime(o.updatedAt)}","expireAt":${o.expireAt},` +
  `"expireAtDateTime":${plain(dateTimeOrNull(o.expireAt))},"canceledAt":${o.canceledAt},` +
  `"canceledAtDateTime":${plain(dateTimeOrNull(o.canceledAt))}}`
