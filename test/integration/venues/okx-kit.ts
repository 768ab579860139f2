/** The OKX connector in a real worker against the loopback OKX. */
import type { VenueSecrets } from "../../../src/domain/credential.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { CcxtVenuesOptions } from "../../../src/venues/ccxt-venue.ts"
import { type OkxExchange, type OkxExchangeOptions, startOkxExchange } from "../../exchanges/okx/exchange.ts"
import { connectVenue, type VenueUnderTest } from "./venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC-USDT"
export const OKX_BTC = "OKX:BTC/USDT" as InstrumentId

export const OKX_SECRETS: VenueSecrets = {
  apiKey: "37c541a1-1111-2222-3333-10fe7a038418",
  apiSecret: "22582BD0CFF14C41EDBF1AB98506286D",
  apiPassphrase: "pass phrase!",
}

export type OkxUnderTest = VenueUnderTest<OkxExchange>

/** One user, whose key belongs to demo trading where the venue is OKX_UAT. */
export const startOkx = async (
  exchangeOptions: OkxExchangeOptions = {},
  { venue = "OKX", ...options }: Partial<CcxtVenuesOptions> & { readonly venue?: string } = {},
): Promise<OkxUnderTest> => {
  const balances = { USDT: "100000", BTC: "5" }
  const apiPassphrase = OKX_SECRETS.apiPassphrase ?? ""
  const users = [{ ...OKX_SECRETS, apiPassphrase, balances, isSimulated: venue === "OKX_UAT" }]
  return connectVenue(
    await startOkxExchange({ users, market: "still", ...exchangeOptions }),
    venue,
    OKX_SECRETS,
    options,
  )
}
