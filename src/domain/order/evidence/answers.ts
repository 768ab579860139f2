/**
 * What an answer to a submit, a cancel or a change means for an order (contract C3): the venue has it, how its change ended, or, if no answer
 * comes, a doubt.
 */

import { cleaned } from "../../clean-text.ts"
import { changeOf, isMadeBy, isRenewal, isRenewing, made, unmade } from "../change.ts"
import { isTerminal, type OrderStatus } from "../status.ts"
import type { OrderDoubt, TradeOrder } from "../trade-order.ts"
import type { OrderView } from "../view.ts"
import { doubtWhenShown, graver, inDoubtOf, isUnheardOf } from "./doubt.ts"
import {
  type Answer,
  ask,
  changeTo,
  type Effects,
  type Known,
  lossOf,
  NOTHING,
  type OrderEffect,
  quietly,
} from "./effects.ts"
import { acknowledged, cancelled, eventOf, IllegalTransition, moved, requestedReason } from "./progress.ts"

// What it makes of an order that the venue has it: acknowledged, triggered there, or back after it was given up.

/** The image that says so; null: the order's own does. */
const acknowledging = (order: TradeOrder, externalOrderId: string, at: number | null): OrderEffect | null => {
  const next = acknowledged(order, externalOrderId, at)
  if (next === order) return null
  if (next.orderStatus !== order.orderStatus) return changeTo(next, at, { kind: eventOf(next) })
  // A process that ends here must not take it for one that the venue has never shown.
  const isFirst = order.externalOrderId === null
  return next.doubt === order.doubt && !isFirst ? { _tag: "Keep", next } : quietly(next, { at })
}

/** The venue has the order: at least acknowledged. */
export const heard = ({ order, now }: Known, externalOrderId: string, at: number | null): Effects => {
  const image = acknowledging(order, externalOrderId, at)
  const since: OrderEffect = { _tag: "Heard", at: at ?? now }
  return image === null ? [since] : [since, image]
}

/** Whether what was heard is more than the image said. */
export const isNews = (effects: Effects): boolean => effects.some(({ _tag }) => _tag === "Change" || _tag === "Keep")

/** The venue's own trigger has fired; null: it had, or there is none. */
export const firedThere = ({ order, now }: Known, at: number | null): OrderEffect | null => {
  const { terms, orderStatus } = order
  const trigger = terms?.trigger ?? null
  if (terms === null || trigger === null || isTerminal(orderStatus)) return null
  if (trigger.execution !== "NATIVE" || trigger.triggeredAt !== null) return null
  const next = {
    ...order,
    terms: { ...terms, trigger: { ...trigger, triggeredAt: at ?? now, triggeredBy: "VENUE" as const } },
  }
  return changeTo(next, at, { kind: "TRADE_ORDER.TRIGGERED" })
}

/** An order that is over shows up: one that was "never placed" must not work on (contract C3, 6). */
export const appeared = ({ order, isConnected }: Known, externalOrderId: string): Effects => {
  if (order.orderStatus !== "REJECTED" || !isConnected) return NOTHING
  const known = order.externalOrderId
  const cancel: OrderEffect = { _tag: "CancelThere", externalOrderId: known ?? externalOrderId }
  if (known !== null) return [cancel]
  const message = "an order that was proven not placed appeared at the venue and is being cancelled"
  const { tradeOrderId } = order
  const alerts = [{ code: "LATE_APPEARANCE", severity: "CRITICAL", message, tradeOrderId } as const]
  return [cancel, quietly({ ...order, externalOrderId }, { alerts })]
}

// How the change of a working order ends (contract C1, PENDING_REPLACE): made, not made, or told by a view of the order.

/** How long an amend may be on its way before the venue's own expiry counts; and where the venue has none. */
const AMEND_MILLIS = 3_000
const AMEND_WITHOUT_EXPIRY_MILLIS = 30_000

/** The venue changed the order. */
const changeMade = ({ order }: Known, externalOrderId: string | null, at: number | null): Effects => {
  const change = changeOf(order)
  if (change === null || isTerminal(order.orderStatus)) return NOTHING
  const done = made(order, change)
  const next: TradeOrder = {
    ...done,
    externalOrderId: externalOrderId ?? order.externalOrderId,
    doubt: doubtWhenShown(done),
  }
  if (next.executedQuantity.atLeast(next.baseQuantity)) return [changeTo(moved(next, "FILLED"), at)]
  // Its end is being asked for: the new values are told with that.
  if (order.cancelRequested) return [changeTo(next, at, { kind: null, tells: { _tag: "Changed" } })]
  const replaced = moved(next, "REPLACED", { statusBeforeCancel: null })
  const works = moved(replaced, next.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED")
  return [
    changeTo(replaced, at, { further: { next: works, kind: eventOf(works) }, tells: { _tag: "Changed" } }),
    { _tag: "FreshBalances" },
  ]
}

/** The venue did not change the order, and will not: it works on as it was. */
export const changeNotMade = ({ order }: Known, reason: string, at: number | null): Effects => {
  const back = withoutChange(order)
  if (back === order) return NOTHING
  // Its end is being asked for: what it goes back to is told with that.
  const kind = order.cancelRequested && !isTerminal(back.orderStatus) ? null : eventOf(back)
  return [changeTo(back, at, { kind, tells: { _tag: "ChangeRefused", reason } })]
}

/** The order as it was before the change that is under way, with what was executed meanwhile; the same image when there is none. */
export const withoutChange = (order: TradeOrder): TradeOrder => {
  const change = changeOf(order)
  if (change === null || isTerminal(order.orderStatus)) return order
  const back = unmade(order, change)
  const next: TradeOrder = { ...back, doubt: doubtWhenShown(back) }
  const isFilled = next.executedQuantity.atLeast(next.baseQuantity)
  if (order.cancelRequested && !isFilled) return next
  const to = isFilled ? "FILLED" : next.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED"
  return order.orderStatus === to
    ? { ...next, statusBeforeCancel: null }
    : moved(next, to, { statusBeforeCancel: null })
}

/**
 * What a view of the working order says of an amend. `asked`: the answer to a question of ours. That nothing was changed counts only when
 * the amend cannot arrive any more, by both clocks.
 */
export const weighed = (known: Known, view: OrderView, asked: boolean): Effects => {
  const { order, now, changeKnownMillis, venue } = known
  const change = changeOf(order)
  if (change === null || isRenewal(change)) return NOTHING
  const isMade = isMadeBy(order, change, view)
  if (isMade === true) return changeMade(known, view.externalOrderId, view.updatedAt)
  const onItsWay = AMEND_MILLIS + (venue.orderExpiryMillis ?? AMEND_WITHOUT_EXPIRY_MILLIS)
  const isOver = now > change.askedAt + onItsWay && changeKnownMillis > onItsWay
  if (!asked || isMade !== false || !isOver) return NOTHING
  return changeNotMade(known, "the venue shows the order unchanged", view.updatedAt)
}

/** In an order's row. */
const REASON_LENGTH_MAX = 400

export const answeredBy = (known: Known, answer: Answer): Effects => {
  const { order } = known
  const { at } = answer
  if (isTerminal(order.orderStatus)) {
    return answer._tag === "Accepted" ? appeared(known, answer.externalOrderId) : NOTHING
  }
  switch (answer._tag) {
    case "Accepted":
      return heard(known, answer.externalOrderId, at)
    case "Refused":
      if (isUnheardOf(order)) return refused(order, `${answer.code}: ${answer.text}`, at)
      // Shown before: one of the two words is wrong, and only the order itself says which.
      return [
        ...doubted(order, "SUBMIT"),
        { _tag: "Quarantine", why: "rejected after it was listed" },
        ask(`rejected after it was listed: ${answer.code}`),
      ]
    case "NotSent":
      if (order.externalOrderId !== null) throw new IllegalTransition(order, "not sent")
      if (order.cancelRequested) return [changeTo(cancelled(order, requestedReason(order), known.now), at)]
      return [{ _tag: "SendAgain", reason: answer.reason, at }]
    case "InDoubt":
      return unanswered(order, `in doubt: ${answer.reason}`, at)
    case "CancelAccepted":
      return cancelConfirmed(known, at)
    case "CancelRefused":
      // One of several may come too late: another was carried out.
      if (answer.unknownOrder || order.doubt?.kind === "EXECUTED") return [ask(`cancel: ${answer.text}`)]
      return isRenewing(order) ? changeNotMade(known, answer.text, at) : cancelRefused(order, answer.text, at)
    case "CancelInDoubt":
      if (!order.cancelRequested && !isRenewing(order)) return NOTHING
      return [...doubted(order, order.cancelRequested ? "CANCEL" : "AMEND"), ask(`cancel in doubt: ${answer.reason}`)]
    case "AmendAccepted":
      return isAnswered(order, answer) ? changeMade(known, answer.externalOrderId, at) : NOTHING
    case "AmendRefused":
      if (answer.unknownOrder) return [ask(`change: ${answer.text}`)]
      return isAnswered(order, answer) ? changeNotMade(known, answer.text, at) : NOTHING
    case "AmendInDoubt":
      if (!isAnswered(order, answer)) return NOTHING
      return [...doubted(order, "AMEND"), ask(`change in doubt: ${answer.reason}`)]
  }
}

/** A change that a view has decided may be answered when another is under way. */
const isAnswered = (order: TradeOrder, { askedAt }: { readonly askedAt: number }): boolean =>
  changeOf(order)?.askedAt === askedAt

/** It never was at the venue, and will not be. */
const refused = (order: TradeOrder, reason: string, at: number | null): Effects => {
  if (order.executedQuantity.isPositive()) throw new IllegalTransition(order, "REJECTED")
  const next = moved(order, "REJECTED", { rejectReason: cleaned(reason.slice(0, REASON_LENGTH_MAX)) })
  return [changeTo(next, at, { alerts: lossOf(next) })]
}

/** It provably never left, and there is no time left either. */
export const unsendable = ({ order, now }: Known, reason: string, at: number | null): Effects => {
  const isLate = order.notAfter !== null && now > order.notAfter
  return refused(order, isLate ? "GATEWAY_LATE" : `NOT_SENT: ${reason}`, at)
}

const doubted = (order: TradeOrder, kind: OrderDoubt["kind"]): Effects => {
  const next = inDoubtOf(order, kind)
  return next === order ? NOTHING : [quietly(next)]
}

/** The submit may or may not have arrived. An order that is already acknowledged is in no doubt. */
const unanswered = (order: TradeOrder, why: string, at: number | null): Effects => {
  const { orderStatus, externalOrderId } = order
  if (orderStatus === "UNKNOWN") return [ask(why)]
  if (orderStatus === "SUBMITTED")
    return [changeTo(moved(order, "UNKNOWN", { doubt: graver(order, "SUBMIT") }), at), ask(why)]
  if (externalOrderId !== null) return NOTHING
  if (orderStatus === "PENDING_CANCEL")
    return [quietly({ ...inDoubtOf(order, "SUBMIT"), statusBeforeCancel: "UNKNOWN" }), ask(why)]
  // A trigger that fired: the order stays ACCEPTED, in doubt (contract C1.3 knows no way back).
  return orderStatus === "ACCEPTED" ? [...doubted(order, "SUBMIT"), ask(why)] : NOTHING
}

const cancelConfirmed = (known: Known, at: number | null): Effects => {
  const { order, now } = known
  const isRenewed = isRenewing(order)
  if (!order.cancelRequested && !isRenewed) return [ask("cancelled without a request")]
  const why = unknownAfterCancel(known)
  if (why === null)
    return [{ _tag: "End", next: cancelled(order, isRenewed ? "REPLACED" : requestedReason(order), now), at }]
  const next = inDoubtOf(order, "EXECUTED")
  // Stored: of an order without any other word this alone says that it was there.
  return next === order ? [ask(why)] : [quietly(next), ask(why)]
}

/** Why it is not known what it had executed when its cancel was carried out; null: it is. */
const unknownAfterCancel = ({ order, owed, venue }: Known): string | null => {
  if (!venue.inProcess) {
    // What takes its place, or the other leg of its pair, depends on what was executed: only the order itself says that for certain.
    if (isRenewing(order)) return "cancelled to be replaced"
    if (order.contingencyType === "OCO") return "cancelled for the other leg"
    // What was told of it may be told of an order without our name: whose that is, only the order itself says.
    if (isUnheardOf(order) || order.doubt?.kind === "EXECUTED") return "cancelled before it was listed"
  }
  // Fills that the venue has named come first.
  return owed === null ? null : "cancelled with trades outstanding"
}

/** The order goes back to where it was and works on. */
const cancelRefused = (order: TradeOrder, reason: string, at: number | null): Effects => {
  if (!order.cancelRequested) return NOTHING
  const before = order.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : (order.statusBeforeCancel ?? "ACCEPTED")
  const patch = {
    cancelRequested: false,
    cancelReason: null,
    statusBeforeCancel: null,
    doubt: doubtWhenKept(order, before),
  }
  const next =
    order.orderStatus === before
      ? { ...order, ...patch }
      : changeOf(order) !== null && before === "ACCEPTED"
        ? moved(order, "PENDING_REPLACE", { ...patch, statusBeforeCancel: before })
        : moved(order, before, patch)
  return [changeTo(next, at, { tells: { _tag: "CancelRefused", reason } })]
}

/** That a cancel was refused says nothing of a submit in doubt, nor of a change that is under way. */
const doubtWhenKept = (order: TradeOrder, before: OrderStatus): OrderDoubt | null => {
  if (before === "UNKNOWN" || order.doubt?.kind === "SUBMIT") return graver(order, "SUBMIT")
  return changeOf(order) === null ? null : graver(order, "AMEND")
}
