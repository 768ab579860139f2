/** Venues: what the registry says about each of them. */
import { Schema } from "effect"
import type { VenueId } from "./ids.ts"

export type TimeInForce = "GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX"

export interface Venue {
  readonly venue: VenueId
  readonly name: string
  /** INACTIVE = disabled by configuration; outages never change it (contract C14a). */
  readonly status: "ACTIVE" | "INACTIVE"
  /** For example SPOT. */
  readonly features: ReadonlyArray<string>
  /** Whether accounts need API credentials. */
  readonly needsCredentials: boolean
  readonly needsPassphrase: boolean
  readonly timesInForce: ReadonlyArray<TimeInForce>
  /** How long after `notAfter` the venue itself still takes an order, in ms; null when it enforces no expiry (contract C3). */
  readonly orderExpiryMillis: number | null
  /** The venue keeps the fee of a buy in the quote asset, so a hold must cover it (contract C10). */
  readonly feeInQuote: boolean
  /** In-process: a submit that was never placed is answered so definitely, at once (order-path 3). */
  readonly inProcess: boolean
  /** The venue whose instruments, books and trades it uses; absent: its own. */
  readonly source?: VenueId
}

export const VenueRecord = Schema.Struct({
  venue: Schema.String,
  name: Schema.String,
  status: Schema.Literal("ACTIVE", "INACTIVE"),
  features: Schema.Array(Schema.String),
}).annotations({ identifier: "Venue" })
export type VenueRecord = typeof VenueRecord.Type

export const venueRecord = (v: Venue): VenueRecord => ({
  venue: v.venue,
  name: v.name,
  status: v.status,
  features: v.features,
})
