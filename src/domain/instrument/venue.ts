/** Venues: what the registry has about each, and what of it is public. */
import { Schema } from "effect"
import { InvalidVenue } from "../errors/venue.ts"
import type { VenueId } from "../ids.ts"
import type { OrderType } from "../order/trade-order.ts"
import { type TimeInForce, VenueCapabilities, type VenueOrders } from "./venue-capabilities.ts"

export type { TimeInForce } from "./venue-capabilities.ts"

/** Within what a venue's id of an order is unique. */
export type OrderIds = "VENUE" | "INSTRUMENT"

/** What its money is: PROD is real, UAT a venue's play money on its test network, SIMULATED what this process gives away. INTERNAL has the ledger's own: of the installation's environment. */
export type VenueEnvironment = "PROD" | "UAT" | "SIMULATED"

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
  readonly orderIds: OrderIds
  /** The venue keeps the fee of a buy in the quote asset, so a hold must cover it (contract C10). */
  readonly feeInQuote: boolean
  /** In-process: a submit that was never placed is answered so definitely, at once (order-path 3). */
  readonly inProcess: boolean
  /**
   * What it did counts once the gateway's journal has it: when the process ends it forgets the rest. So an order may be handed to it while its
   * unit is being stored (decision 96). Absent: it remembers for itself.
   */
  readonly followsJournal?: true
  readonly environment: VenueEnvironment
  /** How far it is proven what it does with orders. */
  readonly orders: VenueOrders
  /** Accounts are connected there and new orders sent: they are proven, or the installation has opted in. */
  readonly takesOrders: boolean
  readonly capabilities: VenueCapabilities
  /** The venue whose instruments, books and trades it uses; absent: its own. */
  readonly source?: VenueId
}

/** Characters of a name that is none: as many as the longest has. */
const VENUE_TOLD_MAX = 40

/** From the most to lose to the least. */
const BY_STAKES: ReadonlyArray<VenueEnvironment> = ["PROD", "UAT", "SIMULATED"]

/** Of several the one with the most to lose; undefined: there is none. */
export const gravestOf = (environments: ReadonlyArray<VenueEnvironment>): VenueEnvironment | undefined =>
  BY_STAKES.find((it) => environments.includes(it))

/** Accounts hold assets there, not positions. A venue that says nothing is one. */
export const isSpot = ({ features }: Pick<Venue, "features">): boolean =>
  features.length === 0 || features.includes("SPOT")

/** Where the venue has no market orders, a limit order that ends at once stands in for them (contract C5). */
const takesMarket = ({ capabilities, timesInForce }: Venue): boolean =>
  capabilities.marketOrders || timesInForce.includes("IOC")

/** The types of orders that are taken for the venue: triggers that it does not have itself are watched by the gateway. */
export const orderTypesAt = (venue: Venue): ReadonlyArray<OrderType> => [
  ...(takesMarket(venue) ? (["MARKET"] as const) : []),
  "LIMIT",
  ...(venue.timesInForce.includes("GTX") ? (["LIMIT_MAKER"] as const) : []),
  ...(takesMarket(venue) ? (["STOP", "STOP_LOSS", "TAKE_PROFIT"] as const) : []),
  "STOP_LIMIT",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT_LIMIT",
  "TRAILING_STOP",
]

/** The times in force that are taken for the venue. What ends at a time is ended by the gateway where the venue does not do it. */
export const timesInForceAt = ({ timesInForce }: Venue): ReadonlyArray<TimeInForce> => [
  ...timesInForce.filter((word) => word !== "GTD" && word !== "DAY"),
  "GTD",
  "DAY",
]

/** The failure for a name that no venue has (errno -130002): what was given, and what would have been right. */
export const invalidVenue = (
  name: string,
  find: (name: string) => Venue | undefined = () => undefined,
): InvalidVenue => {
  const near = find(name.trim().toUpperCase())?.venue
  return new InvalidVenue({
    venue: name.slice(0, VENUE_TOLD_MAX),
    form: "an identifier in upper case, for example MOCK; a venue's test environment ends in _UAT",
    ...(near === undefined ? {} : { didYouMean: near }),
    list: "GET /api/v3/market/venue/list",
  })
}

const OrdersProven = Schema.Literal("PROVEN", "EXPERIMENTAL", "NONE").annotations({
  description:
    "How far the venue's handling of orders is proven. EXPERIMENTAL: not yet, so accounts can be connected and new orders are accepted only if the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it accepts no orders. Market data is available regardless",
})

export const VenueRecord = Schema.Struct({
  venue: Schema.String,
  name: Schema.String,
  status: Schema.Literal("ACTIVE", "INACTIVE"),
  features: Schema.Array(Schema.String),
  orders: OrdersProven,
}).annotations({ identifier: "Venue" })
export type VenueRecord = typeof VenueRecord.Type

export const venueRecord = (v: Venue): VenueRecord => ({
  venue: v.venue,
  name: v.name,
  status: v.status,
  features: v.features,
  orders: v.orders.proof,
})

export const VenueCapabilityRecord = Schema.Struct({
  venue: Schema.String,
  features: Schema.Array(Schema.String).annotations({ description: "As in market/venue/list" }),
  orders: OrdersProven,
  ordersMissing: Schema.NullOr(Schema.String).annotations({
    description: "What is not proven yet; null where orders are PROVEN",
  }),
  takesOrders: Schema.Boolean.annotations({
    description: "This installation connects accounts there and sends new orders: they are PROVEN, or it has opted in",
  }),
  orderTypes: Schema.Array(Schema.String).annotations({ description: "Accepted order types" }),
  timesInForce: Schema.Array(Schema.String).annotations({ description: "Accepted times in force" }),
  postOnly: Schema.Boolean.annotations({ description: "Whether GTX and LIMIT_MAKER are accepted" }),
  sandboxVenue: Schema.NullOr(Schema.String).annotations({
    description: "The venue's test environment, itself a venue here; null: it has none, or is one",
  }),
  orderExpiryMillis: Schema.NullOr(Schema.Int).annotations({
    description: "The venue refuses an order that arrives later than this; null: it has no such limit",
  }),
  ...VenueCapabilities.fields,
}).annotations({ identifier: "VenueCapability" })
export type VenueCapabilityRecord = typeof VenueCapabilityRecord.Type

/** `isListed` says whether there is a venue of that identifier. */
export const venueCapabilityRecord = (v: Venue, isListed: (venue: string) => boolean): VenueCapabilityRecord => {
  const sandbox = `${v.venue}_UAT`
  const timesInForce = timesInForceAt(v)
  return {
    venue: v.venue,
    features: v.features,
    orders: v.orders.proof,
    ordersMissing: v.orders.missing,
    takesOrders: v.takesOrders,
    orderTypes: orderTypesAt(v),
    timesInForce,
    postOnly: timesInForce.includes("GTX"),
    sandboxVenue: isListed(sandbox) ? sandbox : null,
    orderExpiryMillis: v.orderExpiryMillis,
    ...v.capabilities,
    // What the venue enforces and the gateway does not take, because its connector cannot send it, is no capability of ours.
    nativeTimesInForce: v.capabilities.nativeTimesInForce.filter((word) => timesInForce.includes(word)),
  }
}
