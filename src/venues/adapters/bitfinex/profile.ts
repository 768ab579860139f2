/** Bitfinex, of which the exchange wallet trades; ccxt has no sandbox of it. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

/**
 * By no clock: a nonce below one that was taken is refused. Each of the questions that prove an order was never placed is signed later, and answered; this is for
 * what the venue has taken, and not yet worked off.
 */
const ORDER_EXPIRY_MILLIS = 15_000

export const BITFINEX: ReadonlyArray<VenueProfile> = [
  plain("BITFINEX", "bitfinex", {
    name: "Bitfinex",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.bitfinex.com:443", "api-pub.bitfinex.com:443"],
    bareNumbers: true,
    refusesRepeats: true,
    // `len` 25, which is the venue's own default.
    bookReach: { way: "WINDOW", levels: 25 },
    // wss://api-pub: 20 a minute; wss://api: 5 in 15 s. The smaller one is for both.
    connects: { most: 5, withinMillis: 15_000 },
    // Of each endpoint an address may ask 90 times in a minute, of which all share one; orders come at once where there were none.
    rollingWindowMillis: 60_000,
    // "Blocked for 10-60 seconds on that endpoint."
    waits: { limitedMillis: 10_000 },
    // auth/w/order/cancel is answered by a notification: "Submitted for cancellation; waiting for confirmation".
    cancelAnswer: "REQUESTED",
    // auth/w/order/update likewise: "Submitting update to …".
    amendAnswer: "REQUESTED",
    // auth/r/orders: all active orders.
    openOrders: { way: "WHOLE" },
    // auth/r/trades/hist: of all pairs, 2,500 at most by its page and 1,000 by ccxt; `sort: 1` is oldest first, else its newest ones come first.
    fills: {
      of: "ACCOUNT",
      paging: { way: "AFTER_TIME", size: 1000, params: { sort: 1 }, last: "SHORT" },
    },
    // auth/r/orders/hist: at most 2,500, which the adapter reads to its end.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "WHOLE" },
    },
    // The row has MTS_CREATE and MTS_UPDATE as its fifth and sixth cell.
    orderTimes: { created: "info.4", updated: "info.5" },
    orderExpiryMillis: ORDER_EXPIRY_MILLIS,
    // One count of ids.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    // GET /v2/trades/:symbol/hist: 120 unless told, at most 10,000; 1,000 are enough for a cut.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "bitfinex",
  }),
]
