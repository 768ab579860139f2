/**
 * Where an order goes once it is durable: to the venue, to the watch over its trigger, or nowhere while it waits for its parent. Called
 * from the commit callback of the unit that let it go.
 */
import { isTerminal } from "../../../domain/order/status.ts"
import { placeOf } from "../../../domain/order/trade-order.ts"
import { watchExpiry } from "../contingent/expiry.ts"
import { armTrigger } from "../contingent/trigger.ts"
import type { AccountCore } from "../core.ts"
import type { Live } from "../live.ts"
import { dispatch } from "./dispatch.ts"

export const release = (core: AccountCore, live: Live): void => {
  // It may have been withdrawn between its unit and the callback.
  if (isTerminal(live.order.orderStatus)) return
  watchExpiry(core, live)
  switch (placeOf(live.order)) {
    case "WAITING":
    case "DEALER":
      return
    case "ARMED":
      armTrigger(core, live)
      return
    case "VENUE":
      dispatch(core, live)
  }
}
