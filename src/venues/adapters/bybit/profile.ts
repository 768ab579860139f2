/** Bybit spot and its testnet. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

/** `recv_window`: the venue refuses a request older than that by its own clock. */
const RECV_WINDOW_MILLIS = 5000
/** "If only startTime is passed, return range between startTime and startTime + 7 days." */
const WINDOW_MILLIS = 7 * 86_400_000

const spot = {
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  // `orderbook.50`, which ccxt subscribes.
  bookReach: { way: "WINDOW", levels: 50 },
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    // Every account is a unified one by now; ccxt would ask before each first call.
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
    unifiedMarginStatus: 5,
    recvWindow: RECV_WINDOW_MILLIS,
  },
  // "Do not build over 500 connections in 5 minutes."
  connects: { most: 500, withinMillis: 300_000 },
  // v5/order/cancel: "The acknowledgement of a cancel order request indicates that the request was successfully accepted".
  cancelAnswer: "REQUESTED",
  // v5/order/amend: the same words.
  amendAnswer: "REQUESTED",
  // v5/order/realtime: 20 orders unless told, at most 50; `nextPageCursor` in ccxt's first row.
  openOrders: { way: "CURSOR", param: "cursor", field: "nextPageCursor", size: 50 },
  // v5/execution/list: at most 100.
  fills: {
    of: "INSTRUMENT",
    paging: {
      way: "CURSOR",
      param: "cursor",
      field: "nextPageCursor",
      size: 100,
      windowMillis: WINDOW_MILLIS,
    },
  },
  // v5/order/history: at most 50, of the whole account.
  endedOrders: {
    of: "ACCOUNT",
    lists: ["fetchCanceledAndClosedOrders"],
    starts: "CREATION",
    paging: {
      way: "CURSOR",
      param: "cursor",
      field: "nextPageCursor",
      size: 50,
      windowMillis: WINDOW_MILLIS,
    },
  },
  // ccxt parseOrder: `updatedTime`.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  orderExpiryMillis: RECV_WINDOW_MILLIS,
  // An order is one request, signed with the time and no number in a row: others may overtake it.
  signsAhead: true,
  socketOrders: true,
  // Long numbers of spot, uuids of contracts.
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  // By account and second: 20 of a kind of order requests, which cost 2.5 of 50; less, because they come closer together than they left.
  // Beside it 600 of an address in 5 s, which are 250 of ccxt's costs.
  privatePace: { burst: 40, perSecond: 40, addressCost: 0.5 },
  // v5/market/recent-trade: at most 60 of a spot pair; `execId` is the stream's `i`.
  tradeHistory: { way: "BY_ID", params: { limit: 60 } },
  adapter: "bybit",
} as const satisfies VenueFacts & Partial<VenueProfile>

export const BYBIT: ReadonlyArray<VenueProfile> = [
  plain("BYBIT", "bybit", { ...spot, name: "Bybit", hosts: ["api.bybit.com:443", "stream.bybit.com:443"] }),
  plain("BYBIT_UAT", "bybit", {
    ...spot,
    name: "Bybit Testnet",
    sandbox: true,
    hosts: ["api-testnet.bybit.com:443", "stream-testnet.bybit.com:443"],
  }),
]
