/** Binance Spot and its testnet. */
import type { VenueId } from "../../../domain/ids.ts"
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import type { VenueProfile } from "../profile.ts"

/** The venue's own clock difference is loaded at start, and `recvWindow` is the expiry Binance enforces (contract C3). */
const BINANCE_RECV_WINDOW_MILLIS = 5000

const binanceSpot = {
  exchange: "binance",
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  lists: "spot",
  feeInQuote: false,
  needsCurrencies: false,
  bareNumbers: false,
  refusesRepeats: false,
  // One request an order, signed with the time and no number in a row: others may overtake it.
  signsAhead: true,
  socketOrders: true,
  snapshotsAsked: false,
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    fetchMargins: false,
    fetchCurrencies: false,
    fetchOpenOrders: { warnWithoutSymbol: false },
    warnOnFetchOpenOrdersWithoutSymbol: false,
    recvWindow: BINANCE_RECV_WINDOW_MILLIS,
  },
  // GET /api/v3/depth: "limit: default 100; max 5000"; 5000 weigh 250 of 6,000 a minute, 1000 weigh 50.
  bookReach: { way: "SEED", levels: 5000, quick: 1000 },
  tickerParams: { name: "ticker" },
  lastQuantityField: "Q",
  // GET /api/v3/trades: at most 1,000. ccxt would ask for aggregates, which have ids of their own.
  tradeHistory: { way: "BY_ID", params: { fetchTradesMethod: "publicGetTrades", limit: 1000 } },
  fillsWithOrders: true,
  // "There is a limit of 300 connections per attempt every 5 minutes per IP."
  connects: { most: 300, withinMillis: 300_000 },
  // DELETE /api/v3/order answers with the order as it ended, `status: "CANCELED"`.
  cancelAnswer: "DONE",
  // The gateway changes its orders by cancel and new order (`capabilities.json`): nothing of it is answered in advance.
  amendAnswer: "REQUESTED",
  // GET /api/v3/openOrders has no limit: all of the account.
  openOrders: { way: "WHOLE" },
  // GET /api/v3/myTrades: "limit: default 500; max 1000"; "fromId: TradeId to fetch from", oldest first.
  fills: { of: "INSTRUMENT", paging: { way: "AFTER_ID", param: "fromId", size: 1000, last: "SHORT" } },
  // GET /api/v3/allOrders: "orderId: if set, it will get orders >= that orderId", at most 1,000, of one symbol.
  endedOrders: {
    of: "INSTRUMENT",
    lists: ["fetchOrders"],
    starts: "ID",
    paging: { way: "AFTER_ID", param: "orderId", size: 1000, last: "SHORT" },
  },
  // ccxt parseOrder: `updateTime` or `transactTime`, of the stream `T`.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  orderExpiryMillis: BINANCE_RECV_WINDOW_MILLIS,
  // An orderId is given with its symbol, and each symbol counts for itself.
  orderIds: "INSTRUMENT",
  orders: PROVEN_ORDERS,
  clientIdParam: "origClientOrderId",
  adapter: "binance",
} as const satisfies Omit<VenueProfile, "venue" | "name" | "sandbox" | "hosts">

export const BINANCE: ReadonlyArray<VenueProfile> = [
  {
    ...binanceSpot,
    venue: "BINANCE" as VenueId,
    name: "Binance",
    sandbox: false,
    hosts: ["api.binance.com:443", "stream.binance.com:9443", "ws-api.binance.com:443"],
  },
  {
    ...binanceSpot,
    venue: "BINANCE_UAT" as VenueId,
    name: "Binance Spot Testnet",
    sandbox: true,
    hosts: ["testnet.binance.vision:443", "stream.testnet.binance.vision:443", "ws-api.testnet.binance.vision:443"],
  },
]
