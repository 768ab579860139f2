/**
 * Codes of Binance USDⓈ-M whose class in ccxt 4.5.84 is wrong (source: developers.binance.com, USDS-margined futures, "Error Code"), beside those
 * that it shares with spot (`binance/codes.ts`). A code that is not listed means what its class says.
 */
import type { Outcome } from "../outcome.ts"

const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const RESTRICTED: Outcome = ["RESTRICTED_LOCATION", "REFUSED"]
const UNFILLABLE: Outcome = ["ORDER_NOT_FILLABLE", "REFUSED"]

export const BINANCEUSDM_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  // "This listenKey does not exist": of the stream, not of the API key; an AuthenticationError of ccxt, which would end the session for good.
  ["-1125", ["VENUE_FAILED", "IN_DOUBT"]],
  ["-2020", UNFILLABLE],
  // "User in liquidation mode now."
  ["-2023", ["REJECTED", "REFUSED"]],
  // The id is taken because an earlier attempt arrived (contract C3); an InvalidOrder of ccxt.
  ["-4116", ["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]],
  ["-4140", CLOSED],
  ["-4141", CLOSED],
  ["-4402", RESTRICTED],
  ["-4403", RESTRICTED],
  // "The order will not be recorded in the order history."
  ["-5021", UNFILLABLE],
  ["-5022", ["WOULD_TAKE", "REFUSED"]],
  ["-5024", CLOSED],
  // It came to the matching engine behind its recvWindow, whatever the clocks are.
  ["-5028", ["VENUE_TIMEOUT", "REFUSED"]],
])
