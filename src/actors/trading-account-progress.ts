/**
 * How one order moves: pure functions from an image and a piece of evidence to the next image. A transition that the table does not
 * allow throws `IllegalTransition`; the caller quarantines the evidence and asks the venue (contract C1.3).
 */
import type { AccountEventKind } from "../domain/account-event.ts"
import { Decimal } from "../domain/decimal.ts"
import { changeOf, isRenewal, made, orderedQuantity, withChange } from "../domain/order-change.ts"
import { isTerminal, mayBecome, type OrderStatus } from "../domain/order-status.ts"
import { type CancelReason, type Execution, isPaired, releasedType, type TradeOrder } from "../domain/trade-order.ts"
import type { VenueOrderState } from "../ports/venue-session.ts"
import { cleaned } from "./trading-account-text.ts"

export class IllegalTransition extends Error {
  constructor(order: TradeOrder, to: string) {
    super(`order ${order.tradeOrderId}: ${order.orderStatus} may not become ${to}`)
  }
}

const EVIDENCE_MAX = 20

/** With one more line in the evidence trail. */
export const noted = (order: TradeOrder, at: number, what: string): TradeOrder => ({
  ...order,
  evidence: [...order.evidence.slice(1 - EVIDENCE_MAX), { at, what: cleaned(what) }],
})

/** The order in another state. Terminal states hold nothing, are in no doubt, and nothing about them is being changed. */
export const moved = (order: TradeOrder, to: OrderStatus, patch: Partial<TradeOrder> = {}): TradeOrder => {
  if (!mayBecome(order.orderStatus, to)) throw new IllegalTransition(order, to)
  const next = { ...order, ...patch, orderStatus: to }
  if (!isTerminal(to)) return next
  return { ...withChange(next, null), held: Decimal.ZERO, inDoubt: false, statusBeforeCancel: null }
}

/** The venue has the order: at least acknowledged. The same image when that says nothing new. */
export const acknowledged = (order: TradeOrder, externalOrderId: string, at: number | null): TradeOrder => {
  const known =
    order.externalOrderId === externalOrderId && order.orderStatus !== "UNKNOWN" && order.orderStatus !== "SUBMITTED"
  const patch = {
    externalOrderId: order.externalOrderId ?? externalOrderId,
    venueUpdatedAt: Math.max(order.venueUpdatedAt ?? 0, at ?? 0) || null,
  }
  switch (order.orderStatus) {
    case "CREATED":
    case "SUBMITTED":
    case "UNKNOWN":
      return moved(order, "ACCEPTED", { ...patch, inDoubt: false })
    case "PENDING_CANCEL": {
      const before = order.statusBeforeCancel
      if (known && before === "ACCEPTED") return order
      return { ...order, ...patch, statusBeforeCancel: before === "PARTIALLY_FILLED" ? before : "ACCEPTED" }
    }
    default:
      if (known || order.externalOrderId !== null) return order
      // A trigger that fired stays ACCEPTED while its submit is in doubt.
      return { ...order, ...patch, inDoubt: order.inDoubt && order.orderStatus !== "ACCEPTED" }
  }
}

export interface Filled {
  readonly order: TradeOrder
  readonly kind: AccountEventKind
  /** The order was over already. */
  readonly late: boolean
  /** More was executed than ordered. */
  readonly overfilled: boolean
}

/** One new execution; the caller has made sure that its trade id is new to the order. */
export const filled = (order: TradeOrder, execution: Execution, externalOrderId: string | null): Filled => {
  const executedQuantity = order.executedQuantity.add(execution.executedQuantity)
  const ordered = orderedQuantity(order)
  const budget = order.terms?.budget ?? null
  // The quantity of an order over so much quote is an estimate: neither more nor less than it means anything.
  const excess = budget === null ? executedQuantity.subtract(ordered) : Decimal.ZERO
  const over = isTerminal(order.orderStatus)
  const patch: Partial<TradeOrder> = {
    executedQuantity,
    executedCost: order.executedCost.add(execution.executedCost),
    executedPrice: execution.executedPrice,
    executions: [...order.executions, execution],
    overfillQuantity: excess.isPositive() ? excess : Decimal.ZERO,
    externalOrderId: order.externalOrderId ?? externalOrderId,
    held: over ? Decimal.ZERO : heldAfter(order, execution, executedQuantity),
  }
  const complete = budget === null ? executedQuantity.atLeast(ordered) : isSpent(order, budget, execution)
  const result = { late: over, overfilled: excess.isPositive() }
  if (order.orderStatus === "FILLED" || (over && !complete)) {
    if (order.orderStatus === "REVOKED") throw new IllegalTransition(order, "a fill")
    return { ...result, order: { ...order, ...patch }, kind: "TRADE_ORDER.LATE_FILL" }
  }
  const change = changeOf(order)
  if (complete) {
    // More than it was before the change: so the change was made.
    const grown = change !== null && ordered.greaterThan(order.baseQuantity) ? made(order, change) : order
    return {
      ...result,
      order: moved(grown, "FILLED", { ...patch, cancelReason: null }),
      kind: "TRADE_ORDER.FILLED",
    }
  }
  const inDoubt = (order.orderStatus === "PENDING_CANCEL" || change !== null) && order.inDoubt
  const next = moved(order, "PARTIALLY_FILLED", { ...patch, inDoubt })
  return { ...result, order: next, kind: "TRADE_ORDER.PARTIALLY_FILLED" }
}

/** Less is left of the budget than one lot costs (contract C7). */
const isSpent = (order: TradeOrder, { amount, lot }: Budget, execution: Execution): boolean =>
  amount.subtract(order.executedCost).subtract(execution.executedCost).lessThan(execution.executedPrice.multiply(lot))

type Budget = NonNullable<NonNullable<TradeOrder["terms"]>["budget"]>

/** What is still held after a fill: the price improvement of a limit order is given back. */
const heldAfter = (order: TradeOrder, execution: Execution, executedQuantity: Decimal): Decimal => {
  const ordered = orderedQuantity(order)
  const remaining = Decimal.max(Decimal.ZERO, ordered.subtract(executedQuantity))
  if (order.orderSide === "SELL") return Decimal.min(order.held, remaining)
  if (order.limitPrice === null) return Decimal.max(Decimal.ZERO, order.held.subtract(execution.executedCost))
  // The hold may contain a fee on top: it shrinks in proportion to the quantity.
  const before = ordered.subtract(order.executedQuantity)
  if (!before.isPositive()) return Decimal.ZERO
  return order.held.multiply(remaining).divide(before, 18, "UP")
}

/** Why the venue ended the rest of an order, in our words (contract C1.3: what Binance calls EXPIRED is often a remainder). */
export const endingOf = (
  order: TradeOrder,
  state: Pick<VenueOrderState, "status" | "ending">,
  requested: CancelReason,
  now: number,
): { readonly to: "CANCELLED" | "EXPIRED"; readonly cancelReason: CancelReason | null } => {
  if (state.ending === "SELF_TRADE_PREVENTION") return { to: "CANCELLED", cancelReason: "SELF_TRADE_PREVENTION" }
  if (isPaired(order) && isEndedByOther(order, state.ending, requested))
    return { to: "CANCELLED", cancelReason: "OCO_SIBLING" }
  const timed = order.timeInForce === "GTD" || order.timeInForce === "DAY"
  if (state.status === "EXPIRED" && timed && state.ending === null) return { to: "EXPIRED", cancelReason: null }
  // Its time is over, whatever the venue calls it.
  if (state.ending === null && hasRunOut(order, now) && (order.cancelRequested || changeOf(order) === null))
    return { to: "EXPIRED", cancelReason: null }
  const remainder: CancelReason | null =
    order.timeInForce === "FOK"
      ? "FOK_NOT_FILLED"
      : releasedType(order) === "MARKET" && !isWaitingThere(order)
        ? "NO_LIQUIDITY"
        : order.timeInForce === "IOC"
          ? "IOC_REMAINDER"
          : null
  if (state.ending === "REMAINDER") return { to: "CANCELLED", cancelReason: remainder ?? "NO_LIQUIDITY" }
  if (order.cancelRequested) return { to: "CANCELLED", cancelReason: requested }
  if (isRenewal(changeOf(order))) return { to: "CANCELLED", cancelReason: "REPLACED" }
  return { to: "CANCELLED", cancelReason: remainder ?? "VENUE" }
}

/** The venue ended a leg of its own list for what happened to the other; not what its own trigger left without a counterpart. */
const isEndedByOther = (order: TradeOrder, ending: VenueOrderState["ending"], requested: CancelReason): boolean => {
  const isRemainder = ending === "REMAINDER" || (releasedType(order) === "MARKET" && !isWaitingThere(order))
  if (isRemainder) return false
  return ending === "LIST" || (requested === "OCO_SIBLING" && !order.cancelRequested)
}

/** The venue watches its trigger, which has not fired. */
const isWaitingThere = ({ terms }: TradeOrder): boolean =>
  terms?.trigger?.execution === "NATIVE" && terms.trigger.triggeredAt === null

const hasRunOut = ({ expireAt }: TradeOrder, now: number): boolean => expireAt !== null && now >= expireAt

/** By a cancel: of an order whose time is over the cancel was the gateway's means to end it (contract C6). */
export const cancelled = (order: TradeOrder, cancelReason: CancelReason, at: number): TradeOrder =>
  order.cancelRequested && hasRunOut(order, at)
    ? moved(order, "EXPIRED")
    : moved(order, "CANCELLED", { cancelReason, canceledAt: at })

/** The event that announces an order's state. */
export const eventOf = (order: TradeOrder): AccountEventKind => `TRADE_ORDER.${order.orderStatus}`
