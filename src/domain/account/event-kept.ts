/**
 * What the journal keeps of an event in place of its text, where rows that never change say the rest: of an execution its id, of an order
 * that was executed what may change of it, of positions their figures. The one thing to know: the text that is made of it again is the one
 * that was published, letter for letter, however far the order has moved on since.
 */
import { Decimal } from "../decimal.ts"
import type { ExecutionId, TradeOrderId, TradingAccountId, VenueId } from "../ids.ts"
import type { OrderStatus } from "../order/status.ts"
import { termsOf } from "../order/terms.ts"
import {
  type CancelReason,
  EXECUTIONS_KEPT,
  type Execution,
  type Fee,
  type QuantityType,
  type TradeOrder,
} from "../order/trade-order.ts"
import { executionRecord, tradeOrderJson } from "../order/trade-order-record.ts"
import { type Position, positionRecord } from "./trading-account.ts"

/** No JSON text begins with it. */
const MARK = "~"

/** Figures of one currency: available, locked, updatedAt. */
type KeptPosition = readonly [currency: string, available: string, locked: string, updatedAt: number]

/** What may change of an order, as its record shows it; absent: null, none, or as the order was asked for. */
interface KeptOrder {
  readonly id: TradeOrderId
  /** Its newest execution, and how many count. */
  readonly x: ExecutionId
  readonly n: number
  readonly s: OrderStatus
  readonly at: number
  readonly q: string
  readonly base?: string
  readonly type?: QuantityType
  readonly limit?: string
  readonly exec: string
  readonly cost: string
  readonly price?: string
  readonly over?: string
  readonly fees?: ReadonlyArray<readonly [asset: string, quantity: string, venue?: VenueId]>
  readonly ext?: string
  readonly reject?: string
  readonly cancel?: CancelReason
  readonly asked?: true
  readonly doubt?: true
  readonly evidence?: TradeOrder["evidence"]
  readonly terms?: unknown
  readonly expire?: number
  readonly ended?: number
}

export type KeptEvent =
  | { readonly _tag: "Execution"; readonly executionId: ExecutionId }
  | { readonly _tag: "Order"; readonly kept: KeptOrder }
  | { readonly _tag: "Positions"; readonly venue: VenueId; readonly positions: ReadonlyArray<KeptPosition> }

export const keptExecution = ({ executionId }: Execution): string => `${MARK}x${executionId}`

/** Null: of an order without executions its whole text is kept. */
export const keptOrder = (order: TradeOrder): string | null => {
  const newest = order.executions.at(-1)
  if (newest === undefined) return null
  const { baseQuantity, quantity, orderQuantityType, limitPrice, executedPrice, overfillQuantity, fees } = order
  const kept: KeptOrder = {
    id: order.tradeOrderId,
    x: newest.executionId,
    n: order.executionCount,
    s: order.orderStatus,
    at: order.updatedAt,
    q: quantity.toString(),
    ...(!baseQuantity.equals(quantity) && { base: baseQuantity.toString() }),
    ...(orderQuantityType !== "BASE" && { type: orderQuantityType }),
    ...(limitPrice !== null && { limit: limitPrice.toString() }),
    exec: order.executedQuantity.toString(),
    cost: order.executedCost.toString(),
    ...(executedPrice !== null && { price: executedPrice.toString() }),
    ...(!overfillQuantity.isZero() && { over: overfillQuantity.toString() }),
    ...(fees.length > 0 && { fees: fees.map((fee) => keptFee(fee, order.venue)) }),
    ...(order.externalOrderId !== null && { ext: order.externalOrderId }),
    ...(order.rejectReason !== null && { reject: order.rejectReason }),
    ...(order.cancelReason !== null && { cancel: order.cancelReason }),
    ...(order.cancelRequested && { asked: true }),
    ...(order.doubt !== null && { doubt: true }),
    ...(order.evidence.length > 0 && { evidence: order.evidence }),
    ...(order.terms !== null && { terms: order.terms }),
    ...(order.expireAt !== null && { expire: order.expireAt }),
    ...(order.canceledAt !== null && { ended: order.canceledAt }),
  }
  return `${MARK}o${JSON.stringify(kept)}`
}

const keptFee = ({ asset, quantity, venue }: Fee, own: VenueId): readonly [string, string, VenueId?] =>
  venue === own ? [asset, quantity.toString()] : [asset, quantity.toString(), venue]

export const keptPositions = (venue: VenueId, positions: ReadonlyArray<Position>): string =>
  `${MARK}p${JSON.stringify([venue, ...positions.map(({ currency, available, locked, updatedAt }) => [currency, available, locked, updatedAt])])}`

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

export const executionText = (execution: Execution): string =>
  JSON.stringify({ ...executionRecord(execution), tradeOrderId: execution.tradeOrderId })

const positionsText = (positions: ReadonlyArray<Position>): string =>
  `[${positions.map((position) => JSON.stringify(positionRecord(position))).join(",")}]`

/** The text that `NewsDesk.ofPositions` gave the event when it was published. */
export const textOfPositions = (
  tradingAccountId: TradingAccountId,
  { venue, positions }: Extract<KeptEvent, { readonly _tag: "Positions" }>,
): string =>
  positionsText(
    positions.map(([currency, available, locked, updatedAt]) => ({
      tradingAccountId,
      venue,
      currency,
      available: decimal(available),
      locked: decimal(locked),
      updatedAt,
    })),
  )

/** `order`: any image of it, of which only what never changes counts. `executions`: the newest that counted when the event was made. */
export const textOfOrder = (order: TradeOrder, kept: KeptOrder, executions: ReadonlyArray<Execution>): string =>
  tradeOrderJson({
    ...order,
    orderStatus: kept.s,
    updatedAt: kept.at,
    quantity: decimal(kept.q),
    baseQuantity: decimal(kept.base ?? kept.q),
    orderQuantityType: kept.type ?? "BASE",
    limitPrice: decimalOrNull(kept.limit),
    executedQuantity: decimal(kept.exec),
    executedCost: decimal(kept.cost),
    executedPrice: decimalOrNull(kept.price),
    overfillQuantity: decimalOrNull(kept.over) ?? Decimal.ZERO,
    fees: (kept.fees ?? []).map(([asset, quantity, venue]) => ({
      asset,
      venue: venue ?? order.venue,
      quantity: decimal(quantity),
    })),
    executions,
    executionCount: kept.n,
    externalOrderId: kept.ext ?? null,
    rejectReason: kept.reject ?? null,
    cancelReason: kept.cancel ?? null,
    cancelRequested: kept.asked ?? false,
    // Which doubt it was is not told.
    doubt: kept.doubt ? { kind: "UNREACHABLE" } : null,
    evidence: kept.evidence ?? [],
    terms: kept.terms === undefined ? null : termsOf(kept.terms),
    expireAt: kept.expire ?? null,
    canceledAt: kept.ended ?? null,
  })

/**
 * Those that an order carried when this execution was its newest. `all`: in order of application, those that count no more included, at
 * least from the first that is to be found.
 */
export const newestUpTo = (all: ReadonlyArray<Execution>, executionId: ExecutionId): ReadonlyArray<Execution> => {
  const newest: Array<Execution> = []
  const replaced = new Set<ExecutionId>()
  const last = all.findIndex((it) => it.executionId === executionId)
  if (last < 0) throw new Error(`the journal names execution ${executionId}, which is not there`)
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
