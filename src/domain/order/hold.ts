/**
 * What orders hold of an account's funds (contract C10), from terms and quantities alone: of one about to be placed, and of any image at
 * any time. The actors' own steps keep `held` incrementally; `holdDue` says independently of them what it must be.
 */
import { LeanMap, LeanSet } from "../../foundation/lean.ts"
import { Decimal } from "../decimal.ts"
import { isSpot, type Venue } from "../instrument/venue.ts"
import { changed, changeOf, heldAs, unexecutedOf } from "./change.ts"
import { isTradable, mustEnd, orderListOf, remainingOf } from "./list.ts"
import { FEE_RATE } from "./rules/quantity.ts"
import { isTerminal } from "./status.ts"
import { isFired, placeOf, releasedType, type TradeOrder } from "./trade-order.ts"

// What the orders that a venue has acknowledged hold of each asset, as running sums: a snapshot of balances of any instant is compared
// with the holds of the orders that were acknowledged by then, whatever the number of open orders.

/** Of an order that its venue has acknowledged. */
export interface AcknowledgedHold {
  readonly asset: string
  /** As it is now; changed by `AcknowledgedHolds` alone. */
  held: Decimal
  /** Venue time, ms; -Infinity: before every snapshot. */
  readonly acceptedAt: number
}

/** An older snapshot is not to be had by the sums: it is so rare that all orders are looked at. */
const RECENT_MILLIS = 1_000
const RECENT_MAX = 1_024

export class AcknowledgedHolds {
  readonly #sums = new LeanMap<string, Decimal>()
  /** Acknowledged after `#settledAt`. One that holds nothing, as all that are over, changes no answer, and is left out. */
  readonly #recent = new LeanSet<AcknowledgedHold>()
  #settledAt = Number.NEGATIVE_INFINITY

  /** From now on it counts. */
  acknowledged(hold: AcknowledgedHold): void {
    this.#add(hold.asset, hold.held)
    if (!hold.held.isZero()) this.#remember(hold)
  }

  /** An acknowledged order holds so much now. */
  changed(hold: AcknowledgedHold, held: Decimal): void {
    const before = hold.held
    this.#add(hold.asset, held.subtract(before))
    hold.held = held
    if (held.isZero()) this.#recent.delete(hold)
    else if (before.isZero()) this.#remember(hold)
  }

  #add(asset: string, change: Decimal): void {
    const sum = (this.#sums.get(asset) ?? Decimal.ZERO).add(change)
    if (sum.isZero()) this.#sums.delete(asset)
    else this.#sums.set(asset, sum)
  }

  #remember(hold: AcknowledgedHold): void {
    if (hold.acceptedAt <= this.#settledAt) return
    this.#recent.add(hold)
    if (this.#recent.size <= RECENT_MAX) return
    // Where nothing asks for balances nothing else takes them out while they work.
    const oldest = this.#recent[Symbol.iterator]().next().value!
    this.#recent.delete(oldest)
    this.#settledAt = Math.max(this.#settledAt, oldest.acceptedAt)
  }

  /** Of the orders acknowledged at `at` or before, by asset; null: that is too long ago. Assets of which nothing is held are left out. */
  at(at: number): ReadonlyMap<string, Decimal> | null {
    if (at < this.#settledAt) return null
    const included = new Map(this.#sums)
    const settledAt = Math.max(this.#settledAt, at - RECENT_MILLIS)
    for (const hold of this.#recent) {
      const { asset, held, acceptedAt } = hold
      if (acceptedAt <= settledAt) this.#recent.delete(hold)
      else if (acceptedAt > at) {
        const rest = (included.get(asset) ?? Decimal.ZERO).subtract(held)
        if (rest.isZero()) included.delete(asset)
        else included.set(asset, rest)
      }
    }
    this.#settledAt = settledAt
    return included
  }
}

/** At market a buy may cost so much more than is seen of the book, or than its trigger says. */
export const MARKET_CLAMP = Decimal.of("1.05")

/** What of a venue decides holds. */
type HoldVenue = Pick<Venue, "features" | "feeInQuote">

/** What one order, or the open legs of one list together, must hold at least and at most. */
export interface HoldDue {
  readonly least: Decimal
  /** Null: no bound by the terms; what was held at first depends on the market or on what was free. */
  readonly most: Decimal | null
}

/** What of the market's rules decides whether a leg is let go: quantities are whole lots, and at least so large. */
interface HoldMarket {
  readonly lot: Decimal
  readonly minQuantity: Decimal
  readonly minNotional: Decimal | null
}

const NOTHING: HoldDue = { least: Decimal.ZERO, most: Decimal.ZERO }
const UNKNOWN: HoldDue = { least: Decimal.ZERO, most: null }

/** With the fee on top where a buy pays it in quote. */
export const withFee = (cost: Decimal, { feeInQuote }: HoldVenue): Decimal =>
  feeInQuote ? cost.add(cost.multiply(FEE_RATE)) : cost

/** Null at market, also where a limit that ends at once stands in for what has fired: it buys by what was held by its trigger. */
const limitOf = (order: TradeOrder): Decimal | null =>
  isFired(order) && order.timeInForce === "IOC" ? null : order.limitPrice

const isAtMarket = (order: TradeOrder): boolean =>
  releasedType({ orderType: order.orderType, limitPrice: limitOf(order) }) === "MARKET"

/** An exit over so much that is still to be executed, in the asset that its side spends. */
export const exitHold = (order: TradeOrder, quantity: Decimal, venue: HoldVenue): Decimal =>
  order.orderSide === "BUY" && isAtMarket(order)
    ? exitNeed(order, quantity, venue).multiply(MARKET_CLAMP)
    : exitNeed(order, quantity, venue)

/** The same without the clamp: what was free when it was placed may have been no more. */
const exitNeed = (order: TradeOrder, quantity: Decimal, venue: HoldVenue): Decimal => {
  if (!isSpot(venue)) return Decimal.ZERO
  if (order.orderSide === "SELL") return quantity
  const price = limitOf(order) ?? order.terms?.trigger?.stopPrice ?? Decimal.ZERO
  return withFee(price.multiply(quantity), venue)
}

/** Of an order outside of a list, or the entry of one. Zero for one that is over, that a dealer settles, or off spot. */
export const holdDue = (order: TradeOrder, venue: HoldVenue): HoldDue => {
  if (isTerminal(order.orderStatus) || placeOf(order) === "DEALER" || !isSpot(venue)) return NOTHING
  const now = plainDue(order, venue)
  const change = changeOf(order)
  // Until its outcome is known the order is covered for both.
  return change === null ? now : widest(now, plainDue(changed(order, change), venue))
}

const widest = (a: HoldDue, b: HoldDue): HoldDue => ({
  least: Decimal.max(a.least, b.least),
  most: a.most === null || b.most === null ? null : Decimal.max(a.most, b.most),
})

const plainDue = (order: TradeOrder, venue: HoldVenue): HoldDue => {
  const { orderSide, orderType, executedCost, terms } = order
  const limitPrice = limitOf(order)
  const rest = unexecutedOf(order)
  if (orderSide === "SELL") return { least: rest, most: rest }
  const budget = terms?.budget ?? null
  if (budget !== null) {
    const left = Decimal.max(Decimal.ZERO, withFee(budget.amount, venue).subtract(executedCost))
    return { least: left, most: left }
  }
  // The limit that stands in for a market order is its collar, not what it is expected to cost.
  if (orderType === "MARKET") return UNKNOWN
  const trigger = terms?.trigger ?? null
  // A stop that fired buys at market by what was held for it.
  if (limitPrice === null && (trigger === null || trigger.triggeredAt !== null)) return UNKNOWN
  const price = limitPrice ?? trigger?.stopPrice ?? Decimal.ZERO
  const need = withFee(price.multiply(rest), venue)
  // A buy that trails holds by the stop it began with, and the stop falls.
  if (trigger !== null && trigger.trailing !== null) return { least: need, most: null }
  return { least: need, most: limitPrice === null ? need.multiply(MARKET_CLAMP) : need }
}

/** What a change asks the order to hold once it is made; of a leg, which may hold for the dearer one, not less per unit than now. */
export const holdChanged = (order: TradeOrder, next: TradeOrder, venue: HoldVenue): Decimal => {
  if ((order.terms?.leg ?? null) === null || !order.held.isPositive()) return heldAs(order, next)
  const [before, after] = [unexecutedOf(order), unexecutedOf(next)]
  const same = before.isPositive() ? order.held.multiply(after).divide(before, 18, "UP") : order.held
  return Decimal.max(same, exitHold(next, after, venue))
}

/**
 * Of all open legs of a list together: they hold what is still to be executed once, by the dearest of them, from the moment it is enough
 * for the venue. `orders`: every image of the list, entries included, oldest first.
 */
export const legsHoldDue = (orders: ReadonlyArray<TradeOrder>, venue: HoldVenue, market: HoldMarket): HoldDue => {
  if (!isSpot(venue)) return NOTHING
  const list = orderListOf(orders)
  const all = orders.filter((it) => (it.terms?.leg ?? null) !== null)
  const legs = all.filter((it) => !isTerminal(it.orderStatus))
  if (legs.length === 0) return NOTHING
  const remaining = Decimal.max(Decimal.ZERO, remainingOf(list, market.lot))
  const isEnding = (leg: TradeOrder): boolean => leg.cancelRequested || mustEnd(list, leg, remaining)
  // While one makes way for another, or ends by what became of it, what it may still do stays held until it is over.
  const isSettling = legs.some(isEnding)
  const staying = legs.filter((leg) => !isEnding(leg))
  const isLetGo = legs.some((leg) => placeOf(leg) !== "WAITING" || isTradable(leg, remaining, market))
  // One that fired buys at market by what was held for it.
  const isBuying = legs.some((leg) => isFired(leg) && isAtMarket(leg) && leg.orderSide === "BUY")
  const largest = (of: ReadonlyArray<TradeOrder>, holdsOf: (leg: TradeOrder) => ReadonlyArray<Decimal>): Decimal =>
    of.flatMap(holdsOf).reduce(Decimal.max, Decimal.ZERO)
  return {
    least: isLetGo && !isBuying ? largest(staying, (leg) => [exitNeed(leg, remaining, venue)]) : Decimal.ZERO,
    most: largest(isSettling ? all : legs, (leg) => {
      const change = changeOf(leg)
      const images = change === null ? [leg] : [leg, changed(leg, change)]
      const own = (it: TradeOrder): Decimal => (isSettling ? it.baseQuantity : unexecutedOf(it))
      return images.flatMap((it) => [exitHold(it, own(it), venue), exitHold(it, remaining, venue)])
    }),
  }
}
