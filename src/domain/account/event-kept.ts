/**
 * What the journal keeps of an event instead of its text, where immutable rows have the rest: of an execution its id, of an order its
 * changing fields, of positions their figures. The one thing to know: the rebuilt text is identical to the published one, letter for letter,
 * however far the order has moved on since.
 */
import { Decimal } from "../decimal.ts"
import type { ExecutionId, InstrumentId, TradeOrderId, TradingAccountId, VenueId } from "../ids.ts"
import type { OrderStatus } from "../order/status.ts"
import { NO_TERMS, type OrderTerms, termsOf, triggerOf } from "../order/terms.ts"
import {
  type CancelReason,
  EXECUTIONS_KEPT,
  type Execution,
  type Fee,
  type QuantityType,
  type StoredTimeInForce,
  type TradeOrder,
} from "../order/trade-order.ts"
import { executionRecord, tradeOrderJson } from "../order/trade-order-record.ts"
import { type ContractPosition, type Position, positionRecord } from "./trading-account.ts"

/** No JSON text begins with it. */
const MARK = "~"

/** What is open in one contract. */
type KeptContract = readonly [instrumentId: string, quantity: string, entryPrice: string | null, profit: string | null]
/** Figures of one currency, and whose margin it is. */
type KeptPosition = readonly [
  currency: string,
  available: string,
  locked: string,
  updatedAt: number,
  contracts?: ReadonlyArray<KeptContract>,
]

/** What may change of an order, as its record shows it; absent: null, none, zero, or as the order was asked for. */
interface KeptOrder {
  readonly id: TradeOrderId
  /** Its newest execution, and how many count. */
  readonly x?: ExecutionId
  readonly n?: number
  readonly s: OrderStatus
  readonly at: number
  readonly q: string
  readonly base?: string
  readonly type?: QuantityType
  readonly limit?: string
  readonly exec?: string
  readonly cost?: string
  readonly price?: string
  readonly over?: string
  readonly fees?: ReadonlyArray<readonly [asset: string, quantity: string, venue?: VenueId]>
  readonly ext?: string
  readonly reject?: string
  readonly cancel?: CancelReason
  readonly asked?: true
  readonly doubt?: true
  readonly evidence?: TradeOrder["evidence"]
  /** Of its terms what may change and is shown: its trigger. With it goes the time in force, which a trigger that fires changes. */
  readonly trigger?: unknown
  readonly tif?: StoredTimeInForce
  /** Of events before thin ones: all of its terms. */
  readonly terms?: unknown
  readonly expire?: number
  readonly ended?: number
}

export type KeptEvent =
  | { readonly _tag: "Execution"; readonly executionId: ExecutionId }
  | { readonly _tag: "Order"; readonly kept: KeptOrder }
  | { readonly _tag: "Positions"; readonly venue: VenueId; readonly positions: ReadonlyArray<KeptPosition> }

export const keptExecution = ({ executionId }: Execution): string => `${MARK}x${executionId}`

/** Written piece by piece: an object of as many fields that may be absent costs ten times as much. */
export const keptOrder = (order: TradeOrder): string => {
  const { tradeOrderId, orderStatus, updatedAt, quantity, baseQuantity, terms, evidence, fees } = order
  let kept = `${MARK}o{"id":"${tradeOrderId}","s":"${orderStatus}","at":${updatedAt},"q":"${quantity.toString()}"`
  if (!baseQuantity.equals(quantity)) kept += `,"base":"${baseQuantity.toString()}"`
  if (order.orderQuantityType !== "BASE") kept += `,"type":"${order.orderQuantityType}"`
  if (order.limitPrice !== null) kept += `,"limit":"${order.limitPrice.toString()}"`
  const newest = order.executions.at(-1)
  if (newest !== undefined) kept += `,"x":"${newest.executionId}"`
  if (order.executionCount > 0) kept += `,"n":${order.executionCount}`
  if (!order.executedQuantity.isZero()) kept += `,"exec":"${order.executedQuantity.toString()}"`
  if (!order.executedCost.isZero()) kept += `,"cost":"${order.executedCost.toString()}"`
  if (order.executedPrice !== null) kept += `,"price":"${order.executedPrice.toString()}"`
  if (!order.overfillQuantity.isZero()) kept += `,"over":"${order.overfillQuantity.toString()}"`
  if (fees.length > 0) kept += `,"fees":${JSON.stringify(fees.map((fee) => keptFee(fee, order.venue)))}`
  if (order.externalOrderId !== null) kept += `,"ext":${JSON.stringify(order.externalOrderId)}`
  if (order.rejectReason !== null) kept += `,"reject":${JSON.stringify(order.rejectReason)}`
  if (order.cancelReason !== null) kept += `,"cancel":"${order.cancelReason}"`
  if (order.cancelRequested) kept += `,"asked":true`
  if (order.doubt !== null) kept += `,"doubt":true`
  if (evidence.length > 0) kept += `,"evidence":${JSON.stringify(evidence)}`
  if (terms !== null) kept += `,"tif":"${order.timeInForce}"`
  if (terms !== null && terms.trigger !== null) kept += `,"trigger":${JSON.stringify(terms.trigger)}`
  if (order.expireAt !== null) kept += `,"expire":${order.expireAt}`
  if (order.canceledAt !== null) kept += `,"ended":${order.canceledAt}`
  return `${kept}}`
}

const keptFee = ({ asset, quantity, venue }: Fee, own: VenueId): readonly [string, string, VenueId?] =>
  venue === own ? [asset, quantity.toString()] : [asset, quantity.toString(), venue]

export const keptPositions = (venue: VenueId, positions: ReadonlyArray<Position>): string =>
  `${MARK}p${JSON.stringify([venue, ...positions.map(keptPosition)])}`

const keptPosition = ({ currency, available, locked, updatedAt, contracts }: Position) => [
  currency,
  available,
  locked,
  updatedAt,
  ...(contracts === undefined
    ? []
    : [contracts.map((it) => [it.instrumentId, it.quantity, it.entryPrice, it.unrealizedProfit])]),
]

/** Null: it is the text itself. */
export const keptEventOf = (stored: string): KeptEvent | null => {
  if (!stored.startsWith(MARK)) return null
  const rest = stored.slice(2)
  switch (stored[1]) {
    case "x":
      return { _tag: "Execution", executionId: rest as ExecutionId }
    case "o":
      return { _tag: "Order", kept: JSON.parse(rest) as KeptOrder }
    case "p": {
      const [venue, ...positions] = JSON.parse(rest) as [VenueId, ...ReadonlyArray<KeptPosition>]
      return { _tag: "Positions", venue, positions }
    }
    default:
      throw new Error(`an event kept as ${stored.slice(0, 20)}`)
  }
}

/** The rows that say the rest. */
export interface RowsOfEvents {
  readonly execution: (id: ExecutionId) => Execution
  /** Any image of it. */
  readonly order: (id: TradeOrderId) => TradeOrder
  /** In order of application, those that count no more included, at least from the tenth before the one that the event names. */
  readonly executionsOf: (id: TradeOrderId) => ReadonlyArray<Execution>
}

/** What was published. */
export const textOfEvent = (account: TradingAccountId, event: KeptEvent, rows: RowsOfEvents): string => {
  switch (event._tag) {
    case "Positions":
      return textOfPositions(account, event)
    case "Execution":
      return executionText(rows.execution(event.executionId))
    case "Order": {
      const { id, x } = event.kept
      const executions = x === undefined ? [] : newestUpTo(rows.executionsOf(id), x)
      return textOfOrder(rows.order(id), event.kept, executions)
    }
  }
}

export const executionText = (execution: Execution): string =>
  JSON.stringify({ ...executionRecord(execution), tradeOrderId: execution.tradeOrderId })

export const positionsText = (positions: ReadonlyArray<Position>): string =>
  `[${positions.map((position) => JSON.stringify(positionRecord(position))).join(",")}]`

const textOfPositions = (
  tradingAccountId: TradingAccountId,
  { venue, positions }: Extract<KeptEvent, { readonly _tag: "Positions" }>,
): string =>
  positionsText(
    positions.map(([currency, available, locked, updatedAt, contracts]) => ({
      tradingAccountId,
      venue,
      currency,
      available: decimal(available),
      locked: decimal(locked),
      updatedAt,
      ...(contracts !== undefined && { contracts: contracts.map(contractOf) }),
    })),
  )

const contractOf = ([instrumentId, quantity, entryPrice, profit]: KeptContract): ContractPosition => ({
  instrumentId: instrumentId as InstrumentId,
  quantity: decimal(quantity),
  entryPrice: entryPrice === null ? null : decimal(entryPrice),
  unrealizedProfit: profit === null ? null : decimal(profit),
})

/**
 * `order`: any image of it, of which only what never changes counts. `executions`: the newest that counted when the event was made; none
 * where it names none.
 */
const textOfOrder = (order: TradeOrder, kept: KeptOrder, executions: ReadonlyArray<Execution>): string =>
  tradeOrderJson({
    ...order,
    timeInForce: kept.tif ?? order.timeInForce,
    orderStatus: kept.s,
    updatedAt: kept.at,
    quantity: decimal(kept.q),
    baseQuantity: decimal(kept.base ?? kept.q),
    orderQuantityType: kept.type ?? "BASE",
    limitPrice: decimalOrNull(kept.limit),
    executedQuantity: decimalOrNull(kept.exec) ?? Decimal.ZERO,
    executedCost: decimalOrNull(kept.cost) ?? Decimal.ZERO,
    executedPrice: decimalOrNull(kept.price),
    overfillQuantity: decimalOrNull(kept.over) ?? Decimal.ZERO,
    fees: (kept.fees ?? []).map(([asset, quantity, venue]) => ({
      asset,
      venue: venue ?? order.venue,
      quantity: decimal(quantity),
    })),
    executions,
    executionCount: kept.n ?? 0,
    externalOrderId: kept.ext ?? null,
    rejectReason: kept.reject ?? null,
    cancelReason: kept.cancel ?? null,
    cancelRequested: kept.asked ?? false,
    // Which doubt it was is not told.
    doubt: kept.doubt ? { kind: "UNREACHABLE" } : null,
    evidence: kept.evidence ?? [],
    terms: termsThen(order, kept),
    expireAt: kept.expire ?? null,
    canceledAt: kept.ended ?? null,
  })

/** Exits and leverage stay as they were asked for. */
const termsThen = ({ terms }: TradeOrder, kept: KeptOrder): OrderTerms | null => {
  if (kept.terms !== undefined) return termsOf(kept.terms)
  if (terms === null && kept.trigger === undefined) return null
  return { ...(terms ?? NO_TERMS), trigger: kept.trigger === undefined ? null : triggerOf(kept.trigger) }
}

/**
 * Those that an order carried when this execution was its newest. `all`: in order of application, those that count no more included, at
 * least from the first that is to be found.
 */
const newestUpTo = (all: ReadonlyArray<Execution>, executionId: ExecutionId): ReadonlyArray<Execution> => {
  const newest: Array<Execution> = []
  const replaced = new Set<ExecutionId>()
  const last = all.findIndex((it) => it.executionId === executionId)
  if (last < 0) throw new Error(`the journal names execution ${executionId}, which does not exist`)
  for (let i = last; i >= 0 && newest.length < EXECUTIONS_KEPT; i--) {
    const execution = all[i]!
    if (execution.replaces !== null) replaced.add(execution.replaces)
    if (!replaced.has(execution.executionId)) newest.push(execution)
  }
  return newest.reverse()
}

const decimal = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new Error(`not a decimal in a kept event: ${text.slice(0, 60)}`)
  return value
}
const decimalOrNull = (text: string | undefined): Decimal | null => (text === undefined ? null : decimal(text))
