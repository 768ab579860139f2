/**
 * What a failure at a venue means. ccxt's class decides, then the venue's codes that ccxt maps to the wrong class, each pinned by a test (venues
 * 4.9). The verdict of a submit follows contract C3; what is not listed is in doubt. Every text that leaves here is sanitised.
 */

import { BINANCE_CODES } from "../../adapters/binance/codes.ts"
import { BINANCEUSDM_CODES } from "../../adapters/binanceusdm/codes.ts"
import { BITFINEX_CODES } from "../../adapters/bitfinex/codes.ts"
import { BITSTAMP_CODES, bitstampWords } from "../../adapters/bitstamp/codes.ts"
import { BYBIT_CODES } from "../../adapters/bybit/codes.ts"
import { COINBASE_CODES, coinbaseWords } from "../../adapters/coinbase/codes.ts"
import { DERIBIT_CODES } from "../../adapters/deribit/codes.ts"
import { GATE_CODES } from "../../adapters/gate/codes.ts"
import { GEMINI_CODES, geminiWords } from "../../adapters/gemini/codes.ts"
import { krakenMeaning, krakenWords } from "../../adapters/kraken/codes.ts"
import { KRAKENFUTURES_CODES, krakenFuturesWords } from "../../adapters/krakenfutures/codes.ts"
import { KUCOIN_CODES } from "../../adapters/kucoin/codes.ts"
import { OKX_CODES } from "../../adapters/okx/codes.ts"
import type { FailureCategory, VenueFailure } from "../../connector/wire.ts"
import { NEVER_CONNECTED } from "./transport.ts"

/** Opens the text of our own doubt in a stream: something was missed, the venue itself is in good health. */
export const LOST_PLACE = "lost its place:"

/** What a failed submit is worth: a definite no, proof that it never left, or neither. */
export type Verdict = "REFUSED" | "NOT_SENT" | "IN_DOUBT"

export interface Failure extends VenueFailure {
  readonly verdict: Verdict
}

/** Thrown where an order's `notAfter` has passed, or it was withdrawn, before its bytes could leave: nothing was sent. */
export class TooLate extends Error {
  override readonly name = "TooLate"
}

/** Why an order was not sent that its cancel, or the end of its session, took back. */
export const WITHDRAWN = "it was taken back before it was sent"

type Row = readonly [className: string, category: FailureCategory, verdict: Verdict]

/** Most specific first: the first class of the error's ancestry that stands here decides. */
const CLASSES: ReadonlyArray<Row> = [
  ["TooLate", "TOO_LATE", "NOT_SENT"],
  ["InsufficientFunds", "INSUFFICIENT_BALANCE", "REFUSED"],
  ["OrderImmediatelyFillable", "WOULD_TAKE", "REFUSED"],
  ["OrderNotFillable", "ORDER_NOT_FILLABLE", "REFUSED"],
  ["OrderNotFound", "ORDER_NOT_FOUND", "REFUSED"],
  ["OrderNotCached", "ORDER_NOT_FOUND", "IN_DOUBT"],
  ["DuplicateOrderId", "DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"],
  ["InvalidOrder", "INVALID_ORDER", "REFUSED"],
  ["AccountNotEnabled", "PERMISSION_DENIED", "REFUSED"],
  ["PermissionDenied", "PERMISSION_DENIED", "REFUSED"],
  ["AccountSuspended", "ACCOUNT_SUSPENDED", "REFUSED"],
  ["AuthenticationError", "VENUE_AUTHENTICATION", "REFUSED"],
  ["BadSymbol", "INSTRUMENT_NOT_FOUND", "REFUSED"],
  ["ArgumentsRequired", "INVALID_ARGUMENT", "REFUSED"],
  ["BadRequest", "INVALID_ARGUMENT", "REFUSED"],
  ["NotSupported", "NOT_SUPPORTED", "REFUSED"],
  ["MarketClosed", "MARKET_CLOSED", "REFUSED"],
  ["RestrictedLocation", "RESTRICTED_LOCATION", "REFUSED"],
  ["OperationRejected", "REJECTED", "REFUSED"],
  ["ChecksumError", "STREAM_GAP", "IN_DOUBT"],
  ["InvalidNonce", "CLOCK_SKEW", "IN_DOUBT"],
  ["DDoSProtection", "RATE_LIMITED", "IN_DOUBT"],
  ["RateLimitExceeded", "RATE_LIMITED", "IN_DOUBT"],
  ["OnMaintenance", "VENUE_UNAVAILABLE", "IN_DOUBT"],
  ["ExchangeNotAvailable", "VENUE_UNAVAILABLE", "IN_DOUBT"],
  ["RequestTimeout", "VENUE_TIMEOUT", "IN_DOUBT"],
  ["NetworkError", "VENUE_NETWORK", "IN_DOUBT"],
  ["CancelPending", "CANCEL_PENDING", "IN_DOUBT"],
  ["NullResponse", "BAD_VENUE_RESPONSE", "IN_DOUBT"],
  ["BadResponse", "BAD_VENUE_RESPONSE", "IN_DOUBT"],
  ["OperationFailed", "VENUE_FAILED", "IN_DOUBT"],
  ["UnsubscribeError", "UNSUBSCRIBED", "IN_DOUBT"],
  ["ExchangeClosedByUser", "STOPPED", "IN_DOUBT"],
  ["ExchangeError", "VENUE_FAILED", "IN_DOUBT"],
]

const BY_CLASS = new Map(CLASSES.map((row) => [row[0], row]))

const HOLE_IN_BOOK = /watchOrderBook received invalid nonce|failed to synchronize WebSocket feed/

const TEXT_MAX = 200
const CODE_MAX = 40

/**
 * One line without URLs, signatures, keys or tokens, cut to 200 characters. Nothing in it that PostgreSQL refuses, because one such
 * text would take a whole commit group with it: no control characters (NUL), no half of a surrogate pair (in JSON).
 */
export const cleanText = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, " ")
    .replace(/\b[a-z]+:\/\/\S+/gi, "")
    .replace(
      /\b(signature|api[-_]?key|secret|token|passphrase|password|x-mbx-apikey)\b["']?\s*[=:]\s*["']?[^\s"'&,}]+/gi,
      "$1",
    )
    // What a wrong signature of Bybit was made of: the key, and all that was sent.
    .replace(/\borigin_string\[.*/gi, "")
    .replace(/\b[A-Za-z0-9+/_-]{40,}={0,2}/g, "…")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_MAX)
    .replace(/\p{Cs}/gu, "")

interface VenueWords {
  readonly code: string | null
  readonly message: string | null
}

/** Of venues whose words stand in several places, by ccxt's id of the exchange. */
const OWN_WORDS: Readonly<
  Record<string, (body: unknown) => { readonly code: string; readonly message: string | null } | undefined>
> = { coinbase: coinbaseWords, krakenfutures: krakenFuturesWords, bitstamp: bitstampWords, gemini: geminiWords }

/**
 * `{"code": …, "msg": …}` out of an error's text, or out of a plain object that ccxt rejected with. An operation that OKX refused has
 * its own words inside: `{"code": "1", "data": [{"sCode": …, "sMsg": …}]}`. Bybit's are `{"retCode": …, "retMsg": …}`, Gate's
 * `{"label": …, "message": …}`; those of others stand in several places.
 */
const venueWords = (error: unknown, text: string): VenueWords => {
  const start = text.indexOf("{")
  const candidate: unknown =
    typeof error === "object" && error !== null && !(error instanceof Error)
      ? error
      : start < 0
        ? null
        : parsed(text.slice(start))
  const outer = record(candidate)
  const own = OWN_WORDS[text.slice(0, text.indexOf(" "))]?.(candidate)
  if (own !== undefined) return { ...own, code: cleanText(own.code).slice(0, CODE_MAX) }
  const words = outer["error"] === undefined ? outer : record(outer["error"])
  const operation = Array.isArray(words["data"]) ? record(words["data"][0]) : {}
  const code = operation["sCode"] ?? words["code"] ?? words["retCode"] ?? words["label"]
  const message = operation["sMsg"] ?? words["msg"] ?? words["message"] ?? words["retMsg"]
  return {
    code: typeof code === "number" || typeof code === "string" ? cleanText(String(code)).slice(0, CODE_MAX) : null,
    message: typeof message === "string" ? message : null,
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON after all: the text alone has to do.
    return null
  }
}

const classRow = (error: unknown): Row | undefined => {
  for (let at: object | null = Object(error); at !== null; at = Object.getPrototypeOf(at)) {
    const row = BY_CLASS.get(Object.hasOwn(at, "constructor") ? at.constructor.name : "")
    if (row !== undefined) return row
  }
  return undefined
}

const CODES: Readonly<Record<string, typeof BINANCE_CODES>> = {
  binanceusdm: BINANCEUSDM_CODES,
  bitfinex: BITFINEX_CODES,
  okx: OKX_CODES,
  bybit: BYBIT_CODES,
  coinbase: COINBASE_CODES,
  deribit: DERIBIT_CODES,
  kucoin: KUCOIN_CODES,
  gate: GATE_CODES,
  krakenfutures: KRAKENFUTURES_CODES,
  bitstamp: BITSTAMP_CODES,
  gemini: GEMINI_CODES,
}

/** What the code means, or the text where one code has many meanings, by the venue: ccxt's errors open with its id of the exchange. */
const pinnedRow = (text: string, { code, message }: VenueWords): Row | undefined => {
  if (code === null) return undefined
  const codes = CODES[text.slice(0, text.indexOf(" "))]
  const outcome = codes?.get(message ?? "") ?? codes?.get(code) ?? BINANCE_CODES.get(code)
  return outcome === undefined ? undefined : ["", ...outcome]
}

const decide = (error: unknown, text: string, words: VenueWords): Row => {
  if (text.includes(NEVER_CONNECTED)) return ["", "VENUE_UNREACHABLE", "NOT_SENT"]
  // Some connectors say InvalidNonce of a hole in a book.
  if (text.startsWith(LOST_PLACE) || HOLE_IN_BOOK.test(text)) return ["", "STREAM_GAP", "IN_DOUBT"]
  // The id is taken because an earlier attempt arrived (contract C3).
  if (/duplicate (client )?order|clientOid ?duplicate/i.test(text)) return ["", "DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]
  // Gate says it of a subscription inside another error's text, and ccxt calls it a wrong key.
  if (/\bREQUEST_EXPIRED\b/.test(text)) return ["", "CLOCK_SKEW", "REFUSED"]
  // ccxt has one class for this and for post-only orders that would take.
  if (/would trigger immediately/i.test(text)) return ["", "WOULD_TRIGGER_IMMEDIATELY", "REFUSED"]
  // An answer without the venue's words: ccxt names method, URL and status.
  if (/^\w+ [A-Z]+ https:\S+ (418|429)\b/.test(text)) return ["", "RATE_LIMITED", "REFUSED"]
  const row = pinnedRow(text, words) ?? classRow(error)
  if (row === undefined) return ["", "INTERNAL", "IN_DOUBT"]
  // Only an answer 418 or 429 is a definite no; ccxt uses these classes for more than that.
  if (row[1] === "RATE_LIMITED" && /\b(418|429)\b|"code":\s*-10(03|15)\b/.test(text)) return [row[0], row[1], "REFUSED"]
  return row
}

const meaningOf = (error: unknown, text: string, words: VenueWords, kraken: string | undefined) => {
  const known = kraken === undefined ? undefined : krakenMeaning(kraken)
  if (known !== undefined) return known
  const [, category, verdict] = decide(error, text, words)
  return { category, verdict }
}

/** Never throws, whatever was thrown. */
export const classify = (error: unknown): Failure => {
  const text =
    error instanceof Error ? error.message : typeof error === "string" ? error : (JSON.stringify(error) ?? "")
  const kraken = krakenWords(text)
  const words =
    kraken === undefined ? venueWords(error, text) : { code: cleanText(kraken).slice(0, CODE_MAX), message: kraken }
  const { category, verdict } = meaningOf(error, text, words, kraken)
  const { code, message } = words
  const said = cleanText(message ?? text)
  return { category, code, text: said === "" ? category : said, verdict }
}

/** The key itself is refused, whatever was asked with it: no further call makes sense. */
export const refusesKey = (failure: VenueFailure): boolean => failure.category === "VENUE_AUTHENTICATION"

/**
 * Something is forbidden to the account. In the answer to a question about the whole account that ends the session; in the answer
 * to one order it may be about that order alone: Binance's -2010 "This symbol is not permitted for this account." is a
 * PermissionDenied of ccxt.
 */
export const forbids = (failure: VenueFailure): boolean =>
  failure.category === "PERMISSION_DENIED" || failure.category === "ACCOUNT_SUSPENDED"
