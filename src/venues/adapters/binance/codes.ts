/** Binance codes whose class in ccxt 4.5.84 is wrong. A code that is not listed means what its class says. */
import type { Outcome } from "../outcome.ts"

export const BINANCE_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  // "Unknown error", "disconnected", "unexpected response", "timeout waiting for the backend": the order may be live.
  ["-1000", ["VENUE_FAILED", "IN_DOUBT"]],
  ["-1001", ["VENUE_FAILED", "IN_DOUBT"]],
  ["-1006", ["VENUE_TIMEOUT", "IN_DOUBT"]],
  ["-1007", ["VENUE_TIMEOUT", "IN_DOUBT"]],
  // A filter's refusal arrives as BadRequest.
  ["-1013", ["INVALID_ORDER", "REFUSED"]],
  // Outside the recvWindow: the venue looked and refused.
  ["-1021", ["CLOCK_SKEW", "REFUSED"]],
  ["-1022", ["VENUE_AUTHENTICATION", "REFUSED"]],
  ["-2014", ["VENUE_AUTHENTICATION", "REFUSED"]],
  // DDoSProtection once anything has succeeded.
  ["-2015", ["VENUE_AUTHENTICATION", "REFUSED"]],
])
