/**
 * What proves that an order was never placed (contract C3): it is neither among the venue's open orders nor among the trades since its
 * submit. One view of both serves all orders of an account that wait for it: after an outage they are many, and each view is dear.
 */
import { Effect, Exit } from "effect"
import type { VenueFill, VenueOrderState } from "../ports/venue-session.ts"
import { type AccountCore, FILLS_MARGIN_MILLIS, type OpenAndFills } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"
import { submittedAt } from "./trading-account-release.ts"

/** Orders that fell into doubt together are ripe together. */
const GATHER_MILLIS = 1_000

export interface Proof {
  readonly state: VenueOrderState | undefined
  readonly fills: ReadonlyArray<VenueFill>
  /** Trades of its side that no known order explains: any of them may be the order's. */
  readonly unowned: ReadonlyArray<VenueFill>
}

/** `judge` hears once, of a view that was asked for after this call; null: there was none. */
export const prove = (core: AccountCore, live: Live, judge: (proof: Proof | null) => void): void => {
  core.awaitingProof.set(live, (seen) => judge(seen === null ? null : proofOf(core, live, seen)))
  if (core.isProving) return
  core.isProving = true
  nextView(core)
}

const nextView = (core: AccountCore): void => {
  core.self.later(GATHER_MILLIS, () => {
    const waiting = [...core.awaitingProof]
    core.awaitingProof.clear()
    // Out of turn: an order in doubt waits neither for the account's audits nor, at the venue's budget, for those of others.
    core.self.fork(viewOf(core, waiting), (exit) => {
      for (const [, judge] of waiting) judge(Exit.isSuccess(exit) ? exit.value : null)
      core.isProving = core.awaitingProof.size > 0
      if (core.isProving) nextView(core)
    })
  })
}

const viewOf = ({ session }: AccountCore, waiting: ReadonlyArray<readonly [Live, unknown]>) => {
  if (session === null) return Effect.succeed(null)
  const orders = waiting.map(([{ order }]) => order)
  const since = Math.min(...orders.map(submittedAt)) - FILLS_MARGIN_MILLIS
  const instruments = [...new Set(orders.map(({ instrumentId }) => instrumentId))]
  const { fetchOpenOrders, fetchFills } = session.forProof ?? session
  return Effect.all({ open: fetchOpenOrders, fills: fetchFills(since, instruments) })
}

const proofOf = (core: AccountCore, { order }: Live, { open, fills }: OpenAndFills): Proof => {
  const isIt = (it: { readonly tradeOrderId: string | null; readonly externalOrderId: string }): boolean =>
    it.tradeOrderId === order.tradeOrderId || it.externalOrderId === order.externalOrderId
  const executions = new Set(order.executions.map((it) => it.externalTradeId))
  const since = submittedAt(order) - FILLS_MARGIN_MILLIS
  const unowned = fills.filter(
    (it) =>
      it.instrumentId === order.instrumentId &&
      it.orderSide === order.orderSide &&
      it.executedAt >= since &&
      it.tradeOrderId === null &&
      core.idAtVenue(null, it.externalOrderId) === undefined &&
      core.ownerOf(it) === undefined,
  )
  const own = fills.filter((it) => isIt(it) && !executions.has(it.externalTradeId))
  return { state: open.find(isIt), fills: own, unowned }
}
