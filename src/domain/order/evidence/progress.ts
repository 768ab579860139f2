/**
 * How one order moves: pure functions from an image and a piece of evidence to the next image. A transition that the table does not
 * allow throws `IllegalTransition`; the caller quarantines the evidence and asks the venue (contract C1.3).
 */
import type { AccountEventKind } from "../../account/event.ts"
import { cleaned } from "../../clean-text.ts"
import { Decimal } from "../../decimal.ts"
import { withChange } from "../change.ts"
import { isTerminal, mayBecome, type OrderStatus } from "../status.ts"
import type { CancelReason, TradeOrder } from "../trade-order.ts"
import { doubtWhenShown } from "./doubt.ts"

export class IllegalTransition extends Error {
  constructor(order: TradeOrder, to: string) {
    super(`order ${order.tradeOrderId}: ${order.orderStatus} cannot become ${to}`)
  }
}

const EVIDENCE_MAX = 20

/** With one more line in the evidence trail. */
export const noted = (order: TradeOrder, at: number, what: string): TradeOrder => ({
  ...order,
  evidence: [...order.evidence.slice(1 - EVIDENCE_MAX), { at, what: cleaned(what) }],
})

/**
 * The order in another state. Terminal states hold nothing, are in no doubt, and nothing about them is being changed; why a cancel was asked
 * for stays with what was cancelled.
 */
export const moved = (order: TradeOrder, to: OrderStatus, patch: Partial<TradeOrder> = {}): TradeOrder => {
  if (!mayBecome(order.orderStatus, to)) throw new IllegalTransition(order, to)
  const next = { ...order, ...patch, orderStatus: to }
  if (!isTerminal(to)) return next
  const cancelReason = to === "CANCELLED" || to === "REVOKED" ? next.cancelReason : null
  return { ...withChange(next, null), held: Decimal.ZERO, doubt: null, statusBeforeCancel: null, cancelReason }
}

/** The venue has the order: at least acknowledged. The same image when that says nothing new. */
export const acknowledged = (order: TradeOrder, externalOrderId: string, at: number | null): TradeOrder => {
  const patch = {
    externalOrderId: order.externalOrderId ?? externalOrderId,
    venueUpdatedAt: Math.max(order.venueUpdatedAt ?? 0, at ?? 0) || null,
  }
  const doubt = doubtWhenShown(order)
  switch (order.orderStatus) {
    case "CREATED":
    case "SUBMITTED":
    case "UNKNOWN":
      return moved(order, "ACCEPTED", { ...patch, doubt: null })
    case "PENDING_CANCEL": {
      const before = order.statusBeforeCancel
      const statusBeforeCancel = before === "PARTIALLY_FILLED" ? before : "ACCEPTED"
      const isKnown = order.externalOrderId !== null && statusBeforeCancel === before && doubt === order.doubt
      return isKnown ? order : { ...order, ...patch, doubt, statusBeforeCancel }
    }
    default:
      // A trigger that fired stays ACCEPTED while its submit is in doubt.
      if (order.externalOrderId === null) return { ...order, ...patch, doubt }
      return doubt === order.doubt ? order : { ...order, doubt }
  }
}

/** Its time is over. */
export const hasRunOut = ({ expireAt }: TradeOrder, now: number): boolean => expireAt !== null && now >= expireAt

/**
 * Why it is cancelled if nothing else says so: as it was asked for. Rows of before do not say that: as a client's the cancel of one exit
 * would take the other with it.
 */
export const requestedReason = ({ cancelReason, cancelRequested, terms }: TradeOrder): CancelReason =>
  cancelReason ?? (cancelRequested && (terms?.leg ?? null) !== null ? "OCO_SIBLING" : "USER_REQUEST")

/** By a cancel: of an order whose time is over the cancel was the gateway's means to end it (contract C6). */
export const cancelled = (order: TradeOrder, cancelReason: CancelReason, at: number): TradeOrder =>
  order.cancelRequested && hasRunOut(order, at)
    ? moved(order, "EXPIRED")
    : moved(order, "CANCELLED", { cancelReason, canceledAt: at })

/** The event that announces an order's state. */
export const eventOf = (order: TradeOrder): AccountEventKind => `TRADE_ORDER.${order.orderStatus}`
