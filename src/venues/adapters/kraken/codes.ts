/**
 * What Kraken's error texts mean. Every answer is HTTP 200, and ccxt knows few of the texts: it treats a wrong signature as a generic error, an
 * expired WebSocket token as a wrong key, and an unknown order as an invalid one. Source: docs.kraken.com, "Error messages".
 */
import type { FailureCategory } from "../../connector/wire.ts"

export interface Meaning {
  readonly category: FailureCategory
  readonly verdict: "REFUSED" | "IN_DOUBT"
}

type Row = readonly [beginning: string, category: FailureCategory, verdict: Meaning["verdict"]]

/** Most specific first. A text that is not listed says nothing about the order: it stays in doubt. */
const MEANINGS: ReadonlyArray<Row> = [
  // The id is taken by an order that is open: an earlier attempt arrived (contract C3).
  ["EGeneral:Invalid arguments:cl_ord_id not unique", "DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"],
  ["EGeneral:Invalid arguments:volume", "INVALID_ORDER", "REFUSED"],
  ["EGeneral:Invalid arguments:price", "INVALID_ORDER", "REFUSED"],
  // Our clock is far behind, or ahead: the deadline is counted from it.
  ["EGeneral:Invalid arguments:deadline", "CLOCK_SKEW", "REFUSED"],
  ["EGeneral:Invalid arguments", "INVALID_ARGUMENT", "REFUSED"],
  ["EGeneral:Permission denied", "PERMISSION_DENIED", "REFUSED"],
  ["EGeneral:Temporary lockout", "RATE_LIMITED", "REFUSED"],
  ["EGeneral:Too many requests", "RATE_LIMITED", "REFUSED"],
  ["EGeneral:Unknown method", "NOT_SUPPORTED", "REFUSED"],
  ["EAPI:Invalid key", "VENUE_AUTHENTICATION", "REFUSED"],
  ["EAPI:Invalid signature", "VENUE_AUTHENTICATION", "REFUSED"],
  ["EAPI:Invalid nonce", "CLOCK_SKEW", "REFUSED"],
  ["EAPI:Rate limit exceeded", "RATE_LIMITED", "REFUSED"],
  ["EAPI:", "REJECTED", "REFUSED"],
  ["EOrder:Insufficient", "INSUFFICIENT_BALANCE", "REFUSED"],
  // Of an order that is over, and of an id that never was one.
  ["EOrder:Unknown order", "ORDER_NOT_FOUND", "REFUSED"],
  ["EOrder:Invalid order", "ORDER_NOT_FOUND", "REFUSED"],
  ["EOrder:Rate limit exceeded", "RATE_LIMITED", "REFUSED"],
  ["EOrder:Domain rate limit exceeded", "RATE_LIMITED", "REFUSED"],
  ["EOrder:Post only order", "WOULD_TAKE", "REFUSED"],
  ["EOrder:", "INVALID_ORDER", "REFUSED"],
  ["EQuery:Unknown asset", "INSTRUMENT_NOT_FOUND", "REFUSED"],
  ["EQuery:Invalid asset", "INSTRUMENT_NOT_FOUND", "REFUSED"],
  ["ETrade:User Locked", "ACCOUNT_SUSPENDED", "REFUSED"],
  ["ETrade:", "REJECTED", "REFUSED"],
  ["EAccount:Invalid permissions", "PERMISSION_DENIED", "REFUSED"],
  ["EAuth:Account temporary disabled", "ACCOUNT_SUSPENDED", "REFUSED"],
  ["EAuth:Account unconfirmed", "ACCOUNT_SUSPENDED", "REFUSED"],
  ["EAuth:Rate limit exceeded", "RATE_LIMITED", "REFUSED"],
  ["EAuth:Too many requests", "RATE_LIMITED", "REFUSED"],
  ["EService:Market in", "MARKET_CLOSED", "REFUSED"],
  // Also the word of a gateway that waited too long for the engine: the engine may have taken the order in time.
  ["EService:Deadline elapsed", "VENUE_TIMEOUT", "IN_DOUBT"],
  ["EService:", "VENUE_UNAVAILABLE", "IN_DOUBT"],
  // A WebSocket token that has expired: another one helps, the key is not to blame.
  ["ESession:Invalid session", "VENUE_UNAVAILABLE", "IN_DOUBT"],
]

const TEXT = /\bE(?:API|Account|Auth|General|Order|Query|Service|Session|Trade):[^"\]]*/

/** The venue's own words in an error of ccxt, which holds the whole answer; undefined where Kraken said nothing. */
export const krakenWords = (text: string): string | undefined => TEXT.exec(text)?.[0].trim()

export const krakenMeaning = (words: string): Meaning | undefined => {
  const row = MEANINGS.find(([beginning]) => words.startsWith(beginning))
  return row === undefined ? undefined : { category: row[1], verdict: row[2] }
}
