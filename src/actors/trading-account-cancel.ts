/**
 * Cancel (contract C1.4): accepted in every state of the account, stored before it is sent, answered after the venue's answer or
 * after 1 s. Repeats join. One cancel per order is under way (order-path 1): the next is sent after its answer or a long silence.
 */

import type { DomainError } from "../domain/errors/domain-error.ts"
import { CancelRejected, OrderNotFound } from "../domain/errors/trade-order.ts"
import { AccountDisconnected } from "../domain/errors/trading-account.ts"
import { changeOf, isRenewal, unmade } from "../domain/order-change.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { Reply } from "../domain/reply.ts"
import { type CancelReason, placeOf } from "../domain/trade-order.ts"
import type { VenueOrderRef } from "../ports/venue-session.ts"
import type { CancelOrder, ReadOrder } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { answerClosed, type Live } from "./trading-account-live.ts"
import { eventOf, moved } from "./trading-account-progress.ts"
import { recall } from "./trading-account-recall.ts"

/** How long a client waits for the venue, from the moment its request was read. */
export const ANSWER_MILLIS = 1_000
/** From one cancel of an order to its next, once it is answered; without an answer. Both double with each one sent. */
const RESEND_MILLIS = 2_000
const SILENCE_MILLIS = 10_000
const RESEND_MAX_MILLIS = 60_000

/** The order from memory, else from the store; in a turn. */
export const withOrder = (
  core: AccountCore,
  by: CancelOrder["by"],
  reply: Reply<never, DomainError>,
  run: (live: Live) => void,
): void => {
  const live = core.find(by)
  if (live !== undefined) {
    if (live.stored) {
      run(live)
      return
    }
    live.whenStored.push((exists) => (exists ? run(live) : withOrder(core, by, reply, run)))
    return
  }
  recall(core, by, (found) => (found === undefined ? reply.fail(new OrderNotFound({})) : run(found)))
}

export const readOrder = (core: AccountCore, { by, reply }: ReadOrder): void =>
  withOrder(core, by, reply, ({ order }) => core.whenDurable(() => reply.ok(order)))

export const cancelOrder = (core: AccountCore, message: CancelOrder): void => {
  const { by, reply, receivedAt } = message
  if (core.account.status === "DISCONNECTED") {
    reply.fail(new AccountDisconnected({}))
    return
  }
  const limited = core.limits.cancelError()
  if (limited !== null) {
    reply.fail(limited)
    return
  }
  const unsent = core.find(by)
  if (unsent !== undefined && !unsent.stored) unsent.cancelledEarly = true
  withOrder(core, by, reply, (live) => {
    const { order } = live
    if (isTerminal(order.orderStatus)) return core.whenDurable(() => answerClosed(order, reply))
    live.cancelWaiters.push(reply)
    const wait = Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic())
    core.self.later(wait, () => {
      if (!live.cancelWaiters.includes(reply)) return
      live.cancelWaiters = live.cancelWaiters.filter((it) => it !== reply)
      const now = live.order
      core.whenDurable(() => reply.ok(now))
    })
    requestCancel(core, live, "USER_REQUEST")
  })
}

/** Whether a cancel may leave: none is under way that may still be answered, and the newest is not too recent. */
export const mayCancel = (core: AccountCore, live: Live): boolean => {
  if (live.cancelSentAt === null) return true
  const first = live.isCancelOut ? SILENCE_MILLIS : RESEND_MILLIS
  const pause = Math.min(RESEND_MAX_MILLIS, first * 2 ** Math.max(0, live.cancelsSent - 1))
  return core.parts.clock.monotonic() - live.cancelSentAt >= pause
}

/** Asks the venue to cancel; a request that is under way is joined. */
export const requestCancel = (core: AccountCore, live: Live, reason: CancelReason): void => {
  const { order } = live
  if (isTerminal(order.orderStatus)) return
  if (reason === "ACCOUNT_DISCONNECTED" || !order.cancelRequested) live.cancelReason = reason
  // A quote is executed whole, or not at all, within moments: there is nothing to cancel, and whoever asks hears how it ended.
  if (placeOf(order) === "DEALER") return
  // What the venue never saw is withdrawn at once.
  if (live.stored && placeOf(order) !== "VENUE") {
    withdraw(core, live, reason)
    return
  }
  if (order.cancelRequested) {
    // The first one leaves when the request is stored; after a restart it is.
    if (live.cancelSentAt === null) core.whenDurable(() => live.cancelSentAt === null && sendCancel(core, live))
    else if (mayCancel(core, live)) sendCancel(core, live)
    return
  }
  // The disconnector asks every moment: an order whose cancel was refused is left alone for a while. A client is not kept waiting.
  if (reason === "ACCOUNT_DISCONNECTED" && !mayCancel(core, live)) return
  const inDoubt = order.inDoubt || core.session === null || core.phase !== "ready"
  const change = changeOf(order)
  // A renewal has sent its cancel: from now on it is the client's. An amend may still be made, and its outcome is waited for.
  const isJoined = isRenewal(change) && live.cancelSentAt !== null
  if (reason !== "ACCOUNT_DISCONNECTED" && !isJoined) live.cancelsSent = 0
  if (!isJoined) live.cancelSentAt = null
  const before =
    change === null || order.orderStatus !== "PENDING_REPLACE" ? order.orderStatus : order.statusBeforeCancel
  const kept = change !== null && isRenewal(change) ? unmade(order, change) : order
  const next = moved(kept, "PENDING_CANCEL", { statusBeforeCancel: before, cancelRequested: true, inDoubt })
  const committed = (): void => {
    if (mayCancel(core, live)) sendCancel(core, live)
  }
  core.change(live, next, eventOf(next), { portfolio: false, committed })
  core.parts.failpoint.hit("cancel.accepted")
}

/** An order that waits for its parent or its trigger ends here: REVOKED where the gateway drops it itself (contract C1.1). */
export const withdraw = (core: AccountCore, live: Live, reason: CancelReason): void => {
  const now = core.parts.clock.now()
  const isUsers = reason === "USER_REQUEST" || reason === "DEAD_MAN_SWITCH" || reason === "ADMIN"
  const next = moved(live.order, isUsers ? "CANCELLED" : "REVOKED", { cancelReason: reason, canceledAt: now })
  core.change(live, next, eventOf(next))
}

/** To the venue, if there is a session; else it is sent when the session is back. */
export const sendCancel = (core: AccountCore, live: Live): void => {
  if (core.session === null || isTerminal(live.order.orderStatus)) return
  cancelAtVenue(core, live, core.refOf(live.order))
  core.parts.failpoint.hit("cancel.dispatched")
}

/** The bytes themselves; the caller has asked `mayCancel`. */
export const cancelAtVenue = (core: AccountCore, live: Live, ref: VenueOrderRef): void => {
  live.cancelSentAt = core.parts.clock.monotonic()
  live.cancelsSent++
  live.isCancelOut = true
  core.session?.cancel(ref)
}

/** The venue refused the cancel: the order goes back to where it was and works on. */
export const cancelRefused = (core: AccountCore, live: Live, text: string, at: number | null): void => {
  const { order } = live
  if (isTerminal(order.orderStatus) || !order.cancelRequested) return
  const before = order.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : (order.statusBeforeCancel ?? "ACCEPTED")
  const inDoubt = before === "UNKNOWN" || changeOf(order) !== null
  const patch = { cancelRequested: false, statusBeforeCancel: null, inDoubt }
  const next = order.orderStatus === before ? { ...order, ...patch } : moved(order, before, patch)
  const waiters = live.cancelWaiters.splice(0)
  core.change(live, next, eventOf(next), {
    at,
    committed: () => {
      for (const reply of waiters) reply.fail(new CancelRejected({ reason: text }))
    },
  })
}
