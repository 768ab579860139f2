/**
 * The venues that ccxt connectors serve, one line each: which exchange file, which switches, which pinned quirks. A profile is
 * plain data, because it crosses into the worker. Adding a venue is adding a line here and proving its quirks by venue-spec cards.
 */
import type { VenueId } from "../domain/ids.ts"
import type { TimeInForce, Venue } from "../domain/venue.ts"

/** What a connector must know of a venue beside what ccxt knows. */
export interface VenueProfile {
  readonly venue: VenueId
  readonly name: string
  /** The file name under ccxt's `js/src/pro`. */
  readonly exchange: string
  /** Testnet: `setSandboxMode(true)` right after construction. Only where ccxt has test URLs (venues.md 2.2). */
  readonly sandbox: boolean
  readonly features: ReadonlyArray<string>
  readonly needsPassphrase: boolean
  readonly timesInForce: ReadonlyArray<TimeInForce>
  readonly orderExpiryMillis: number | null
  readonly feeInQuote: boolean
  /** Every host the connector dials, `host:port`: what VENUE_ROUTES must name. */
  readonly hosts: ReadonlyArray<string>
  /** ccxt `options` on top of those every connector gets; plain values only. */
  readonly options: Readonly<Record<string, unknown>>
  /** Extra parameters of watchTicker; Binance's default stream has no bid and ask (venues.md 4.10). */
  readonly tickerParams: Readonly<Record<string, unknown>>
  /** Where the raw ticker carries the quantity of the last trade. */
  readonly lastQuantityField: string | null
  /** Whether fills come with the order events, or need `watchMyTrades` of their own. */
  readonly fillsWithOrders: boolean
  /** How the next page of fills is asked for. */
  readonly fillsPage: "fromId" | "since"
  /** Parameter that names an order by our client id in fetchOrder and cancelOrder. */
  readonly clientIdParam: string
  /** Raw words of the venue, in `worker/quirks.ts`. */
  readonly quirks: "binance" | "none"
}

/** The venue's own clock difference is loaded at start, and `recvWindow` is the expiry Binance enforces (contract C3). */
const BINANCE_RECV_WINDOW_MILLIS = 5000

const binanceSpot = {
  exchange: "binance",
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  orderExpiryMillis: BINANCE_RECV_WINDOW_MILLIS,
  feeInQuote: false,
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    fetchMargins: false,
    fetchCurrencies: false,
    fetchOpenOrders: { warnWithoutSymbol: false },
    warnOnFetchOpenOrdersWithoutSymbol: false,
    recvWindow: BINANCE_RECV_WINDOW_MILLIS,
  },
  tickerParams: { name: "ticker" },
  lastQuantityField: "Q",
  fillsWithOrders: true,
  fillsPage: "fromId",
  clientIdParam: "origClientOrderId",
  quirks: "binance",
} as const satisfies Omit<VenueProfile, "venue" | "name" | "sandbox" | "hosts">

export const PROFILES: ReadonlyArray<VenueProfile> = [
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

/** The public face of a profile; INACTIVE when the configuration names it (`VENUES_INACTIVE`). */
export const venueOf = (profile: VenueProfile, inactive: ReadonlyArray<string>): Venue => ({
  venue: profile.venue,
  name: profile.name,
  status: inactive.includes(profile.venue) ? "INACTIVE" : "ACTIVE",
  features: profile.features,
  needsCredentials: true,
  needsPassphrase: profile.needsPassphrase,
  timesInForce: profile.timesInForce,
  orderExpiryMillis: profile.orderExpiryMillis,
  feeInQuote: profile.feeInQuote,
  inProcess: false,
})
