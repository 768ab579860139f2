/**
 * What proves that an order was never placed (contract C3): it is neither among the venue's open orders nor among the trades since its
 * submit. One view of both serves all orders of an account that wait for it: after an outage they are many, and each view is dear.
 */
import { Effect, Exit } from "effect"
import type { VenueFill, VenueOrderState } from "../ports/venue-port.ts"
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
    let waiting: ReadonlyArray<readonly [Live, (seen: OpenAndFills | null) => void]> = []
    // Only once it is this question's turn: who has come by then is served, too.
    const question = Effect.suspend(() => {
      waiting = [...core.awaitingProof]
      core.awaitingProof.clear()
      const { session } = core
      if (session === null) return Effect.succeed(null)
      const orders = waiting.map(([{ order }]) => order)
      const since = Math.min(...orders.map(submittedAt)) - FILLS_MARGIN_MILLIS
      const instruments = [...new Set(orders.map(({ instrumentId }) => instrumentId))]
      return Effect.all({ open: session.fetchOpenOrders, fills: session.fetchFills(since, instruments) })
    })
    core.self.fork(core.listing(question), (exit) => {
      for (const [, judge] of waiting) judge(Exit.isSuccess(exit) ? exit.value : null)
      core.isProving = core.awaitingProof.size > 0
      if (core.isProving) nextView(core)
    })
  })
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
