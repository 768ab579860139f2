/**
 * The expiry of GTD and DAY orders that their venue does not expire itself (contract C6). An order waiting here becomes EXPIRED at its time; one
 * working at the venue is cancelled, and becomes EXPIRED once that is confirmed, also when an earlier process requested it.
 */

import { cancelWayOf } from "../../../domain/order/evidence/law.ts"
import { eventOf, moved } from "../../../domain/order/evidence/progress.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { AccountCore } from "../core.ts"
import { requestCancel } from "../orders/cancel.ts"
import type { WorkingOrder } from "../working-order.ts"

/** Timers cannot be set for a year. */
const STEP_MAX_MILLIS = 86_400_000
/** An order that is on its way this very moment. */
const SOON_MILLIS = 100
/** A cancel that was refused is asked for again; so is a venue that lets an order live on. */
const AGAIN_MILLIS = 5_000

/** How late a venue that ends orders itself may be: some count whole seconds. */
const VENUE_LATE_MILLIS = 2_000

/** Ends the order at its `expireAt`. */
export const watchExpiry = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  if (isTerminal(order.orderStatus) || order.expireAt === null || order.origin === "EXTERNAL") return
  const way = cancelWayOf(order)
  const left = order.expireAt - core.parts.clock.now()
  if (left > 0) wait(core, working, left)
  else if (!working.stored) wait(core, working, SOON_MILLIS)
  else if (way === "WITHDRAW") {
    const next = moved(order, "EXPIRED")
    core.change(working, next, eventOf(next))
  } else if (
    left > -VENUE_LATE_MILLIS &&
    core.parts.venues.find(order.venue)?.capabilities.nativeTimesInForce.includes("GTD") === true
  ) {
    // The venue ends it, and says so. What it took without an expiry (too near or too far for it) is cancelled after all.
    wait(core, working, VENUE_LATE_MILLIS)
  } else if (way === "SEND" || way === "JOIN") {
    requestCancel(core, working, "VENUE")
    wait(core, working, AGAIN_MILLIS)
  } else wait(core, working, SOON_MILLIS)
}

const wait = (core: AccountCore, working: WorkingOrder, millis: number): void => {
  working.expiry?.()
  working.expiry = core.self.later(Math.min(STEP_MAX_MILLIS, millis), () => {
    working.expiry = null
    watchExpiry(core, working)
  })
}
