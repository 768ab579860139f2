/**
 * Orders that the venue lists without our client order id. One of them may be an order of ours whose submit has no outcome yet: as long as that
 * is possible it is not imported, and reports about it wait. The one thing to know: only the venue's id in an answer about our own id proves that
 * it is ours, and only the outcomes of all such submits prove that it is not.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../domain/ids.ts"
import { isRenewing } from "../../../domain/order/change.ts"
import { isAsked } from "../../../domain/order/evidence/law.ts"
import { releasedType, type TradeOrder } from "../../../domain/order/trade-order.ts"
import type { VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { leftAtOf, tradesSince } from "../orders/dispatch.ts"
import type { WorkingOrder } from "../working-order.ts"
import { askBalances } from "./balances.ts"
import type { Sent } from "./late-orders.ts"
import { inquire } from "./question.ts"
import type { Named, Withheld } from "./strays.ts"

/** Some venues know an order that is over by its client's id only after a while. */
const HIDDEN_MILLIS = 300_000
const LATE_OPEN_MILLIS = 10_000
const LATE_PAUSE_MILLIS = 1_000
const LATE_PAUSE_MAX_MILLIS = 30_000

/** By its name in `AccountCore.strays`. */
export const strayName = ({
  tradeOrderId,
  instrumentId,
  externalOrderId,
}: Pick<Named, "tradeOrderId" | "instrumentId" | "externalOrderId">): string =>
  tradeOrderId ?? `${instrumentId}|${externalOrderId}`

/** It is, or may be, at the venue, and what the venue calls it is not known. */
const isUnsettled = (core: AccountCore, working: WorkingOrder): boolean =>
  working.order.externalOrderId === null &&
  isAsked(working.order) &&
  !core.orders.hasVenueName(working.order.tradeOrderId)

/**
 * By what was sent and what is shown. A price or a quantity that the venue may have made itself says nothing, nor does the time of its
 * making: our clock may have been ahead.
 */
export const mayBe = (order: Sent, state: VenueOrderState): boolean => {
  if (order.instrumentId !== state.instrumentId || order.orderSide !== state.orderSide) return false
  const quantity = Decimal.fromVenue(state.quantity)
  if (order.terms?.budget == null && quantity !== undefined && !quantity.equals(order.baseQuantity)) return false
  const price = state.limitPrice === null ? undefined : Decimal.fromVenue(state.limitPrice)
  if (order.limitPrice === null || price === undefined || releasedType(order) === "MARKET") return true
  return price.equals(order.limitPrice)
}

/** What this process first heard of at `since` is another than what left after that. By a monotonic clock: wall clocks are set. */
const isOlder = (since: number, leftAt: number | null): boolean => leftAt !== null && since < leftAt

/** Own orders that it may be. None where it has a client id that says all of ours: that one was placed by another account, or gateway. */
export const suspectsOf = (core: AccountCore, state: VenueOrderState): ReadonlyArray<WorkingOrder> => {
  if (core.venue.inProcess || state.tradeOrderId !== null) return []
  const since = core.parts.clock.monotonic() - core.strays.ageOf(strayName(state))
  return core.orders
    .openLives()
    .filter((it) => isUnsettled(core, it) && mayBe(it.order, state) && !isOlder(since, leftAtOf(it)))
}

/** Also what is just being looked for: whose it is, is not known before the answer. */
const candidatesFor = (core: AccountCore, working: WorkingOrder) => {
  if (!isUnsettled(core, working)) return []
  const leftAt = leftAtOf(working)
  return core.strays
    .shownNow()
    .filter(({ state, since }) => state.tradeOrderId === null && mayBe(working.order, state) && !isOlder(since, leftAt))
}

/** The venue shows an order that may be this one. */
export const mayBeShown = (core: AccountCore, working: WorkingOrder): boolean => candidatesFor(core, working).length > 0

/**
 * An order that may be this one was shown, and is not among those that are open: a venue that does not know our id may know it later. Of
 * one that is open it would have known it.
 */
export const mayBeHidden = (
  core: AccountCore,
  working: WorkingOrder,
  open: ReadonlyArray<VenueOrderState>,
): boolean => {
  const shown = new Set(open.map(strayName))
  const now = core.parts.clock.monotonic()
  return candidatesFor(core, working).some(({ name, since }) => !shown.has(name) && now - since < HIDDEN_MILLIS)
}

/** One that was given up may be it as well. One that has appeared is another: the venue calls it by its own name. */
const mayBeOneGivenUp = (
  core: AccountCore,
  instrumentId: InstrumentId,
  fits: (sent: Sent, leftAt: number | null) => boolean,
): boolean => core.late.unnamedOf(instrumentId).some((it) => fits(it.sent, it.leftAt))

/**
 * The one order that may be this one, and no other of ours, was shown without our name, and is not open any more; null: none, or several.
 */
export const goneThatMayBe = (
  core: AccountCore,
  working: WorkingOrder,
  open: ReadonlyArray<VenueOrderState>,
): VenueOrderState | null => {
  const shown = new Set(open.map(strayName))
  const [only, ...others] = candidatesFor(core, working).filter(({ name }) => !shown.has(name))
  if (only === undefined || others.length > 0 || suspectsOf(core, only.state).length > 1) return null
  const { state, since } = only
  const fits = (sent: Sent, leftAt: number | null): boolean => mayBe(sent, state) && !isOlder(since, leftAt)
  return mayBeOneGivenUp(core, state.instrumentId, fits) ? null : state
}

/**
 * The venue has cancelled it, or was asked to and may have: a venue that forgets what it has cancelled says "not found" of it from then on.
 * The answer may have been lost with an older process.
 */
const mayBeForgotten = (order: TradeOrder): boolean =>
  order.doubt?.kind === "EXECUTED" || order.cancelRequested || isRenewing(order)

/** Whether an order may have traded so, by what was sent: of its pair and side, within its limit, no more than it was for. Null: they make no sense. */
const tradesFit = (fills: ReadonlyArray<VenueFill>): ((order: Sent) => boolean) | null => {
  const quantities = fills.flatMap((it) => Decimal.fromVenue(it.quantity) ?? [])
  const prices = fills.flatMap((it) => Decimal.fromVenue(it.price) ?? [])
  if (quantities.length < fills.length || prices.length < fills.length) return null
  const total = quantities.reduce((sum, it) => sum.add(it), Decimal.ZERO)
  return (order) => {
    if (fills.some((it) => order.instrumentId !== it.instrumentId || order.orderSide !== it.orderSide)) return false
    const limit = releasedType(order) === "MARKET" ? null : order.limitPrice
    const isWithin = (price: Decimal): boolean =>
      limit === null || (order.orderSide === "BUY" ? limit.atLeast(price) : price.atLeast(limit))
    // The quantity of an order over so much quote is an estimate.
    return (order.terms?.budget != null || order.baseQuantity.atLeast(total)) && prices.every(isWithin)
  }
}

/**
 * All are of one order that the venue does not know any more, which by what they say may be this one, and no other of ours that it may have
 * forgotten: one cancelled without our request would be recognised by our id.
 */
export const mayBeTradesOf = (core: AccountCore, working: WorkingOrder, fills: ReadonlyArray<VenueFill>): boolean => {
  const [first] = fills
  if (first === undefined || !isUnsettled(core, working) || !mayBeForgotten(working.order)) return false
  if (fills.some((it) => it.externalOrderId !== first.externalOrderId)) return false
  const isLike = tradesFit(fills)
  if (isLike === null) return false
  const since = core.strays.unknownSince(strayName(first))
  const fits = (sent: Sent, leftAt: number | null): boolean => !isOlder(since, leftAt) && isLike(sent)
  if (mayBeOneGivenUp(core, first.instrumentId, (sent, leftAt) => sent.cancelRequested && fits(sent, leftAt)))
    return false
  const fitting = core.orders
    .openLives()
    .filter((it) => fits(it.order, leftAtOf(it)) && isUnsettled(core, it) && mayBeForgotten(it.order))
  return fitting.length === 1 && fitting[0] === working
}

/** A trade that the stream told of an order that no name joins to one of ours: it may be of this one. */
const mayBeTradeOf = (core: AccountCore, working: WorkingOrder, fill: VenueFill): boolean =>
  isUnsettled(core, working) &&
  fill.tradeOrderId === null &&
  core.orders.findAtVenue(fill) === undefined &&
  fill.executedAt >= tradesSince(core, working) &&
  tradesFit([fill])?.(working.order) === true

/** The stream tells a trade of an order that is not known. */
export const heardTrade = (core: AccountCore, fill: VenueFill): void => {
  if (!core.strays.heard(fill)) return
  // What the question answers is stored, with this trade: a later process will not be told it again.
  for (const working of core.orders.openLives())
    if (working.question !== null && mayBeTradeOf(core, working, fill))
      inquire(core, working, "a trade that may belong to it was reported")
}

/** Monotonic ms from which on no order that may be this one, and was shown or has traded, speaks against "not found"; null: none was. */
export const hiddenUntil = (core: AccountCore, working: WorkingOrder): number | null => {
  const shown = candidatesFor(core, working).map(({ since }) => since)
  const told = core.strays.heardTrades().flatMap(({ fill, at }) => (mayBeTradeOf(core, working, fill) ? at : []))
  const times = [...shown, ...told]
  return times.length === 0 ? null : Math.max(...times) + HIDDEN_MILLIS
}

/** Orders that were declared never placed, and appear late. The newest; most of them are not in memory. */
export const watchedThatMayBe = (core: AccountCore, state: VenueOrderState): ReadonlyArray<TradeOrderId> =>
  core.venue.inProcess || state.tradeOrderId !== null ? [] : core.late.newest().map(([id]) => id)

/** It is not imported before the venue and the store have been asked whose it is. */
export const mayBeOurs = (core: AccountCore, state: VenueOrderState): boolean =>
  suspectsOf(core, state).length > 0 || watchedThatMayBe(core, state).length > 0

/** Declared never placed, and it may be at the venue: an order is shown there, or traded, and whose it is, is not known yet. */
export const mayWorkThere = (core: AccountCore, { order }: WorkingOrder): boolean =>
  core.late.isWatched(order.tradeOrderId) &&
  core.strays.of(order.instrumentId).some((state) => state === null || mayBe(order, state))

/**
 * One of the list's orders is over here and works at the venue, or may be the one that is shown there without our name: until that one ends,
 * or is known, no other leg goes there.
 */
export const isListLeftThere = (core: AccountCore, id: string): boolean =>
  (core.late.hasAppeared || !core.late.isEmpty) &&
  core.orders.ofList(id).some((it) => core.late.isThere(it) || mayWorkThere(core, it))

/** What a search found of an order that is not known here. */
export interface Possible {
  readonly state: VenueOrderState | null
  /**
   * An order of ours that was declared never placed may be this one, and the venue does not know it by our id yet: how it stood there when
   * it was asked for after that.
   */
  readonly mayBeLate?: VenueOrderState["status"]
}

/**
 * True: it may be one of ours, and waits until that is known. `found` null: the search failed. `decide`: whose it is, in a turn, once no
 * order of ours may be it any more, or one that was given up may: that one works at the venue, and does not wait for the doubts of others.
 */
export const withhold = (
  core: AccountCore,
  name: string,
  named: Named,
  found: Possible | null,
  decide: (name: string, named: Named) => void,
): boolean => {
  const state = core.strays.shown(name, found?.state ?? named.state)
  if (state === null) return false
  const suspects = suspectsOf(core, state)
  const now = core.parts.clock.monotonic()
  const age = core.strays.ageOf(name)
  const isLatePossible =
    found === null
      ? watchedThatMayBe(core, state).length > 0
      : found.mayBeLate !== undefined && age < lateMillis(found.mayBeLate, state)
  if (suspects.length === 0 && !isLatePossible) return false
  if (age === 0)
    // That the venue did not know our id before it showed this order proves nothing any more.
    for (const working of suspects) {
      if (working.question === null) continue
      working.question.notFounds = 0
      // What it answers is stored, with the sight of this order: a later process will not see it again.
      inquire(core, working, "the venue lists an order that may be it")
    }
  const pause = isLatePossible
    ? Math.min(LATE_PAUSE_MAX_MILLIS, Math.max(LATE_PAUSE_MILLIS, age))
    : Number.POSITIVE_INFINITY
  const isSuspected = suspects.length > 0
  const lookAgain: Withheld["lookAgain"] = (...withheld) => lookAgainAt(core, withheld, decide)
  core.strays.withhold(name, { named: { ...named, state }, isSuspected, dueAt: now + pause, lookAgain })
  core.strays.becameWithheld()
  if (age === 0) askBalances(core)
  return true
}

/** For so long the venue is asked for late orders that may be this one: as it stands there now, and as it was shown. */
const lateMillis = (now: VenueOrderState["status"], { status }: VenueOrderState): number =>
  now === "OPEN" && status === "OPEN" ? LATE_OPEN_MILLIS : HIDDEN_MILLIS

const lookAgainAt = (
  core: AccountCore,
  [name, { named, isSuspected, dueAt }, now]: Parameters<Withheld["lookAgain"]>,
  decide: (name: string, named: Named) => void,
): void => {
  const { state } = named
  const isKnown = state !== null && core.orders.idAtVenue({ ...state, tradeOrderId: null }) !== undefined
  const isStillSuspected = !isKnown && state !== null && suspectsOf(core, state).length > 0
  const isCleared = isKnown || (isSuspected && !isStillSuspected)
  if (!isCleared && now < dueAt) return
  if (isStillSuspected) core.strays.postpone(name)
  else core.strays.release(name)
  decide(name, named)
}
