/**
 * OKX's error codes whose class in ccxt 4.5.84 is wrong, or that ccxt does not know (source: okx.com/docs-v5, "Error Code"). A code that is not
 * listed is in doubt.
 */
import type { Outcome } from "../outcome.ts"

const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const FORBIDDEN: Outcome = ["PERMISSION_DENIED", "REFUSED"]
const RESTRICTED: Outcome = ["RESTRICTED_LOCATION", "REFUSED"]
const REJECTED: Outcome = ["REJECTED", "REFUSED"]
const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
/** The id is taken because an earlier attempt arrived (contract C3); an InvalidOrder of ccxt. */
const TAKEN: Outcome = ["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]
/** The venue looked at its clock and refused: by the timestamp, or by `expTime`. */
const LATE: Outcome = ["CLOCK_SKEW", "REFUSED"]
/** "Does not mean success or failure." */
const TIMED_OUT: Outcome = ["VENUE_TIMEOUT", "IN_DOUBT"]
/** About the state of a login, not about the key: ccxt calls both AuthenticationError. */
const OUT_OF_STEP: Outcome = ["VENUE_FAILED", "IN_DOUBT"]

export const OKX_CODES: ReadonlyMap<string, Outcome> = new Map([
  ["50011", LIMITED],
  ["50028", REJECTED],
  ["50030", FORBIDDEN],
  ["50032", REJECTED],
  ["50033", REJECTED],
  ["50035", FORBIDDEN],
  ["50036", LATE],
  ["50037", LATE],
  ["50051", RESTRICTED],
  ["50052", RESTRICTED],
  ["50059", FORBIDDEN],
  ["50060", FORBIDDEN],
  ["50061", LIMITED],
  ["50071", TAKEN],
  ["50100", FORBIDDEN],
  ["50102", LATE],
  ["50119", ["VENUE_AUTHENTICATION", "REFUSED"]],
  ["50120", FORBIDDEN],
  ["50121", FORBIDDEN],
  ["50122", INVALID],
  ["51016", TAKEN],
  ["51021", CLOSED],
  ["51022", CLOSED],
  ["51025", REJECTED],
  ["51054", TIMED_OUT],
  ["51149", TIMED_OUT],
  ["51150", INVALID],
  ["51500", INVALID],
  // Of a change: the order does not exist, has been cancelled, has been completed.
  ["51503", GONE],
  ["51506", REJECTED],
  ["51508", REJECTED],
  ["51509", GONE],
  ["51510", GONE],
  ["51511", ["WOULD_TAKE", "REFUSED"]],
  // Three changes of the order are on their way already.
  ["51513", REJECTED],
  ["60006", LATE],
  ["60010", OUT_OF_STEP],
  ["60011", OUT_OF_STEP],
  ["60014", LIMITED],
  // A channel or an instrument that does not exist.
  ["60018", ["INSTRUMENT_NOT_FOUND", "REFUSED"]],
])
