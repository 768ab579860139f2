/**
 * The venues that ccxt connectors serve. A new venue is a folder beside this file: a profile, an adapter, and cards in test/venue-spec that prove both.
 */

import type { Venue } from "../../domain/instrument/venue.ts"
import { takesOrders } from "../../domain/instrument/venue-capabilities.ts"
import { BINANCE } from "./binance/profile.ts"
import { BINANCEUSDM } from "./binanceusdm/profile.ts"
import { BITFINEX } from "./bitfinex/profile.ts"
import { BITSTAMP } from "./bitstamp/profile.ts"
import { BYBIT } from "./bybit/profile.ts"
import { capabilitiesOf } from "./capabilities.ts"
import { COINBASE } from "./coinbase/profile.ts"
import { DERIBIT } from "./deribit/profile.ts"
import { GATE } from "./gate/profile.ts"
import { GEMINI } from "./gemini/profile.ts"
import { KRAKEN } from "./kraken/profile.ts"
import { KRAKENFUTURES } from "./krakenfutures/profile.ts"
import { KUCOIN } from "./kucoin/profile.ts"
import { OKX } from "./okx/profile.ts"
import type { VenueProfile } from "./profile.ts"

export const PROFILES: ReadonlyArray<VenueProfile> = [
  ...BINANCE,
  ...BINANCEUSDM,
  ...BITFINEX,
  ...BITSTAMP,
  ...BYBIT,
  ...COINBASE,
  ...DERIBIT,
  ...GATE,
  ...GEMINI,
  ...KRAKEN,
  ...KRAKENFUTURES,
  ...KUCOIN,
  ...OKX,
]

/** Venues that `SOCKET_ORDERS` may name. */
export const socketOrderVenues = (): ReadonlyArray<string> =>
  PROFILES.flatMap(({ venue, socketOrders }) => (socketOrders === true ? [venue] : []))

/** The public face of a profile; INACTIVE when the configuration names it (`VENUES_INACTIVE`), with orders not proven where `EXPERIMENTAL_ORDERS` does. */
export const venueOf = (
  profile: VenueProfile,
  inactive: ReadonlyArray<string>,
  experimental: ReadonlyArray<string> = [],
): Venue => ({
  venue: profile.venue,
  name: profile.name,
  status: inactive.includes(profile.venue) ? "INACTIVE" : "ACTIVE",
  features: profile.features,
  needsCredentials: true,
  needsPassphrase: profile.needsPassphrase,
  timesInForce: profile.timesInForce,
  orderExpiryMillis: profile.orderExpiryMillis,
  orderIds: profile.orderIds,
  orders: profile.orders,
  takesOrders: takesOrders(profile.orders, experimental.includes(profile.venue)),
  feeInQuote: profile.feeInQuote,
  inProcess: false,
  environment: profile.sandbox ? "UAT" : "PROD",
  capabilities: capabilitiesOf(profile),
})
