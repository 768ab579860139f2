/**
 * The exits of an entry that has ended, on their way to the venue as its own list (contract C4, decision 0018): derives from the images of a list
 * alone what is due for that. The stop stays with the gateway until the venue has cancelled the take-profit, and a list is sent there once.
 */
import { Decimal } from "../decimal.ts"
import {
  isAtVenue,
  isEntryOver,
  isOpen,
  isSteady,
  isTradable,
  type Leg,
  type ListTerms,
  mustEnd,
  type OrderList,
  remainingOf,
  returningOf,
  wasNeverPlaced,
} from "./list.ts"
import { isFired, isPaired, type TradeOrder } from "./trade-order.ts"

export type Pairing =
  /** It rests at the venue alone: it is cancelled to make way for the pair. */
  | { readonly _tag: "Move"; readonly order: TradeOrder }
  /** Take-profit and stop leave together. One that waits here leaves itself; of one that is watched, or over, a new order does. */
  | {
      readonly _tag: "Pair"
      readonly orders: readonly [profit: TradeOrder, stop: TradeOrder]
      readonly baseQuantity: Decimal
      readonly held: Decimal
    }

/** How often a pair that provably never reached the venue is sent anew. */
const ATTEMPTS_MAX = 2

/** Null: nothing, now or ever. */
export const pairingOf = (list: OrderList, terms: ListTerms): Pairing | null => {
  const { legs } = list
  if (!terms.canPair || !terms.canSend || terms.isLocked) return null
  if (list.entries.length === 0 || !isEntryOver(list) || !legs.every(isUntried)) return null
  // Take-profit first, as in every list.
  const [profit, stop] = legs.map((leg) => leg.current)
  if (profit === undefined || stop === undefined) return null
  const remaining = remainingOf(list, terms.lot)
  const returning = returningOf(list)
  const isReady = ({ current }: Leg): boolean =>
    (isOpen(current) ? !current.cancelRequested : returning.some((leg) => leg.current === current)) &&
    isVenuesKind(current) &&
    !mustEnd(list, current, remaining) &&
    isTradable(current, remaining, terms)
  if (!legs.every(isReady)) return null
  const there = legs.flatMap((leg) => leg.orders).filter(isAtVenue)
  if (there.length > 0) return there.length === 1 && isResting(profit) ? { _tag: "Move", order: profit } : null
  const held = Decimal.max(terms.holdOf(profit, remaining), terms.holdOf(stop, remaining))
  return { _tag: "Pair", orders: [profit, stop], baseQuantity: remaining, held }
}

/** No pair of this list was ever at the venue, and none was refused there. */
const isUntried = ({ orders }: Leg): boolean => {
  const paired = orders.filter(isPaired)
  return paired.length < ATTEMPTS_MAX && paired.every(wasNeverPlaced)
}

/** What a list of the venue's consists of: no legs that end by time, no trigger that has fired. */
const isVenuesKind = (order: TradeOrder): boolean => {
  const { timeInForce, expireAt, limitPrice, terms, version } = order
  if (version === 0 || timeInForce !== "GTC" || expireAt !== null) return false
  const trigger = terms?.trigger ?? null
  if (trigger === null) return limitPrice !== null
  return !isFired(order) && trigger.source === "LAST_TRADE" && trigger.kind !== "TRAILING_STOP"
}

const isResting = (order: TradeOrder): boolean => isSteady(order) && (order.terms?.trigger ?? null) === null
