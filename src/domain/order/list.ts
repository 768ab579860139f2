/**
 * A list of contingent orders as arithmetic (contract C4): derives from the images of its orders alone what is due next. Evaluated after every
 * change and after a restart, so no further state is needed.
 */
import { Decimal } from "../decimal.ts"
import { changed, changeOf, unexecutedOf } from "./change.ts"
import { replaceWayOf } from "./evidence/law.ts"
import { isTerminal } from "./status.ts"
import { type CancelReason, isPaired, placeOf, releasedType, type TradeOrder } from "./trade-order.ts"

/** The orders of one leg: the first, and what took its place. */
export interface Leg {
  readonly orders: ReadonlyArray<TradeOrder>
  /** The one that counts now. */
  readonly current: TradeOrder
}

export interface OrderList {
  /** The entry and what took its place; empty for a bare pair. */
  readonly entries: ReadonlyArray<TradeOrder>
  /** At most one of each kind. */
  readonly legs: ReadonlyArray<Leg>
}

/** What the account and its venue allow at this moment. */
export interface ListTerms {
  /** Quantities are whole numbers of it; zero: any. */
  readonly lot: Decimal
  readonly minQuantity: Decimal
  /** Smallest price × quantity. */
  readonly minNotional: Decimal | null
  /** A session is there and agrees with the account: orders may leave. */
  readonly canSend: boolean
  /** The account is being closed: nothing is let go any more. */
  readonly isLocked: boolean
  /** The venue keeps pairs of exits itself, and nothing speaks against giving it one now. */
  readonly canPair: boolean
  /** What an open leg holds for so much that is still to be executed. */
  readonly holdOf: (order: TradeOrder, quantity: Decimal) => Decimal
}

export type Due =
  /** The image is new and not stored yet. */
  | { readonly _tag: "Create"; readonly order: TradeOrder }
  /** It never reached the venue, or its trigger fired and there is nothing left to send. */
  | { readonly _tag: "Withdraw"; readonly order: TradeOrder; readonly reason: CancelReason }
  | { readonly _tag: "Cancel"; readonly order: TradeOrder }
  /** Its trigger is watched from now on. */
  | { readonly _tag: "Arm"; readonly order: TradeOrder; readonly baseQuantity: Decimal; readonly held: Decimal }
  | { readonly _tag: "Send"; readonly order: TradeOrder; readonly baseQuantity: Decimal; readonly held: Decimal }
  /** In memory and on the row only. */
  | { readonly _tag: "Size"; readonly order: TradeOrder; readonly baseQuantity: Decimal; readonly held: Decimal }
  /** At the venue. */
  | { readonly _tag: "Resize"; readonly order: TradeOrder; readonly baseQuantity: Decimal; readonly held: Decimal }
  /** More was bought after the exits had done their work: the legs of these orders begin again, as new orders. */
  | { readonly _tag: "Succeed"; readonly orders: ReadonlyArray<TradeOrder> }

const sum = (parts: ReadonlyArray<Decimal>): Decimal => parts.reduce((a, b) => a.add(b), Decimal.ZERO)
const executedOf = (leg: Leg): Decimal => sum(leg.orders.map((it) => it.executedQuantity))
export const isOpen = (order: TradeOrder): boolean => !isTerminal(order.orderStatus)
const newest = (orders: ReadonlyArray<TradeOrder>): TradeOrder | undefined => {
  const replaced = new Set(orders.map((it) => it.replacesTradeOrderId))
  return orders.findLast((it) => !replaced.has(it.tradeOrderId))
}

export const orderListOf = (orders: ReadonlyArray<TradeOrder>): OrderList => {
  const legs: Array<Leg> = []
  for (const kind of ["TAKE_PROFIT", "STOP_LOSS"] as const) {
    const own = orders.filter((it) => it.terms?.leg === kind)
    const current = newest(own)
    if (current !== undefined) legs.push({ orders: own, current })
  }
  return { entries: orders.filter((it) => (it.terms?.leg ?? null) === null), legs }
}

/** The trigger has fired; whether the order has left since, `notAfter` says. */
const isFired = ({ terms }: TradeOrder): boolean => (terms?.trigger?.triggeredAt ?? null) !== null

/** What the stop does ends the other leg, from the moment it fires. */
const isFiredStop = (order: TradeOrder): boolean => order.terms?.leg === "STOP_LOSS" && isFired(order)

const BY_USER: ReadonlySet<CancelReason | null> = new Set(["USER_REQUEST", "ADMIN", "DEAD_MAN_SWITCH"])
export const isUsers = (reason: CancelReason | null): boolean => BY_USER.has(reason)
const endedByUser = (order: TradeOrder): boolean =>
  order.orderStatus !== "FILLED" && !isOpen(order) && isUsers(order.cancelReason)

/** No entry of the list executes any more, unless by a late fill. What takes an entry's place is there before that one is over. */
export const isEntryOver = ({ entries }: OrderList): boolean => {
  const entry = newest(entries)
  return entry === undefined || !isOpen(entry)
}

/** What the entry brought into the account, fees in the base asset taken off. */
const boughtOf = (entry: TradeOrder): Decimal =>
  entry.fees.reduce(
    (bought, fee) => (fee.asset === entry.baseAsset ? bought.subtract(fee.quantity) : bought),
    entry.executedQuantity,
  )

/**
 * What the exits may execute together. Of a bare pair each leg says it: its own quantity and what the other has executed; the smaller
 * counts, since a fill reduces the other leg only in the next step.
 */
export const positionOf = ({ entries, legs }: OrderList): Decimal => {
  if (entries.length > 0) return sum(entries.map(boughtOf))
  const executed = sum(legs.map(executedOf))
  return legs
    .map((leg) => executed.subtract(leg.current.executedQuantity).add(leg.current.baseQuantity))
    .reduce(
      Decimal.min,
      legs.length === 0 ? Decimal.ZERO : executed.add(sum(legs.map((it) => it.current.baseQuantity))),
    )
}

const roundDown = (quantity: Decimal, lot: Decimal): Decimal =>
  lot.isPositive() && quantity.isPositive() ? quantity.roundTo(lot, "DOWN") : quantity

/** What the exits still have to execute, in whole lots; negative when they executed more than there was. */
export const remainingOf = (list: OrderList, lot: Decimal): Decimal =>
  roundDown(positionOf(list).subtract(sum(list.legs.map(executedOf))), lot)

/** The venue takes an order of the leg over so much. */
export const isTradable = (
  order: TradeOrder,
  quantity: Decimal,
  { minQuantity, minNotional }: Pick<ListTerms, "minQuantity" | "minNotional">,
): boolean => {
  if (!quantity.isPositive() || quantity.lessThan(minQuantity)) return false
  const price = order.limitPrice ?? order.terms?.trigger?.stopPrice ?? null
  return minNotional === null || price === null || price.multiply(quantity).atLeast(minNotional)
}

/** A leg that may be at the venue: while there is one, no other goes there, but for the one that the venue ends by it. */
export const isAtVenue = (order: TradeOrder): boolean => isOpen(order) && placeOf(order) === "VENUE"

export const isHeldBackBy = (list: OrderList, order: TradeOrder): boolean =>
  list.legs.some(({ orders }) =>
    orders.some(
      (it) => it.tradeOrderId !== order.tradeOrderId && it.terms?.pairedWith !== order.tradeOrderId && isAtVenue(it),
    ),
  )

/** The venue itself ends the order, which it placed together with another: that one is over, executed or triggered, or on its way out. */
export const isEndedThere = (order: TradeOrder, partner: TradeOrder): boolean =>
  isAtVenue(order) &&
  !order.cancelRequested &&
  (!isOpen(partner) || partner.cancelRequested || partner.executedQuantity.isPositive() || isFired(partner))

/** The leg has nothing more to do: another one filled, fired as a stop, or was given up by the user; or all is sold. */
export const mustEnd = (list: OrderList, order: TradeOrder, remaining: Decimal): boolean => {
  const others = list.legs.map((leg) => leg.current).filter((it) => it.tradeOrderId !== order.tradeOrderId)
  if (others.some((it) => isFiredStop(it) || it.orderStatus === "FILLED" || endedByUser(it))) return true
  return isEntryOver(list) && !remaining.isPositive() && list.legs.some((leg) => executedOf(leg).isPositive())
}

/** Of a refused order it is certain that no venue ever had it; a few times it is tried anew. */
const NEVER_PLACED = /^(GATEWAY_RESTART|GATEWAY_LATE|NOT_PLACED|NOT_SENT)/
const ATTEMPTS_MAX = 3

/** It was refused, or never left: no venue had it. */
export const wasNeverPlaced = ({ orderStatus, rejectReason }: TradeOrder): boolean =>
  orderStatus === "REJECTED" && NEVER_PLACED.test(rejectReason ?? "")

const isRefusedAlone = (order: TradeOrder): boolean => order.orderStatus === "REJECTED" && !isPaired(order)

/** The leg ended by the list's own doing: if there is something to protect again, it begins again. */
const mayReturn = ({ current, orders }: Leg): boolean => {
  const { orderStatus, cancelReason } = current
  if (isOpen(current)) return false
  // What the venue would not keep for us we keep ourselves.
  if (orderStatus === "REJECTED" && isPaired(current)) return true
  if (orderStatus === "REJECTED") return wasNeverPlaced(current) && orders.filter(isRefusedAlone).length < ATTEMPTS_MAX
  return (
    orderStatus === "FILLED" ||
    // Cancelled to be replaced, and nothing took its place.
    cancelReason === "REPLACED" ||
    cancelReason === "OCO_SIBLING" ||
    cancelReason === "PARENT_CLOSED" ||
    cancelReason === "BELOW_MINIMUM"
  )
}

/** It works at the venue on what is left of it, or where its trigger left it. */
const isAtWork = (order: TradeOrder): boolean =>
  isOpen(order) && (order.executedQuantity.isPositive() || (isFired(order) && releasedType(order) !== "MARKET"))

/** The venue ended it when its partner began to work off the pair, and is not done: so long the leg is needed. */
const isLeftAlone = ({ current }: Leg, legs: ReadonlyArray<Leg>): boolean =>
  isPaired(current) &&
  !isOpen(current) &&
  current.cancelReason === "OCO_SIBLING" &&
  legs.some(({ current: it }) => it.tradeOrderId === current.terms?.pairedWith && isAtWork(it))

/** The venue's list was cancelled there by someone else: then neither of its legs is placed again. */
const isEndedFromOutside = ({ current }: Leg, legs: ReadonlyArray<Leg>): boolean =>
  isPaired(current) &&
  legs.some(
    ({ current: it }) => it.tradeOrderId === current.terms?.pairedWith && !isOpen(it) && it.cancelReason === "VENUE",
  )

/** A bare pair that is over is over, also where its submit failed. */
export const returningOf = ({ entries, legs }: OrderList): ReadonlyArray<Leg> =>
  legs.filter((leg) =>
    entries.length === 0 ? isLeftAlone(leg, legs) : mayReturn(leg) && !isEndedFromOutside(leg, legs),
  )

const successors = (list: OrderList, remaining: Decimal, terms: ListTerms): ReadonlyArray<TradeOrder> => {
  const returning = returningOf(list)
  const staying = list.legs.filter((leg) => !returning.includes(leg)).map((leg) => leg.current)
  const isBusy = staying.some((it) => endedByUser(it) || isFiredStop(it) || (isOpen(it) && it.cancelRequested))
  if (isBusy) return []
  const orders = returning.map((leg) => leg.current)
  return orders.every((it) => isTradable(it, remaining, terms)) ? orders : []
}

/** The venue has confirmed it, and nothing about it is open. */
export const isSteady = (order: TradeOrder): boolean => replaceWayOf(order) === "THERE"

/** What is to be done, the most urgent first. Each step changes the list: after one of them it is asked again. */
export const duesIn = (list: OrderList, terms: ListTerms): ReadonlyArray<Due> => {
  const currents = list.legs.map((leg) => leg.current)
  const unstored = currents.find((it) => it.version === 0)
  // One that is on its way out already is put into a unit by who made it.
  if (unstored !== undefined) return placeOf(unstored) === "WAITING" ? [{ _tag: "Create", order: unstored }] : []
  const remaining = remainingOf(list, terms.lot)
  // An amend that was just made is told first; the order works on in the same turn.
  const open = currents.filter((it) => isOpen(it) && it.orderStatus !== "REPLACED")
  const ends = open.flatMap((order) => endOf(list, order, remaining, terms) ?? [])
  // The amount is held once, by the first leg that is open and no longer too small: as much as the dearest of them needs.
  const holder = open.find((it) => placeOf(it) !== "WAITING" || isTradable(it, remaining, terms))
  const goings = open.flatMap((order) => {
    const held =
      order === holder && remaining.isPositive()
        ? open.map((it) => terms.holdOf(it, remaining)).reduce(Decimal.max)
        : Decimal.ZERO
    if (mustEnd(list, order, remaining)) return isAtVenue(order) ? coverOf(order, remaining, held, terms) : []
    return releaseOf(list, order, remaining, held, terms) ?? sizeOf(order, remaining, held, terms) ?? []
  })
  if (ends.length > 0 || goings.length > 0 || terms.isLocked) return [...ends, ...goings]
  const orders = successors(list, remaining, terms)
  return orders.length === 0 ? [] : [{ _tag: "Succeed", orders }]
}

const endOf = (list: OrderList, order: TradeOrder, remaining: Decimal, terms: ListTerms): Due | undefined => {
  const atVenue = isAtVenue(order)
  if (mustEnd(list, order, remaining)) {
    if (!atVenue) return { _tag: "Withdraw", order, reason: "OCO_SIBLING" }
    // CREATED: on its way out; it is looked at again before it leaves.
    if (order.cancelRequested || order.orderStatus === "CREATED" || terms.isLocked) return undefined
    return { _tag: "Cancel", order }
  }
  if (placeOf(order) !== "WAITING" || isTradable(order, remaining, terms)) return undefined
  // Another leg is still being cancelled: what it executes is not known yet.
  if (isFired(order) ? isHeldBackBy(list, order) : !isEntryOver(list)) return undefined
  return { _tag: "Withdraw", order, reason: positionOf(list).isPositive() ? "BELOW_MINIMUM" : "PARENT_CLOSED" }
}

const releaseOf = (
  list: OrderList,
  order: TradeOrder,
  remaining: Decimal,
  held: Decimal,
  terms: ListTerms,
): Due | undefined => {
  if (terms.isLocked || placeOf(order) !== "WAITING" || !isTradable(order, remaining, terms)) return undefined
  const image = { order, baseQuantity: order.executedQuantity.add(remaining), held }
  if (order.terms?.trigger?.execution === "EMULATED" && !isFired(order)) return { _tag: "Arm", ...image }
  return terms.canSend && !isHeldBackBy(list, order) ? { _tag: "Send", ...image } : undefined
}

/**
 * While it is being changed or ended it may still do what it was for: until that is over, what either end of it needs stays held, and not
 * less than all exits need.
 */
const coverOf = (order: TradeOrder, remaining: Decimal, held: Decimal, terms: ListTerms): ReadonlyArray<Due> => {
  const change = changeOf(order)
  const { baseQuantity, held: kept } = order
  const needs = (change === null ? [order] : [order, changed(order, change)]).flatMap((it) => [
    terms.holdOf(it, remaining),
    terms.holdOf(it, unexecutedOf(it)),
  ])
  const due = Decimal.max(held, Decimal.min(kept, needs.reduce(Decimal.max)))
  return due.equals(kept) ? [] : [{ _tag: "Size", order, baseQuantity, held: due }]
}

/** One-updates-other: each open leg is over what is still to be executed. */
const sizeOf = (order: TradeOrder, remaining: Decimal, held: Decimal, terms: ListTerms): Due | undefined => {
  if (!remaining.isPositive()) return undefined
  const { baseQuantity: own, held: kept } = order
  // A change that is under way says itself how large the order becomes.
  if (changeOf(order) !== null) return coverOf(order, remaining, held, terms)[0]
  // It cannot leave yet: what it is for is held all the same.
  if (placeOf(order) === "WAITING" && !isFired(order))
    return held.equals(kept) ? undefined : { _tag: "Size", order, baseQuantity: own, held }
  const baseQuantity = order.executedQuantity.add(remaining)
  const isVenues = isAtVenue(order)
  if (!held.equals(order.held) || (!isVenues && !baseQuantity.equals(order.baseQuantity)))
    return { _tag: "Size", order, baseQuantity: isVenues ? order.baseQuantity : baseQuantity, held }
  if (!isVenues || !isSteady(order) || !terms.canSend || terms.isLocked) return undefined
  // A market order is over before it could be changed; the rest is its successor's.
  if (releasedType(order) === "MARKET" && order.terms?.trigger?.execution !== "NATIVE") return undefined
  if (baseQuantity.equals(order.baseQuantity)) return undefined
  // A venue's own list is never changed.
  const mayResize = isTradable(order, remaining, terms) && !isPaired(order)
  return mayResize ? { _tag: "Resize", order, baseQuantity, held } : { _tag: "Cancel", order }
}

export type Trouble = "UNPROTECTED_POSITION" | "EXIT_REJECTED" | "EXIT_ABOVE_POSITION"

/** What people must hear of, as long as it is so. */
export const troublesOf = (list: OrderList, terms: ListTerms): ReadonlySet<Trouble> => {
  const troubles = new Set<Trouble>()
  const remaining = remainingOf(list, terms.lot)
  const currents = list.legs.map((leg) => leg.current)
  if (remaining.isNegative()) troubles.add("EXIT_ABOVE_POSITION")
  const isWatched = currents.some(isOpen)
  const returning = returningOf(list)
  // Of a pair that was placed as one, the same is about to be heard of the other leg.
  const isHalfHeard = (order: TradeOrder): boolean =>
    isPaired(order) && currents.some((it) => isOpen(it) && it.externalOrderId === null)
  const isRejected = list.legs.some(
    (leg) => leg.current.orderStatus === "REJECTED" && !returning.includes(leg) && !isHalfHeard(leg.current),
  )
  if (isRejected && isWatched) troubles.add("EXIT_REJECTED")
  const isGivenUp = currents.some((it) => endedByUser(it) || it.cancelReason === "ACCOUNT_DISCONNECTED")
  const returns = successors(list, remaining, terms).length > 0
  if (!isWatched && !isGivenUp && !returns && remaining.isPositive() && list.legs.length > 0)
    troubles.add("UNPROTECTED_POSITION")
  return troubles
}
