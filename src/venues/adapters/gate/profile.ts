/** Gate spot, of classic accounts. Its testnet has no WebSocket for spot, so there is no `_UAT`. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

/** "If only any parameter of `from` or `to` is specified, only 7-day data from the start of the specified time is returned." */
const WINDOW_MILLIS = 7 * 86_400_000

export const GATE: ReadonlyArray<VenueProfile> = [
  plain("GATE", "gate", {
    name: "Gate",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.gateio.ws:443"],
    // `ob.<pair>.50` of spot.obu, which ccxt subscribes.
    bookReach: { way: "WINDOW", levels: 50 },
    options: {
      defaultType: "spot",
      fetchMarkets: { types: ["spot"] },
      // Of the kinds of accounts only classic ones are connected; ccxt would ask before the first call, and take a failure for an answer.
      unifiedAccount: false,
    },
    // None is documented but 300 connections of one address at once.
    connects: { most: 300, withinMillis: 300_000 },
    // DELETE /spot/orders/:id answers with the order, `status: "cancelled"`.
    cancelAnswer: "DONE",
    // PATCH /spot/orders/:id answers with the order as it is then.
    amendAnswer: "DONE",
    // GET /spot/open_orders: pages of each pair, which the adapter reads to their end.
    openOrders: { way: "WHOLE" },
    // GET /spot/my_trades: 100 unless told, at most 1,000.
    fills: {
      of: "INSTRUMENT",
      paging: { way: "NUMBER", param: "page", size: 1000, windowMillis: WINDOW_MILLIS, last: "SHORT" },
    },
    // GET /spot/orders with `status: finished`: at most 100 of one pair, by the time at which they ended.
    endedOrders: {
      of: "INSTRUMENT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "NUMBER", param: "page", size: 100, windowMillis: WINDOW_MILLIS, last: "SHORT" },
    },
    // `update_time_ms`, which ccxt calls the time of the last trade.
    orderTimes: { created: "timestamp", updated: "lastTradeTimestamp" },
    // `x-gate-exptime`; without it 60 s, by the header's time.
    orderExpiryMillis: 5000,
    // An order is one request, signed with the time and no number in a row: others may overtake it.
    signsAhead: true,
    // By account: 200 in 10 s of each endpoint, of which all share one; less, because they come closer together than they left, and others use the account.
    privatePace: { burst: 160, perSecond: 16 },
    // "Order placement and amend an order are total of 10r/s (UID+Market)".
    orderLimits: [{ most: 10, withinMillis: 1000, of: "INSTRUMENT" }],
    // One count of ids.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    // GET /spot/trades: 100 unless told, at most 1,000.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "gate",
  }),
]
