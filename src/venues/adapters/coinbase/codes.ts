/**
 * Coinbase's reasons, and where they stand in its answers. ccxt 4.5.84 knows few of them, and calls every refused cancel a bad request. Source:
 * docs.cdp.coinbase.com, create-order, cancel-order, edit-order. A reason that is not listed means what its class says.
 */

import { record } from "../adapter.ts"
import type { Outcome } from "../outcome.ts"

const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const FUNDS: Outcome = ["INSUFFICIENT_BALANCE", "REFUSED"]
/** Of a cancel or a change: the order has ended, or never was one. */
const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
/** Another cancel or change of the order is under way. */
const PENDING: Outcome = ["CANCEL_PENDING", "IN_DOUBT"]

const ORDER_NOT_FOUND = "ORDER_NOT_FOUND"
const TIMESTAMP_EXPIRED = "TIMESTAMP_EXPIRED"

/** Without the `PREVIEW_` that many of them have as well. */
export const COINBASE_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ["INSUFFICIENT_FUND", FUNDS],
  ["INSUFFICIENT_FUNDS", FUNDS],
  ["INVALID_LEDGER_BALANCE", FUNDS],
  ["INVALID_LIMIT_PRICE_POST_ONLY", ["WOULD_TAKE", "REFUSED"]],
  ["INVALID_NO_LIQUIDITY", ["ORDER_NOT_FILLABLE", "REFUSED"]],
  ["UNSUPPORTED_ORDER_CONFIGURATION", INVALID],
  ["INVALID_ORDER_CONFIG", INVALID],
  ["INVALID_SIDE", INVALID],
  ["INVALID_SIZE_PRECISION", INVALID],
  ["INVALID_PRICE_PRECISION", INVALID],
  ["INVALID_BASE_SIZE_TOO_SMALL", INVALID],
  ["INVALID_BASE_SIZE_TOO_LARGE", INVALID],
  ["INVALID_QUOTE_SIZE_TOO_SMALL", INVALID],
  ["INVALID_QUOTE_SIZE_TOO_LARGE", INVALID],
  ["INVALID_QUOTE_SIZE_PRECISION", INVALID],
  ["INVALID_LIMIT_PRICE", INVALID],
  ["INVALID_EDITED_PRICE", INVALID],
  ["INVALID_EDITED_SIZE", INVALID],
  ["CANNOT_EDIT_TO_BELOW_FILLED_SIZE", INVALID],
  ["ONLY_LIMIT_ORDER_EDITS_SUPPORTED", INVALID],
  ["COMMANDER_REJECTED_NEW_ORDER", ["REJECTED", "REFUSED"]],
  ["INVALID_PRODUCT_ID", ["INSTRUMENT_NOT_FOUND", "REFUSED"]],
  ["INELIGIBLE_PAIR", CLOSED],
  ["UNTRADABLE_PRODUCT", CLOSED],
  ["ORDER_ENTRY_DISABLED", CLOSED],
  ["GEOFENCING_RESTRICTION", ["RESTRICTED_LOCATION", "REFUSED"]],
  ["UNKNOWN_CANCEL_ORDER", GONE],
  ["ORDER_IS_FULLY_FILLED", GONE],
  ["INVALID_CANCEL_REQUEST", ["INVALID_ARGUMENT", "REFUSED"]],
  ["INVALID_CANCEL_PRODUCT_ID", ["INVALID_ARGUMENT", "REFUSED"]],
  ["DUPLICATE_CANCEL_REQUEST", PENDING],
  ["ORDER_IS_BEING_REPLACED", PENDING],
  [ORDER_NOT_FOUND, GONE],
  ["rate_limit_exceeded", LIMITED],
  ["resource_exhausted", LIMITED],
  ["RESOURCE_EXHAUSTED", LIMITED],
  // The venue looked at its clock and refused.
  [TIMESTAMP_EXPIRED, ["CLOCK_SKEW", "REFUSED"]],
])

/** The first of them that says something. */
const reasonOf = (...reasons: ReadonlyArray<unknown>): string | null => {
  const said = reasons.filter((it): it is string => typeof it === "string" && it !== "")
  return (
    said
      .map((it) => it.replace(/^PREVIEW_/, ""))
      .find((it) => !it.startsWith("UNKNOWN_P") && it !== "UNKNOWN_FAILURE_REASON") ??
    said[0] ??
    null
  )
}

const NO_ORDER = /order with this orderid was not found/i

/** The venue's reason and words in an answer of its; undefined: it has none. */
export const coinbaseWords = (answer: unknown): { readonly code: string; readonly message: string } | undefined => {
  const { error, error_response, errors, message, failure_reason } = record(answer)
  const words = (code: string | null, said: unknown) =>
    code === null ? undefined : { code, message: typeof said === "string" && said !== "" ? said : code }
  if (error_response !== undefined) {
    const of = record(error_response)
    return words(reasonOf(of["preview_failure_reason"], of["new_order_failure_reason"], of["error"]), of["message"])
  }
  if (Array.isArray(errors)) {
    const { id, message: said, edit_failure_reason, preview_failure_reason } = record(errors[0])
    if (said === "request timestamp expired") return words(TIMESTAMP_EXPIRED, said)
    return words(reasonOf(edit_failure_reason, preview_failure_reason, id), said)
  }
  if (typeof message === "string" && NO_ORDER.test(message)) return words(ORDER_NOT_FOUND, message)
  return words(reasonOf(failure_reason, error), message)
}
