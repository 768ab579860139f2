/**
 * Orders that the venue reports and memory does not know: older ones of ours, read from the store, and foreign ones, placed elsewhere with the
 * same account, imported with origin EXTERNAL and an id that is derived the same way at every report.
 */
import { Effect, Exit } from "effect"
import { Decimal } from "../../../domain/decimal.ts"
import { VenueUnavailable } from "../../../domain/errors/venue.ts"
import { nameUuid, type TradeOrderId } from "../../../domain/ids.ts"
import { parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import { isAsked } from "../../../domain/order/evidence/law.ts"
import { holdDue } from "../../../domain/order/hold.ts"
import { type TradeOrder, UNPLACED } from "../../../domain/order/trade-order.ts"
import { type VenueOrderName, venueOrderKey } from "../../../ports/account-store.ts"
import type { VenueFill, VenueOrderState, VenueSession } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { adoptAll, areOutdated, type StoredOrders, storedOrders } from "../orders/recall.ts"
import type { WorkingOrder } from "../working-order.ts"
import { askBalances } from "./balances.ts"
import { applyAcknowledgement, applyFill, seen } from "./evidence.ts"
import { askNames, isName, namesOf, ownersOf } from "./names.ts"
import { attempt, quarantine, venueId } from "./quarantine.ts"
import { inquire } from "./question.ts"
import type { Named } from "./strays.ts"
import { heardTrade, mayBe, type Possible, strayName, watchedThatMayBe, withhold } from "./unnamed.ts"

/** Of foreign orders' names; never to be changed. */
const NAMESPACE = Buffer.from("6f1d3f0a6c5b4e0d9a1c2b7e5d8f4a30", "hex")

const SEARCH_PAUSES_MILLIS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** A venue may show a trade a moment before its order. */
const SEARCHES_MAX = 4

/**
 * uuidv5(venue|account|venueOrderId), contract C3; with the instrument before the id where ids are unique within it. Orders that were
 * imported there without it keep the id that they have: the store knows them by instrument and venue id.
 */
export const foreignOrderId = (
  { account, id, venue }: Pick<AccountCore, "account" | "id" | "venue">,
  { instrumentId, externalOrderId }: VenueOrderName,
): TradeOrderId => {
  const name = venue.orderIds === "INSTRUMENT" ? `${instrumentId}|${externalOrderId}` : externalOrderId
  return nameUuid(`${account.venue}|${id}|${name}`, NAMESPACE) as TradeOrderId
}

const idOf = (core: AccountCore, { instrumentId, externalOrderId }: Named): TradeOrderId | undefined =>
  instrumentId === null ? undefined : core.orders.idAtVenue({ tradeOrderId: null, instrumentId, externalOrderId })

interface Origin extends Possible {
  /** The order's id by all that is known now. */
  readonly id: TradeOrderId
  readonly stored: StoredOrders
  /** The venue was asked and knows no such order. */
  readonly isNowhere?: boolean
}

/** The last word of a disconnected account was said while the store, or the venue, was asked. */
const isOver = ({ account }: AccountCore): boolean => account.status === "DISCONNECTED"

/** Runs `then` with the order once it is found or imported; not at all when neither the store nor the venue knows it. */
export const withStray = (core: AccountCore, named: Named, then: (working: WorkingOrder) => void): void => {
  const name = strayName(named)
  const isNew = core.strays.add(name, named, then)
  if (core.strays.isWithheld(name)) {
    if (core.strays.see(name, named)) askBalances(core)
  } else if (isNew || named.state !== null) {
    core.strays.shown(name, named.state)
    search(core, name, named, 0)
  }
}

/** A view of an order that memory does not know, in a list or in `report`. */
export const seeStray = (core: AccountCore, state: VenueOrderState, report: unknown = state): void => {
  const { tradeOrderId, externalOrderId, instrumentId } = state
  withStray(core, { tradeOrderId, externalOrderId, instrumentId, state }, (found) => {
    attempt(core, found, report, () => seen(core, found, state, false))
  })
}

/** A trade of which memory does not know enough. What the store counts is known, whichever order it came under. `isListed`: as in `applyFill`. */
export const strayFill = (core: AccountCore, fill: VenueFill, isListed = true): void => {
  const { externalOrderId, instrumentId } = fill
  const apply = (working: WorkingOrder): void => {
    core.strays.explained(fill)
    attempt(core, working, fill, () => applyFill(core, working, fill, isListed))
  }
  core.names.ask(namesOf([fill]), (found) => {
    if (isOver(core)) return
    const { counted, named } = ownersOf(core.orders, fill, found)
    const working = named === undefined ? undefined : core.orders.get(named)
    if (counted !== undefined && named !== undefined && named !== counted)
      return quarantine(
        core,
        working ?? null,
        fill,
        `fill ${fill.externalTradeId} is already counted for order ${counted}`,
      )
    if (working !== undefined) return apply(working)
    if (counted !== undefined) return
    // A list that is read soon may not have it yet: until its order is known it speaks against "never placed" by itself.
    if (!isListed) heardTrade(core, fill)
    // Also the trade of an order that was placed elsewhere has moved the account's balances.
    askBalances(core)
    withStray(core, { tradeOrderId: named ?? null, externalOrderId, instrumentId, state: null }, apply)
  })
}

/** Until the order is known: a venue that cannot answer is asked again, one that says it knows no such order a few times. */
const search = (core: AccountCore, name: string, named: Named, tries: number): void => {
  core.self.fork(origin(core, named), (exit) => {
    // Another search for it, with a state in hand, was faster.
    if (!core.strays.has(name) || isOver(core)) return void core.strays.take(name)
    const found = Exit.isSuccess(exit) ? exit.value : null
    if (found?.isNowhere === true) core.strays.sawUnknown(name)
    if (found !== null && areOutdated(core, found.stored)) {
      core.whenDurable(() => search(core, name, named, tries))
      return
    }
    const knownId = idOf(core, named)
    const known = knownId === undefined ? undefined : core.orders.get(knownId)
    const isNew = known === undefined && (found === null || found.stored.orders.length === 0)
    if (isNew && withhold(core, name, named, found, (again, it) => search(core, again, it, 0))) return
    const working = known ?? (found === null ? undefined : attempt(core, null, named, () => takeIn(core, found)))
    const isNowhere = found?.isNowhere === true && tries >= SEARCHES_MAX
    const isUnanswered = named.state === null || found === null
    if (working === undefined && named.instrumentId !== null && isUnanswered && !isNowhere) {
      const pause = SEARCH_PAUSES_MILLIS[Math.min(tries, SEARCH_PAUSES_MILLIS.length - 1)]!
      core.self.later(pause, () => search(core, name, named, tries + 1))
      return
    }
    // As far as it was ever shown: the venue was asked for it when a trade alone told of it.
    const shown = found?.state === named.state ? null : core.strays.shown(name, found?.state ?? null)
    const callers = core.strays.take(name)
    if (working !== undefined) {
      core.strays.becameKnown(name)
      for (const run of callers) run(working)
      if (shown !== null) attempt(core, working, shown, () => seen(core, working, shown, false))
      if (found?.isNowhere === true && working.question === null && isAsked(working.order))
        inquire(core, working, "listed before, but no longer known to the venue")
    } else if (isNowhere) quarantine(core, null, named, "the venue does not know the order of its own trade")
  })
}

/**
 * By the store's word whose name it is; else the order itself says at the venue whether it is one of ours. A client id that looks like one
 * of ours is believed where this account has such an order: else another account of the gateway placed it, or another gateway.
 */
const origin = (core: AccountCore, named: Named): Effect.Effect<Origin, VenueUnavailable> =>
  Effect.gen(function* () {
    const { session } = core.connection
    const { tradeOrderId, externalOrderId, instrumentId } = named
    if (tradeOrderId !== null) {
      const stored = yield* storedOrders(core, { tradeOrderId })
      if (stored.orders.length > 0 || instrumentId === null) return { id: tradeOrderId, stored, state: named.state }
    }
    if (instrumentId === null) throw new Error("an order without a client order id")
    const id = yield* idByName(core, named, { instrumentId, externalOrderId })
    const stored = yield* storedOrders(core, { tradeOrderId: id })
    if (stored.orders.length > 0) return { id, stored, state: named.state }
    let { state } = named
    let isNowhere = false
    // What was shown a while ago may be over by now.
    const isOld = state !== null && core.strays.ageOf(strayName(named)) > 0
    if ((state === null || isOld) && session !== null) {
      const lookup = yield* core.connection.budget(
        session.fetchOrder({ tradeOrderId: id, externalOrderId, instrumentId }),
      )
      if (lookup._tag === "Found") state = lookup.state
      else isNowhere = true
    }
    const told = state?.tradeOrderId ?? null
    if (told !== null && told !== id && told !== tradeOrderId) {
      const own = yield* storedOrders(core, { tradeOrderId: told })
      if (own.orders.length > 0) return { id: told, stored: own, state }
    }
    if (state === null) return { id, stored, state, isNowhere }
    if (session === null) {
      // An order of ours that was declared never placed may be this one: only the venue can say so.
      if (watchedThatMayBe(core, state).length > 0) return yield* new VenueUnavailable({ reason: "no session" })
      return { id, stored, state, isNowhere }
    }
    const late = yield* lateOf(core, session, state)
    if (late.found !== null) return late.found
    if (!late.isPossible) return { id, stored, state, isNowhere }
    // A view may be older than the end of its order: whether it was open when our ids were asked for, the venue says after that.
    const after = yield* core.connection.budget(session.fetchOrder({ tradeOrderId: id, externalOrderId, instrumentId }))
    if (after._tag === "Found") return { id, stored, state: after.state, mayBeLate: after.state.status }
    return { id, stored, state, isNowhere, mayBeLate: "UNKNOWN" }
  })

/** Of our orders that were declared never placed: the venue is asked by our id for those that it may be. */
const lateOf = (core: AccountCore, session: VenueSession, state: VenueOrderState) =>
  Effect.gen(function* () {
    const found = (yield* Effect.forEach(watchedThatMayBe(core, state), (id) =>
      Effect.map(storedOrders(core, { tradeOrderId: id }), (stored) => ({ id, stored })),
    )).filter(({ stored }) => stored.orders[0] !== undefined && mayBe(stored.orders[0], state))
    const { externalOrderId, instrumentId } = state
    for (const { id, stored } of found) {
      const ref = { tradeOrderId: id, externalOrderId: null, instrumentId }
      const lookup = yield* core.connection.budget(session.fetchOrder(ref))
      if (lookup._tag === "Found" && lookup.state.externalOrderId === externalOrderId)
        return { found: { id, stored, state: lookup.state }, isPossible: true }
    }
    return { found: null, isPossible: found.length > 0 }
  })

const idByName = (core: AccountCore, named: Named, name: VenueOrderName): Effect.Effect<TradeOrderId> => {
  const foreign = foreignOrderId(core, name)
  const known = idOf(core, named)
  if (known !== undefined || !isName(name.externalOrderId)) return Effect.succeed(known ?? foreign)
  return Effect.map(askNames(core, { venueOrders: [name] }), ({ venueOrders }) => {
    // Stored and out of memory, or being stored: then memory knows it by now.
    return idOf(core, named) ?? venueOrders.get(venueOrderKey(name)) ?? foreign
  })
}

/** The order in memory: known by now, read from the store, or imported. */
export const takeIn = (core: AccountCore, { id, stored, state }: Origin): WorkingOrder | undefined => {
  const known = core.orders.get(id)
  if (known !== undefined) return known
  if (stored.orders.length > 0) return adoptAll(core, stored)
  return state === null ? undefined : importForeign(core, id, state)
}

/** Its name there is the order id of the account that placed it. */
const placedBy = ({ tradeOrderId }: VenueOrderState): string =>
  tradeOrderId === null
    ? "imported: placed outside the gateway"
    : `imported: placed by another account, or another gateway, as order ${tradeOrderId}`

/** Into memory and into the store, acknowledged as the venue has it; what it shows of it is applied like any other evidence. */
const importForeign = (core: AccountCore, id: TradeOrderId, state: VenueOrderState): WorkingOrder => {
  const now = core.parts.clock.now()
  const name = parseInstrumentId(state.instrumentId)
  if (name === undefined) throw new Error(`foreign order ${state.externalOrderId} of instrument ${state.instrumentId}`)
  const quantity = Decimal.fromVenue(state.quantity) ?? Decimal.ZERO
  const limitPrice = state.limitPrice === null ? null : (Decimal.fromVenue(state.limitPrice) ?? null)
  const image: TradeOrder = {
    ...UNPLACED,
    tradeOrderId: id,
    tenantId: core.account.tenantId,
    tradingAccountId: core.id,
    venue: core.account.venue,
    instrumentId: state.instrumentId,
    baseAsset: name.baseAsset,
    quoteAsset: name.quoteAsset,
    orderSide: state.orderSide,
    orderType: state.orderType,
    timeInForce: state.timeInForce,
    limitPrice,
    quantity,
    quantityRounding: "",
    baseQuantity: quantity,
    externalOrderId: venueId(state.externalOrderId),
    origin: "EXTERNAL",
    evidence: [{ at: now, what: placedBy(state) }],
    held: Decimal.ZERO,
    createdAt: state.createdAt ?? now,
    updatedAt: now,
  }
  const order: TradeOrder = { ...image, held: holdDue(image, core.venue).least }
  const working = core.add(order)
  working.stored = true
  core.positions.acknowledged(working, order.createdAt)
  core.outlet.commit([{ _tag: "Order", order }], [core.outlet.news.ofOrder("TRADE_ORDER.CREATED", order, now)])
  applyAcknowledgement(core, working, state.externalOrderId, state.createdAt)
  // The newest snapshot may contain what this order holds: a fresh one tells.
  askBalances(core)
  return working
}
