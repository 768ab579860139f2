/**
 * What may be done with an order, as one table by location and state: what a request to cancel or to change it does, what may be sent for it, and
 * what may be concluded about it without a report from the venue. What a cell does not allow is refused or thrown where it is attempted, and
 * nothing is sent. What evidence may do to an order is the table of transitions (domain/order/status.ts).
 */
import { changeOf, isRenewal } from "../change.ts"
import type { OrderStatus } from "../status.ts"
import { type Place, placeOf, type TradeOrder } from "../trade-order.ts"
import { isUnheardOf } from "./doubt.ts"

/** WITHDRAW: it ends here at once. SEND: stored, then sent. JOIN: one is under way. AWAIT: its end is near and not ours to bring about. */
export type CancelWay = "WITHDRAW" | "SEND" | "JOIN" | "AWAIT" | "NONE"

/** HERE: in the row. THERE: by the venue, or by cancel and a new order. */
export type ReplaceWay = "HERE" | "THERE" | "NONE"

/** QUESTION: "do you know this order?". */
export type Sent = "SUBMIT" | "CANCEL" | "AMEND" | "QUESTION"

/** NOT_PLACED: the venue never had it. GONE: the venue had it, and does not know it any more. */
export type Conclusion = "NOT_PLACED" | "GONE"

export interface Law {
  readonly cancel: CancelWay
  readonly replace: ReplaceWay
  readonly sends: ReadonlyArray<Sent>
  readonly concludes: ReadonlyArray<Conclusion>
}

const law = (
  cancel: CancelWay,
  replace: ReplaceWay,
  sends: ReadonlyArray<Sent> = [],
  concludes: ReadonlyArray<Conclusion> = [],
): Law => ({ cancel, replace, sends, concludes })

const NOTHING = law("NONE", "NONE")
const HERE = law("WITHDRAW", "HERE")
const QUOTED = law("AWAIT", "NONE")
const EITHER = ["NOT_PLACED", "GONE"] as const

/** States that a place does not name cannot be there: nothing is allowed. */
export const ORDER_LAW: { readonly [P in Place]: { readonly [S in OrderStatus]?: Law } } = {
  WAITING: {
    CREATED: HERE,
    // Its trigger fired, and it waits for the account to be ready.
    ACCEPTED: HERE,
  },
  ARMED: { CREATED: HERE, ACCEPTED: HERE },
  VENUE: {
    CREATED: law("NONE", "NONE", ["SUBMIT"]),
    // Once more, where provably not a byte left.
    SUBMITTED: law("SEND", "NONE", ["SUBMIT", "QUESTION"], ["NOT_PLACED"]),
    UNKNOWN: law("SEND", "NONE", ["QUESTION"], EITHER),
    // What a trigger let go is ACCEPTED before it is sent, and before the venue has said so.
    ACCEPTED: law("SEND", "THERE", ["SUBMIT", "QUESTION"], EITHER),
    // A fill came while it was being cancelled or changed.
    PARTIALLY_FILLED: law("SEND", "THERE", ["CANCEL", "AMEND", "QUESTION"], ["GONE"]),
    PENDING_CANCEL: law("JOIN", "NONE", ["CANCEL", "QUESTION"], EITHER),
    PENDING_REPLACE: law("SEND", "NONE", ["CANCEL", "AMEND", "QUESTION"], EITHER),
  },
  DEALER: { CREATED: QUOTED, SUBMITTED: QUOTED, UNKNOWN: QUOTED },
  OVER: {
    FILLED: NOTHING,
    CANCELLED: NOTHING,
    EXPIRED: NOTHING,
    REVOKED: NOTHING,
    // One that was proven not placed and appears after all.
    REJECTED: law("NONE", "NONE", ["CANCEL"]),
  },
}

/** The cell of an order. */
export const lawOf = (order: TradeOrder): Law => ORDER_LAW[placeOf(order)][order.orderStatus] ?? NOTHING

/** What a request to cancel it does. */
export const cancelWayOf = (order: TradeOrder): CancelWay => {
  const { cancel } = lawOf(order)
  return cancel === "SEND" && order.cancelRequested ? "JOIN" : cancel
}

/** How it is changed: at the venue only what the venue has confirmed, of which nothing is in doubt, and one thing at a time. */
export const replaceWayOf = (order: TradeOrder): ReplaceWay => {
  const { replace } = lawOf(order)
  if (replace !== "THERE") return replace
  const isSettled = !order.cancelRequested && changeOf(order) === null && order.doubt === null
  return isSettled && order.externalOrderId !== null ? replace : "NONE"
}

/** Whether something may be sent for it now. */
export const maySend = (order: TradeOrder, what: Sent): boolean => {
  if (!lawOf(order).sends.includes(what)) return false
  const change = changeOf(order)
  switch (what) {
    case "SUBMIT":
      return isUnheardOf(order) && !order.cancelRequested && order.doubt === null && order.notAfter !== null
    case "CANCEL":
      return order.cancelRequested || isRenewal(change) || order.orderStatus === "REJECTED"
    case "AMEND":
      return change !== null && !isRenewal(change) && !order.cancelRequested
    case "QUESTION":
      return true
  }
}

/** It leaves, or has left, and the venue has not shown it. */
export const isOnItsWay = (order: TradeOrder): boolean => {
  const { sends, replace } = lawOf(order)
  return sends.includes("SUBMIT") && replace === "NONE"
}

/** What it means that the venue does not know it; null: nothing. */
export const conclusionOf = (order: TradeOrder): Conclusion | null => {
  const conclusion: Conclusion = isUnheardOf(order) ? "NOT_PLACED" : "GONE"
  return lawOf(order).concludes.includes(conclusion) ? conclusion : null
}

/** Only the venue can say what became of it. */
export const isAsked = (order: TradeOrder): boolean => maySend(order, "QUESTION")
