/** How the change of a working order ends (contract C1, PENDING_REPLACE): made, not made, or told by a view of the order. */
import { changeOf, isMadeBy, isRenewal, made, unmade } from "../change.ts"
import { isTerminal } from "../status.ts"
import type { TradeOrder } from "../trade-order.ts"
import type { OrderView } from "../view.ts"
import { doubtWhenShown } from "./doubt.ts"
import { changeTo, type Effects, type Known, NOTHING } from "./effects.ts"
import { eventOf, moved } from "./progress.ts"

/** How long an amend may be on its way before the venue's own expiry counts; and where the venue has none. */
const AMEND_MILLIS = 3_000
const AMEND_WITHOUT_EXPIRY_MILLIS = 30_000

/** The venue changed the order. */
export const changeMade = ({ order }: Known, externalOrderId: string | null, at: number | null): Effects => {
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
