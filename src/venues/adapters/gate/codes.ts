/**
 * Gate's labels whose class in ccxt 4.5.84 is wrong, or that ccxt does not know (source: www.gate.com/docs/developers/apiv4, "Label list"). A label that is
 * not listed means what its class says.
 */
import type { Outcome } from "../outcome.ts"

/** Of a cancel or a change: the order has ended. An InvalidOrder of ccxt, after which it would be taken for one that works on. */
const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
/** An earlier attempt arrived (contract C3); an InvalidOrder of ccxt. */
const TAKEN: Outcome = ["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]
const NOT_FILLED: Outcome = ["ORDER_NOT_FILLABLE", "REFUSED"]
const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]

export const GATE_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ["DUPLICATE_REQUEST", TAKEN],
  ["FOK_NOT_FILL", NOT_FILLED],
  ["INVALID_CLIENT_ORDER_ID", ["INVALID_ORDER", "REFUSED"]],
  // "Insufficient liquidity", of a market order.
  ["ORDER_BOOK_NOT_FOUND", NOT_FILLED],
  ["ORDER_CANCELLED", GONE],
  ["ORDER_CLOSED", GONE],
  ["ORDER_EXISTS", TAKEN],
  ["REPEATED_CREATION", TAKEN],
  // The venue looked at its clock and refused; an AuthenticationError of ccxt, which would end the session for good.
  ["REQUEST_EXPIRED", ["CLOCK_SKEW", "REFUSED"]],
  ["TOO_FAST", LIMITED],
  ["TOO_MANY_REQUESTS", LIMITED],
  // "Trading is restricted due to high debt ratio": InsufficientFunds of ccxt.
  ["TRADE_RESTRICTED", ["PERMISSION_DENIED", "REFUSED"]],
])
