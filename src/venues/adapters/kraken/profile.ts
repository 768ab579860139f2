/** Kraken, spot; it has no test environment. */
import type { VenueId } from "../../../domain/ids.ts"
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import type { VenueProfile } from "../profile.ts"

/** `deadline` of an order after it was signed: the matching engine no longer takes it then (contract C3). The venue wants 2 to 60 s. */
const ORDER_EXPIRY_MILLIS = 5000

export const KRAKEN: ReadonlyArray<VenueProfile> = [
  {
    venue: "KRAKEN" as VenueId,
    name: "Kraken",
    exchange: "kraken",
    sandbox: false,
    features: ["SPOT"],
    needsPassphrase: false,
    timesInForce: ["GTC", "IOC", "GTX"],
    lists: "spot",
    // `fciq` goes with every order.
    feeInQuote: true,
    hosts: ["api.kraken.com:443", "ws.kraken.com:443", "ws-auth.kraken.com:443"],
    // ccxt would send one subscription a second.
    options: { ws: { cost: 0.02 } },
    bareNumbers: true,
    // Balances, fees and pairs name assets that only the list of assets tells apart.
    needsCurrencies: true,
    refusesRepeats: true,
    snapshotsAsked: false,
    // By default it moves with trades only.
    tickerParams: { event_trigger: "bbo" },
    lastQuantityField: null,
    // By number, in `trades.ts`.
    tradeHistory: { way: "BY_NUMBER" },
    fillsWithOrders: true,
    // "Approximately 150 connection attempts per rolling 10 minutes" of an address (Cloudflare).
    connects: { most: 150, withinMillis: 600_000 },
    // CancelOrder answers with the number of orders cancelled; where it says `pending`, the order itself is asked for.
    cancelAnswer: "DONE",
    // AmendOrder is answered once it is made, with its `amend_id`.
    amendAnswer: "DONE",
    // OpenOrders: all of them.
    openOrders: { way: "WHOLE" },
    // TradesHistory: 50 of all markets, newest first, `ofs`.
    fills: { of: "ACCOUNT", paging: { way: "OFFSET", param: "ofs", size: 50, last: "SHORT" } },
    // ClosedOrders: 50 of all markets, newest first, `ofs`.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchClosedOrders"],
      starts: "CREATION",
      paging: { way: "OFFSET", param: "ofs", size: 50, last: "SHORT" },
    },
    // `closetm` of a closed order, `timestamp` of an event; an open order of an answer has none.
    orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
    orderExpiryMillis: ORDER_EXPIRY_MILLIS,
    // A txid.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    clientIdParam: "clientOrderId",
    bookDepth: 1000,
    bookReach: { way: "WINDOW", levels: 1000 },
    // docs.kraken.com, OHLC: "up to 720 of the most recent entries", whatever is asked for.
    klinesKept: 720,
    // The checksum is of the ten best levels of 1,000.
    bookRefreshMillis: 120_000,
    // The smallest of the venue's counters: 15 calls, each of which runs off in 3 s; ccxt has them cost 3, and orders nothing.
    privatePace: { burst: 45, perSecond: 1, runsOff: true, auditsShare: 0.7 },
    adapter: "kraken",
  },
]
