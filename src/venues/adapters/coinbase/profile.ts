/** Coinbase Advanced Trade, spot. ccxt has no sandbox of it. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

/** Contracts are in the same lists. */
const SPOT = { product_type: "SPOT" }
/** `exp` of ccxt's tokens. */
const TOKEN_MILLIS = 120_000

export const COINBASE: ReadonlyArray<VenueProfile> = [
  plain("COINBASE", "coinbase", {
    name: "Coinbase",
    // Its older list of wallets does not say what orders hold.
    options: { fetchBalance: "v3PrivateGetBrokerageAccounts" },
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    // "WebSocket connections are rate-limited at 8 per second per IP address."
    connects: { most: 8, withinMillis: 1_000 },
    // orders/batch_cancel: "Initiate cancel requests for one or more orders."
    cancelAnswer: "REQUESTED",
    // orders/edit answers `success` and no order.
    amendAnswer: "REQUESTED",
    // orders/historical/batch: ccxt asks for 100; `cursor` goes with ccxt's first row while there are more.
    openOrders: { way: "CURSOR", param: "cursor", field: "cursor", size: 100, params: SPOT },
    // orders/historical/fills: ccxt's pages are of 250; its name of the product is one that the venue no longer lists.
    fills: {
      of: "ACCOUNT",
      paging: { way: "CURSOR", param: "cursor", field: "cursor", size: 250 },
    },
    // orders/historical/batch of every status; `start_date` is that of the creation.
    endedOrders: {
      of: "ACCOUNT",
      lists: ["fetchOrders"],
      starts: "CREATION",
      paging: { way: "CURSOR", param: "cursor", field: "cursor", size: 100, params: SPOT },
    },
    // ccxt parseOrder: `created_time` alone.
    orderTimes: { created: "timestamp", updated: null },
    // A request is refused once its token is two minutes old by the venue's clock.
    orderExpiryMillis: TOKEN_MILLIS,
    // An order is one request with a token of its own: others may overtake it.
    signsAhead: true,
    // Of its quote asset, also of a buy.
    feeInQuote: true,
    // A uuid.
    orderIds: "VENUE",
    orders: PROVEN_ORDERS,
    // By user: 30 a second; less, because they come closer together than they left.
    privatePace: { burst: 24, perSecond: 24 },
    // market/products/:id/ticker: its `trades`, at most 1,000, with the `trade_id` of the stream.
    tradeHistory: { way: "BY_ID", params: { limit: 1000 } },
    adapter: "coinbase",
    hosts: ["api.coinbase.com:443", "advanced-trade-ws.coinbase.com:443"],
  }),
]
