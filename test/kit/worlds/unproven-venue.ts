/** A venue of ccxt whose market data are tested and whose answers to orders are not proven: the facts that promise nothing. */
import { plain, UNANSWERED_ORDERS } from "../../../src/venues/adapters/plain.ts"
import type { VenueFacts, VenueProfile } from "../../../src/venues/adapters/profile.ts"

const UNPROVEN: VenueFacts = {
  connects: { most: 60, withinMillis: 60_000 },
  cancelAnswer: "REQUESTED",
  amendAnswer: "REQUESTED",
  openOrders: { way: "WHOLE" },
  fills: { of: "INSTRUMENT", paging: { way: "AFTER_TIME", size: 100, last: "EMPTY" } },
  endedOrders: null,
  orderTimes: { created: "timestamp", updated: null },
  orderExpiryMillis: null,
  orderIds: "VENUE",
  orders: UNANSWERED_ORDERS,
  tradeHistory: { way: "NONE" },
}

export const unproven = (venue: string, exchange: string, special: Partial<VenueProfile> = {}): VenueProfile =>
  plain(venue, exchange, { ...UNPROVEN, ...special })
