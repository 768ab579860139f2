/**
 * One execution of an order, counted: the executed quantity is the sum of the trades or what the venue reports, whichever is more. Inferred
 * executions are replaced by the trades that explain them.
 */
import type { AccountEventKind } from "../../account/event.ts"
import { Decimal } from "../../decimal.ts"
import { type ExecutionId, nameUuid } from "../../ids.ts"
import { changeOf, heldMeanwhile, made, orderedQuantity } from "../change.ts"
import { isTerminal } from "../status.ts"
import {
  type AppliedExecution,
  beyondReplaced,
  EXECUTIONS_KEPT,
  type Execution,
  releasedType,
  type TradeOrder,
  withFees,
} from "../trade-order.ts"
import { doubtWhenShown } from "./doubt.ts"
import { IllegalTransition, moved } from "./progress.ts"

export interface Filled {
  readonly order: TradeOrder
  readonly kind: AccountEventKind
  /** What is stored of it, in this order. */
  readonly executions: ReadonlyArray<AppliedExecution>
  /** The order was over already. */
  readonly late: boolean
  /** More was executed than was known. */
  readonly grown: boolean
  /** More was executed than ordered. */
  readonly overfilled: boolean
}

/**
 * One new execution; the caller has made sure that its trade id is new to the order. Executed is what the trades come to, or what the
 * venue has named, whichever is more: a trade first takes the place of what was inferred, whatever the times of the two say, and what is
 * left of that stays inferred, as a new execution. A further gap grows what is inferred.
 */
export const filled = (order: TradeOrder, fill: Execution, externalOrderId: string | null): Filled => {
  const replaced = order.unexplained
  const execution = replaced === null ? fill : takingPlaceOf(replaced, fill)
  const applied: AppliedExecution = { execution, replaced }
  const rest = replaced === null || fill.inferred ? null : restOf(replaced, execution)
  const executions = rest === null ? [applied] : [{ execution: rest, replaced }, applied]
  const { quantity, cost } = beyondReplaced(applied)
  const executedQuantity = order.executedQuantity.add(quantity)
  const executedCost = order.executedCost.add(cost)
  const ordered = orderedQuantity(order)
  const budget = order.terms?.budget ?? null
  // The quantity of an order over so much quote is an estimate: neither more nor less than it means anything.
  const excess = budget === null ? executedQuantity.subtract(ordered) : Decimal.ZERO
  const over = isTerminal(order.orderStatus)
  const grown = quantity.isPositive()
  const patch: Partial<TradeOrder> = {
    executedQuantity,
    executedCost,
    executedPrice: execution.executedPrice,
    executions: [
      ...order.executions.filter((it) => it.executionId !== replaced?.executionId),
      ...executions.map((it) => it.execution),
    ].slice(-EXECUTIONS_KEPT),
    executionCount: order.executionCount + executions.length - (replaced === null ? 0 : 1),
    fees: withFees(order.fees, execution.fees),
    unexplained: execution.inferred ? execution : rest,
    overfillQuantity: excess.isPositive() ? excess : Decimal.ZERO,
    externalOrderId: order.externalOrderId ?? externalOrderId,
    held: over ? Decimal.ZERO : heldAfter(order, cost, executedQuantity),
  }
  const complete = budget === null ? executedQuantity.atLeast(ordered) : isSpent(budget, executedCost, execution)
  const result = { executions, late: over, grown, overfilled: grown && excess.isPositive() }
  if (order.orderStatus === "FILLED" || (over && !complete)) {
    if (order.orderStatus === "REVOKED") throw new IllegalTransition(order, "a fill")
    return { ...result, order: { ...order, ...patch }, kind: "TRADE_ORDER.LATE_FILL" }
  }
  const change = changeOf(order)
  if (complete) {
    // More than it was before the change: so the change was made.
    const isMade = change !== null && ordered.greaterThan(order.baseQuantity)
    const next = moved(isMade ? made(order, change) : order, "FILLED", {
      ...patch,
      cancelReason: null,
      canceledAt: null,
    })
    return { ...result, order: next, kind: "TRADE_ORDER.FILLED" }
  }
  const next = moved(order, "PARTIALLY_FILLED", { ...patch, doubt: doubtWhenShown(order) })
  return { ...result, order: next, kind: "TRADE_ORDER.PARTIALLY_FILLED" }
}

/** Why a trade cannot be one of the order, by what is known of both; null: it may be. Of an order that was placed elsewhere too little is known. */
export const misfitOf = (order: TradeOrder, trade: Execution): string | null => {
  if (trade.orderSide !== order.orderSide) return "the opposite side"
  if (order.origin === "EXTERNAL") return null
  if (isBeyondLimit(order, trade)) return "a price beyond the limit"
  const replaced = order.unexplained?.executedQuantity ?? Decimal.ZERO
  const quantity = trade.executedQuantity.subtract(Decimal.min(replaced, trade.executedQuantity))
  const isTooMuch = order.executedQuantity.add(quantity).greaterThan(orderedQuantity(order))
  return isTooMuch && !order.terms?.budget ? "more than remains" : null
}

/** A change that is under way may have been made. */
const isBeyondLimit = (order: TradeOrder, { executedPrice }: Execution): boolean => {
  if (order.limitPrice === null || releasedType(order) === "MARKET") return false
  const limits = [order.limitPrice, changeOf(order)?.limitPrice ?? order.limitPrice]
  return order.orderSide === "BUY"
    ? limits.every((limit) => executedPrice.greaterThan(limit))
    : limits.every((limit) => executedPrice.lessThan(limit))
}

/** A trade as it is; a further gap with what is inferred already, at the price that was counted for that. */
const takingPlaceOf = (replaced: Execution, fill: Execution): Execution => {
  const replaces = replaced.executionId
  if (!fill.inferred) return { ...fill, replaces }
  const { executedPrice } = replaced
  const executedQuantity = replaced.executedQuantity.add(fill.executedQuantity)
  return { ...fill, replaces, executedQuantity, executedPrice, executedCost: executedPrice.multiply(executedQuantity) }
}

/** What a trade leaves of an inferred execution; null: nothing. */
const restOf = (replaced: Execution, trade: Execution): Execution | null => {
  const executedQuantity = replaced.executedQuantity.subtract(trade.executedQuantity)
  if (!executedQuantity.isPositive()) return null
  const executionId = nameUuid(`${trade.executionId} rest`) as ExecutionId
  const executedCost = replaced.executedPrice.multiply(executedQuantity)
  const externalTradeId = inferredTradeId(executionId)
  return { ...replaced, executionId, externalTradeId, replaces: replaced.executionId, executedQuantity, executedCost }
}

/** In the place of a venue's trade id, which must be unique. */
export const inferredTradeId = (executionId: ExecutionId): string => `inferred:${executionId}`

/** Less is left of the budget than one lot costs (contract C7). */
const isSpent = ({ amount, lot }: Budget, executedCost: Decimal, { executedPrice }: Execution): boolean =>
  amount.subtract(executedCost).lessThan(executedPrice.multiply(lot))

type Budget = NonNullable<NonNullable<TradeOrder["terms"]>["budget"]>

/** What is still held after a fill of such a cost: the price improvement of a limit order is given back. */
const heldAfter = (order: TradeOrder, cost: Decimal, executedQuantity: Decimal): Decimal => {
  const change = changeOf(order)
  if (change !== null) return heldMeanwhile({ ...order, executedQuantity }, change)
  const ordered = orderedQuantity(order)
  const remaining = Decimal.max(Decimal.ZERO, ordered.subtract(executedQuantity))
  if (order.orderSide === "SELL") return Decimal.min(order.held, remaining)
  const isExit = (order.terms?.leg ?? null) !== null
  if (order.limitPrice === null && !isExit) return Decimal.max(Decimal.ZERO, order.held.subtract(cost))
  // The hold may contain a fee on top, or be the dearer exit's: it shrinks in proportion to the quantity.
  const before = ordered.subtract(order.executedQuantity)
  if (!before.isPositive()) return Decimal.ZERO
  return remaining.equals(before) ? order.held : order.held.multiply(remaining).divide(before, 18, "UP")
}
