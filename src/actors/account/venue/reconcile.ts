/**
 * Reconciliation with the venue (contract C3): its state is fetched, applied as ordinary evidence through the state machine, and announced. The
 * private stream is open before the first query, so nothing is lost between the two.
 */
import { Effect, Exit } from "effect"
import type { VenueUnavailable } from "../../../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId } from "../../../domain/ids.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { venueOrderKey } from "../../../ports/account-store.ts"
import type {
  EndedSince,
  OrderLookup,
  VenueFill,
  VenueLists,
  VenueOrderState,
  VenueSession,
} from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { tradesSince } from "../orders/dispatch.ts"
import { areOutdated, type StoredOrders, storedOrders } from "../orders/recall.ts"
import { type FillScan, mayBeThere, type WorkingOrder } from "../working-order.ts"
import { type AskedBalances, applyBalances, fetchBalances } from "./balances.ts"
import { answered, cancelAgain, listed } from "./doubt.ts"
import { applyFill, seen, weighChange } from "./evidence.ts"
import { isWhole, readOn, scanOf, taken, wholeScan } from "./fill-scan.ts"
import { foreignOrderId, seeStray, strayFill, takeIn } from "./foreign.ts"
import { seenAtStart } from "./lingering.ts"
import { askNames, isName, listedFills, ownerOf } from "./names.ts"
import { attempt, decimal } from "./quarantine.ts"
import { inquire } from "./question.ts"
import { FILLS_MARGIN_MILLIS } from "./trades.ts"
import { mayBeOurs } from "./unnamed.ts"

/** So long an account waits for the trades and the ends of its absence; what is not read by then is read beside its work. */
const BEFORE_OPEN_MILLIS = 5_000
/** Orders that are asked for one at a time before the account opens. */
const SINGLE_MAX = 10

/** What the venue shows, fetched in this order: a later answer is never older than an earlier one. */
interface VenueView {
  readonly scan: FillScan
  readonly open: ReadonlyArray<VenueOrderState>
  readonly lookups: ReadonlyArray<readonly [TradeOrderId, OrderLookup]>
  /** Orders that are neither open there nor found yet among those that are over. */
  readonly unasked: ReadonlyArray<WorkingOrder>
  readonly search: EndedSearch | null
  readonly balances: AskedBalances
  /** Orders of the open list that memory does not have, as the store has them; by `venueOrderKey`. */
  readonly stored: ReadonlyMap<string, Missing>
}

interface Missing {
  readonly id: TradeOrderId
  readonly stored: StoredOrders
}

export const fetchView = (core: AccountCore, session: VenueSession) => {
  const from = core.trades.since()
  const lists = session.forOpening?.() ?? session
  return Effect.gen(function* () {
    const open = yield* lists.fetchOpenOrders
    const instruments = new Set([...core.orders.instruments(), ...open.map((it) => it.instrumentId)])
    const scan = scanOf(core, from, [...instruments])
    yield* Effect.timeoutOption(wholeScan(core, session, scan), BEFORE_OPEN_MILLIS)
    const shown = new Set(open.flatMap((it) => core.orders.findAtVenue(it) ?? []))
    const asked = core.orders.openLives().filter((working) => mayBeThere(working) && !shown.has(working))
    const search = asked.length > SINGLE_MAX ? endedSearch(lists, asked) : null
    if (search !== null) yield* Effect.timeoutOption(searchEnded(core, lists, search), BEFORE_OPEN_MILLIS)
    const [single, unasked] = split(asked.filter((working) => search === null || search.missing.has(working)))
    const lookups = yield* Effect.forEach(single, (working) =>
      Effect.map(
        core.connection.budget(session.fetchOrder(core.refOf(working.order))),
        (it) => [working.order.tradeOrderId, it] as const,
      ),
    )
    const balances = yield* fetchBalances(core, lists)
    const stored = yield* storedOf(core, open)
    const found = search === null ? [] : [...search.found]
    return { scan, open, lookups: [...found, ...lookups], unasked, search, balances, stored } satisfies VenueView
  })
}

/** One look-up of all names; what is read whole is the few that the store knows and memory does not. */
const storedOf = (core: AccountCore, open: ReadonlyArray<VenueOrderState>) =>
  Effect.gen(function* () {
    const missing = open.filter((it) => core.orders.findAtVenue(it) === undefined)
    const stored = new Map<string, Missing>()
    if (missing.length === 0) return stored
    const askedAt = core.parts.clock.monotonic()
    const found = yield* askNames(core, {
      venueOrders: missing.filter((it) => isName(it.externalOrderId)),
      tradeOrderIds: missing.flatMap((it) => [it.tradeOrderId ?? [], foreignOrderId(core, it)].flat()),
    })
    for (const state of missing) {
      const named = ownerOf(core.orders, state, found)
      const id = named ?? foreignOrderId(core, state)
      const by = { tradeOrderId: id }
      const isThere = found.tradeOrderIds.has(id) || named !== undefined
      stored.set(venueOrderKey(state), {
        id,
        stored: isThere ? yield* storedOrders(core, by) : { by, askedAt, orders: [] },
      })
    }
    return stored
  })

/** Few are asked for at once; of more, those that others of a list depend on. */
const split = (
  asked: ReadonlyArray<WorkingOrder>,
): readonly [ReadonlyArray<WorkingOrder>, ReadonlyArray<WorkingOrder>] => {
  const first = [...asked].sort((a, b) => Number(b.order.orderListId !== null) - Number(a.order.orderListId !== null))
  return [first.slice(0, SINGLE_MAX), first.slice(SINGLE_MAX)]
}

/** How much the view changed: for TRADING_ACCOUNT.RECONCILED. */
export interface Corrections {
  readonly backfilledExecutions: number
  readonly correctedOrders: number
}

export const applyView = (core: AccountCore, view: VenueView): Corrections => {
  const versions = new Map([...core.orders.values()].map(({ order }) => [order.tradeOrderId, order.version]))
  const { scan } = view
  const openIds = new Set<TradeOrderId>()
  // Whose is what, before anything is applied: the trades of most venues name their order by the venue's id only, and so do some views.
  for (const [id, lookup] of view.lookups) {
    const working = core.orders.get(id)
    if (working !== undefined && lookup._tag === "Found") core.orders.knowAs(working, lookup.state.externalOrderId)
  }
  for (const state of view.open) {
    const known = core.orders.findAtVenue(state)
    const missing = known === undefined ? view.stored.get(venueOrderKey(state)) : undefined
    // It ended and left memory while the venue was asked: the next audit of open orders reads it again.
    if (known === undefined && (missing === undefined || areOutdated(core, missing.stored))) continue
    if (missing !== undefined && missing.stored.orders.length === 0 && mayBeOurs(core, state)) {
      seeStray(core, state)
      continue
    }
    const working = known ?? attempt(core, null, state, () => takeIn(core, { ...missing!, state }))
    if (working === undefined) continue
    core.orders.knowAs(working, state.externalOrderId)
    seenAtStart(core, working, state)
    openIds.add(working.order.tradeOrderId)
  }
  for (const [id, lookup] of view.lookups) {
    const working = core.orders.get(id)
    if (working === undefined || lookup._tag !== "Found") continue
    // Over by now: its trades were made on the terms that the venue shows, and would end it on those that it had before.
    const { state } = lookup
    attempt(core, working, lookup, () => weighChange(core, working, state, false))
  }
  // Trades first: they explain the quantities that the views name.
  const backfilledExecutions = applyRead(core, scan)
  core.parts.failpoint.hit("reconcile.halfway")
  const isAllRead = isWhole(scan)
  const later: Array<() => void> = []
  for (const state of view.open) {
    const working = core.orders.findAtVenue(state)
    if (working === undefined) continue
    if (isAllRead || isExplained(working, state)) attempt(core, working, state, () => listed(core, working, state))
    else later.push(() => !isExplained(working, state) && inquire(core, working, "its trades have been read"))
  }
  for (const [id, lookup] of view.lookups) {
    const apply = (): void => {
      const working = core.orders.get(id)
      if (working === undefined || isTerminal(working.order.orderStatus) || openIds.has(id)) return
      attempt(core, working, lookup, () => answered(core, working, lookup))
    }
    const working = core.orders.get(id)
    if (isAllRead || working === undefined || lookup._tag !== "Found" || isExplained(working, lookup.state)) apply()
    else later.push(apply)
  }
  if (isAllRead) core.trades.scanned(scan)
  else {
    scan.arrived = () => {
      applyRead(core, scan)
      if (!isWhole(scan)) return
      core.trades.scanned(scan)
      for (const run of later) run()
    }
  }
  applyBalances(core, view.balances)
  let correctedOrders = 0
  for (const { order } of core.orders.values())
    if (versions.get(order.tradeOrderId) !== order.version) correctedOrders++
  return { backfilledExecutions, correctedOrders }
}

/** No trade is missing for what the venue says of it. */
const isExplained = ({ order }: WorkingOrder, { status, executedQuantity }: VenueOrderState): boolean => {
  const named = decimal(executedQuantity)
  if (status === "FILLED" && named.isZero()) return isTerminal(order.orderStatus)
  return !named.greaterThan(order.executedQuantity)
}

/** Answers how many trades were new. */
const applyRead = (core: AccountCore, scan: FillScan): number => {
  let count = 0
  for (const fill of taken(scan)) {
    const working = core.orders.findAtVenue(fill)
    if (working === undefined) strayFill(core, fill)
    else if (attempt(core, working, fill, () => applyFill(core, working, fill))) count++
  }
  return count
}

/** The account is open: what was not read of its absence is read beside its work. */
export const readRest = (core: AccountCore, session: VenueSession, { scan, search, unasked }: VenueView): void => {
  if (!isWhole(scan)) readOn(core, session, scan)
  const ask = (): void => {
    for (const working of unasked)
      if (!isTerminal(working.order.orderStatus) && working.question === null)
        inquire(core, working, "not among the venue's open orders")
  }
  if (search === null || search.pagesLeft <= 0 || unasked.length === 0) return ask()
  const before = new Set(search.found.keys())
  core.self.fork(core.connection.listing(searchEnded(core, session, search)), () => {
    if (core.connection.session !== session) return
    for (const [id, lookup] of search.found) {
      const working = core.orders.get(id)
      if (before.has(id) || working === undefined || isTerminal(working.order.orderStatus)) continue
      attempt(core, working, lookup, () => answered(core, working, lookup))
    }
    ask()
  })
}

/**
 * The trades of an audit. Answers the instruments of those that are new and left to the stream, because their order was touched within
 * `quietMillis`: before this audit, or the first trade of an order would keep its others waiting for the next.
 */
export const auditFills = (
  core: AccountCore,
  fills: ReadonlyArray<VenueFill>,
  quietMillis: number,
): ReadonlySet<InstrumentId> => {
  const now = core.parts.clock.monotonic()
  const told = fills.map((fill) => ({
    fill,
    touchedAt: core.orders.findAtVenue(fill)?.touchedAt ?? Number.NEGATIVE_INFINITY,
  }))
  const spared = new Set<InstrumentId>()
  for (const { fill, touchedAt } of told) {
    const working = core.orders.findAtVenue(fill)
    if (working === undefined) strayFill(core, fill)
    else if (core.orders.ownerOf(fill) === working.order.tradeOrderId) continue
    else if (now - touchedAt < quietMillis) spared.add(fill.instrumentId)
    else attempt(core, working, fill, () => applyFill(core, working, fill))
  }
  return spared
}

/** Orders that rest too long without a word are looked for (audits; orders touched in the last 5 s are left alone). */
export const auditOpen = (core: AccountCore, open: ReadonlyArray<VenueOrderState>, quietMillis: number): void => {
  const now = core.parts.clock.monotonic()
  const shown = new Set<WorkingOrder>()
  for (const state of open) {
    const working = core.orders.findAtVenue(state)
    if (working !== undefined) {
      shown.add(working)
      if (now - working.touchedAt < quietMillis) continue
      attempt(core, working, state, () => seen(core, working, state, false))
      cancelAgain(core, working)
      continue
    }
    seeStray(core, state)
  }
  for (const working of core.orders.openLives())
    if (
      mayBeThere(working) &&
      !shown.has(working) &&
      working.question === null &&
      now - working.touchedAt >= quietMillis
    )
      inquire(core, working, "not among the venue's open orders")
}

// Orders that ended in an absence: read many at once where the venue can, and one at a time otherwise

/** A page costs about as much as a few single questions: it is worth asking for while it answers more. */
const ORDERS_PER_PAGE_MIN = 5

/** What is looked for, and how far the list was read. */
interface EndedSearch {
  readonly markets: ReadonlyArray<EndedSince>
  readonly found: Map<TradeOrderId, OrderLookup>
  readonly missing: Set<WorkingOrder>
  cursor: string | null
  pagesLeft: number
}

/** Null where the venue has no such list. */
const endedSearch = (session: VenueLists, asked: ReadonlyArray<WorkingOrder>): EndedSearch | null =>
  session.fetchEnded === undefined
    ? null
    : {
        markets: marketsOf(asked),
        found: new Map(),
        missing: new Set(asked),
        cursor: null,
        pagesLeft: Math.ceil(asked.length / ORDERS_PER_PAGE_MIN),
      }

const isNumber = (text: string | null): text is string => text !== null && /^\d+$/.test(text)

const marketsOf = (asked: ReadonlyArray<WorkingOrder>): ReadonlyArray<EndedSince> => {
  const markets = new Map<InstrumentId, EndedSince>()
  for (const { order } of asked) {
    const known = markets.get(order.instrumentId)
    const id = isNumber(order.externalOrderId) ? order.externalOrderId : null
    const other = known === undefined ? id : known.oldestId
    markets.set(order.instrumentId, {
      instrumentId: order.instrumentId,
      since: Math.min(known?.since ?? Number.MAX_SAFE_INTEGER, order.createdAt - FILLS_MARGIN_MILLIS),
      oldestId: id === null || other === null ? null : BigInt(id) < BigInt(other) ? id : other,
    })
  }
  return [...markets.values()]
}

/** Until all are found, or the list ends, or it is no longer worth it. */
const searchEnded = (
  core: AccountCore,
  session: VenueLists,
  search: EndedSearch,
): Effect.Effect<void, VenueUnavailable> =>
  Effect.suspend(() => {
    const { fetchEnded } = session
    if (fetchEnded === undefined || search.pagesLeft <= 0 || search.missing.size === 0) return Effect.void
    return Effect.flatMap(fetchEnded(search.markets, search.cursor), ({ orders, next }) => {
      for (const state of orders) {
        const working = core.orders.findAtVenue(state)
        if (working === undefined || !search.missing.delete(working)) continue
        search.found.set(working.order.tradeOrderId, { _tag: "Found", state })
      }
      search.cursor = next
      search.pagesLeft = next === null ? 0 : search.pagesLeft - 1
      return searchEnded(core, session, search)
    })
  })

// The truth of one order, read anew: what the store refused of it twice may be taken by now. Only what the venue says then is applied, by
// the ways of every audit; nothing is kept from the first time.

/** From one question that had no answer to the next. */
const AGAIN_MILLIS = 60_000

export const readAgain = (core: AccountCore, working: WorkingOrder, millis: number): void => {
  const { tradeOrderId } = working.order
  // One timer each.
  if (core.readingAgain.has(tradeOrderId)) return
  core.readingAgain.add(tradeOrderId)
  core.self.later(millis, () => {
    core.readingAgain.delete(tradeOrderId)
    read(core, working)
  })
}

const read = (core: AccountCore, working: WorkingOrder): void => {
  const { session } = core.connection
  if (session === null) return readAgain(core, working, AGAIN_MILLIS)
  const { order } = working
  const since = tradesSince(core, working)
  const question = Effect.all({
    lookup: session.fetchOrder(core.refOf(order)),
    fills: listedFills(core, session, since, [order.instrumentId]),
  })
  core.self.fork(core.connection.listing(question), (exit) => {
    if (Exit.isFailure(exit)) return readAgain(core, working, AGAIN_MILLIS)
    const { fills, lookup } = exit.value
    const now = core.orders.get(order.tradeOrderId)
    if (now !== undefined && lookup._tag === "Found") core.orders.knowAs(now, lookup.state.externalOrderId)
    // Trades first: they explain the quantities that the view names. Those of an order that has left memory bring it back.
    auditFills(core, fills, 0)
    if (now !== undefined && now === core.orders.get(order.tradeOrderId))
      attempt(core, now, lookup, () => answered(core, now, lookup))
  })
}
