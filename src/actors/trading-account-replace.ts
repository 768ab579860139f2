/**
 * A change of a working order (contract C1, PENDING_REPLACE): by the venue itself where it can, else by cancel and a new order in its
 * place. The new order is made in the unit that ends the old one, and only when it is known how much of that was executed.
 */
import { Decimal } from "../domain/decimal.ts"
import { changed, changeOf, isRenewal, type OrderChange, withChange } from "../domain/order-change.ts"
import { holdChanged } from "../domain/order-hold.ts"
import { maySend, replaceWayOf } from "../domain/order-law.ts"
import { eventOf, IllegalTransition, moved } from "../domain/order-progress.ts"
import type { RequestedChange } from "../domain/order-terms.ts"
import { placeOf, type TradeOrder } from "../domain/trade-order.ts"
import type { VenueAmend } from "../ports/venue-session.ts"
import { sendCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { take } from "./trading-account-evidence.ts"
import { type ChangeOutcome, type Consequence, type Live, NO_CANCELS, tellChange } from "./trading-account-live.ts"
import { armTrigger } from "./trading-account-trigger.ts"

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
  const held = ask.held ?? holdChanged(order, next, core.venue)
  if (ask.done !== undefined) live.changeWaiters.push(ask.done)
  const way = replaceWayOf(order)
  if (way === "NONE") throw new IllegalTransition(order, "changed")
  if (way === "HERE")
    return {
      live,
      next: { ...next, held },
      // REPLACED is the word of an amend that a venue has made (contract C1).
      kind: eventOf(next),
      committed: (stored) => {
        // Watched at its new price from now on.
        if (placeOf(live.order) === "ARMED") armTrigger(core, live)
        tellChange(live, { _tag: "Changed", order: stored })
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
  live.cancels = NO_CANCELS
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
  core.venue.capabilities.amend && core.connection.session?.amend !== undefined && (baseQuantity || limitPrice)
    ? "AMEND"
    : "RENEW"

const send = (core: AccountCore, live: Live): void => {
  const { order } = live
  const change = changeOf(order)
  if (change === null || !maySend(order, isRenewal(change) ? "CANCEL" : "AMEND")) return
  const { session } = core.connection
  if (session === null || (change.how === "AMEND" && session.amend === undefined)) {
    take(core, live, { _tag: "Unmade", reason: "the venue session is gone" })
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
    askedAt: change.askedAt,
  }
}
