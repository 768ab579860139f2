/**
 * Cancel (contract C1.4): accepted in every state of the account, stored before it is sent, answered after the venue's answer or after 1 s.
 * Repeats join. One cancel per order is under way (order-path 1): the next is sent after its answer or a long silence. The dead man's switch
 * cancels all of them when its client falls silent.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { OrderNotFound } from "../../../domain/errors/trade-order.ts"
import { AccountDisconnected, AccountNotActive } from "../../../domain/errors/trading-account.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import { changeOf, isRenewal, unmade } from "../../../domain/order/change.ts"
import { graver } from "../../../domain/order/evidence/doubt.ts"
import { cancelWayOf, maySend } from "../../../domain/order/evidence/law.ts"
import { eventOf, moved, requestedReason } from "../../../domain/order/evidence/progress.ts"
import { isUsers } from "../../../domain/order/list.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { CancelReason, TradeOrder } from "../../../domain/order/trade-order.ts"
import type { Reply } from "../../../domain/reply.ts"
import type { VenueOrderRef } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { CancelAllAfter, CancelAllOrders, CancelOrder, ReadOrder } from "../messages.ts"
import { answerClosed, isHandedOver, type WorkingOrder } from "../working-order.ts"
import { recall } from "./recall.ts"

/** How long a client waits for the venue, from the moment its request was read. */
export const ANSWER_MILLIS = 1_000
/** From one cancel of an order to its next, once it is answered; without an answer. Both double with each one sent. */
const RESEND_MILLIS = 2_000
const SILENCE_MILLIS = 10_000
const RESEND_MAX_MILLIS = 60_000

/** In a turn. One that waits for its user's share goes on first, so that it is found. */
const inMemory = (core: AccountCore, by: CancelOrder["by"]): WorkingOrder | undefined => {
  if ("clientOrderId" in by) core.waiting.hastenNamed(by.clientOrderId)
  return core.orders.find(by)
}

/** The order from memory, else from the store; in a turn. */
export const withOrder = (
  core: AccountCore,
  by: CancelOrder["by"],
  reply: Reply<never, DomainError>,
  run: (working: WorkingOrder) => void,
): void => {
  const working = inMemory(core, by)
  if (working !== undefined) {
    if (working.stored) {
      run(working)
      return
    }
    working.whenStored.push((exists) => (exists ? run(working) : withOrder(core, by, reply, run)))
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
  const unsent = inMemory(core, by)
  if (unsent !== undefined && !unsent.stored) unsent.cancelledEarly = true
  withOrder(core, by, reply, (working) => {
    const { order } = working
    if (isTerminal(order.orderStatus)) return core.whenDurable(() => answerClosed(order, reply))
    working.cancelWaiters.push(reply)
    const wait = Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic())
    core.self.later(wait, () => {
      if (!working.cancelWaiters.includes(reply)) return
      working.cancelWaiters = working.cancelWaiters.filter((it) => it !== reply)
      const now = working.order
      core.whenDurable(() => reply.ok(now))
    })
    requestCancel(core, working, "USER_REQUEST")
  })
}

/** Whether a cancel may leave: none is under way that may still be answered, and the newest is not too recent. */
export const mayCancel = (core: AccountCore, working: WorkingOrder): boolean => {
  const { cancels } = working
  if (cancels._tag === "UNSENT") return true
  const first = cancels._tag === "OUT" ? SILENCE_MILLIS : RESEND_MILLIS
  const pause = Math.min(RESEND_MAX_MILLIS, first * 2 ** (cancels.sent - 1))
  return core.parts.clock.monotonic() - cancels.at >= pause
}

/** Sends the cancel that was asked for, once that is stored, unless it has left by then. */
export const sendFirstCancel = (core: AccountCore, working: WorkingOrder): void =>
  core.whenDurable(() => {
    if (working.cancels._tag === "UNSENT") sendCancel(core, working)
  })

/** The next one, once it is stored that a cancel was asked for, if it may leave then. */
export const sendNextCancel = (core: AccountCore, working: WorkingOrder): void =>
  core.whenDurable(() => {
    if (mayCancel(core, working)) sendCancel(core, working)
  })

/** The venue has answered the newest cancel. */
export const cancelAnswered = (working: WorkingOrder): void => {
  if (working.cancels._tag === "OUT") working.cancels = { ...working.cancels, _tag: "ANSWERED" }
}

/** Asks the venue to cancel; a request that is under way is joined. */
export const requestCancel = (core: AccountCore, working: WorkingOrder, reason: CancelReason): void => {
  const { order } = working
  const way = cancelWayOf(order)
  if (way === "NONE" || core.account.status === "DISCONNECTED") return
  // A quote is executed whole, or not at all, within moments: there is nothing to cancel, and the client that asks hears how it ended.
  if (way === "AWAIT") return
  // What the venue never saw is withdrawn at once; the caller sees to it that it is stored.
  if (way === "WITHDRAW") {
    if (working.stored) withdraw(core, working, reason)
    return
  }
  if (way === "JOIN") {
    // Also what a client has asked for ends by the disconnect.
    if (reason === "ACCOUNT_DISCONNECTED" && order.cancelReason !== reason)
      core.amend(working, { ...order, cancelReason: reason })
    // What its list cancels to place it anew is placed no more once a client has asked too; an exit whose work another one does ends by
    // that one, which goes on.
    if (isUsers(reason) && requestedReason(order) === "OCO_SIBLING" && !core.sequels.isSpent(core, working))
      core.change(working, { ...order, cancelReason: reason }, null, { portfolio: false })
    // The first one leaves when the request is stored; after a restart it is.
    if (working.cancels._tag === "UNSENT") sendFirstCancel(core, working)
    else if (mayCancel(core, working)) sendCancel(core, working)
    return
  }
  // The disconnector asks every moment: an order whose cancel was refused is left alone for a while. A client is not kept waiting.
  if (reason === "ACCOUNT_DISCONNECTED" && !mayCancel(core, working)) return
  // A renewal has sent its cancel: from now on it is the client's. An amend may still be made, and its outcome is waited for.
  const isJoined = isRenewal(changeOf(order)) && working.cancels._tag !== "UNSENT"
  if (!isJoined)
    working.cancels = { _tag: "UNSENT", sent: reason === "ACCOUNT_DISCONNECTED" ? working.cancels.sent : 0 }
  const next = cancelling(core, order, reason)
  const send = (): void => {
    if (mayCancel(core, working)) sendCancel(core, working)
  }
  if (core.venue.followsJournal === true && isHandedOver(working)) {
    core.change(working, next, eventOf(next), { portfolio: false })
    send()
  } else core.change(working, next, eventOf(next), { portfolio: false, committed: send })
  core.parts.failpoint.hit("cancel.accepted")
}

/** The image with which its cancel is asked for. */
export const cancelling = (core: AccountCore, order: TradeOrder, cancelReason: CancelReason): TradeOrder => {
  const change = changeOf(order)
  const isAway = core.connection.session === null || core.connection.phase !== "ready"
  const kept = change !== null && isRenewal(change) ? unmade(order, change) : order
  const statusBeforeCancel = order.orderStatus === "PENDING_REPLACE" ? order.statusBeforeCancel : order.orderStatus
  const doubt = isAway ? graver(kept, "CANCEL") : kept.doubt
  return moved(kept, "PENDING_CANCEL", { statusBeforeCancel, cancelRequested: true, cancelReason, doubt })
}

/** An order that waits for its parent or its trigger ends here: REVOKED where the gateway drops it itself (contract C1.1). */
export const withdraw = (core: AccountCore, working: WorkingOrder, reason: CancelReason): void => {
  const now = core.parts.clock.now()
  const next = moved(working.order, isUsers(reason) ? "CANCELLED" : "REVOKED", {
    cancelReason: reason,
    canceledAt: now,
  })
  core.change(working, next, eventOf(next))
}

/** To the venue, if there is a session; else it is sent when the session is back. */
export const sendCancel = (core: AccountCore, working: WorkingOrder): void => {
  if (core.connection.session === null || !maySend(working.order, "CANCEL")) return
  cancelAtVenue(core, working, core.refOf(working.order))
  core.parts.failpoint.hit("cancel.dispatched")
}

/** The bytes themselves; the caller has asked `mayCancel`. */
export const cancelAtVenue = (core: AccountCore, working: WorkingOrder, ref: VenueOrderRef): void => {
  working.cancels = { _tag: "OUT", sent: working.cancels.sent + 1, at: core.parts.clock.monotonic() }
  core.connection.session?.cancel(ref)
}

// All orders of an account, or of one instrument: each by its own cancel, one in flight per order. Answered when all have their answer, or
// after 1 s with what is known then.

export const cancelAllOrders = (
  core: AccountCore,
  { instrumentId, reason, receivedAt, reply }: CancelAllOrders,
): void => {
  if (core.account.status === "DISCONNECTED") return reply.fail(new AccountDisconnected({}))
  const limited = reason === undefined ? core.limits.cancelError() : null
  if (limited !== null) return reply.fail(limited)
  core.waiting.hastenAll()
  const pending = new Set<TradeOrderId>()
  const cancelled: Array<TradeOrderId> = []
  const failed: Array<TradeOrderId> = []
  let isOver = false
  const answer = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    core.whenDurable(() => reply.ok({ cancelled, pending: [...pending], failed }))
  }
  const settled = (id: TradeOrderId, into: Array<TradeOrderId>): void => {
    if (isOver || !pending.delete(id)) return
    into.push(id)
    if (pending.size === 0) answer()
  }
  const callOff = core.self.later(Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic()), answer)
  const lives = core.orders
    .openLives()
    .filter(({ order }) => instrumentId === null || order.instrumentId === instrumentId)
  for (const { order } of lives) pending.add(order.tradeOrderId)
  sweep(core, lives, reason ?? "USER_REQUEST", (working) => {
    const { tradeOrderId } = working.order
    working.cancelWaiters.push({
      ok: () => settled(tradeOrderId, cancelled),
      // Filled, expired or rejected before the cancel, or the venue keeps it.
      fail: () => settled(tradeOrderId, failed),
    })
  })
  if (pending.size === 0) answer()
}

/** Asks for the cancel of each; what is not stored yet, and has not left, is cancelled when it is. `each` runs before the cancel of the order is asked for. */
export const sweep = (
  core: AccountCore,
  lives: ReadonlyArray<WorkingOrder>,
  reason: CancelReason,
  each: (working: WorkingOrder) => void = () => undefined,
): void => {
  for (const working of lives) {
    if (!isHandedOver(working)) {
      if (reason === "USER_REQUEST") working.cancelledEarly = true
      each(working)
      working.whenStored.push((exists) => {
        if (exists) requestCancel(core, working, reason)
      })
      continue
    }
    each(working)
    // The cancel of its entry may have ended it a moment ago.
    if (!isTerminal(working.order.orderStatus)) requestCancel(core, working, reason)
  }
}

// The dead man's switch (`tradeOrder/cancelAllAfter`): unless the client is heard of again before the instant that it named, all its
// orders are cancelled. The instant is stored before it is answered, and a gateway that was away then keeps it when it is back.

export interface DeadMan {
  readonly set: (message: CancelAllAfter) => void
  /** After a restart, or a sleep: goes on counting; what passed meanwhile happens now. */
  readonly resume: () => void
}

export const keepDeadMan = (core: AccountCore): DeadMan => {
  const { parts, self } = core
  let callOff = (): void => undefined

  const save = (cancelAllAt: number | null, committed: (account: TradingAccount) => void): void =>
    core.noteAccount({ cancelAllAt }, committed)

  const count = (millis: number): void => {
    callOff()
    callOff = self.later(millis, fire)
  }

  const fire = (): void => {
    if (core.account.cancelAllAt === null || core.account.status === "DISCONNECTED") return
    core.waiting.hastenAll()
    const lives = core.orders.openLives()
    sweep(core, lives, "DEAD_MAN_SWITCH")
    // After the cancels: if the process ends between the two, they are asked for again.
    save(null, () => undefined)
    const message = `the dead man's switch asked to cancel ${lives.length} ${lives.length === 1 ? "order" : "orders"}`
    core.outlet.alert({ code: "DEAD_MAN_SWITCH", severity: "WARNING", message, tradeOrderId: null })
  }

  const set = ({ timeoutMillis, reply }: CancelAllAfter): void => {
    const { status } = core.account
    if (status === "DISCONNECTED") return reply.fail(new AccountDisconnected({}))
    if (status === "LOCKED") return reply.fail(new AccountNotActive({ status }))
    const limited = core.limits.cancelError()
    if (limited !== null) return reply.fail(limited)
    callOff()
    if (timeoutMillis > 0) count(timeoutMillis)
    save(timeoutMillis === 0 ? null : parts.clock.now() + timeoutMillis, (account) => reply.ok(account))
  }

  const resume = (): void => {
    const { cancelAllAt } = core.account
    if (cancelAllAt !== null) count(Math.max(0, cancelAllAt - parts.clock.now()))
  }

  return { set, resume }
}
