/** Coinbase Advanced Trade, spot. ccxt has no sandbox of it. */
import { plain, UNANSWERED_ORDERS } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const COINBASE: ReadonlyArray<VenueProfile> = [
  plain("COINBASE", "coinbase", {
    name: "Coinbase",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    // "WebSocket connections are rate-limited at 8 per second per IP address."
    connects: { most: 8, withinMillis: 1_000 },
    // orders/batch_cancel: "Initiate cancel requests for one or more orders."
    cancelAnswer: "REQUESTED",
    // orders/edit answers `success` and no order.
    amendAnswer: "REQUESTED",
    // orders/historical/batch: ccxt asks for 100; `cursor` goes with ccxt's first row while there are more.
    openOrders: { way: "CURSOR", param: "cursor", field: "cursor", size: 100 },
    // orders/historical/fills: ccxt's pages are of 250.
    fills: {
      of: "INSTRUMENT",
      paging: { way: "CURSOR", param: "cursor", field: "cursor", size: 250 },
    },
    // orders/historical/batch of every status; `start_date` is that of the creation.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchOrders"],
      starts: "CREATION",
      paging: { way: "CURSOR", param: "cursor", field: "cursor", size: 100 },
    },
    // ccxt parseOrder: `created_time` alone.
    orderTimes: { created: "timestamp", updated: null },
    // The token lives 120 s by our own clock; the venue promises nothing of an order behind it.
    orderExpiryMillis: null,
    // A uuid.
    orderIds: "VENUE",
    orders: UNANSWERED_ORDERS,
    // market/products/:id/ticker: its `trades`, at most 1,000, with the `trade_id` of the stream.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "coinbase",
    hosts: ["api.coinbase.com:443", "advanced-trade-ws.coinbase.com:443"],
  }),
]
