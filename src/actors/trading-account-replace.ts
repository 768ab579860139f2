/**
 * A change of a working order (contract C1, PENDING_REPLACE): by the venue itself where it can, else by cancel and a new order in its
 * place. The new order is made in the unit that ends the old one, and only when it is known how much of that was executed.
 */
import { Decimal } from "../domain/decimal.ts"
import {
  changed,
  changeOf,
  heldAs,
  isMadeBy,
  isRenewal,
  made,
  type OrderChange,
  unmade,
  withChange,
} from "../domain/order-change.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { RequestedChange } from "../domain/order-terms.ts"
import { placeOf, type TradeOrder } from "../domain/trade-order.ts"
import type { VenueAmend, VenueOrderState } from "../ports/venue-session.ts"
import { sendCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Alert, ChangeOutcome, Consequence, Live } from "./trading-account-live.ts"
import { heirOf } from "./trading-account-new-order.ts"
import { cancelled, eventOf, moved } from "./trading-account-progress.ts"
import { release, withDeadline } from "./trading-account-release.ts"

/** Past this the new order of a renewal is not placed any more: its price is stale. */
const RENEW_MILLIS = 30_000
/** How long an amend may be on its way before the venue's own expiry counts; and where the venue has none. */
const AMEND_MILLIS = 3_000
const AMEND_WITHOUT_EXPIRY_MILLIS = 30_000

export interface ChangeAsk {
  /** Absent: as the venue can. */
  readonly how?: RequestedChange["how"]
  /** What the changed order holds; absent: in proportion to what it holds now. */
  readonly held?: Decimal
  /** Told once, from the commit callback of the unit that decided it. */
  readonly done?: (outcome: ChangeOutcome) => void
}

/**
 * In the row where the venue does not have the order, else by amend or renewal. The caller has checked the values, and that the order
 * is ACCEPTED, PARTIALLY_FILLED, armed or waiting, with no cancel and no other change under way.
 */
export const changeOrder = (core: AccountCore, live: Live, change: OrderChange, ask: ChangeAsk = {}): void => {
  const { next, kind, committed } = changing(core, live, change, ask)
  core.change(live, next, kind, { ...(committed && { committed }) })
}

/** As `changeOrder`, for a unit that changes other orders too: an answer to `consequences`, or one of `others`. */
export const changing = (core: AccountCore, live: Live, change: OrderChange, ask: ChangeAsk = {}): Consequence => {
  const { order } = live
  const next = changed(order, change)
  const held = ask.held ?? heldAs(order, next)
  if (ask.done !== undefined) live.changeWaiters.push(ask.done)
  const place = placeOf(order)
  if (place !== "VENUE")
    return {
      live,
      next: { ...next, held },
      kind: "TRADE_ORDER.REPLACED",
      committed: (stored) => {
        // Watched at its new price from now on.
        if (placeOf(live.order) === "ARMED") core.arm(live)
        tell(live, { _tag: "Changed", order: stored })
      },
    }
  const asked: RequestedChange = {
    how: ask.how ?? wayOf(core, change),
    baseQuantity: change.baseQuantity ?? null,
    limitPrice: change.limitPrice ?? null,
    stopPrice: change.stopPrice ?? null,
    askedAt: core.parts.clock.now(),
    executedBefore: order.executedQuantity,
    heldBefore: order.held,
    held,
  }
  live.cancelSentAt = null
  live.cancelsSent = 0
  return {
    live,
    next: moved(withChange(order, asked), "PENDING_REPLACE", {
      statusBeforeCancel: order.orderStatus,
      held: Decimal.max(order.held, held),
    }),
    kind: "TRADE_ORDER.PENDING_REPLACE",
    committed: () => send(core, live),
  }
}

/** An amend whose outcome gets lost is told by the order itself: only where the venue shows what was changed. */
const wayOf = (core: AccountCore, { baseQuantity, limitPrice }: OrderChange): RequestedChange["how"] =>
  core.venue.capabilities.amend && core.session?.amend !== undefined && (baseQuantity || limitPrice) ? "AMEND" : "RENEW"

const tell = (live: Live, outcome: ChangeOutcome): void => {
  for (const run of live.changeWaiters.splice(0)) run(outcome)
}

const send = (core: AccountCore, live: Live): void => {
  const { order } = live
  const change = changeOf(order)
  if (change === null || order.cancelRequested || isTerminal(order.orderStatus)) return
  const { session } = core
  if (session === null || (change.how === "AMEND" && session.amend === undefined)) {
    changeNotMade(core, live, "the venue session is gone", null)
    return
  }
  if (isRenewal(change)) sendCancel(core, live)
  else {
    session.amend?.(core.refOf(order), amendOf(order, change))
    core.parts.failpoint.hit("amend.dispatched")
  }
}

const amendOf = (order: TradeOrder, change: RequestedChange): VenueAmend => {
  const { baseQuantity, limitPrice, terms } = changed(order, change)
  const trigger = terms?.trigger ?? null
  const isWaiting = trigger !== null && trigger.execution === "NATIVE" && trigger.triggeredAt === null
  return {
    quantity: baseQuantity.toString(),
    limitPrice: limitPrice?.toString() ?? null,
    stopPrice: isWaiting ? trigger.stopPrice.toString() : null,
    ...((order.orderType === "LIMIT_MAKER" || order.timeInForce === "GTX") && { postOnly: true }),
  }
}

/** The order is being cancelled to make place for a new one. */
export const isRenewing = (order: TradeOrder): boolean => isRenewal(changeOf(order)) && !order.cancelRequested

/** A renewal that is still worth going on with. */
export const isRenewalDue = (core: AccountCore, order: TradeOrder): boolean =>
  isRenewing(order) && core.parts.clock.now() <= (changeOf(order)?.askedAt ?? 0) + RENEW_MILLIS

/** The venue changed the order. */
export const changeMade = (core: AccountCore, live: Live, externalOrderId: string | null, at: number | null): void => {
  const { order } = live
  const change = changeOf(order)
  if (change === null || isTerminal(order.orderStatus)) return
  const next: TradeOrder = {
    ...made(order, change),
    externalOrderId: externalOrderId ?? order.externalOrderId,
    inDoubt: order.cancelRequested && order.inDoubt,
  }
  if (next.executedQuantity.atLeast(next.baseQuantity)) {
    const filled = moved(next, "FILLED")
    core.change(live, filled, eventOf(filled), { at })
    return
  }
  const committed = (stored: TradeOrder): void => tell(live, { _tag: "Changed", order: stored })
  if (order.cancelRequested) {
    // Its end is being asked for: the new values are told with that.
    core.change(live, next, null, { at, committed })
    return
  }
  const replaced = moved(next, "REPLACED", { statusBeforeCancel: null })
  const works = moved(replaced, next.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED")
  const others = [{ live, next: works, kind: eventOf(works), committed }]
  core.change(live, replaced, "TRADE_ORDER.REPLACED", { at, others })
  core.askBalances()
}

/** The venue did not change the order, and will not: it works on as it was. */
export const changeNotMade = (core: AccountCore, live: Live, reason: string, at: number | null): void => {
  const back = withoutChange(live.order)
  if (back === live.order) return
  const kind = live.order.cancelRequested ? null : eventOf(back)
  const committed = (stored: TradeOrder): void => tell(live, { _tag: "Refused", order: stored, reason })
  core.change(live, back, kind, { at, committed })
}

/** The order as it was before the change that is under way, with what was executed meanwhile; the same image when there is none. */
export const withoutChange = (order: TradeOrder): TradeOrder => {
  const change = changeOf(order)
  if (change === null || isTerminal(order.orderStatus)) return order
  const next: TradeOrder = { ...unmade(order, change), inDoubt: order.cancelRequested && order.inDoubt }
  if (order.cancelRequested) return next
  const isFilled = next.executedQuantity.atLeast(next.baseQuantity)
  const to = isFilled ? "FILLED" : next.executedQuantity.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED"
  return order.orderStatus === to
    ? { ...next, statusBeforeCancel: null }
    : moved(next, to, { statusBeforeCancel: null })
}

/**
 * What a view of the working order says of an amend. `asked`: the answer to a question of ours. That nothing was changed counts only when
 * the amend cannot arrive any more.
 */
export const weighChange = (core: AccountCore, live: Live, state: VenueOrderState, asked: boolean): void => {
  const { order } = live
  const change = changeOf(order)
  if (change === null || isRenewal(change)) return
  const isMade = isMadeBy(order, change, state)
  if (isMade === true) {
    changeMade(core, live, state.externalOrderId, state.updatedAt)
    return
  }
  const expiry = core.venue.orderExpiryMillis ?? AMEND_WITHOUT_EXPIRY_MILLIS
  const isOver = core.parts.clock.now() > change.askedAt + AMEND_MILLIS + expiry
  if (asked && isMade === false && isOver)
    changeNotMade(core, live, "the venue shows the order unchanged", state.updatedAt)
}

/** The order ends CANCELLED; where it was cancelled for a change, the order that takes its place begins in the same unit. */
export const endCancelled = (core: AccountCore, live: Live, next: TradeOrder, at: number | null): void => {
  const { order } = live
  const change = changeOf(order)
  // What takes the place of an exit that makes way for a pair is the list's affair.
  if (change?.how !== "RENEW" || !isRenewing(order) || next.cancelReason !== "REPLACED") {
    core.change(live, next, eventOf(next), { at })
    return
  }
  core.parts.failpoint.hit("renew.confirmed")
  const aim = changed(withChange(order, null), change)
  const rest = aim.baseQuantity.subtract(order.executedQuantity)
  const hindrance = hindranceOf(core, order, aim, rest)
  if (hindrance !== null) {
    const { tradeOrderId } = order
    const message = `cancelled and not replaced: ${hindrance}`
    const alerts: ReadonlyArray<Alert> = rest.isPositive()
      ? [{ code: "NOT_REPLACED", severity: "CRITICAL", message, tradeOrderId }]
      : []
    core.change(live, next, eventOf(next), { at, alerts })
    return
  }
  const image = heirOf(core, made(order, change), { quantity: rest, baseQuantity: rest })
  const heir = core.add(withDeadline(core, image))
  const waiters = live.changeWaiters.splice(0)
  core.change(live, next, eventOf(next), {
    at,
    others: [
      {
        live: heir,
        next: heir.order,
        kind: "TRADE_ORDER.CREATED",
        committed: (stored) => {
          letGo(core, heir)
          for (const run of waiters) run({ _tag: "Renewed", order: stored, by: heir })
        },
      },
    ],
  })
  core.askBalances()
}

const hindranceOf = (core: AccountCore, order: TradeOrder, aim: TradeOrder, rest: Decimal): string | null => {
  if (!rest.isPositive()) return "nothing is left of it"
  if (!isRenewalDue(core, order)) return "the venue confirmed the cancel too late"
  if (core.account.status === "LOCKED" || core.account.status === "DISCONNECTED") return "the account is disconnected"
  const instrument = core.parts.instruments.find(order.instrumentId)
  if (instrument === undefined) return null
  const { minQuantity, minNotional } = instrument
  const notional = aim.limitPrice?.multiply(rest) ?? null
  const isSmall = minNotional !== null && notional?.lessThan(minNotional) === true
  return isSmall || rest.lessThan(minQuantity) ? "what is left is below the venue's minimum" : null
}

/** The new order is durable: to the venue, unless it is too late, unwanted by now, or there is no session. */
const letGo = (core: AccountCore, live: Live): void => {
  core.parts.failpoint.hit("renew.committed")
  live.stored = true
  const waiting = live.whenStored.splice(0)
  const { order } = live
  const now = core.parts.clock.now()
  const isLocked = core.account.status === "LOCKED" || core.account.status === "DISCONNECTED"
  const isLate = now > (order.notAfter ?? now)
  if (live.cancelledEarly || isLocked) {
    const next = cancelled(order, live.cancelledEarly ? "USER_REQUEST" : "ACCOUNT_DISCONNECTED", now)
    core.change(live, next, eventOf(next))
  } else if (isLate || core.session === null) {
    const rejectReason = isLate ? "GATEWAY_LATE" : "NOT_SENT: the venue session is gone"
    const next = moved(order, "REJECTED", { rejectReason })
    core.change(live, next, eventOf(next))
  } else release(core, live)
  for (const run of waiting) run(true)
}
