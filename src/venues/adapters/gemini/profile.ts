/** Gemini spot, of keys of an account, and its sandbox. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

const spot = {
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  // With them it learns the steps of the pairs.
  needsCurrencies: true,
  // None is documented for sockets: half of the 120 public requests a minute of REST.
  connects: { most: 60, withinMillis: 60_000 },
  // v1/order/cancel answers with the order, `is_cancelled: true`; where it is not, the order itself is asked for.
  cancelAnswer: "DONE",
  // It cannot change an order.
  amendAnswer: "REQUESTED",
  // v1/orders: all active orders.
  openOrders: { way: "WHOLE" },
  // v1/mytrades: 50 unless told, at most 500, "on or after" `timestamp`, oldest first; broken ones are taken out.
  fills: { of: "INSTRUMENT", paging: { way: "AFTER_TIME", size: 500, last: "EMPTY" } },
  // v1/order/status tells of one; of v1/orders/history the venue does not say which end a page begins at.
  endedOrders: null,
  // `timestampms` of an answer is the order's creation; only events say when it changed.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  // A nonce, and a window of the venue's clock with some keys alone.
  orderExpiryMillis: null,
  // Of its quote asset, beside what a buy costs.
  feeInQuote: true,
  // Each event of a fill has its trade.
  fillsWithOrders: true,
  // 600 requests a minute of a key, ten of them at once; "we recommend that you do not exceed 5 requests per second".
  privatePace: { burst: 10, perSecond: 5 },
  // POST /v1/order/status takes the id alone.
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  // v1/trades/:symbol: 50 unless told, at most 500; `tid` is the stream's `event_id`.
  tradeHistory: { way: "BY_ID", params: { limit_trades: 500 } },
  adapter: "gemini",
} as const satisfies VenueFacts & Partial<VenueProfile>

export const GEMINI: ReadonlyArray<VenueProfile> = [
  // The exchange's page is where ccxt reads the steps of all markets in one request.
  plain("GEMINI", "gemini", { ...spot, name: "Gemini", hosts: ["api.gemini.com:443", "exchange.gemini.com:443"] }),
  plain("GEMINI_UAT", "gemini", {
    ...spot,
    name: "Gemini Sandbox",
    sandbox: true,
    hosts: ["api.sandbox.gemini.com:443", "exchange.gemini.com:443"],
  }),
]
