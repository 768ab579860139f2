/** Gate spot. Its testnet has no WebSocket for spot, so there is no `_UAT`. */
import { plain, UNANSWERED_ORDERS } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const GATE: ReadonlyArray<VenueProfile> = [
  plain("GATE", "gate", {
    name: "Gate",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.gateio.ws:443"],
    // `ob.<pair>.50` of spot.obu, which ccxt subscribes.
    bookReach: { way: "WINDOW", levels: 50 },
    options: { defaultType: "spot", fetchMarkets: { types: ["spot"] } },
    // None is documented but 300 connections of one address at once.
    connects: { most: 300, withinMillis: 300_000 },
    // DELETE /spot/orders/:id answers with the order, `status: "cancelled"`.
    cancelAnswer: "DONE",
    // PATCH /spot/orders/:id answers with the order as it is then.
    amendAnswer: "DONE",
    // GET /spot/open_orders: `limit` rows of each pair on a page, at most 100.
    openOrders: { way: "NUMBER", param: "page", size: 100, last: "SHORT" },
    // GET /spot/my_trades: ccxt: "default 100, max 1000"; between `from` and `to` at most 30 days.
    fills: {
      of: "INSTRUMENT",
      paging: { way: "NUMBER", param: "page", size: 1000, windowMillis: 30 * 86_400_000, last: "SHORT" },
    },
    // GET /spot/orders with `status: finished`: at most 100 of one pair.
    endedOrders: {
      of: "INSTRUMENT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "NUMBER", param: "page", size: 100, windowMillis: 30 * 86_400_000, last: "SHORT" },
    },
    // `update_time_ms`, which ccxt calls the time of the last trade.
    orderTimes: { created: "timestamp", updated: "lastTradeTimestamp" },
    // The header's time may be 60 s off; ccxt sends no `x-gate-exptime`.
    orderExpiryMillis: null,
    // One count of ids.
    orderIds: "VENUE",
    orders: UNANSWERED_ORDERS,
    // GET /spot/trades: 100 unless told, at most 1,000.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "gate",
  }),
]
