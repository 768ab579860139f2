/** Binance USDⓈ-M perpetuals. ccxt refuses their testnet, so there is no `_UAT`. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const RECV_WINDOW_MILLIS = 5000

export const BINANCEUSDM: ReadonlyArray<VenueProfile> = [
  plain("BINANCEUSDM", "binanceusdm", {
    name: "Binance USDⓈ-M Futures",
    features: ["FUTURES"],
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    lists: "perpetual",
    hosts: ["fapi.binance.com:443", "fstream.binance.com:443"],
    options: {
      defaultType: "swap",
      fetchMargins: false,
      fetchOpenOrders: { warnWithoutSymbol: false },
      warnOnFetchOpenOrdersWithoutSymbol: false,
      recvWindow: RECV_WINDOW_MILLIS,
      // ccxt would ask for them with each new stream.
      watchPositions: { fetchPositionsSnapshot: false, awaitPositionsSnapshot: false },
    },
    // GET /fapi/v1/depth: "default 500; valid limits: [5, 10, 20, 50, 100, 500, 1000]"; 1000 weigh 20 of 2,400 a minute.
    bookReach: { way: "SEED", levels: 1000 },
    tickerParams: { name: "ticker" },
    lastQuantityField: "Q",
    fillsWithOrders: true,
    // Its pages name none; the spot side has this for the same address.
    connects: { most: 300, withinMillis: 300_000 },
    // DELETE /fapi/v1/order answers with the order, `status: "CANCELED"`.
    cancelAnswer: "DONE",
    // PUT /fapi/v1/order cancels a post-only order whose new price would take, and answers with it.
    amendAnswer: "REQUESTED",
    // GET /fapi/v1/openOrders has no limit.
    openOrders: { way: "WHOLE" },
    // GET /fapi/v1/userTrades: at most 1,000; "the time between startTime and endTime cannot be longer than 7 days".
    fills: {
      of: "INSTRUMENT",
      paging: { way: "AFTER_ID", param: "fromId", size: 1000, last: "SHORT", windowMillis: 7 * 86_400_000 },
    },
    // GET /fapi/v1/allOrders: from `orderId` on, at most 1,000; cancelled ones without a fill are kept for three days.
    endedOrders: {
      of: "INSTRUMENT",
      lists: ["fetchOrders"],
      starts: "ID",
      paging: { way: "AFTER_ID", param: "orderId", size: 1000, last: "SHORT" },
    },
    // ccxt parseOrder: `updateTime`, of the stream `T`.
    orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
    orderExpiryMillis: RECV_WINDOW_MILLIS,
    // ORDERS in exchangeInfo.
    orderLimits: [
      { most: 300, withinMillis: 10_000, of: "ACCOUNT" },
      { most: 1200, withinMillis: 60_000, of: "ACCOUNT" },
    ],
    // As on the spot side: an orderId is given with its symbol.
    orderIds: "INSTRUMENT",
    orders: PROVEN_ORDERS,
    clientIdParam: "origClientOrderId",
    // GET /fapi/v1/trades: at most 1,000. ccxt would ask for aggregates, which have ids of their own.
    tradeHistory: { way: "BY_ID", params: { fetchTradesMethod: "fapiPublicGetTrades", limit: 1000 } },
    adapter: "binanceusdm",
  }),
]
