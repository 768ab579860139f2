/** Kraken's perpetuals and their demo. */
import { plain, UNFOLLOWED_POSITIONS } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  // ccxt drops IOC and FOK: such an order would rest.
  timesInForce: ["GTC", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  // None is documented but 100 connections at once; as at the spot venue, behind the same edge.
  connects: { most: 150, withinMillis: 600_000 },
  // cancelorder answers `cancelStatus.status: "cancelled"`; ccxt throws over every other word.
  cancelAnswer: "DONE",
  // editorder answers `editStatus.status: "edited"`.
  amendAnswer: "DONE",
  // openorders: all of them.
  openOrders: { way: "WHOLE" },
  // fills: the 100 newest of all markets, or those before `lastFillTime`.
  fills: { of: "ACCOUNT", paging: { way: "BEFORE_TIME", param: "lastFillTime", as: "ISO", size: 100, last: "SHORT" } },
  // Its history tells of events, not of orders; orders/status tells of one.
  endedOrders: null,
  // `lastUpdateTimestamp`, or `lastUpdateTime` of an open order.
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  // ccxt sends no `processBefore`.
  orderExpiryMillis: null,
  // A uuid.
  orderIds: "VENUE",
  orders: UNFOLLOWED_POSITIONS,
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
