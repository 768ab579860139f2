/** Bitfinex spot. */
import { plain, UNANSWERED_ORDERS } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

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
    // auth/w/order/cancel is answered by a notification: "Submitted for cancellation; waiting for confirmation".
    cancelAnswer: "REQUESTED",
    // auth/w/order/update likewise: "Submitting update to …".
    amendAnswer: "REQUESTED",
    // auth/r/orders: all active orders.
    openOrders: { way: "WHOLE" },
    // auth/r/trades/:symbol/hist: ccxt names 1,000 as the most; `sort: 1` is oldest first, else its newest ones come first.
    fills: {
      of: "INSTRUMENT",
      paging: { way: "AFTER_TIME", size: 1000, params: { sort: 1 }, last: "SHORT" },
    },
    // auth/r/orders/hist: newest first, at most 2,500, `end` bounds it by the time of the last change.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "BEFORE_TIME", param: "end", as: "MILLIS", size: 2500, last: "SHORT" },
    },
    // The row has MTS_CREATE and MTS_UPDATE as its fifth and sixth field; ccxt's `timestamp` is the latter.
    orderTimes: { created: "info.4", updated: "info.5" },
    // A nonce, no window.
    orderExpiryMillis: null,
    // One count of ids.
    orderIds: "VENUE",
    orders: UNANSWERED_ORDERS,
    // GET /v2/trades/:symbol/hist: 120 unless told, at most 10,000; 1,000 are enough for a cut.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "bitfinex",
  }),
]
