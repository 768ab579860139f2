/**
 * Where an order goes once it is durable: to the venue, to the watch over its trigger, or nowhere while it waits for its parent. Called
 * from the commit callback of the unit that let it go.
 */
import { isTerminal } from "../domain/order-status.ts"
import { placeOf } from "../domain/trade-order.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { dispatch } from "./trading-account-dispatch.ts"
import { watchExpiry } from "./trading-account-expiry.ts"
import type { Live } from "./trading-account-live.ts"
import { armTrigger } from "./trading-account-trigger.ts"

export const release = (core: AccountCore, live: Live): void => {
  // It may have been withdrawn between its unit and the callback.
  if (isTerminal(live.order.orderStatus)) return
  if (live.order.expireAt !== null) watchExpiry(core, live)
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
