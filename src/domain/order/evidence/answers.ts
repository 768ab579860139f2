/** What an answer to a submit, a cancel or a change makes of an order (contract C3): an answer that does not come is a doubt. */
import { cleaned } from "../../clean-text.ts"
import { changeOf, isRenewing } from "../change.ts"
import { isTerminal, type OrderStatus } from "../status.ts"
import type { OrderDoubt, TradeOrder } from "../trade-order.ts"
import { changeMade, changeNotMade } from "./changed.ts"
import { graver, inDoubtOf, isUnheardOf } from "./doubt.ts"
import { type Answer, ask, changeTo, type Effects, type Known, lossOf, NOTHING, quietly } from "./effects.ts"
import { appeared, heard } from "./heard.ts"
import { cancelled, IllegalTransition, moved, requestedReason } from "./progress.ts"

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
        { _tag: "Quarantine", why: "refused after it was shown" },
        ask(`refused after it was shown: ${answer.code}`),
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
export const refused = (order: TradeOrder, reason: string, at: number | null): Effects => {
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
    if (isUnheardOf(order) || order.doubt?.kind === "EXECUTED") return "cancelled before it was shown"
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
