/** What each venue can do: for ccxt's exchanges as `scripts/capabilities.ts` recorded it, for in-process venues as they declare it. */
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import type { Venue } from "../../domain/instrument/venue.ts"
import { PLAIN_CAPABILITIES, PROVEN_ORDERS, VenueCapabilities } from "../../domain/instrument/venue-capabilities.ts"
import type { VenueProfile } from "./profile.ts"

/** By ccxt exchange, then by what is listed of it. */
export const CapabilityPage = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    /** ccxt knows a test environment of it. */
    sandbox: Schema.Boolean,
    spot: Schema.optional(VenueCapabilities),
    perpetual: Schema.optional(VenueCapabilities),
  }),
})
export type CapabilityPage = typeof CapabilityPage.Type

const decode = Schema.decodeUnknownSync(Schema.parseJson(CapabilityPage))

let page: CapabilityPage | undefined

/** Read when it is first asked for, from beside this module, where the build puts it, too: it can be written anew while it is wrong. */
export const capabilityPage = (): CapabilityPage => {
  page ??= decode(readFileSync(new URL("./capabilities.json", import.meta.url), "utf8"))
  return page
}

/** Of an exchange that is not written down yet: what any of them does. */
export const capabilitiesOf = ({ exchange, lists }: Pick<VenueProfile, "exchange" | "lists">): VenueCapabilities =>
  capabilityPage()[exchange]?.[lists] ?? PLAIN_CAPABILITIES

/** What every venue of this process is, whatever it trades on. */
export const IN_PROCESS_VENUE = {
  features: ["SPOT"],
  needsCredentials: false,
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  orderExpiryMillis: null,
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  takesOrders: true,
  feeInQuote: false,
  inProcess: true,
} as const satisfies Partial<Venue>

/** Of a venue whose matching runs in this process. */
export const IN_PROCESS_CAPABILITIES: VenueCapabilities = {
  ...PLAIN_CAPABILITIES,
  nativeTimesInForce: ["GTC", "IOC", "FOK", "GTX"],
  clientOrderIds: { form: "ALPHANUMERIC", lengthMax: 32, unique: "ALWAYS" },
  streams: {
    orderBook: "STREAM",
    trades: "STREAM",
    ticker: "STREAM",
    klines: "STREAM",
    orders: "STREAM",
    executions: "STREAM",
    balances: "STREAM",
  },
  bookContinuity: "SEQUENCE",
}
