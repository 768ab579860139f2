/**
 * The venues that ccxt connectors serve. Adding a venue is adding a profile here and proving its quirks by venue-spec cards.
 */
import type { Venue } from "../domain/venue.ts"
import { capabilitiesOf } from "./capabilities.ts"
import type { VenueProfile } from "./profile.ts"
import { BINANCE } from "./profiles/binance.ts"
import { BINANCEUSDM } from "./profiles/binanceusdm.ts"
import { BITFINEX } from "./profiles/bitfinex.ts"
import { BITSTAMP } from "./profiles/bitstamp.ts"
import { BYBIT } from "./profiles/bybit.ts"
import { COINBASE } from "./profiles/coinbase.ts"
import { DERIBIT } from "./profiles/deribit.ts"
import { GATE } from "./profiles/gate.ts"
import { GEMINI } from "./profiles/gemini.ts"
import { KRAKEN } from "./profiles/kraken.ts"
import { KRAKENFUTURES } from "./profiles/krakenfutures.ts"
import { KUCOIN } from "./profiles/kucoin.ts"
import { OKX } from "./profiles/okx.ts"

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
  orderIds: profile.orderIds,
  feeInQuote: profile.feeInQuote,
  inProcess: false,
  environment: profile.sandbox ? "UAT" : "PROD",
  capabilities: capabilitiesOf(profile),
})
