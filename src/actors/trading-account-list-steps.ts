/**
 * The steps of a list's legs, each the next image of one order with what its commit sets off. An order that was let go leaves from the
 * commit callback, if nothing has happened meanwhile that forbids it.
 */
import { Decimal } from "../domain/decimal.ts"
import { changeOf, isRenewal } from "../domain/order-change.ts"
import { isOnItsWay } from "../domain/order-law.ts"
import { eventOf, moved, requestedReason } from "../domain/order-progress.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { OrderTerms } from "../domain/order-terms.ts"
import { type CancelReason, isFired, type OrderType, type TradeOrder } from "../domain/trade-order.ts"
import { cancelling, sendCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { deadlinesFrom, keepHere } from "./trading-account-dispatch.ts"
import type { Consequence, Live } from "./trading-account-live.ts"
import { heirOf } from "./trading-account-new-order.ts"
import { inquire } from "./trading-account-question.ts"
import { release } from "./trading-account-release.ts"

/** So long the confirmation of a cancel is waited for; then the venue is asked. */
export const CONFIRM_MILLIS = 1_500

const AT_MARKET: ReadonlySet<OrderType> = new Set(["STOP", "STOP_LOSS", "TAKE_PROFIT"])

interface Sized {
  readonly baseQuantity: Decimal
  readonly held: Decimal
}

export const sized = (order: TradeOrder, { baseQuantity, held }: Sized): TradeOrder =>
  baseQuantity.equals(order.baseQuantity)
    ? { ...order, held }
    : { ...order, baseQuantity, quantity: baseQuantity, orderQuantityType: "BASE", held }

/** A new order that does again what `order` did; version 0 until its first image is in a unit. */
export const successorOf = (core: AccountCore, order: TradeOrder): TradeOrder => {
  // A stop at market has a limit, and another time in force, only where the venue knows no market orders, and only from its firing on.
  const isAtMarket = AT_MARKET.has(order.orderType)
  return heirOf(core, order, {
    terms: order.terms && unfired(order.terms),
    limitPrice: isAtMarket ? null : order.limitPrice,
    timeInForce: isAtMarket && isFired(order) ? "GTC" : order.timeInForce,
    held: Decimal.ZERO,
  })
}

const unfired = (terms: OrderTerms): OrderTerms => ({
  ...terms,
  change: null,
  pairedWith: null,
  trigger: terms.trigger && {
    ...terms.trigger,
    // The list that the venue kept is over: from now on the gateway watches.
    execution: terms.pairedWith === null ? terms.trigger.execution : "EMULATED",
    armedAt: null,
    triggeredAt: null,
    triggeredBy: null,
    triggerPrice: null,
    health: "LIVE",
  },
})

export const create = (live: Live): Consequence => ({
  live,
  next: live.order,
  kind: "TRADE_ORDER.CREATED",
  committed: () => nowStored(live),
})

/** Whoever waited for the order goes on; not while it is on its way out, since then it can be neither withdrawn nor cancelled. */
export const nowStored = (live: Live): void => {
  if (live.stored || isGoing(live.order)) return
  live.stored = true
  for (const run of live.whenStored.splice(0)) run(true)
}

const isGoing = (order: TradeOrder): boolean => order.orderStatus === "CREATED" && isOnItsWay(order)

export const withdraw = (core: AccountCore, live: Live, cancelReason: CancelReason): Consequence => {
  const next = moved(live.order, "REVOKED", { cancelReason, canceledAt: core.parts.clock.now() })
  return { live, next, kind: eventOf(next) }
}

/** It is being cancelled to make place for another already: the same cancel ends it, and nothing takes its place. */
export const isMakingWay = ({ order, cancels }: Live): boolean =>
  isRenewal(changeOf(order)) && !order.cancelRequested && cancels._tag !== "UNSENT"

export const cancel = (core: AccountCore, live: Live): Consequence => {
  if (!isMakingWay(live)) live.cancels = { _tag: "UNSENT", sent: live.cancels.sent }
  const next = cancelling(core, live.order, "OCO_SIBLING")
  return {
    live,
    next,
    kind: eventOf(next),
    committed: () => {
      if (live.cancels._tag === "UNSENT") sendCancel(core, live)
      core.self.later(CONFIRM_MILLIS, () => {
        if (live.order.cancelRequested && !isTerminal(live.order.orderStatus))
          inquire(core, live, "no word of its cancel")
      })
    },
  }
}

/** Told as the state that it stays in, with its new size: no amend was made (contract C1). */
export const size = (live: Live, to: Sized): Consequence => {
  const next = sized(live.order, to)
  return { live, next, kind: next.baseQuantity === live.order.baseQuantity ? null : eventOf(next) }
}

/** The gateway watches its trigger from now on. */
export const arm = (core: AccountCore, live: Live, to: Sized): Consequence => {
  const order = sized(live.order, to)
  const { terms } = order
  const armedAt = core.parts.clock.now()
  const next = moved(order, "ACCEPTED", {
    terms: terms && { ...terms, trigger: terms.trigger && { ...terms.trigger, armedAt } },
  })
  return {
    live,
    next,
    kind: eventOf(next),
    committed: () => {
      nowStored(live)
      release(core, live)
    },
  }
}

/** To the venue. `mayLeave` is asked when the image is stored. */
export const send = (core: AccountCore, live: Live, to: Sized, mayLeave: () => boolean): Consequence => {
  const { notAfter, submitDeadline } = deadlinesFrom(core, core.parts.clock.now())
  // Until it has left, a cancel waits as for an order that is not stored yet.
  if (live.order.orderStatus === "CREATED") live.stored = false
  else live.isUnsent = true
  return {
    live,
    next: { ...sized(live.order, to), notAfter, submitDeadline },
    kind: null,
    committed: () => {
      core.parts.failpoint.hit("list.committed")
      live.isUnsent = false
      const { order } = live
      if (isTerminal(order.orderStatus)) return nowStored(live)
      const isLate = core.parts.clock.now() > notAfter
      if (order.cancelRequested) endUnsent(core, live)
      // Not a byte of it left: it waits again, and the list is looked at anew.
      else if (isLate || live.cancelledEarly || !mayLeave()) keepHere(core, live)
      else release(core, live)
      nowStored(live)
    },
  }
}

const endUnsent = (core: AccountCore, live: Live): void => {
  const { order } = live
  const next = moved(order, "CANCELLED", { cancelReason: requestedReason(order), canceledAt: core.parts.clock.now() })
  core.change(live, next, eventOf(next))
}
