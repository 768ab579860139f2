/**
 * What Gemini's reasons mean; ccxt 4.5.84 keeps the class of some and drops the word, and takes a missing role for a wrong key. Source: developer.gemini.com,
 * "Error codes". A reason that is not listed says nothing about the order: it stays in doubt.
 */
import { each, type Outcome } from "../outcome.ts"

const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const MALFORMED: Outcome = ["INVALID_ARGUMENT", "REFUSED"]
const FORBIDDEN: Outcome = ["PERMISSION_DENIED", "REFUSED"]
const WRONG_KEY: Outcome = ["VENUE_AUTHENTICATION", "REFUSED"]
const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const AWAY: Outcome = ["VENUE_UNAVAILABLE", "IN_DOUBT"]

export const INVALID_NONCE = "InvalidNonce"

export const GEMINI_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ...each(
    INVALID,
    "ClientOrderIdTooLong",
    "ClientOrderIdMustBeString",
    "InvalidPrice",
    "InvalidQuantity",
    "InvalidSide",
  ),
  ...each(INVALID, "InvalidOrderType", "InvalidStopPrice", "InvalidStopPriceBuy", "InvalidStopPriceSell"),
  ...each(INVALID, "InvalidStopPriceRatio", "ConflictingOptions", "UnsupportedOption", "OptionsMustBeArray"),
  // Of the events of orders: the venue's own word for a price between two steps, and for a book that is too thin.
  ...each(INVALID, "LimitPriceOffTick", "InvalidTotalSpend"),
  ...each(["ORDER_NOT_FILLABLE", "REFUSED"], "InsufficientLiquidity"),
  ...each(["INSUFFICIENT_BALANCE", "REFUSED"], "InsufficientFunds"),
  ...each(["MARKET_CLOSED", "REFUSED"], "MarketNotOpen", "AuctionNotOpen", "IneligibleTiming"),
  ...each(["INSTRUMENT_NOT_FOUND", "REFUSED"], "InvalidSymbol", "UnknownInstrument"),
  ...each(["ORDER_NOT_FOUND", "REFUSED"], "OrderNotFound"),
  // An earlier attempt arrived (contract C3).
  ...each(["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"], "DuplicateOrder"),
  ...each(MALFORMED, "EndpointMismatch", "EndpointNotFound", "InvalidJson", "InvalidTimestampInPayload"),
  ...each(MALFORMED, "MissingOrderField", "MissingPayloadKey", "MissingPayloadHeader", "MissingSignatureHeader"),
  ...each(MALFORMED, "MissingApikeyHeader", "MissingNonce", "NoSSL"),
  ...each(FORBIDDEN, "MissingRole", "RemoteAddressForbidden", "ApiKeyIpFilteringFailure", "NotGroupApiCompatible"),
  ...each(FORBIDDEN, "AccountNotOfTypeRequired", "NoAccountOfTypeRequired", "MissingAccounts", "MissingAccountName"),
  ...each(["ACCOUNT_SUSPENDED", "REFUSED"], "AccountClosed"),
  ...each(WRONG_KEY, "InvalidSignature", "InvalidApiKey"),
  // It looked at the nonce and refused, whichever kind the key has.
  ...each(["CLOCK_SKEW", "REFUSED"], INVALID_NONCE),
  ...each(LIMITED, "RateLimit", "RateLimited", "Too Many Requests"),
  ...each(AWAY, "Maintenance", "System", "Internal Server Error"),
])

/** `{"result": "error", "reason": …, "message": …}`. */
export const geminiWords = (body: unknown): { readonly code: string; readonly message: string | null } | undefined => {
  const { result, reason, message } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (result !== "error") return undefined
  return { code: String(reason ?? "error"), message: typeof message === "string" ? message : null }
}
