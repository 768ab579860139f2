/** How long an order works (contract C6): which times in force are accepted for which type, and when it ends. */
import {
  ExpireAtRequired,
  InvalidExpireAt,
  InvalidTimeInForce,
  TimeInForceNotAllowed,
  UnsupportedTimeInForce,
} from "../../errors/order-parameters.ts"
import { timesInForceAt, type Venue } from "../../instrument/venue.ts"
import { isAbsent, refuse } from "../plan.ts"
import type { SubmitRequest, TimeInForceWord } from "../submit-request.ts"
import type { OrderType, StoredTimeInForce } from "../trade-order.ts"

export interface OrderTime {
  readonly timeInForce: StoredTimeInForce
  /** When it ends, wall ms; null: not by itself. */
  readonly expireAt: number | null
}

const DAY_MILLIS = 86_400_000
const EXPIRY_MILLIS_MAX = 365 * DAY_MILLIS

/** The next 00:00:00 UTC: markets for crypto never close, so a day is the calendar's. */
const endOfDay = (now: number): number => (Math.floor(now / DAY_MILLIS) + 1) * DAY_MILLIS

export const timeOf = (request: SubmitRequest, type: OrderType, venue: Venue, now: number): OrderTime => {
  const { expireAt } = request
  const word = known(request.timeInForce ?? (isAbsent(expireAt) ? "GTC" : "GTD"), venue)
  if (word === "GTD" && isAbsent(expireAt)) refuse(new ExpireAtRequired({}))
  if (!isAbsent(expireAt)) {
    const reason = faultOf(expireAt, word, now)
    if (reason !== null) refuse(new InvalidExpireAt({ expireAt, reason }))
  }
  if (!wordsOf(type).includes(word)) refuse(new TimeInForceNotAllowed({ timeInForce: word }))
  if (type === "MARKET") return { timeInForce: marketWord(word, venue), expireAt: null }
  return { timeInForce: offered(word, venue), expireAt: ending(word, expireAt ?? null, now) }
}

/** Why it can be no order's end, with what would be right; null: it can. */
const faultOf = (expireAt: number, word: StoredTimeInForce, now: number): string | null => {
  if (word !== "GTD") return `requires timeInForce GTD, not ${word}: omit one of the two`
  const last = now + EXPIRY_MILLIS_MAX
  if (expireAt > last) return `is more than 365 days ahead: at most ${last} now`
  if (expireAt > now) return null
  // A time of the coming year in seconds is one of January 1970 in milliseconds.
  const asSeconds = expireAt * 1_000
  return asSeconds > now && asSeconds <= last
    ? `is in seconds; milliseconds since the Unix epoch are expected: ${asSeconds}`
    : `is in the past: it must be later than ${now}, in milliseconds since the Unix epoch`
}

/** Of an exit that comes with another order: it has no expireAt of its own. */
export const exitTimeOf = (
  asked: TimeInForceWord | null | undefined,
  isResting: boolean,
  venue: Venue,
  now: number,
): OrderTime => {
  const word = known(asked ?? "GTC", venue)
  if (word === "GTD") refuse(new ExpireAtRequired({}))
  if (word !== "GTC" && word !== "DAY" && !(isResting && word === "GTX"))
    refuse(new TimeInForceNotAllowed({ timeInForce: word }))
  return { timeInForce: offered(word, venue), expireAt: ending(word, null, now) }
}

const STORED: ReadonlySet<string> = new Set<StoredTimeInForce>(["GTC", "IOC", "FOK", "GTD", "DAY", "GTX"])
const isStored = (word: string): word is StoredTimeInForce => STORED.has(word)

/** Auction words are never quietly taken for others. */
const known = (word: TimeInForceWord, venue: Venue): StoredTimeInForce => {
  if (word === "UNKNOWN") return refuse(new InvalidTimeInForce({}))
  return isStored(word) ? word : unsupported(word, venue)
}

const unsupported = (timeInForce: string, venue: Venue): never =>
  refuse(new UnsupportedTimeInForce({ timeInForce, supported: timesInForceAt(venue) }))

const offered = (word: StoredTimeInForce, venue: Venue): StoredTimeInForce =>
  timesInForceAt(venue).includes(word) ? word : unsupported(word, venue)

const wordsOf = (type: OrderType): ReadonlyArray<StoredTimeInForce> => {
  switch (type) {
    case "MARKET":
      return ["GTC", "IOC", "FOK", "DAY"]
    case "LIMIT":
      return ["GTC", "IOC", "FOK", "GTD", "DAY", "GTX"]
    case "LIMIT_MAKER":
      return ["GTC", "GTD", "DAY", "GTX"]
    default:
      // How long the trigger is watched: what it releases is GTC, or at market.
      return ["GTC", "GTD", "DAY"]
  }
}

/** A market order is over at once: GTC and DAY say nothing about it, unless a limit order stands in for it. */
const marketWord = (word: StoredTimeInForce, venue: Venue): StoredTimeInForce => {
  if (word !== "GTC" && word !== "DAY") return offered(word, venue)
  return venue.capabilities.marketOrders ? word : "IOC"
}

const ending = (word: StoredTimeInForce, expireAt: number | null, now: number): number | null =>
  word === "DAY" ? endOfDay(now) : expireAt
