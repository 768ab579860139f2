/**
 * A trade order's public record (specification, Trade order; extensions of contract C14a), as an object and as JSON text.
 */
import { Schema } from "effect"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import { QUOTES_NAMED } from "../dealer/hedging/intent-queue.ts"
import type { Decimal } from "../decimal.ts"
import { NarrativeStatus, narrative, OrderStatus } from "./status.ts"
import { NO_TERMS } from "./terms.ts"
import {
  averagePrice,
  type CancelReason,
  EXECUTIONS_KEPT,
  type Execution,
  type Fee,
  type TradeOrder,
} from "./trade-order.ts"

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
  inferred: Schema.Boolean.annotations({
    description: "Accounts for an executed quantity for which the venue has not reported a trade yet",
  }),
  replaces: Schema.NullOr(Schema.String).annotations({
    description:
      "executionId of the inferred execution that this one replaces: the inferred one no longer counts and is no longer listed",
  }),
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
  executions: Schema.Array(ExecutionRecord).annotations({
    description: `In order of application: the newest ${EXECUTIONS_KEPT}; tradeOrder/get returns all of them`,
  }),
  executionCount: Schema.Int.annotations({ description: "Extension: number of executions of the order" }),
  clientOrderId: optionalText,
  idempotencyKey: optionalText,
  externalOrderId: optionalText,
  origin: Schema.Literal("GATEWAY", "EXTERNAL"),
  replacesTradeOrderId: optionalText,
  dealerAccountId: optionalText,
  hedgeForQuoteIds: Schema.Array(Schema.String).annotations({
    description: `For a hedge: the executed quotes that it covers, oldest first. If there are more than ${QUOTES_NAMED}, the ${QUOTES_NAMED - 1} oldest and the newest`,
  }),
  hedgeForQuoteCount: Schema.Int.annotations({
    description: "Extension: number of executed quotes that a hedge covers",
  }),
  execution: Schema.Literal("NATIVE", "EMULATED"),
  triggerSource: optionalText,
  triggeredAt: optionalInstant,
  triggeredAtDateTime: optionalText,
  triggeredBy: optionalText,
  triggerPrice: optionalText,
  triggerHealth: optionalText,
  trailingDelta: optionalInstant,
  trailingAmount: optionalText,
  highWaterMark: optionalText,
  leverage: optionalInstant,
  reduceOnly: Schema.optional(Schema.Boolean).annotations({
    description:
      "Present and true on an order that named its position: the venue lets it make that smaller and nothing else",
  }),
  inDoubt: Schema.Boolean,
  evidence: Schema.Array(Schema.Struct({ at: Schema.Int, what: Schema.String })),
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
  replaces: e.replaces,
  executedAt: e.executedAt,
  executedAtDateTime: dateTime(e.executedAt),
})

/** The fields that only orders with terms fill. */
const termsRecord = ({ terms }: TradeOrder) => {
  const { trigger, exits, leverage, reduces } = terms ?? NO_TERMS
  const trailing = trigger?.trailing
  return {
    stopPrice: text(trigger?.stopPrice),
    takeProfitPrice: text(exits?.takeProfitPrice),
    takeProfitLimitPrice: text(exits?.takeProfitLimitPrice),
    stopLossPrice: text(exits?.stopLossPrice),
    stopLossLimitPrice: text(exits?.stopLossLimitPrice),
    takeProfitTimeInForce: exits?.takeProfitTimeInForce ?? null,
    stopLossTimeInForce: exits?.stopLossTimeInForce ?? null,
    execution: trigger?.execution ?? ("NATIVE" as const),
    triggerSource: trigger?.source ?? null,
    triggeredAt: trigger?.triggeredAt ?? null,
    triggeredAtDateTime: dateTimeOrNull(trigger?.triggeredAt ?? null),
    triggeredBy: trigger?.triggeredBy ?? null,
    triggerPrice: text(trigger?.triggerPrice),
    triggerHealth: trigger?.health ?? null,
    trailingDelta: trailing?.delta ?? null,
    trailingAmount: text(trailing?.amount),
    highWaterMark: text(trailing?.highWaterMark),
    leverage,
    ...(reduces === true && { reduceOnly: true }),
  }
}

const text = (decimal: Decimal | null | undefined): string | null => decimal?.toString() ?? null

/** Of an order that is being cancelled it is not told yet (contract C1.4). */
const toldReason = ({ orderStatus, cancelReason }: TradeOrder): CancelReason | null =>
  orderStatus === "CANCELLED" || orderStatus === "REVOKED" ? cancelReason : null

export const tradeOrderRecord = (o: TradeOrder): TradeOrderRecord => {
  const { stopPrice, ...own } = termsRecord(o)
  return {
    tradeOrderId: o.tradeOrderId,
    orderListId: o.orderListId,
    contingencyType: o.contingencyType,
    tradingAccountId: o.tradingAccountId,
    venue: o.venue,
    positionId: o.positionId,
    instrumentId: o.instrumentId,
    quoteId: o.quoteId,
    baseAsset: o.baseAsset,
    quoteAsset: o.quoteAsset,
    orderSide: o.orderSide,
    orderType: o.orderType,
    timeInForce: o.timeInForce,
    status: narrative(o.orderStatus, o.executedQuantity.isPositive()),
    orderStatus: o.orderStatus,
    rejectReason: o.rejectReason,
    cancelReason: toldReason(o),
    limitPrice: text(o.limitPrice),
    stopPrice,
    quantity: o.quantity.toString(),
    orderQuantityType: o.orderQuantityType,
    quantityRounding: o.quantityRounding,
    baseQuantity: o.baseQuantity.toString(),
    executedPrice: text(o.executedPrice),
    averagePrice: text(averagePrice(o)),
    executedQuantity: o.executedQuantity.toString(),
    executedCost: o.executedCost.toString(),
    overfillQuantity: o.overfillQuantity.toString(),
    fees: o.fees.map(feeRecord),
    executions: o.executions.map(executionRecord),
    executionCount: o.executionCount,
    clientOrderId: o.clientOrderId,
    idempotencyKey: o.idempotencyKey,
    externalOrderId: o.externalOrderId,
    origin: o.origin,
    replacesTradeOrderId: o.replacesTradeOrderId,
    dealerAccountId: o.dealerAccountId,
    hedgeForQuoteIds: o.hedgeForQuoteIds,
    hedgeForQuoteCount: o.hedgeForQuoteCount,
    ...own,
    inDoubt: o.doubt !== null,
    evidence: o.evidence,
    cancelRequested: o.cancelRequested,
    createdAt: o.createdAt,
    createdAtDateTime: dateTime(o.createdAt),
    updatedAt: o.updatedAt,
    updatedAtDateTime: dateTime(o.updatedAt),
    expireAt: o.expireAt,
    expireAtDateTime: dateTimeOrNull(o.expireAt),
    canceledAt: o.canceledAt,
    canceledAtDateTime: dateTimeOrNull(o.canceledAt),
  }
}

/** Text of a checked form: ids, enumerations, instants. */
const plain = (text: string | null): string => (text === null ? "null" : `"${text}"`)
const digits = (decimal: Decimal | null): string => (decimal === null ? "null" : `"${decimal.toString()}"`)
const list = (records: ReadonlyArray<unknown>): string => (records.length === 0 ? "[]" : JSON.stringify(records))

/** The fields of `termsRecord` but stopPrice, of an order without terms. */
const NO_TERMS_JSON =
  `"takeProfitPrice":null,"takeProfitLimitPrice":null,"stopLossPrice":null,"stopLossLimitPrice":null,` +
  `"takeProfitTimeInForce":null,"stopLossTimeInForce":null,"execution":"NATIVE","triggerSource":null,"triggeredAt":null,` +
  `"triggeredAtDateTime":null,"triggeredBy":null,"triggerPrice":null,"triggerHealth":null,"trailingDelta":null,` +
  `"trailingAmount":null,"highWaterMark":null,"leverage":null`

const NOT_EXECUTED_JSON =
  `"executedPrice":null,"averagePrice":null,"executedQuantity":"0","executedCost":"0","overfillQuantity":"0",` +
  `"fees":[],"executions":[],"executionCount":0`

const isUntouched = ({ executedQuantity, executedCost, overfillQuantity }: TradeOrder): boolean =>
  executedQuantity.isZero() && executedCost.isZero() && overfillQuantity.isZero()

const executedJson = (o: TradeOrder): string =>
  o.executionCount === 0 &&
  o.executions.length === 0 &&
  o.fees.length === 0 &&
  o.executedPrice === null &&
  isUntouched(o)
    ? NOT_EXECUTED_JSON
    : `"executedPrice":${digits(o.executedPrice)},"averagePrice":${digits(averagePrice(o))},` +
      `"executedQuantity":${digits(o.executedQuantity)},"executedCost":${digits(o.executedCost)},` +
      `"overfillQuantity":${digits(o.overfillQuantity)},"fees":${list(o.fees.map(feeRecord))},` +
      `"executions":${list(o.executions.map(executionRecord))},"executionCount":${o.executionCount}`

const endsJson = ({ expireAt, canceledAt }: TradeOrder): string =>
  expireAt === null && canceledAt === null
    ? `"expireAt":null,"expireAtDateTime":null,"canceledAt":null,"canceledAtDateTime":null}`
    : `"expireAt":${expireAt},"expireAtDateTime":${plain(dateTimeOrNull(expireAt))},"canceledAt":${canceledAt},` +
      `"canceledAtDateTime":${plain(dateTimeOrNull(canceledAt))}}`

const listJson = ({ orderListId, contingencyType }: TradeOrder): string =>
  orderListId === null && contingencyType === null
    ? `"orderListId":null,"contingencyType":null`
    : `"orderListId":${plain(orderListId)},"contingencyType":${plain(contingencyType)}`

const reasonsJson = (o: TradeOrder): string =>
  o.rejectReason === null && o.cancelReason === null
    ? `"rejectReason":null,"cancelReason":null`
    : `"rejectReason":${JSON.stringify(o.rejectReason)},"cancelReason":${plain(toldReason(o))}`

const hedgeJson = ({ dealerAccountId, hedgeForQuoteIds, hedgeForQuoteCount }: TradeOrder): string =>
  dealerAccountId === null && hedgeForQuoteIds.length === 0
    ? `"dealerAccountId":null,"hedgeForQuoteIds":[],"hedgeForQuoteCount":${hedgeForQuoteCount}`
    : `"dealerAccountId":${plain(dealerAccountId)},"hedgeForQuoteIds":${JSON.stringify(hedgeForQuoteIds)},"hedgeForQuoteCount":${hedgeForQuoteCount}`

const termsJson = (o: TradeOrder): string => {
  if (o.terms === null) return NO_TERMS_JSON
  const { stopPrice, ...own } = termsRecord(o)
  return JSON.stringify(own).slice(1, -1)
}

/**
 * `JSON.stringify(tradeOrderRecord(order))`, letter for letter, at a third of its cost: an order's record is written for its answer
 * and for each of its events. A property test holds the two equal.
 */
export const tradeOrderJson = (o: TradeOrder): string =>
  `{"tradeOrderId":"${o.tradeOrderId}",${listJson(o)},` +
  `"tradingAccountId":"${o.tradingAccountId}","venue":"${o.venue}","positionId":${plain(o.positionId)},` +
  `"instrumentId":"${o.instrumentId}","quoteId":${plain(o.quoteId)},"baseAsset":"${o.baseAsset}",` +
  `"quoteAsset":"${o.quoteAsset}","orderSide":"${o.orderSide}","orderType":"${o.orderType}","timeInForce":"${o.timeInForce}",` +
  `"status":"${narrative(o.orderStatus, o.executedQuantity.isPositive())}","orderStatus":"${o.orderStatus}",` +
  `${reasonsJson(o)},` +
  `"limitPrice":${digits(o.limitPrice)},"stopPrice":${digits(o.terms?.trigger?.stopPrice ?? null)},` +
  `"quantity":${digits(o.quantity)},"orderQuantityType":"${o.orderQuantityType}","quantityRounding":"${o.quantityRounding}",` +
  `"baseQuantity":${digits(o.baseQuantity)},${executedJson(o)},` +
  `"clientOrderId":${plain(o.clientOrderId)},"idempotencyKey":${plain(o.idempotencyKey)},` +
  `"externalOrderId":${JSON.stringify(o.externalOrderId)},"origin":"${o.origin}",` +
  `"replacesTradeOrderId":${plain(o.replacesTradeOrderId)},${hedgeJson(o)},${termsJson(o)},"inDoubt":${o.doubt !== null},` +
  `"evidence":${list(o.evidence)},"cancelRequested":${o.cancelRequested},` +
  `"createdAt":${o.createdAt},"createdAtDateTime":"${dateTime(o.createdAt)}",` +
  `"updatedAt":${o.updatedAt},"updatedAtDateTime":"${dateTime(o.updatedAt)}",${endsJson(o)}`
