/**
 * What a connector must know of a venue beside what ccxt knows. Plain data, because it crosses into the worker; what needs code is in
 * `worker/quirks.ts`, found by name.
 */
import type { VenueId } from "../domain/ids.ts"
import type { TimeInForce } from "../domain/venue.ts"

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
