/**
 * What evidence means for an order: one pure reducer, (order, evidence) → (order, effects). The executed quantity is the sum of the trades or
 * what the venue reports, whichever is more; repeats and stale views change nothing; a view that reports more than the trades explain waits for
 * the trades. Impossible evidence throws, and the caller quarantines it.
 */

import type { AccountAlert } from "../../account/event.ts"
import { Decimal } from "../../decimal.ts"
import { changeOf, isRenewal, isRenewing } from "../change.ts"
import { isTerminal } from "../status.ts"
import {
  type CancelReason,
  type Execution,
  isPaired,
  NEVER_PLACED,
  type OrderDoubt,
  releasedType,
  type TradeOrder,
} from "../trade-order.ts"
import { isEnd, type OrderView } from "../view.ts"
import {
  answeredBy,
  appeared,
  changeNotMade,
  firedThere,
  heard,
  isNews,
  unsendable,
  weighed,
  withoutChange,
} from "./answers.ts"
import { doubtWhenOpen, graver, inDoubtOf, isFiredUnshown, isUnheardOf } from "./doubt.ts"
import {
  ask,
  changeTo,
  type Effects,
  type Known,
  lossOf,
  NOTHING,
  type OrderEffect,
  type OrderEvidence,
  quietly,
} from "./effects.ts"
import { filled, inferredTradeId, misfitOf } from "./filled.ts"
import { conclusionOf, isOnItsWay } from "./law.ts"
import { cancelled, eventOf, hasRunOut, IllegalTransition, moved, requestedReason } from "./progress.ts"

/** Why the venue ended the rest of an order, in our words (contract C1.3: what Binance calls EXPIRED is often a remainder). */
const endingOf = (
  order: TradeOrder,
  view: Pick<OrderView, "status" | "ending">,
  requested: CancelReason,
  now: number,
): { readonly to: "CANCELLED" | "EXPIRED"; readonly cancelReason: CancelReason | null } => {
  if (view.ending === "SELF_TRADE_PREVENTION") return { to: "CANCELLED", cancelReason: "SELF_TRADE_PREVENTION" }
  if (isPaired(order) && isEndedByOther(order, view.ending, requested))
    return { to: "CANCELLED", cancelReason: "OCO_SIBLING" }
  const timed = order.timeInForce === "GTD" || order.timeInForce === "DAY"
  if (view.status === "EXPIRED" && timed && view.ending === null) return { to: "EXPIRED", cancelReason: null }
  // Its time is over, whatever the venue calls it.
  if (view.ending === null && hasRunOut(order, now) && (order.cancelRequested || changeOf(order) === null))
    return { to: "EXPIRED", cancelReason: null }
  const remainder: CancelReason | null =
    order.timeInForce === "FOK"
      ? "FOK_NOT_FILLED"
      : releasedType(order) === "MARKET" && !isWaitingThere(order)
        ? "NO_LIQUIDITY"
        : order.timeInForce === "IOC"
          ? "IOC_REMAINDER"
          : null
  if (view.ending === "REMAINDER") return { to: "CANCELLED", cancelReason: remainder ?? "NO_LIQUIDITY" }
  if (order.cancelRequested) return { to: "CANCELLED", cancelReason: requested }
  if (isRenewal(changeOf(order))) return { to: "CANCELLED", cancelReason: "REPLACED" }
  return { to: "CANCELLED", cancelReason: remainder ?? "VENUE" }
}

/** The venue ended a leg of its own list for what happened to the other; not what its own trigger left without a counterpart. */
const isEndedByOther = (order: TradeOrder, ending: OrderView["ending"], requested: CancelReason): boolean => {
  const isRemainder = ending === "REMAINDER" || (releasedType(order) === "MARKET" && !isWaitingThere(order))
  if (isRemainder) return false
  return ending === "LIST" || (requested === "OCO_SIBLING" && !order.cancelRequested)
}

/** The venue watches its trigger, which has not fired. */
const isWaitingThere = ({ terms }: TradeOrder): boolean =>
  terms?.trigger?.execution === "NATIVE" && terms.trigger.triggeredAt === null

interface Folded {
  /** After all effects but `Then`, and without what they change in other orders of its list. */
  readonly order: TradeOrder
  readonly effects: Effects
}

export const fold = (known: Known, evidence: OrderEvidence): Folded => {
  const effects = effectsOf(known, evidence)
  return { order: effects.reduce(imageAfter, known.order), effects }
}

const imageAfter = (order: TradeOrder, effect: OrderEffect): TradeOrder => {
  switch (effect._tag) {
    case "Change":
      return effect.further?.next ?? effect.next
    case "Keep":
    case "End":
      return effect.next
    default:
      return order
  }
}

const effectsOf = (known: Known, evidence: OrderEvidence): Effects => {
  switch (evidence._tag) {
    case "Trade":
      return traded(known, evidence)
    case "Unexplained":
      return inferred(known, evidence)
    case "View":
      return viewed(known, evidence)
    case "Terms":
      return weighed(known, evidence.view, evidence.asked)
    case "NotFound":
      return evidence.proof === "WHOLE" ? given(known, evidence) : proving(known, evidence.proof)
    case "Restarted":
      return resumed(known)
    case "Unsendable":
      return isTerminal(known.order.orderStatus) ? NOTHING : unsendable(known, evidence.reason, evidence.at)
    case "Unmade":
      return changeNotMade(known, evidence.reason, null)
    default:
      return answeredBy(known, evidence)
  }
}

type Of<T extends OrderEvidence["_tag"]> = Extract<OrderEvidence, { readonly _tag: T }>

const traded = (known: Known, evidence: Of<"Trade">): Effects => {
  const { order } = known
  const { execution, externalOrderId, countedFor, isListed } = evidence
  const { externalTradeId } = execution
  if (countedFor === order.tradeOrderId) return NOTHING
  // The stream may name the wrong order: the venue's lists are the second word.
  if (!isListed && !known.venue.inProcess) {
    const misfit = countedFor === null ? misfitOf(order, execution) : `it is already counted for order ${countedFor}`
    if (misfit !== null) return [{ _tag: "ReadAgain", why: `fill ${externalTradeId} does not fit: ${misfit}` }]
  }
  if (execution.orderSide !== order.orderSide) throw new Error(`fill ${externalTradeId} has the opposite side`)
  if (countedFor !== null) throw new Error(`fill ${externalTradeId} is already counted for order ${countedFor}`)
  if (!execution.executedQuantity.isPositive()) throw new Error(`fill ${externalTradeId} of nothing`)
  return counted(known, evidence, execution, externalOrderId)
}

/** No trade explains what the venue named: an execution of ours does, at the best price known. */
const inferred = (known: Known, evidence: Of<"Unexplained">): Effects => {
  const { order, owed } = known
  const { executionId, price, namedAt } = evidence
  if (owed === null || price === null) return NOTHING
  const executedQuantity = namedQuantity(order, owed).subtract(order.executedQuantity)
  return counted(
    known,
    evidence,
    {
      executionId,
      externalTradeId: inferredTradeId(executionId),
      tradeOrderId: order.tradeOrderId,
      tradingAccountId: order.tradingAccountId,
      venue: order.venue,
      instrumentId: order.instrumentId,
      orderSide: order.orderSide,
      replaces: null,
      executedQuantity,
      executedPrice: price,
      executedCost: price.multiply(executedQuantity),
      fees: [],
      inferred: true,
      executedAt: owed.updatedAt ?? namedAt,
    },
    owed.externalOrderId,
  )
}

const counted = (known: Known, evidence: OrderEvidence, execution: Execution, externalOrderId: string): Effects => {
  const { order, owed } = known
  // Nothing of it trades before its trigger fires.
  const firing = firedThere(known, execution.executedAt)
  if (firing !== null) return [firing, { _tag: "Then", evidence }]
  const { order: next, kind, executions, late, grown, overfilled } = filled(order, execution, externalOrderId)
  const alerts = alertsOf(order, { isLate: late && grown, overfilled })
  const effects: Effects = [
    { _tag: "Heard", at: execution.executedAt },
    changeTo(next, execution.executedAt, { kind, executions, alerts }),
    // That may have been all that was not known of it.
    ...(next.doubt?.kind === "EXECUTED" ? [ask("executed before its cancel")] : NOTHING),
  ]
  if (owed === null || next.executedQuantity.lessThan(namedQuantity(next, owed))) return effects
  // Everything that the venue named is explained: its word is applied.
  return [
    ...effects,
    { _tag: "Owe", view: null },
    { _tag: "Then", evidence: { _tag: "View", view: owed, asked: false } },
  ]
}

const alertsOf = (
  { orderStatus, cancelReason, tradeOrderId }: TradeOrder,
  { isLate, overfilled }: { readonly isLate: boolean; readonly overfilled: boolean },
): ReadonlyArray<AccountAlert> => {
  const alert = (code: AccountAlert["code"], message: string): AccountAlert => ({
    code,
    severity: "CRITICAL",
    message,
    tradeOrderId,
  })
  return [
    ...(overfilled ? [alert("OVERFILL", "executed more than ordered")] : []),
    ...(isLate && orderStatus === "REJECTED" ? [alert("FILL_AFTER_REJECT", "a rejected order was filled")] : []),
    ...(isLate && cancelReason === "REPLACED"
      ? [alert("FILL_AFTER_REPLACE", "an order was filled after it had been replaced")]
      : []),
  ]
}

/** Executed quantity by the venue's word; FILLED without a quantity names all of it. */
const namedQuantity = (order: TradeOrder, { status, executedQuantity }: OrderView): Decimal => {
  if (status !== "FILLED" || !executedQuantity.isZero()) return executedQuantity
  return order.terms?.budget ? order.executedQuantity : order.baseQuantity
}

const viewed = (known: Known, evidence: Of<"View">): Effects => {
  const { order, now } = known
  const { view, asked } = evidence
  const { externalOrderId, status, updatedAt: at } = view
  // It works on, whatever was answered to its cancel.
  if (asked && status === "OPEN" && order.doubt?.kind === "EXECUTED")
    return [quietly({ ...order, doubt: doubtWhenOpen(order) }), { _tag: "Then", evidence }]
  const isOver = isTerminal(order.orderStatus)
  const shown = isOver ? NOTHING : heard(known, externalOrderId, at)
  // What the venue itself has rejected since works no more: an older view of it, told late or again.
  const isThere = isOver && status === "OPEN" && (asked || !isRejectedThere(order))
  const there = isThere ? appeared(known, externalOrderId) : NOTHING
  const again: OrderEffect = { _tag: "Then", evidence }
  if (view.isTriggered && order.terms !== null && !isOver) {
    if (isNews(shown)) return [...shown, again]
    const firing = firedThere(known, at)
    if (firing !== null) return [...shown, firing, again]
  }
  const since: OrderEffect = { _tag: "Heard", at: view.createdAt ?? at ?? now }
  if (namedQuantity(order, view).greaterThan(order.executedQuantity))
    return [since, ...shown, ...there, { _tag: "Owe", view: owing(known, view) }]
  if (isOver) return [since, ...there]
  switch (status) {
    case "OPEN":
    case "UNKNOWN":
      // A word of lower rank with an older venue time says nothing new.
      if (!asked && at !== null && order.venueUpdatedAt !== null && at < order.venueUpdatedAt) return [since]
      return [since, ...shown, { _tag: "Then", evidence: { ...evidence, _tag: "Terms" } }]
    case "FILLED":
      return isNews(shown) ? [since, ...shown, again] : [since, changeTo(moved(order, "FILLED"), at)]
    case "CANCELLED":
    case "EXPIRED":
      return [since, ended(known, view)]
    case "REJECTED":
      if (order.executedQuantity.isZero()) return [since, rejected(order, view)]
      // A word that may not be (contract C1.3): the venue is asked, and if it says so again it has ended the rest.
      if (asked) return [since, ended(known, { ...view, status: "CANCELLED" })]
      throw new IllegalTransition(order, "REJECTED")
  }
}

/** Of two views that name more than the trades explain: the most that either names, and the end that either tells. */
const owing = ({ order, owed }: Known, view: OrderView): OrderView => {
  if (owed === null) return view
  const [before, now] = [namedQuantity(order, owed), namedQuantity(order, view)]
  const told = isEnd(view) || (!isEnd(owed) && now.greaterThan(before)) ? view : owed
  return { ...told, executedQuantity: Decimal.max(before, now) }
}

/** Without a word of ours, or by it. */
const ended = (known: Known, view: OrderView): OrderEffect => {
  const { order, now } = known
  const { to, cancelReason } = endingOf(order, view, reasonOf(known), now)
  const patch = withVenueId(order, view)
  const next =
    to === "EXPIRED" || cancelReason === null
      ? moved(order, "EXPIRED", patch)
      : { ...cancelled(order, cancelReason, view.updatedAt ?? now), ...patch }
  return { _tag: "End", next, at: view.updatedAt }
}

/** Why it ends if the venue does not say: of a pair that the venue keeps, a leg that was not asked to end follows the other. */
const reasonOf = ({ order, partner }: Known): CancelReason => {
  const isFollowed =
    !order.cancelRequested && partner !== null && (partner.cancelRequested || isTerminal(partner.orderStatus))
  return isFollowed ? "OCO_SIBLING" : requestedReason(order)
}

const REJECTED_THERE = { wouldTake: "WOULD_TAKE: the venue ended it immediately", plain: "VENUE: rejected" }

/** By the venue's own view of it, not by an answer or a proof. */
const isRejectedThere = ({ rejectReason }: TradeOrder): boolean =>
  rejectReason === REJECTED_THERE.wouldTake || rejectReason === REJECTED_THERE.plain

/** Nothing that is being changed is rejected (contract C1.3): its change ends first, in the same unit, so that no list asks for it again. */
const rejected = (order: TradeOrder, view: OrderView): OrderEffect => {
  const { updatedAt: at } = view
  const back = order.cancelRequested ? order : withoutChange(order)
  const rejectReason = view.ending === "WOULD_TAKE" ? REJECTED_THERE.wouldTake : REJECTED_THERE.plain
  const next = moved(back, "REJECTED", { ...withVenueId(order, view), rejectReason })
  const alerts = lossOf(next)
  return back === order
    ? changeTo(next, at, { alerts })
    : changeTo(back, at, { further: { next, kind: eventOf(next), alerts } })
}

const withVenueId = (order: TradeOrder, view: OrderView): Partial<TradeOrder> => ({
  externalOrderId: order.externalOrderId ?? view.externalOrderId,
  venueUpdatedAt: Math.max(order.venueUpdatedAt ?? 0, view.updatedAt ?? 0) || null,
})

type Growing = Exclude<Of<"NotFound">["proof"], "WHOLE">

/** How far the proof is that it was never placed, with the order: so a restart goes on from there. */
const proving = ({ order }: Known, { notFounds, knownMillis, step, provesFrom }: Growing): Effects => {
  if (!isUnheardOf(order) || isTerminal(order.orderStatus)) return NOTHING
  const doubt: OrderDoubt = { kind: "SUBMIT", notFounds, knownMillis, ...(provesFrom !== null && { provesFrom }) }
  if (order.orderStatus === "SUBMITTED") return [changeTo(moved(order, "UNKNOWN", { doubt }), null)]
  const kept = order.doubt?.kind === "SUBMIT" ? order.doubt : null
  const isSame = kept !== null && (kept.provesFrom ?? null) === provesFrom
  return isSame && knownMillis - kept.knownMillis < step ? NOTHING : [quietly({ ...order, doubt })]
}

/** Proven: not at the venue, or (acknowledged before) not there any more. */
const given = (known: Known, evidence: OrderEvidence): Effects => {
  const { order, isRestarted, now } = known
  if (isTerminal(order.orderStatus)) return NOTHING
  if (changeOf(order) !== null) {
    // What was never there was not changed either: it goes back to its state before (contract C1.3), and ends from there.
    if (order.externalOrderId === null && !order.cancelRequested)
      return [...changeNotMade(known, "the venue never had the order", null), { _tag: "Then", evidence }]
    // What asked for more came too late: the order was executed whole.
    if (withoutChange(order).orderStatus === "FILLED") return changeNotMade(known, "the order had already ended", null)
  }
  const conclusion = conclusionOf(order)
  if (conclusion === null) throw new IllegalTransition(order, "not known to the venue")
  if (conclusion === "NOT_PLACED") {
    const rejectReason = isRestarted ? NEVER_PLACED.restarted : NEVER_PLACED.proven
    const next = moved(order, "REJECTED", { rejectReason })
    return [{ _tag: "Watch" }, changeTo(next, null, { alerts: lossOf(next) })]
  }
  const reason = order.cancelRequested ? requestedReason(order) : isRenewing(order) ? "REPLACED" : "VENUE"
  return [{ _tag: "End", next: cancelled(order, reason, now), at: null }]
}

const resumed = ({ order }: Known): Effects => {
  const next = isOnItsWay(order) ? moved(order, "UNKNOWN", { doubt: graver(order, "SUBMIT") }) : doubtedIfFired(order)
  const changes = next === order ? NOTHING : [next.orderStatus === "UNKNOWN" ? changeTo(next, null) : quietly(next)]
  const isInDoubt = next.orderStatus === "UNKNOWN" || next.doubt !== null
  return isInDoubt ? [...changes, ask("the process ended before an answer")] : changes
}

/** What a trigger let go, and the venue has not shown. */
const doubtedIfFired = (order: TradeOrder): TradeOrder =>
  isFiredUnshown(order) && !isTerminal(order.orderStatus) ? inDoubtOf(order, "SUBMIT") : order
