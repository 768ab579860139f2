/** KuCoin spot. Its WebSocket host comes with a token, by REST; ccxt has no sandbox of it. */
import { plain, UNANSWERED_ORDERS } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const KUCOIN: ReadonlyArray<VenueProfile> = [
  plain("KUCOIN", "kucoin", {
    name: "KuCoin",
    needsPassphrase: true,
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.kucoin.com:443", "ws-api-spot.kucoin.com:443", "wsapi-push.kucoin.com:443"],
    snapshotsAsked: true,
    // GET /api/v1/market/orderbook/level2_100; the whole book (GET /api/v3/market/orderbook/level2) is for those with keys.
    bookReach: { way: "SEED", levels: 100 },
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: { defaultType: "spot", fetchMarkets: { types: ["spot"] }, watchOrderBook: { snapshotDelay: -1 } },
    // "Connection limit: 30 per minute."
    connects: { most: 30, withinMillis: 60_000 },
    // DELETE /api/v1/orders/:id: "This endpoint only sends cancellation requests."
    cancelAnswer: "REQUESTED",
    // POST /api/v1/hf/orders/alter answers with a new order's id.
    amendAnswer: "REQUESTED",
    // GET /api/v1/orders with `status: active`: `pageSize` 10 to 500, `currentPage`.
    openOrders: { way: "NUMBER", param: "currentPage", size: 500, last: "SHORT" },
    // GET /api/v1/fills: `pageSize` 10 to 500; ccxt sends none of it; "the start and end time range cannot exceed 7 days".
    fills: {
      of: "INSTRUMENT",
      paging: {
        way: "NUMBER",
        param: "currentPage",
        size: 500,
        sizeParam: "pageSize",
        windowMillis: 7 * 86_400_000,
        last: "SHORT",
      },
    },
    // GET /api/v1/orders with `status: done`: the same pages and the same window.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "NUMBER", param: "currentPage", size: 500, windowMillis: 7 * 86_400_000, last: "SHORT" },
    },
    // ccxt parseOrder: `createdAt` alone.
    orderTimes: { created: "timestamp", updated: null },
    // The header's time may be 5 s off, by our own clock.
    orderExpiryMillis: null,
    // An object id.
    orderIds: "VENUE",
    orders: UNANSWERED_ORDERS,
    // GET /api/v1/market/histories tells no trade's id.
    tradeHistory: { way: "NONE" },
    adapter: "kucoin",
  }),
]
