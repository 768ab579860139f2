/**
 * The profile of a venue without special needs: the facts of its answers describe any exchange of ccxt.pro. Differences are given in `special`;
 * nothing unproven is promised (post-only, IOC, FOK), and for orders that are not proven it says what is missing. Proven are those whose orders,
 * fills, cancels and failures have been tested with a loopback exchange that speaks the venue's protocol (docs/decisions/0076).
 */

import type { VenueId } from "../../domain/ids.ts"
import type { VenueOrders } from "../../domain/instrument/venue-capabilities.ts"
import type { VenueFacts, VenueProfile } from "./profile.ts"

// What is missing where the orders of an exchange are not proven: the words of its profile, of the refusal, and of the guide. Proven are those
// whose orders, fills, cancels and failures have met a loopback exchange that speaks the venue's protocol (docs/decisions/0076).

/** Signed requests are tested, and answers are ccxt's shapes of them. */
export const UNANSWERED_ORDERS: VenueOrders = {
  proof: "EXPERIMENTAL",
  missing:
    "no test exchange covers its orders, cancels and private stream, and the venue's own behaviour has not been observed",
}

export const plain = (venue: string, exchange: string, special: VenueFacts & Partial<VenueProfile>): VenueProfile => ({
  venue: venue as VenueId,
  name: venue,
  exchange,
  sandbox: false,
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC"],
  lists: "spot",
  feeInQuote: false,
  hosts: [],
  options: {},
  needsCurrencies: false,
  bareNumbers: false,
  refusesRepeats: false,
  snapshotsAsked: false,
  tickerParams: {},
  lastQuantityField: null,
  fillsWithOrders: false,
  clientIdParam: "clientOrderId",
  adapter: "none",
  ...special,
})
