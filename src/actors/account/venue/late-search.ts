/**
 * Orders that were given up are asked for by our id again: a venue may list a trade, and show an order that it has filled, later than the
 * proof takes that the order was never placed. What it shows then is booked like any late evidence.
 */
import { Exit } from "effect"
import type { AccountCore } from "../core.ts"
import { seen } from "./evidence.ts"
import { seeStray } from "./foreign.ts"
import { attempt } from "./quarantine.ts"

/** Those whose time it is. One whose question fails is due again in a moment. */
export const askForLate = (core: AccountCore): void => {
  const { session } = core.connection
  if (session === null || core.venue.inProcess || !core.connection.isAuditable) return
  for (const { tradeOrderId, instrumentId } of core.late.due()) {
    const ref = { tradeOrderId, externalOrderId: null, instrumentId }
    core.self.fork(core.connection.budget(session.fetchOrder(ref)), (exit) => {
      if (Exit.isFailure(exit)) return
      core.late.looked(tradeOrderId)
      if (exit.value._tag === "NotFound") return
      const state = { ...exit.value.state, tradeOrderId }
      const live = core.orders.get(tradeOrderId)
      if (live === undefined) return seeStray(core, state)
      attempt(core, live, state, () => {
        core.orders.knowAs(live, state.externalOrderId)
        seen(core, live, state, true)
      })
    })
  }
}
