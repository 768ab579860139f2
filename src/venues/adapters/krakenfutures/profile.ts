/** Kraken's perpetuals and their demo. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  // What the venue answers to a FOK that it does not fill is not documented.
  timesInForce: ["GTC", "IOC", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  // The feed that also tells of post-only orders which never stood in the book.
  options: { watchOrders: { verbose: true } },
  // None is documented but 100 connections at once; as at the spot venue, behind the same edge.
  connects: { most: 150, withinMillis: 600_000 },
  // cancelorder answers `cancelStatus.status: "cancelled"`, and with what was filled before.
  cancelAnswer: "DONE",
  // editorder answers `editStatus.status: "edited"`.
  amendAnswer: "DONE",
  // openorders: all of them.
  openOrders: { way: "WHOLE" },
  // fills: the 100 newest of all markets, or those before `lastFillTime`.
  fills: { of: "ACCOUNT", paging: { way: "BEFORE_TIME", param: "lastFillTime", as: "ISO", size: 100, last: "SHORT" } },
  // history/orders: pages of 1,000 events, which the adapter reads to their end.
  endedOrders: {
    of: "ACCOUNT",
    lists: ["fetchClosedOrders"],
    starts: "CREATION",
    paging: { way: "WHOLE" },
  },
  // `lastUpdateTimestamp`, or `lastUpdateTime` of an open order, and of the feed `last_update_time`.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  // `processBefore`.
  orderExpiryMillis: 5000,
  // An order is one request, and its nonce may be left out: others may overtake it.
  signsAhead: true,
  // "500 every 10 seconds", by cost; less, because they come closer together than they left, and others use the account. A page of older fills costs 25.
  privatePace: { burst: 400, perSecond: 40, auditsShare: 0.5 },
  // A uuid.
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  // history: the 100 newest; `uid` is the stream's. ccxt would ask the history of executions, page by page.
  tradeHistory: { way: "BY_ID", params: { method: "publicGetHistory" } },
  adapter: "krakenfutures",
} as const satisfies VenueFacts & Partial<VenueProfile>

export const KRAKENFUTURES: ReadonlyArray<VenueProfile> = [
  plain("KRAKENFUTURES", "krakenfutures", {
    ...perpetuals,
    name: "Kraken Futures",
    hosts: ["futures.kraken.com:443"],
  }),
  plain("KRAKENFUTURES_UAT", "krakenfutures", {
    ...perpetuals,
    name: "Kraken Futures Demo",
    sandbox: true,
    hosts: ["demo-futures.kraken.com:443"],
  }),
]
