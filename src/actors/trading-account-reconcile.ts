/**
 * Agreement with the venue (contract C3): what it shows is fetched, applied as ordinary evidence through the state machine, and
 * announced. The private stream is open before the first question, so nothing can fall between the two.
 */
import { Effect } from "effect"
import type { TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import { placeOf } from "../domain/trade-order.ts"
import type { OrderLookup, VenueBalances, VenueFill, VenueOrderState, VenueSession } from "../ports/venue-session.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { answered } from "./trading-account-doubt.ts"
import { applyFill, seen } from "./trading-account-evidence.ts"
import { foreignOrderId, strayFill, takeIn, withStray } from "./trading-account-foreign.ts"
import type { Live } from "./trading-account-live.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { areOutdated, type StoredOrders, storedOrders } from "./trading-account-recall.ts"
import { weighChange } from "./trading-account-replace.ts"
import { applyBalances } from "./trading-account-reports.ts"

/** What the venue shows, fetched in this order: a later answer is never older than an earlier one. */
export interface VenueView {
  readonly from: number
  readonly askedAt: number
  readonly open: ReadonlyArray<VenueOrderState>
  readonly fills: ReadonlyArray<VenueFill>
  readonly lookups: ReadonlyArray<readonly [TradeOrderId, OrderLookup]>
  readonly balances: VenueBalances
  /** Orders of the open list that memory does not have but the store does. */
  readonly stored: ReadonlyMap<TradeOrderId, StoredOrders>
}

/** The venue may know it. */
const isAtVenue = (live: Live): boolean => live.stored && placeOf(live.order) === "VENUE"

export const fetchView = (core: AccountCore, session: VenueSession) => {
  const from = core.fillsSince()
  const askedAt = core.parts.clock.now()
  return Effect.gen(function* () {
    const open = yield* session.fetchOpenOrders
    const instruments = new Set([...core.instruments(), ...open.map((it) => it.instrumentId)])
    const fills = instruments.size === 0 ? [] : yield* session.fetchFills(from, [...instruments])
    const shown = new Set(open.flatMap((it) => core.findAtVenue(it.tradeOrderId, it.externalOrderId) ?? []))
    const asked = core.openLives().filter((live) => isAtVenue(live) && !shown.has(live))
    const lookups = yield* Effect.forEach(asked, (live) =>
      Effect.map(
        core.budget(session.fetchOrder(core.refOf(live.order))),
        (it) => [live.order.tradeOrderId, it] as const,
      ),
    )
    const balances = yield* session.fetchBalances
    const stored = new Map<TradeOrderId, StoredOrders>()
    for (const state of open) {
      if (core.findAtVenue(state.tradeOrderId, state.externalOrderId) !== undefined) continue
      const id = idOf(core, state)
      stored.set(id, yield* storedOrders(core, { tradeOrderId: id }))
    }
    return { from, askedAt, open, fills, lookups, balances, stored } satisfies VenueView
  })
}

const idOf = (
  core: AccountCore,
  it: { readonly tradeOrderId: TradeOrderId | null; readonly externalOrderId: string },
) => core.idAtVenue(it.tradeOrderId, it.externalOrderId) ?? foreignOrderId(core, it.externalOrderId)

/** How much the view changed: for TRADING_ACCOUNT.RECONCILED. */
export interface Corrections {
  readonly backfilledExecutions: number
  readonly correctedOrders: number
}

export const applyView = (core: AccountCore, view: VenueView): Corrections => {
  const versions = new Map([...core.orders.values()].map(({ order }) => [order.tradeOrderId, order.version]))
  let backfilledExecutions = 0
  core.fillsSeenAt = view.askedAt
  const openIds = new Set(view.open.map((state) => idOf(core, state)))
  // Whose is what, before anything is applied: the trades of most venues name their order by the venue's id only.
  for (const state of view.open) {
    const id = idOf(core, state)
    const stored = view.stored.get(id) ?? []
    // It ended and left memory while the venue was asked: the next audit of open orders reads it again.
    if (areOutdated(core, stored)) continue
    const live = attempt(core, null, state, () => takeIn(core, { id, stored, state }))
    if (live !== undefined) core.knowAs(live, state.externalOrderId)
  }
  for (const [id, lookup] of view.lookups) {
    const live = core.orders.get(id)
    if (live === undefined || lookup._tag !== "Found") continue
    core.knowAs(live, lookup.state.externalOrderId)
    // Over by now: its trades were made on the terms that the venue shows, and would end it on those that it had before.
    const { state } = lookup
    attempt(core, live, lookup, () => weighChange(core, live, state, false))
  }
  // Trades first: they explain the quantities that the views name.
  for (const fill of view.fills) {
    const live = core.findAtVenue(fill.tradeOrderId, fill.externalOrderId)
    if (live === undefined) strayFill(core, fill)
    else if (attempt(core, live, fill, () => applyFill(core, live, fill))) backfilledExecutions++
  }
  core.parts.failpoint.hit("reconcile.halfway")
  for (const state of view.open) {
    const live = core.findAtVenue(state.tradeOrderId, state.externalOrderId)
    if (live !== undefined) attempt(core, live, state, () => answered(core, live, { _tag: "Found", state }))
  }
  for (const [id, lookup] of view.lookups) {
    const live = core.orders.get(id)
    if (live === undefined || isTerminal(live.order.orderStatus) || openIds.has(id)) continue
    attempt(core, live, lookup, () => answered(core, live, lookup))
  }
  applyBalances(core, view.balances)
  let correctedOrders = 0
  for (const { order } of core.orders.values())
    if (versions.get(order.tradeOrderId) !== order.version) correctedOrders++
  return { backfilledExecutions, correctedOrders }
}

/** One trade of an audit. False: new, and left to the stream, because its order was touched within `quietMillis`. */
export const auditFill = (core: AccountCore, fill: VenueFill, quietMillis: number): boolean => {
  const live = core.findAtVenue(fill.tradeOrderId, fill.externalOrderId)
  if (live === undefined) strayFill(core, fill)
  else if (core.ownerOf(fill) !== live.order.tradeOrderId) {
    if (core.parts.clock.monotonic() - live.touchedAt < quietMillis) return false
    attempt(core, live, fill, () => applyFill(core, live, fill))
  }
  return true
}

/** Orders that rest too long without a word are looked for (audits; orders touched in the last 5 s are left alone). */
export const auditOpen = (core: AccountCore, open: ReadonlyArray<VenueOrderState>, quietMillis: number): void => {
  const now = core.parts.clock.monotonic()
  const shown = new Set<Live>()
  for (const state of open) {
    const live = core.findAtVenue(state.tradeOrderId, state.externalOrderId)
    if (live !== undefined) {
      shown.add(live)
      if (now - live.touchedAt >= quietMillis) attempt(core, live, state, () => seen(core, live, state, false))
      continue
    }
    const { tradeOrderId, externalOrderId, instrumentId } = state
    withStray(core, { tradeOrderId, externalOrderId, instrumentId, state }, (found) => {
      attempt(core, found, state, () => seen(core, found, state, false))
    })
  }
  for (const live of core.openLives())
    if (isAtVenue(live) && !shown.has(live) && live.doubt === null && now - live.touchedAt >= quietMillis)
      core.look(live, "not among the venue's open orders")
}
