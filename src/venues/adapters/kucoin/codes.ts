/**
 * KuCoin's codes, and texts where one code has many meanings, whose class in ccxt 4.5.84 is wrong (source: www.kucoin.com/docs-new/error-code). What
 * is not listed means what its class says.
 */
import type { Outcome } from "../outcome.ts"

const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const DENIED: Outcome = ["PERMISSION_DENIED", "REFUSED"]
const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const WRONG_KEY: Outcome = ["VENUE_AUTHENTICATION", "REFUSED"]

export const KUCOIN_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  // "Order creation for this pair suspended." 200002 says the same of a cancel and, in old answers, that there were too many requests.
  ["200001", CLOSED],
  // "Number of orders breached the limit."
  ["200003", ["REJECTED", "REFUSED"]],
  ["200009", DENIED],
  // The venue looked at its clock and refused.
  ["400002", ["CLOCK_SKEW", "REFUSED"]],
  // "Access denied, requires more permission": the key is good; an AuthenticationError of ccxt, which would end the session for good.
  ["400007", DENIED],
  // "V1 & V2 API keys are no longer supported by this API."
  ["400008", WRONG_KEY],
  ["400009", WRONG_KEY],
  ["400010", DENIED],
  ["400301", ["RESTRICTED_LOCATION", "REFUSED"]],
  ["400600", CLOSED],
  ["400700", DENIED],
  // "Network timeout, please try again later": says nothing of what became of it; a BadRequest of ccxt.
  ["408000", ["VENUE_TIMEOUT", "IN_DOUBT"]],
  ["429000", ["RATE_LIMITED", "REFUSED"]],
  // Of increments and of the smallest order; InsufficientFunds of ccxt.
  ["600100", INVALID],
  ["600203", CLOSED],
  // 400100, "Parameter Error".
  ["account.available.amount", ["INSUFFICIENT_BALANCE", "REFUSED"]],
  ["validation.createOrder.symbolNotAvailable", CLOSED],
])
