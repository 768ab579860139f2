/** The Kraken connector in a real worker against the loopback Kraken. */
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import type { CcxtVenuesOptions } from "../../../../src/venues/connector/ccxt-venue.ts"
import {
  type KrakenExchange,
  type KrakenExchangeOptions,
  startKrakenExchange,
} from "../../../exchanges/kraken/exchange.ts"
import { connectVenue, profileOf, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC/USD"
export const KRAKEN_BTC = "KRAKEN:BTC/USD" as InstrumentId

export const KRAKEN_SECRETS: VenueSecrets = {
  apiKey: "kraken-key-of-a-test-account-000000000000000000000000000",
  apiSecret: Buffer.from("a secret of the loopback exchange, 64 bytes long as the venue's.").toString("base64"),
  apiPassphrase: null,
}

export type KrakenUnderTest = VenueUnderTest<KrakenExchange>

/** A market that does not move unless told to, and one user. */
export const startKraken = async (
  exchangeOptions: KrakenExchangeOptions = {},
  change: Partial<VenueProfile> = {},
  options: Partial<CcxtVenuesOptions> = {},
): Promise<KrakenUnderTest> => {
  const users = [{ ...KRAKEN_SECRETS, balances: { USD: "100000", BTC: "5" } }]
  const exchange = await startKrakenExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("KRAKEN"), ...change }, KRAKEN_SECRETS, options)
}
