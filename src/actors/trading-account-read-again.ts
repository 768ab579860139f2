/**
 * The truth of one order, read from the venue anew: what the store refused of it twice may be taken by now. The one thing to know: only
 * what the venue says then is applied, by the ways of every audit; nothing is kept from the first time.
 */
import { Effect, Exit } from "effect"
import type { AccountCore } from "./trading-account-core.ts"
import { tradesSince } from "./trading-account-dispatch.ts"
import { answered } from "./trading-account-doubt.ts"
import type { Live } from "./trading-account-live.ts"
import { listedFills } from "./trading-account-names.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { auditFills } from "./trading-account-reconcile.ts"

/** From one question that had no answer to the next. */
const AGAIN_MILLIS = 60_000

export const readAgain = (core: AccountCore, live: Live, millis: number): void => {
  const { tradeOrderId } = live.order
  // One timer each.
  if (core.readingAgain.has(tradeOrderId)) return
  core.readingAgain.add(tradeOrderId)
  core.self.later(millis, () => {
    core.readingAgain.delete(tradeOrderId)
    read(core, live)
  })
}

const read = (core: AccountCore, live: Live): void => {
  const { session } = core.connection
  if (session === null) return readAgain(core, live, AGAIN_MILLIS)
  const { order } = live
  const since = tradesSince(core, live)
  const question = Effect.all({
    lookup: session.fetchOrder(core.refOf(order)),
    fills: listedFills(core, session, since, [order.instrumentId]),
  })
  core.self.fork(core.connection.listing(question), (exit) => {
    if (Exit.isFailure(exit)) return readAgain(core, live, AGAIN_MILLIS)
    const { fills, lookup } = exit.value
    const now = core.orders.get(order.tradeOrderId)
    if (now !== undefined && lookup._tag === "Found") core.orders.knowAs(now, lookup.state.externalOrderId)
    // Trades first: they explain the quantities that the view names. Those of an order that has left memory bring it back.
    auditFills(core, fills, 0)
    if (now !== undefined && now === core.orders.get(order.tradeOrderId))
      attempt(core, now, lookup, () => answered(core, now, lookup))
  })
}
