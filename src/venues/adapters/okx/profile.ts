/** OKX, spot, and its demo trading: the same REST host under a header, WebSockets and keys of its own. */
import type { VenueId } from "../../../domain/ids.ts"
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import type { VenueProfile } from "../profile.ts"

/** `expTime` of an order, ms after it was signed: what arrives later the venue refuses (contract C3). */
const ORDER_EXPIRY_MILLIS = 5000

const okxSpot = {
  exchange: "okx",
  features: ["SPOT"],
  needsPassphrase: true,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  lists: "spot",
  feeInQuote: false,
  bareNumbers: false,
  needsCurrencies: false,
  // It takes a subscription again without a word and without a snapshot.
  refusesRepeats: true,
  snapshotsAsked: false,
  // The channel `books`: 400 levels.
  bookReach: { way: "WINDOW", levels: 400 },
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    // One order in one object: as a batch of one, ccxt's way, `expTime` and the order's own code are easily overlooked.
    createOrder: "privatePostTradeOrder",
    // `trades` adds up what one taker did at one price.
    watchTrades: { channel: "trades-all" },
    watchOrders: { type: "SPOT" },
    // What is sent over a socket is spaced where it is put together.
    ws: { cost: 0 },
  },
  batchesSubscriptions: true,
  tickerParams: {},
  lastQuantityField: "lastSz",
  // GET /api/v5/market/trades: at most 500.
  tradeHistory: { way: "BY_ID", params: { limit: 500 } },
  fillsWithOrders: true,
  clientIdParam: "clOrdId",
  // "Connection limit: 3 requests per second (based on IP)."
  connects: { most: 3, withinMillis: 1_000 },
  // "Cancel order returns with sCode equal to 0. It is not strictly considered that the order has been canceled."
  cancelAnswer: "REQUESTED",
  // "Amend order returns … 0 … only means that the request has been accepted."
  amendAnswer: "REQUESTED",
  // GET /api/v5/trade/orders-pending: at most 100, `after` an ordId for older ones.
  openOrders: { way: "BEFORE_ID", param: "after", size: 100, last: "SHORT" },
  // GET /api/v5/trade/fills-history: at most 100, `after` a billId.
  fills: { of: "INSTRUMENT", paging: { way: "BEFORE_ID", param: "after", field: "billId", size: 100, last: "SHORT" } },
  // GET /api/v5/trade/orders-history: at most 100, `after` an ordId; cancelled ones without a fill are kept for two hours.
  endedOrders: {
    of: "ACCOUNT",
    lists: ["fetchCanceledOrders", "fetchClosedOrders"],
    starts: "CREATION",
    paging: { way: "BEFORE_ID", param: "after", size: 100, last: "SHORT" },
  },
  // `uTime`.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  orderExpiryMillis: ORDER_EXPIRY_MILLIS,
  // An order is one request, signed with the time and no number in a row: others may overtake it.
  signsAhead: true,
  socketOrders: true,
  // One count of ids.
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  // 60 orders in 2 s of an instrument; ccxt's bucket would space them by 37 ms, and an order behind a question by 220 ms.
  rollingWindowMillis: 2000,
  // "Rate limit rule: User ID" of what is signed, "+ Instrument ID" of orders; one count of all here, of less than the 20 and 10 of that,
  // because they come closer together than they left.
  privatePace: { burst: 18, perSecond: 9 },
  adapter: "okx",
} as const satisfies Omit<VenueProfile, "venue" | "name" | "sandbox" | "hosts">

export const OKX: ReadonlyArray<VenueProfile> = [
  {
    ...okxSpot,
    venue: "OKX" as VenueId,
    name: "OKX",
    sandbox: false,
    hosts: ["www.okx.com:443", "ws.okx.com:8443"],
  },
  {
    ...okxSpot,
    venue: "OKX_UAT" as VenueId,
    name: "OKX Demo Trading",
    sandbox: true,
    hosts: ["www.okx.com:443", "wspap.okx.com:8443"],
  },
]
