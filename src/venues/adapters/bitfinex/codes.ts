/**
 * What Bitfinex's errors mean: `["error", code, text]` of REST, and the words of a notification or of a login. ccxt 4.5.84 drops the code of most, takes every
 * generic error for a missing permission, and all of a login for a wrong key. Source: docs.bitfinex.com, "Abbreviation Glossary"; the texts of generic errors
 * are those that the venue's users quote.
 */
import type { Outcome } from "../outcome.ts"

const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]

/** Of which ccxt's classes say less. */
export const BITFINEX_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  // "nonce: small": it is looked at before anything is done. An order, of which a copy is told so as well, is in doubt where that may be (nonces.ts).
  ["10114", ["CLOCK_SKEW", "REFUSED"]],
  ["11010", LIMITED],
  ["ERR_RATE_LIMIT", LIMITED],
])

// Of ccxt's names, by which they are classified.
class AuthenticationError extends Error {}
class BadRequest extends Error {}
class BadSymbol extends Error {}
class DuplicateOrderId extends Error {}
class ExchangeError extends Error {}
class ExchangeNotAvailable extends Error {}
class InsufficientFunds extends Error {}
class InvalidOrder extends Error {}
class OrderNotFound extends Error {}
class PermissionDenied extends Error {}

type ErrorClass = new (text: string) => Error

const BY_CODE: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ["10020", BadRequest],
  ["10100", AuthenticationError],
  ["10111", AuthenticationError],
  ["10112", AuthenticationError],
  ["10113", AuthenticationError],
  ["11000", ExchangeNotAvailable],
  ["20051", ExchangeNotAvailable],
  ["20060", ExchangeNotAvailable],
  ["20061", ExchangeNotAvailable],
])

/** Most specific first. A generic error that is not among them says nothing of the order: it stays in doubt. */
const BY_TEXT: ReadonlyArray<readonly [RegExp, ErrorClass]> = [
  [/\bduplicate/i, DuplicateOrderId],
  [/not enough .*balance|available balance is only/i, InsufficientFunds],
  [/order not found/i, OrderNotFound],
  [/symbol: invalid/i, BadSymbol],
  [/permission/i, PermissionDenied],
  [/invalid order/i, InvalidOrder],
]

const inWords = (Class: ErrorClass, code: string, message: string): Error =>
  new Class(`bitfinex ${JSON.stringify({ code: code === "" ? "ERROR" : code, message })}`)

/** In a form that says its code, and its text as the venue's own words. */
export const bitfinexError = (code: unknown, text: unknown): Error => {
  const [named, message] = [String(code ?? ""), String(text ?? "")]
  const words = BY_TEXT.find(([pattern]) => pattern.test(message))?.[1]
  const ofText = named === "10001" || named === "10020" || named === "" ? words : undefined
  const Class = ofText ?? BY_CODE.get(named) ?? ExchangeError
  return inWords(Class, named, message)
}

/** Of a login, where keys that are right are called wrong now and then: what is asked with the key says whether it is. */
export const loginError = (code: unknown, text: unknown): Error => {
  const error = bitfinexError(code, text)
  return error instanceof AuthenticationError
    ? inWords(ExchangeNotAvailable, String(code ?? ""), String(text ?? ""))
    : error
}

/** Of an answer of REST; undefined: it is none that this page knows. */
export const answeredError = (status: number, answer: unknown): Error | undefined => {
  if (Array.isArray(answer) && answer[0] === "error") return bitfinexError(answer[1], answer[2])
  const { error } = (typeof answer === "object" && answer !== null ? answer : {}) as { readonly error?: unknown }
  return status === 429 || error === "ERR_RATE_LIMIT" ? bitfinexError("ERR_RATE_LIMIT", "ratelimit") : undefined
}
