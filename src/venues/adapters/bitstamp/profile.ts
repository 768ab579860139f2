/** Bitstamp spot, of main accounts; ccxt has no sandbox of it. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

/** "Check that timestamp is within 150 second timeframe." */
const TIMESTAMP_MILLIS = 150_000
/** Of open_orders: "This API call is cached for 10 seconds." An order that was taken last may be missing from it for so long. */
const CACHED_MILLIS = 10_000

export const BITSTAMP: ReadonlyArray<VenueProfile> = [
  plain("BITSTAMP", "bitstamp", {
    name: "Bitstamp",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["www.bitstamp.net:443", "ws.bitstamp.net:443"],
    snapshotsAsked: true,
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: { watchOrderBook: { snapshotDelay: -1 } },
    // None is documented for sockets: less than the 10,000 requests in ten minutes of REST.
    connects: { most: 60, withinMillis: 60_000 },
    // cancel_order answers with `status` "Canceled" or "Cancel pending" (ccxt parseOrderStatus: `canceling`).
    cancelAnswer: "REQUESTED",
    // replace_order makes another order, with an id of its own: that is no change in place.
    amendAnswer: "REQUESTED",
    // open_orders/all: all of them, up to `CACHED_MILLIS` old.
    openOrders: { way: "WHOLE" },
    // user_transactions/:pair: `limit` at most 1,000, `offset`, newest first; what is no trade is taken out.
    fills: { of: "INSTRUMENT", paging: { way: "OFFSET", param: "offset", size: 1000, last: "EMPTY" } },
    // order_status tells of one order.
    endedOrders: null,
    // `datetime` of REST is the order's creation; only the stream says when it changed.
    orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
    orderExpiryMillis: TIMESTAMP_MILLIS + CACHED_MILLIS,
    // An order is one request, signed with the time and a nonce of chance: others may overtake it.
    signsAhead: true,
    // Of its quote asset, beside what a buy costs.
    feeInQuote: true,
    // Trades are told on a channel of their own, which the adapter subscribes with that of the orders.
    fillsWithOrders: true,
    // One count of ids: orders are asked for by the id alone.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    // GET /api/v2/transactions/:pair: all of the last hour; `tid` is the stream's `id`.
    tradeHistory: { way: "BY_ID", params: {} },
    adapter: "bitstamp",
  }),
]
