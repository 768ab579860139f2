/**
 * The truth of one order, read from the venue anew: what the store refused of it twice may be taken by now. The one thing to know: only
 * what the venue says then is applied, by the ways of every audit; nothing is kept from the first time.
 */
import { Effect, Exit } from "effect"
import type { TradeOrderId } from "../domain/ids.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { answered } from "./trading-account-doubt.ts"
import type { Live } from "./trading-account-live.ts"
import { listedFills } from "./trading-account-names.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { auditFills } from "./trading-account-reconcile.ts"
import { tradesSince } from "./trading-account-release.ts"

/** From one question that had no answer to the next. */
const AGAIN_MILLIS = 60_000

export const keepReadingAgain = (core: AccountCore): ((live: Live, millis: number) => void) => {
  /** One timer each. */
  const waiting = new Set<TradeOrderId>()

  const later = (live: Live, millis: number): void => {
    const { tradeOrderId } = live.order
    if (waiting.has(tradeOrderId)) return
    waiting.add(tradeOrderId)
    core.self.later(millis, () => {
      waiting.delete(tradeOrderId)
      read(live)
    })
  }

  const read = (live: Live): void => {
    const { session } = core
    if (session === null) return later(live, AGAIN_MILLIS)
    const { order } = live
    const since = tradesSince(core, live)
    const question = Effect.all({
      lookup: session.fetchOrder(core.refOf(order)),
      fills: listedFills(core, session, since, [order.instrumentId]),
    })
    core.self.fork(core.listing(question), (exit) => {
      if (Exit.isFailure(exit)) return later(live, AGAIN_MILLIS)
      const { fills, lookup } = exit.value
      const now = core.orders.get(order.tradeOrderId)
      if (now !== undefined && lookup._tag === "Found") core.knowAs(now, lookup.state.externalOrderId)
      // Trades first: they explain the quantities that the view names. Those of an order that has left memory bring it back.
      auditFills(core, fills, 0)
      if (now !== undefined && now === core.orders.get(order.tradeOrderId))
        attempt(core, now, lookup, () => answered(core, now, lookup))
    })
  }

  return later
}
