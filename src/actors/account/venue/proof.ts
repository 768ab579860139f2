/**
 * What proves that an order was never placed (contract C3): it is neither among the venue's open orders nor among the trades since its submit,
 * from the venue's lists and the private stream (some venues list a trade a minute late). One view of both serves all doubtful orders of an
 * account: after an outage there are many, and each view is expensive.
 */
import { Effect, Exit } from "effect"
import { tradeKey } from "../../../ports/account-store.ts"
import type { VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore, OpenAndFills } from "../core.ts"
import type { NamesAtVenue } from "../order-memory.ts"
import { tradesSince } from "../orders/dispatch.ts"
import type { WorkingOrder } from "../working-order.ts"
import { askNames, listedFills, namesOf, ownersOf } from "./names.ts"
import { goneThatMayBe, mayBeHidden, strayName, suspectsOf } from "./unnamed.ts"

/** Orders that fell into doubt together are ripe together. */
const GATHER_MILLIS = 1_000

export interface Proof {
  readonly state: VenueOrderState | undefined
  readonly fills: ReadonlyArray<VenueFill>
  /** Trades of its side that no known order explains: any of them may be the order's. */
  readonly unowned: ReadonlyArray<VenueFill>
  /** Open orders without a name of ours that may be this one, and that the account has not seen. */
  readonly unnamed: ReadonlyArray<VenueOrderState>
  /** One that may be it was shown, and is over. */
  readonly isHidden: boolean
  /** The one that was shown and may be it, which is not open any more; null: none, or several. */
  readonly gone: VenueOrderState | null
}

/** `judge` hears once, of a view that was asked for after this call; null: there was none. */
export const prove = (core: AccountCore, working: WorkingOrder, judge: (proof: Proof | null) => void): void => {
  core.proofs.waiting.set(working, (seen) => judge(seen === null ? null : proofOf(core, working, seen)))
  if (core.proofs.isUnderWay) return
  core.proofs.isUnderWay = true
  nextView(core)
}

const nextView = (core: AccountCore): void => {
  core.self.later(GATHER_MILLIS, () => {
    const waiting = [...core.proofs.waiting]
    core.proofs.waiting.clear()
    // Out of turn: an order in doubt waits neither for the account's audits nor, at the venue's budget, for those of others.
    core.self.fork(viewOf(core, waiting), (exit) => {
      for (const [, judge] of waiting) judge(Exit.isSuccess(exit) ? exit.value : null)
      core.proofs.isUnderWay = core.proofs.waiting.size > 0
      if (core.proofs.isUnderWay) nextView(core)
    })
  })
}

const viewOf = (core: AccountCore, waiting: ReadonlyArray<readonly [WorkingOrder, unknown]>) => {
  const { session } = core.connection
  if (session === null) return Effect.succeed(null)
  const since = Math.min(...waiting.map(([working]) => tradesSince(core, working)))
  const instruments = [...new Set(waiting.map(([{ order }]) => order.instrumentId))]
  const asked = session.forProof ?? session
  return Effect.all({ open: asked.fetchOpenOrders, fills: listedFills(core, asked, since, instruments) }).pipe(
    Effect.flatMap(({ open, fills: listed }) => {
      const keys = new Set(listed.map(tradeKey))
      const heard = core.strays.heardTrades().flatMap(({ fill }) => (keys.has(tradeKey(fill)) ? [] : fill))
      const fills = [...listed, ...heard]
      const unnamed = fills.filter((it) => it.tradeOrderId === null)
      return Effect.map(askNames(core, namesOf(unnamed)), (names): OpenAndFills => ({ open, fills, names }))
    }),
  )
}

const proofOf = (core: AccountCore, working: WorkingOrder, { open, fills, names }: OpenAndFills): Proof => {
  const { order } = working
  const isKnown = (fill: VenueFill): boolean => {
    const { counted, named } = ownersOf(core.orders, fill, names)
    return counted !== undefined || named !== undefined
  }
  const isIt = (it: NamesAtVenue): boolean =>
    it.tradeOrderId === order.tradeOrderId ||
    (it.externalOrderId === order.externalOrderId && it.instrumentId === order.instrumentId)
  const since = tradesSince(core, working)
  const unowned = fills.filter(
    (it) =>
      it.instrumentId === order.instrumentId &&
      it.orderSide === order.orderSide &&
      it.executedAt >= since &&
      it.tradeOrderId === null &&
      !isKnown(it) &&
      !core.strays.isWithheld(strayName(it)),
  )
  const unnamed = open.filter(
    (it) =>
      core.orders.idAtVenue(it) === undefined &&
      !core.strays.isWithheld(strayName(it)) &&
      suspectsOf(core, it).includes(working),
  )
  const own = fills.filter((it) => isIt(it) && core.orders.ownerOf(it) !== order.tradeOrderId)
  const isHidden = mayBeHidden(core, working, open)
  return { state: open.find(isIt), fills: own, unowned, unnamed, isHidden, gone: goneThatMayBe(core, working, open) }
}
