/** KuCoin spot, of classic accounts. Its WebSocket host comes with a token, by REST; ccxt has no sandbox of it. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

/** "The start and end time range cannot exceed 7 days." */
const WINDOW_MILLIS = 7 * 86_400_000
/** "400002: the difference between the timestamp of the request and the time of the server is more than 5 seconds." */
const TIMESTAMP_MILLIS = 5000

export const KUCOIN: ReadonlyArray<VenueProfile> = [
  plain("KUCOIN", "kucoin", {
    name: "KuCoin",
    needsPassphrase: true,
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.kucoin.com:443", "ws-api-spot.kucoin.com:443"],
    snapshotsAsked: true,
    // GET /api/v1/market/orderbook/level2_100; the whole book (GET /api/v3/market/orderbook/level2) is for those with keys.
    bookReach: { way: "SEED", levels: 100 },
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: {
      defaultType: "spot",
      fetchMarkets: { types: ["spot"] },
      watchOrderBook: { snapshotDelay: -1 },
      // Of the kinds of accounts only this one is connected; ccxt would ask before each first call.
      uta: false,
      hf: true,
    },
    // "Connection limit: 30 per minute."
    connects: { most: 30, withinMillis: 60_000 },
    // DELETE /api/v1/hf/orders/:id: "This endpoint only sends cancellation requests."
    cancelAnswer: "REQUESTED",
    // Orders are not changed in place there.
    amendAnswer: "REQUESTED",
    // GET /api/v1/hf/orders/active of each symbol that has any: all of them, at most 200.
    openOrders: { way: "WHOLE" },
    // GET /api/v1/hf/fills: 100 at most; `lastId` beside the rows, on ccxt's first one.
    fills: {
      of: "INSTRUMENT",
      paging: { way: "CURSOR", param: "lastId", field: "lastId", size: 100, windowMillis: WINDOW_MILLIS },
    },
    // GET /api/v1/hf/orders/done: the same pages and the same window.
    endedOrders: {
      of: "INSTRUMENT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "CURSOR", param: "lastId", field: "lastId", size: 100, windowMillis: WINDOW_MILLIS },
    },
    // `lastUpdatedAt` of the lists, `ts` of the stream (orders.ts).
    orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
    orderExpiryMillis: TIMESTAMP_MILLIS,
    // An order is one request, signed with the time and no number in a row: others may overtake it.
    signsAhead: true,
    // Of its quote asset, also of a buy, unless it is KCS.
    feeInQuote: true,
    // By account: 4,000 of weight for spot in 30 s; less, because they come closer together than they left, and others use the account.
    privatePace: { burst: 3600, perSecond: 120 },
    // An object id.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    // GET /api/v1/market/histories tells no trade's id.
    tradeHistory: { way: "NONE" },
    adapter: "kucoin",
  }),
]
