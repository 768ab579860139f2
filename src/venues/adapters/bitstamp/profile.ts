/** Bitstamp spot. */
import { plain, UNANSWERED_ORDERS } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const BITSTAMP: ReadonlyArray<VenueProfile> = [
  plain("BITSTAMP", "bitstamp", {
    name: "Bitstamp",
    // ccxt sends the others under names that the venue does not know: such an order would rest.
    timesInForce: ["GTC"],
    hosts: ["www.bitstamp.net:443", "ws.bitstamp.net:443"],
    snapshotsAsked: true,
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: { watchOrderBook: { snapshotDelay: -1 } },
    // None is documented for sockets: less than the 10,000 requests in ten minutes of REST.
    connects: { most: 60, withinMillis: 60_000 },
    // cancel_order answers with `status` "Canceled" or "Cancel pending" (ccxt parseOrderStatus: `canceling`).
    cancelAnswer: "REQUESTED",
    // replace_order answers with a new order's id; what became of the old one is to be seen.
    amendAnswer: "REQUESTED",
    // open_orders/all: all of them, up to ten seconds old.
    openOrders: { way: "WHOLE" },
    // user_transactions/:pair: `limit` at most 1,000, `offset`, newest first; ccxt takes out what is no trade.
    fills: { of: "INSTRUMENT", paging: { way: "OFFSET", param: "offset", size: 1000, last: "EMPTY" } },
    // order_status tells of one order.
    endedOrders: null,
    // `datetime` of order_status is the order's creation; it has no other.
    orderTimes: { created: "timestamp", updated: null },
    // The signature is good for 150 s by the venue's clock, which ccxt does not keep to.
    orderExpiryMillis: null,
    // One count of ids: orders are asked for by the id alone.
    orderIds: "VENUE",
    orders: UNANSWERED_ORDERS,
    // GET /api/v2/transactions/:pair: all of the last hour; `tid` is the stream's `id`.
    tradeHistory: { way: "BY_ID", params: {} },
    adapter: "bitstamp",
  }),
]
