/**
 * Deribit's codes whose class in ccxt 4.5.84 is wrong, or that ccxt does not know: an end would be no end, a limit a doubt, and one late answer a wrong
 * key. Source: docs.deribit.com, "RPC Error Codes". What is not listed means what its class says, and is in doubt where it has none.
 */
import { each, type Outcome } from "../outcome.ts"

const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const REJECTED: Outcome = ["REJECTED", "REFUSED"]
const UNLISTED: Outcome = ["INSTRUMENT_NOT_FOUND", "REFUSED"]
const DOWN: Outcome = ["VENUE_UNAVAILABLE", "IN_DOUBT"]

/** Of an answer that shows a venue's clock which is not the one that its request was signed by. */
const CLOCK = "clock"

export const DERIBIT_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  [CLOCK, ["CLOCK_SKEW", "REFUSED"]],
  // ccxt knows none of them on a socket. authorization_required, invalid_credentials, unauthorized.
  ...each(["VENUE_AUTHENTICATION", "REFUSED"], "10000", "13004", "13009"),
  // api_not_enabled, permission_denied, forbidden.
  ...each(["PERMISSION_DENIED", "REFUSED"], "9999", "11042", "13021"),
  // order_not_found, already_closed, not_owner_of_order, already_filled, not_open_order.
  ...each(GONE, "10004", "10010", "10029", "11008", "11044"),
  // post_only_reject; a price that a post-only order cannot be given.
  ...each(["WOULD_TAKE", "REFUSED"], "11054", "11021"),
  ...each(INVALID, "11055", "13032"),
  // not_enough_funds_in_currency.
  ...each(["INSUFFICIENT_BALANCE", "REFUSED"], "10039"),
  // too_many_requests, matching_engine_queue_full, too_many_concurrent_requests; too many logins that failed, of which this need not be one.
  ...each(LIMITED, "10028", "10047", "10066", "12003", "12998"),
  // book_closed, orderbook_closed, locked_by_admin, method_switched_off_by_admin.
  ...each(CLOSED, "10012", "13019", "10019", "13025"),
  // order_overlap, limits of orders and positions, other_reject, mmp_trigger.
  ...each(REJECTED, "10003", "10013", "10014", "10015", "10016", "10017", "10018", "10037", "10038", "10072"),
  ...each(REJECTED, "11013", "11022", "11030", "11035", "13030"),
  // invalid_or_unsupported_instrument, instrument_not_found.
  ...each(UNLISTED, "10020", "13020"),
  // invalid_args_for_instrument.
  ...each(["INVALID_ARGUMENT", "REFUSED"], "10031"),
  // account_locked, account_blocked.
  ...each(["ACCOUNT_SUSPENDED", "REFUSED"], "11098", "13002"),
  // "Request can't be processed right now and should be retried": it is asked for by its label before it is. settlement_in_progress,
  // system_maintenance, temporarily_unavailable, unavailable.
  ...each(DOWN, "10040", "10041", "11051", "13028", "13503"),
  // timed_out: "processing takes too long".
  ...each(["VENUE_TIMEOUT", "IN_DOUBT"], "13888"),
])

/** Of an answer that decides nothing, by its name. */
export class ExchangeError extends Error {
  constructor(message: string) {
    super(`deribit ${JSON.stringify({ error: { message } })}`)
  }
}

/** Refused for our clock alone. */
export class ClockError extends Error {
  constructor(message: string) {
    super(`deribit ${JSON.stringify({ error: { code: CLOCK, message } })}`)
  }
}
