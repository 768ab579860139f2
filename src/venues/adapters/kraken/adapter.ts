/** Kraken's deviations from ccxt 4.5.84: corrected here on each public instance, and by `private.ts` on each private one. */

import type { VenueOrder } from "../../../ports/venue-session.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { costTerms, triggerTerms } from "../../worker/session/order-terms.ts"
import { waitsOf } from "../../worker/waits.ts"
import { type ExchangeAdapter, none, record, word } from "../adapter.ts"
import type { VenueProfile } from "../profile.ts"
import { countedByAccount, type StopReader, saysCode, stopOfSigned } from "../stops.ts"
import { checkBooks } from "./books.ts"
import { watchClock } from "./clock.ts"
import { ASSET_NAMES, type KrakenExchange } from "./exchange.ts"
import { prepareKraken } from "./private.ts"
import { endedBySelfTrade, wasPostOnly } from "./private-stream.ts"
import { KrakenSubscriptions } from "./subscriptions.ts"
import { followKrakenTrades, orderTrades } from "./trades.ts"

/**
 * What a public instance of ccxt's Kraken needs to be right: books that the venue's checksum proves (checked-book.ts), trades once and
 * in order (trades.ts), streams that end one by one, subscriptions that are refused or lost, and the venue's clock to the
 * millisecond. Each function replaces one of ccxt's on the instance, before its first call.
 */
const prepareKrakenPublic = (instance: CcxtExchange, profile: VenueProfile): void => {
  const exchange = instance as KrakenExchange
  Object.assign(exchange.commonCurrencies, ASSET_NAMES)
  // A connection may have one interval of a pair, and no bar is called closed: ours are made of the trades, of which none is missing.
  exchange.has["watchOHLCV"] = false
  const subscriptions = new KrakenSubscriptions(exchange, waitsOf(profile).acknowledgedMillis)
  checkBooks(exchange, subscriptions, profile)
  orderTrades(exchange, subscriptions)
  watchClock(exchange)
}

const STOP = /^(stop-loss|take-profit)(-limit)?$/

/** `ordertype` of an answer, `order_type` of an event. */
const stopOf = ({ info }: CcxtOrder): "MARKET" | "LIMIT" | null => {
  const found = STOP.exec(word(record(info?.["descr"]), "ordertype") ?? word(info, "order_type") ?? "")
  return found === null ? null : found[2] === undefined ? "MARKET" : "LIMIT"
}

/** By `misc` of an answer (`stopped`: by a stop, `touched`: by a take-profit), by `triggers` of an event. */
const isTriggered = (order: CcxtOrder): boolean => {
  const { info, filled } = order
  if (stopOf(order) === null) return false
  if (/stopped|touched/.test(word(info, "misc") ?? "")) return true
  return word(record(info?.["triggers"]), "status") === "triggered" || /[1-9]/.test(String(filled ?? "0"))
}

/** It takes no expiry that is nearer or farther ("5 s to one month"): such an order rests until the gateway's own timer ends it. */
const EXPIRY_MIN_MILLIS = 10_000
const EXPIRY_MAX_MILLIS = 28 * 86_400_000

/** In whole seconds, never before the time. */
const expiryTerms = ({ expireAt }: VenueOrder): Raw => {
  const ahead = expireAt === undefined ? 0 : expireAt - Date.now()
  if (expireAt === undefined || ahead < EXPIRY_MIN_MILLIS || ahead > EXPIRY_MAX_MILLIS) return {}
  return { timeInForce: "GTD", expiretm: String(Math.ceil(expireAt / 1000)) }
}

/** What goes on after it prolongs it (docs.kraken.com, "General error codes": fifteen minutes); asked again once a minute. */
const LOCKOUT_MILLIS = 60_000
const limits = countedByAccount(
  /"E(API|Auth|General|Order):(Rate limit exceeded|Domain rate limit exceeded|Too many requests)"/,
)

/** Kraken counts what is signed by account, and says so under HTTP 200. */
const stops: StopReader = (answer) =>
  saysCode(answer, /"EGeneral:Temporary lockout"/) ? stopOfSigned(answer, LOCKOUT_MILLIS) : limits(answer)

export const kraken: ExchangeAdapter = {
  ...none,
  prepare: prepareKraken,
  terms: (order) => ({ ...triggerTerms(order), ...costTerms(order), ...expiryTerms(order) }),
  isTriggered,
  preparePublic: prepareKrakenPublic,
  followTrades: followKrakenTrades,
  ended: (order) => {
    if (order.status === "expired") return { status: "EXPIRED", ending: null }
    if (endedBySelfTrade(order)) return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    // ccxt calls a stop that was cancelled before it triggered a market order, too.
    const waited = stopOf(order) !== null && !isTriggered(order)
    const isMarket = order.type === "market" || stopOf(order) === "MARKET"
    const isImmediate = !waited && (order.timeInForce === "IOC" || isMarket)
    return { status: "CANCELLED", ending: isImmediate ? "REMAINDER" : null }
  },
  neverWorked: wasPostOnly,
  stops,
  channels: ["executions", "balances"],
  channelNews: (event) =>
    event["method"] === "subscribe" && event["success"] === true
      ? [{ channel: String(record(event["result"])["channel"]), isTaken: true }]
      : [],
  // The channel knows totals and nothing of what is on hold: what is available has to be asked for.
  changedBalances: () => null,
  balancesMoved: (event) =>
    event["channel"] === "balances" &&
    event["type"] === "update" &&
    Array.isArray(event["data"]) &&
    event["data"].some((row) => record(row)["type"] !== "trade"),
  cancelPends: ({ info }) => record(info?.["result"])["pending"] === true,
}
