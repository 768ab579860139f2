/**
 * What the private session reports, applied to its order. A report that cannot be applied is kept raw, and the order is asked for:
 * the actor never dies of a venue's word (order-path 3).
 */

import { Effect } from "effect"
import type { TradeOrderId } from "../domain/ids.ts"
import type { OrderEvidence } from "../domain/order-effects.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { SnapshotRow } from "../domain/portfolio.ts"
import type { SessionReport, VenueBalances, VenueSession } from "../ports/venue-session.ts"
import { cancelAnswered } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { applyFill, seen, take } from "./trading-account-evidence.ts"
import { seeStray, strayFill, withStray } from "./trading-account-foreign.ts"
import type { Live } from "./trading-account-live.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { decimal, venueId } from "./trading-account-text.ts"
import { mayBeShown } from "./trading-account-unnamed.ts"

/** Reports of orders and balances; what concerns the session itself is its keeper's affair. */
export type OrderReport = Exclude<
  SessionReport,
  { readonly _tag: "StreamDown" } | { readonly _tag: "StreamUp" } | { readonly _tag: "SessionRefused" }
>

export const applyReport = (core: AccountCore, report: OrderReport): void => {
  switch (report._tag) {
    case "BalancesSeen":
      applyBalances(core, report.balances)
      return
    case "OrderSeen": {
      const { state } = report
      const live = core.findAtVenue(state)
      if (live !== undefined) {
        attempt(core, live, report, () => seen(core, live, state, false))
        return
      }
      seeStray(core, state, report)
      return
    }
    case "Filled": {
      const { fill } = report
      const live = core.findAtVenue(fill)
      // Memory may have forgotten whose the trade is.
      const isUnsure = live === undefined || isTerminal(live.order.orderStatus) || core.mayBeForgotten(fill)
      if (isUnsure) strayFill(core, fill, false)
      else attempt(core, live, fill, () => applyFill(core, live, fill, false))
      return
    }
    default: {
      const live = core.orders.get(report.tradeOrderId)
      if (live !== undefined) {
        attempt(core, live, report, () => applyOutcome(core, live, report))
        return
      }
      withStray(core, stranger(report.tradeOrderId), (found) =>
        attempt(core, found, report, () => applyOutcome(core, found, report)),
      )
      return
    }
  }
}

const stranger = (tradeOrderId: TradeOrderId) => ({
  tradeOrderId,
  externalOrderId: "",
  state: null,
  instrumentId: null,
})

/** The venue takes no orders for an instrument at all: what its book shows is no price for anybody, dealers least of all. */
const MARKET_CLOSED = "MARKET_CLOSED"

type Outcome = Exclude<OrderReport, { readonly _tag: "BalancesSeen" | "OrderSeen" | "Filled" }>

const applyOutcome = (core: AccountCore, live: Live, report: Outcome): void => {
  if (report._tag === "CancelAccepted" || report._tag === "CancelRefused" || report._tag === "CancelInDoubt")
    cancelAnswered(live)
  if ("externalOrderId" in report) venueId(report.externalOrderId)
  if (report._tag === "Refused" && report.code === MARKET_CLOSED)
    core.parts.markets.marketClosed(live.order.instrumentId)
  const isUnproven = report._tag === "Refused" && mayBeShown(core, live)
  take(core, live, isUnproven ? unproven(report) : report)
}

/** The refusal of an order that may be shown without our id. */
const unproven = ({ code, at }: Extract<Outcome, { readonly _tag: "Refused" }>): OrderEvidence => ({
  _tag: "InDoubt",
  reason: `refused, and an order that may be it is shown: ${code}`,
  at,
})

/** `contains`: as many of the portfolio's movements were known when it was asked for, at `askedAt` (monotonic ms). */
export type AskedBalances = VenueBalances & { readonly contains: number; readonly askedAt: number }

export const fetchBalances = (core: AccountCore, session: Pick<VenueSession, "fetchBalances">) =>
  Effect.suspend(() => {
    const contains = core.portfolio.moveCount
    const askedAt = core.parts.clock.monotonic()
    return Effect.map(session.fetchBalances, (balances): AskedBalances => ({ ...balances, contains, askedAt }))
  })

/** A snapshot, or the part of one that changed (contract C10). A row that cannot be read leaves its asset as it was. */
export const applyBalances = (core: AccountCore, balances: VenueBalances | AskedBalances): void => {
  core.knowsMovesTo = Math.max(core.knowsMovesTo, balances.movedTo ?? 0)
  const rows: Array<SnapshotRow> = []
  const wasKnown = core.portfolio.isKnown
  let { complete } = balances
  let isWhole = true
  for (const row of balances.balances) {
    const read = attempt(core, null, row, () => ({
      asset: venueId(row.asset),
      available: decimal(row.available),
      locked: decimal(row.locked),
    }))
    if (read !== undefined) {
      rows.push(read)
      continue
    }
    isWhole = false
    // What is not listed would be zero; of the first snapshot nothing was known before.
    if (core.portfolio.isKnown) complete = false
  }
  const { at } = balances
  const contains = "contains" in balances ? balances.contains : 0
  const { touched, isContested } = core.portfolio.seen({
    rows,
    at,
    complete,
    included: core.includedAt(at),
    contains,
  })
  core.markDirty(touched)
  // A venue of this process tells in the order in which things happen.
  if (isContested && !core.venue.inProcess) core.askBalances()
  const events = core.changedPositions(core.parts.clock.now())
  const now = core.parts.clock.monotonic()
  // The first view of a process says nothing of what moves.
  if (events.length > 0 && wasKnown) core.balancesMovedAt = now
  if ("askedAt" in balances) {
    core.venueClock = { at, heardAt: now }
    // An asset that stays as it was says nothing of what has moved.
    if (isWhole) core.balancesAskedAt = Math.max(core.balancesAskedAt, balances.askedAt)
  }
  if (balances.complete)
    core.balancesSeenAt = Math.max(core.balancesSeenAt, "askedAt" in balances ? balances.askedAt : now)
  if (events.length > 0) core.commit([], events)
}
