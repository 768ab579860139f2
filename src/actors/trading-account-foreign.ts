/**
 * Orders that the venue names and memory does not know: older ones of ours, read from the store, and foreign ones, placed elsewhere
 * with the same account, imported with origin EXTERNAL and an id that every look at them yields again.
 */
import { Effect, Exit } from "effect"
import { Decimal } from "../domain/decimal.ts"
import type { VenueUnavailable } from "../domain/errors/venue.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import { parseInstrumentId } from "../domain/instrument.ts"
import { nameUuid } from "../domain/name-uuid.ts"
import { type TradeOrder, UNPLACED } from "../domain/trade-order.ts"
import type { VenueFill, VenueOrderState } from "../ports/venue-session.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { applyAcknowledgement, applyFill } from "./trading-account-evidence.ts"
import type { Live } from "./trading-account-live.ts"
import { attempt, quarantine } from "./trading-account-quarantine.ts"
import { adoptAll, areOutdated, type StoredOrders, storedOrders } from "./trading-account-recall.ts"
import { venueId } from "./trading-account-text.ts"

/** Of foreign orders' names; never to be changed. */
const NAMESPACE = Buffer.from("6f1d3f0a6c5b4e0d9a1c2b7e5d8f4a30", "hex")

const SEARCH_PAUSES_MILLIS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** A venue may show a trade a moment before its order. */
const SEARCHES_MAX = 4

/** uuidv5(venue|account|venueOrderId), contract C3. */
export const foreignOrderId = (core: AccountCore, externalOrderId: string): TradeOrderId =>
  nameUuid(`${core.account.venue}|${core.id}|${externalOrderId}`, NAMESPACE) as TradeOrderId

/** What is known of an order that memory does not have. */
export interface Named {
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly state: VenueOrderState | null
  readonly instrumentId: VenueOrderState["instrumentId"] | null
}

interface Origin {
  /** The order's id by all that is known now. */
  readonly id: TradeOrderId
  readonly stored: StoredOrders
  readonly state: VenueOrderState | null
  /** The venue was asked and knows no such order. */
  readonly isNowhere?: boolean
}

/** Runs `then` with the order once it is found or imported; not at all when nobody knows it. */
export const withStray = (core: AccountCore, named: Named, then: (live: Live) => void): void => {
  const id = core.idAtVenue(named.tradeOrderId, named.externalOrderId) ?? foreignOrderId(core, named.externalOrderId)
  const waiting = core.strays.get(id)
  if (waiting !== undefined && named.state === null) return void waiting.push(then)
  core.strays.set(id, [...(waiting ?? []), then])
  search(core, id, named, 0)
}

/** A trade whose order memory does not know. */
export const strayFill = (core: AccountCore, fill: VenueFill): void => {
  const { tradeOrderId, externalOrderId, instrumentId } = fill
  // Of an order that has left memory with this trade in it.
  const owner = core.ownerOf(fill)
  if (owner !== undefined && owner === core.idAtVenue(tradeOrderId, externalOrderId)) return
  withStray(core, { tradeOrderId, externalOrderId, instrumentId, state: null }, (found) => {
    attempt(core, found, fill, () => applyFill(core, found, fill))
  })
}

/** Until somebody knows the order: a venue that cannot answer is asked again, one that says it knows no such order a few times. */
const search = (core: AccountCore, id: TradeOrderId, named: Named, tries: number): void => {
  core.self.fork(origin(core, id, named), (exit) => {
    const callers = core.strays.get(id)
    // Another search for it, with a state in hand, was faster.
    if (callers === undefined) return
    const found = Exit.isSuccess(exit) ? exit.value : null
    if (found !== null && areOutdated(core, found.stored)) {
      core.whenDurable(() => search(core, id, named, tries))
      return
    }
    const known = core.findAtVenue(null, named.externalOrderId)
    const live = known ?? (found === null ? undefined : attempt(core, null, named, () => takeIn(core, found)))
    const isNowhere = found?.isNowhere === true && tries >= SEARCHES_MAX
    if (live === undefined && named.instrumentId !== null && named.state === null && !isNowhere) {
      const pause = SEARCH_PAUSES_MILLIS[Math.min(tries, SEARCH_PAUSES_MILLIS.length - 1)]!
      core.self.later(pause, () => search(core, id, named, tries + 1))
      return
    }
    core.strays.delete(id)
    if (live !== undefined) for (const run of callers) run(live)
    else if (isNowhere) quarantine(core, null, named, "the venue does not know the order of its own trade")
  })
}

/** A trade may name its order by the venue's id only: then the order itself says whether it is one of ours. */
const origin = (core: AccountCore, id: TradeOrderId, named: Named): Effect.Effect<Origin, VenueUnavailable> =>
  Effect.gen(function* () {
    const { session } = core
    const stored = yield* storedOrders(core, { tradeOrderId: id })
    if (stored.length > 0) return { id, stored, state: named.state }
    let { state } = named
    let isNowhere = false
    if (state === null && session !== null && named.instrumentId !== null) {
      const { externalOrderId, instrumentId } = named
      const lookup = yield* core.budget(session.fetchOrder({ tradeOrderId: id, externalOrderId, instrumentId }))
      if (lookup._tag === "Found") state = lookup.state
      else isNowhere = true
    }
    const own = state?.tradeOrderId ?? id
    if (own === id) return { id, stored, state, isNowhere }
    return { id: own, stored: yield* storedOrders(core, { tradeOrderId: own }), state }
  })

/** The order in memory: known by now, read from the store, or imported. */
export const takeIn = (core: AccountCore, { id, stored, state }: Origin): Live | undefined => {
  const known = core.orders.get(id)
  if (known !== undefined) return known
  if (stored.length > 0) return adoptAll(core, stored)
  return state === null ? undefined : importForeign(core, id, state)
}

/** Into memory and into the store, acknowledged as the venue has it; what it shows of it is applied like any other evidence. */
const importForeign = (core: AccountCore, id: TradeOrderId, state: VenueOrderState): Live => {
  const now = core.parts.clock.now()
  const name = parseInstrumentId(state.instrumentId)
  if (name === undefined) throw new Error(`foreign order ${state.externalOrderId} of instrument ${state.instrumentId}`)
  const quantity = Decimal.fromVenue(state.quantity) ?? Decimal.ZERO
  const limitPrice = state.limitPrice === null ? null : (Decimal.fromVenue(state.limitPrice) ?? null)
  const order: TradeOrder = {
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
    evidence: [{ at: now, what: "imported: placed outside the gateway" }],
    held: state.orderSide === "SELL" ? quantity : (limitPrice?.multiply(quantity) ?? Decimal.ZERO),
    createdAt: state.createdAt ?? now,
    updatedAt: now,
  }
  const live = core.add(order)
  live.stored = true
  live.acceptedAt = order.createdAt
  core.commit([{ _tag: "Order", order }], [core.news.ofOrder("TRADE_ORDER.CREATED", order, now)])
  applyAcknowledgement(core, live, state.externalOrderId, state.createdAt)
  // The newest snapshot may contain what this order holds: a fresh one tells.
  core.askBalances()
  return live
}
