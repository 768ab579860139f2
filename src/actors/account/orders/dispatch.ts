/**
 * Orders on their way to the venue: how one leaves, when it may, and what becomes of one that provably did not leave. Called from the commit
 * callback of the unit that let it go; at a venue that follows the journal, while that unit is on its way.
 */
import { lossOf } from "../../../domain/order/evidence/effects.ts"
import { maySend } from "../../../domain/order/evidence/law.ts"
import {
  cancelled,
  eventOf,
  IllegalTransition,
  moved,
  noted,
  requestedReason,
} from "../../../domain/order/evidence/progress.ts"
import { isHeldBackBy, orderListOf } from "../../../domain/order/list.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { isFired, isPaired, placeOf, releasedType, type TradeOrder } from "../../../domain/order/trade-order.ts"
import type { VenueOrder, VenueTrigger } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { unexplainedOf } from "../venue/balances.ts"
import { FILLS_MARGIN_MILLIS } from "../venue/trades.ts"
import type { WorkingOrder } from "../working-order.ts"

/** Past commit + 2 s an order is not signed any more. */
export const NOT_AFTER_MILLIS = 2_000
/** How often a fired order that provably never left is let go again. */
const RELEASES_MAX = 5
const RELEASE_PAUSE_MILLIS = 250
/** From a submit that provably did not leave to its next. */
const SEND_AGAIN_MILLIS = 100

/** The other leg of a pair that the venue keeps; null for any other order. */
export const partnerOf = (core: AccountCore, { terms }: TradeOrder): WorkingOrder | null => {
  const id = terms?.pairedWith ?? null
  return id === null ? null : (core.orders.get(id) ?? null)
}

/** To the venue. The caller has made sure that there is a session. */
export const dispatch = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  if (!maySend(order, "SUBMIT")) throw new IllegalTransition(order, "submitted")
  const partner = partnerOf(core, order)
  if (partner === null && isPaired(order)) {
    const next = moved(order, "REJECTED", { rejectReason: "NOT_SENT: its other leg is gone" })
    core.change(working, next, eventOf(next))
    return
  }
  leave(core, working)
  if (partner === null) core.connection.session!.submit(venueOrderOf(core, working))
  else {
    const other = venueOrderOf(core, partner)
    leave(core, partner)
    core.connection.session!.submit({ ...venueOrderOf(core, working), pairedWith: other })
  }
  core.parts.failpoint.hit("submit.dispatched")
}

/** From its own commit, or ahead of it: it waits for nothing, and no other order leaves with it. */
export const leavesAlone = (order: TradeOrder): boolean => placeOf(order) === "VENUE" && !isPaired(order)

/**
 * While a new order is on its way to the store its venue's session may build it; nothing of it leaves before `dispatch`, which asks for the same.
 * For an order that is dispatched from its commit, alone.
 */
export const prepare = (core: AccountCore, working: WorkingOrder): void => {
  const { order, stored } = working
  const { session, phase } = core.connection
  if (session?.prepare === undefined || phase !== "ready" || stored || order.notAfter === null) return
  if (leavesAlone(order)) session.prepare(venueOrderOf(core, working))
}

/** It is not dispatched after all. */
export const forgo = ({ connection }: AccountCore, { order }: WorkingOrder): void =>
  connection.session?.forgo?.(order.tradeOrderId)

/** On its way: the SUBMITTED event rides with the next commit. */
export const leave = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  // A released trigger stays ACCEPTED (contract C5): only what comes straight from CREATED is SUBMITTED.
  if (order.orderStatus === "CREATED") {
    working.unsavedSubmit = moved(order, "SUBMITTED", { version: order.version + 1, updatedAt: core.parts.clock.now() })
    working.order = working.unsavedSubmit
  }
  core.orders.touch(working)
  working.restarted = false
  working.departedWith = unexplainedOf(core, order)
  working.knownAt = core.parts.clock.monotonic()
  working.knownBefore = null
}

/** Another leg of its list may still be at the venue: what fired is not let go yet, but when that is over. */
const isHeldBack = (core: AccountCore, { order }: WorkingOrder): boolean =>
  order.orderListId !== null &&
  isHeldBackBy(orderListOf(core.orders.ofList(order.orderListId).map((it) => it.order)), order)

/** A fired order that nothing keeps here. Legs of a list are let go by the keeper of lists. */
export const mayDispatch = (core: AccountCore, working: WorkingOrder): boolean =>
  core.connection.session !== null &&
  core.connection.phase === "ready" &&
  core.account.status !== "LOCKED" &&
  (working.order.terms?.leg ?? null) === null &&
  !isHeldBack(core, working)

/** Whether an order that was let go then, by both clocks, is not signed any more: the wall clock may have been set back since. */
export const isLate = ({ parts: { clock } }: AccountCore, notAfter: number, letGoAt: number): boolean =>
  clock.now() > notAfter || clock.monotonic() - letGoAt > NOT_AFTER_MILLIS

/** Of an order that leaves at `now`. */
export const deadlinesFrom = ({ venue }: AccountCore, now: number) => {
  const notAfter = now + NOT_AFTER_MILLIS
  return { notAfter, submitDeadline: venue.orderExpiryMillis === null ? null : notAfter + venue.orderExpiryMillis }
}

export const withDeadline = (core: AccountCore, order: TradeOrder): TradeOrder => ({
  ...order,
  ...deadlinesFrom(core, core.parts.clock.now()),
})

/** A fired order leaves, if it waits here and may. */
export const dispatchIfReady = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  if (!isFired(order) || order.notAfter !== null || isTerminal(order.orderStatus) || !mayDispatch(core, working)) return
  const letGoAt = core.parts.clock.monotonic()
  const committed = (): void => dispatchTriggered(core, working, letGoAt)
  working.isUnsent = true
  core.change(working, withDeadline(core, order), null, { portfolio: false, committed })
}

/** From the commit callback of the unit that gave a fired order its deadline; `letGoAt`: monotonic ms at which it was given. */
export const dispatchTriggered = (core: AccountCore, working: WorkingOrder, letGoAt: number): void => {
  working.isUnsent = false
  const { order } = working
  const now = core.parts.clock.now()
  if (isTerminal(order.orderStatus)) return
  if (order.cancelRequested) {
    const next = cancelled(order, requestedReason(order), now)
    core.change(working, next, eventOf(next))
  } else if (core.connection.session === null || order.notAfter === null || core.account.status === "LOCKED")
    // While everything is being cancelled nothing new leaves: what waits here is withdrawn.
    holdUntilReady(core, working)
  else if (!isLate(core, order.notAfter, letGoAt)) dispatch(core, working)
  else if (!dispatchLater(core, working)) {
    const next = moved(order, "REJECTED", { rejectReason: "GATEWAY_LATE" })
    core.change(working, next, eventOf(next), { alerts: lossOf(next) })
  }
}

/** Of a fired order provably not a byte left: it waits here again, and is let go in a moment. False: it was tried often enough. */
export const dispatchLater = (core: AccountCore, working: WorkingOrder): boolean => {
  if (!isFired(working.order) || (working.order.terms?.leg ?? null) !== null || working.releases >= RELEASES_MAX)
    return false
  const pause = RELEASE_PAUSE_MILLIS * 2 ** working.releases++
  holdUntilReady(core, working)
  core.self.later(pause, () => dispatchIfReady(core, working))
  return true
}

/** Proven that no byte left, and there is still time: once more in a moment, under the same id (contract C3). False: there is not. */
export const resend = (core: AccountCore, working: WorkingOrder, reason: string, giveUp: () => void): boolean => {
  const now = core.parts.clock.now()
  const monotonic = core.parts.clock.monotonic()
  const { orderStatus, notAfter } = working.order
  if (orderStatus !== "SUBMITTED" || notAfter === null || core.connection.session === null) return false
  if (partnerOf(core, working.order) !== null) return false
  working.sentFirstAt ??= working.knownAt
  if (now + SEND_AGAIN_MILLIS >= notAfter || monotonic - working.sentFirstAt >= NOT_AFTER_MILLIS) return false
  working.order = noted(working.order, now, `not sent, once more: ${reason}`)
  core.self.later(SEND_AGAIN_MILLIS, () => {
    const { order } = working
    if (isTerminal(order.orderStatus) || order.externalOrderId !== null) return
    if (order.cancelRequested) {
      const next = cancelled(order, requestedReason(order), core.parts.clock.now())
      core.change(working, next, eventOf(next))
    } else if (order.orderStatus === "SUBMITTED") {
      // In doubt since the contact to the venue was lost: that it did not leave is known all the same.
      if (core.connection.session === null || order.doubt !== null) giveUp()
      else dispatch(core, working)
    }
  })
  return true
}

/** Without a deadline an order that fired waits for the account to be ready; also after a restart. */
export const holdUntilReady = (core: AccountCore, working: WorkingOrder): void =>
  core.change(working, { ...working.order, notAfter: null, submitDeadline: null, doubt: null }, null, {
    portfolio: false,
  })

/** Wall ms: from when on the venue may have it. */
export const submittedAt = ({ createdAt, notAfter }: TradeOrder): number =>
  notAfter === null ? createdAt : Math.max(createdAt, notAfter - NOT_AFTER_MILLIS)

/**
 * Venue ms: from when on trades of it may be listed. By the venue's clock as far as that is known: ours may be ahead of it, and then a list
 * since our time would prove nothing.
 */
export const tradesSince = (core: AccountCore, { order, knownAt, knownBefore }: WorkingOrder): number => {
  const sentAt = submittedAt(order) - FILLS_MARGIN_MILLIS
  // When an older process sent it is known by the wall clock of then alone.
  if (knownBefore !== null) return Math.min(sentAt, core.trades.since())
  const venueAt = core.balances.venueTimeAt(knownAt)
  return venueAt === null ? sentAt : Math.min(sentAt, venueAt - FILLS_MARGIN_MILLIS)
}

/** Monotonic ms of its departure; null: an older process sent it. */
export const leftAtOf = ({ knownAt, knownBefore }: WorkingOrder): number | null =>
  knownBefore === null ? knownAt : null

const venueOrderOf = (core: AccountCore, { order, actor }: WorkingOrder): VenueOrder => {
  const { terms, expireAt } = order
  // What takes the place of an order that the venue has triggered is triggered too.
  const isWatchedThere = terms?.trigger?.execution === "NATIVE" && terms.trigger.triggeredAt === null
  const trigger = isWatchedThere ? (terms.trigger ?? null) : null
  const isEndedThere = expireAt !== null && core.venue.capabilities.nativeTimesInForce.includes("GTD")
  const plain: VenueOrder = {
    tradeOrderId: order.tradeOrderId,
    instrumentId: order.instrumentId,
    orderSide: order.orderSide,
    orderType: releasedType(order),
    // Where the venue does not end it, the gateway does.
    timeInForce: expireAt === null ? order.timeInForce : isEndedThere ? "GTD" : "GTC",
    quantity: order.baseQuantity.toString(),
    limitPrice: order.limitPrice?.toString() ?? null,
    notAfter: order.notAfter!,
  }
  if (terms === null && !isEndedThere && actor === null) return plain
  return {
    ...plain,
    ...(trigger !== null && { trigger: venueTriggerOf(trigger) }),
    ...(isEndedThere && { expireAt }),
    ...(terms?.budget && { cost: terms.budget.amount.toString() }),
    ...(terms?.leverage && { leverage: terms.leverage }),
    ...(terms?.reduces === true && { reduceOnly: true }),
    // One that fired was asked for then, and stands, also when that user is gone since.
    ...(actor !== null && !isFired(order) && { actor }),
  }
}

const venueTriggerOf = ({ kind, on, stopPrice, source, trailing }: NativeTrigger): VenueTrigger => ({
  kind,
  on,
  stopPrice: stopPrice.toString(),
  source,
  ...(trailing?.delta && { trailingDelta: trailing.delta }),
  ...(trailing?.amount && { trailingAmount: trailing.amount.toString() }),
})

type NativeTrigger = NonNullable<NonNullable<TradeOrder["terms"]>["trigger"]>
