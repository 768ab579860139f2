/**
 * Bybit's codes whose class in ccxt 4.5.84 is wrong, or that ccxt does not know (source: bybit-exchange.github.io/docs/v5/error). A code that is
 * not listed means what its class says.
 */
import type { Outcome } from "../outcome.ts"

const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const RESTRICTED: Outcome = ["RESTRICTED_LOCATION", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
/** Of a cancel or a change: the order has ended, been filled, or is in no book. */
const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
/** The id is taken because an earlier attempt arrived (contract C3); an InvalidOrder of ccxt. */
const TAKEN: Outcome = ["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]
/** Says nothing of what became of it; an InvalidOrder or a BadRequest of ccxt. */
const TIMED_OUT: Outcome = ["VENUE_TIMEOUT", "IN_DOUBT"]
const UNDER_WAY: Outcome = ["VENUE_FAILED", "IN_DOUBT"]
const CANCELLING: Outcome = ["CANCEL_PENDING", "IN_DOUBT"]

export const BYBIT_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ["10000", TIMED_OUT],
  // The venue looked at its clock and refused.
  ["10002", ["CLOCK_SKEW", "REFUSED"]],
  ["10006", LIMITED],
  // The address is banned; an AuthenticationError of ccxt, which would end every session.
  ["10009", LIMITED],
  ["10014", UNDER_WAY],
  ["10018", LIMITED],
  // Of the trade socket: it restarts, and takes no new request.
  ["10019", ["VENUE_UNAVAILABLE", "REFUSED"]],
  ["10024", RESTRICTED],
  // Of the trade socket: of an address, no such operation or category, of the whole system.
  ["10403", LIMITED],
  ["10404", ["INVALID_ARGUMENT", "REFUSED"]],
  ["10429", LIMITED],
  // Of the trade socket: of one connection; a request with this number has arrived.
  ["20003", LIMITED],
  ["20006", UNDER_WAY],
  ["110008", GONE],
  ["110010", GONE],
  ["110030", TAKEN],
  ["110072", TAKEN],
  ["110074", CLOSED],
  ["110079", UNDER_WAY],
  ["170005", LIMITED],
  ["170035", UNDER_WAY],
  ["170121", ["INSTRUMENT_NOT_FOUND", "REFUSED"]],
  ["170139", GONE],
  ["170141", TAKEN],
  ["170142", GONE],
  ["170143", GONE],
  ["170144", UNDER_WAY],
  ["170146", TIMED_OUT],
  ["170147", TIMED_OUT],
  ["170151", CLOSED],
  ["170157", CLOSED],
  ["170190", GONE],
  ["170191", CANCELLING],
  ["170212", CANCELLING],
  ["170218", ["WOULD_TAKE", "REFUSED"]],
  ["170222", LIMITED],
  ["170310", TIMED_OUT],
])
