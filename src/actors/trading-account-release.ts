/**
 * Where an order goes once it is durable: to the venue, to the watch over its trigger, or nowhere while it waits for its parent. Called
 * from the commit callback of the unit that let it go.
 */
import { placeOf, releasedType, type TradeOrder } from "../domain/trade-order.ts"
import type { VenueOrder, VenueTrigger } from "../ports/venue-port.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"
import { moved } from "./trading-account-progress.ts"

export const release = (core: AccountCore, live: Live): void => {
  switch (placeOf(live.order)) {
    case "WAITING":
      return
    case "ARMED":
      core.arm(live)
      return
    case "VENUE":
      dispatch(core, live)
  }
}

/** To the venue. The caller has made sure that there is a session. */
export const dispatch = (core: AccountCore, live: Live): void => {
  const { order } = live
  // A released trigger stays ACCEPTED (contract C5): only what comes straight from CREATED is SUBMITTED.
  if (order.orderStatus === "CREATED") {
    live.unsavedSubmit = moved(order, "SUBMITTED", { version: order.version + 1, updatedAt: core.parts.clock.now() })
    live.order = live.unsavedSubmit
  }
  live.touchedAt = core.parts.clock.monotonic()
  core.session!.submit(venueOrderOf(core, order))
  core.parts.failpoint.hit("submit.dispatched")
}

const venueOrderOf = (core: AccountCore, order: TradeOrder): VenueOrder => {
  const { terms, expireAt } = order
  // One that has fired at the venue is a plain order, also when another takes its place.
  const isNative = terms?.trigger?.execution === "NATIVE" && terms.trigger.triggeredAt === null
  const trigger = isNative ? terms.trigger : null
  const isTimed = expireAt !== null && core.venue.capabilities.nativeTimesInForce.includes("GTD")
  return {
    tradeOrderId: order.tradeOrderId,
    instrumentId: order.instrumentId,
    orderSide: order.orderSide,
    orderType: releasedType(order),
    timeInForce: order.timeInForce,
    quantity: order.baseQuantity.toString(),
    limitPrice: order.limitPrice?.toString() ?? null,
    ...(trigger !== null && { trigger: venueTriggerOf(trigger) }),
    ...(isTimed && { expireAt }),
    ...(terms?.budget && { cost: terms.budget.amount.toString() }),
    ...(terms?.leverage && { leverage: terms.leverage }),
    notAfter: order.notAfter!,
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
