/**
 * Which of a dealer's linked accounts count, and where a pair trades on them: prices, values and hedges all ask here. The one thing to know:
 * those that count are of one environment, so that what is promised with real money is never priced, valued or closed with play money.
 */
import type { Dealer } from "../domain/dealer.ts"
import { AccountOfAnotherEnvironment } from "../domain/errors/dealer.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import { type Instrument, instrumentIdOf } from "../domain/instrument.ts"
import type { TradingAccount } from "../domain/trading-account.ts"
import { gravestOf, type Venue, type VenueEnvironment } from "../domain/venue.ts"
import type { DealerParts } from "./dealer-core.ts"

type Parts = Pick<DealerParts, "accounts" | "instruments" | "venues">
type Linking = Pick<Dealer, "linkedAccountIds" | "config">

/** An account of the dealer's, and the pair at its venue. */
export interface Place {
  readonly account: TradingAccount
  readonly instrument: Instrument
}

/** A linked account that does not count, and why, for those who run the dealer. */
export interface Ignored {
  readonly tradingAccountId: TradingAccountId
  readonly reason: string
}

interface Linked {
  readonly account: TradingAccount
  readonly venue: Venue
}

/** Accounts that are disconnected are linked no longer. */
const linkedTo = ({ accounts, venues }: Parts, { linkedAccountIds }: Linking): ReadonlyArray<Linked> =>
  linkedAccountIds.flatMap((id) => {
    const account = accounts.find(id)
    const venue = account && venues.find(account.venue)
    return account === undefined || venue === undefined || account.status === "DISCONNECTED" ? [] : [{ account, venue }]
  })

/** Of the linked accounts with the most to lose: the others are ignored. Undefined while none is linked. */
const rulingOf = (linked: ReadonlyArray<Linked>): VenueEnvironment | undefined =>
  gravestOf(linked.map(({ venue }) => venue.environment))

/** Why an account is not linked beside those that are; null: it may be. */
export const linkFault = (
  parts: Parts,
  dealer: Linking,
  { venue: name }: Pick<TradingAccount, "venue">,
): AccountOfAnotherEnvironment | null => {
  const ruling = rulingOf(linkedTo(parts, dealer))
  const environment = parts.venues.find(name)?.environment
  if (environment === undefined || ruling === undefined || environment === ruling) return null
  return new AccountOfAnotherEnvironment({ venue: name, environment, linked: ruling })
}

/** Null: it counts. */
const faultOf = ({ venue }: Linked, ruling: VenueEnvironment | undefined, { config }: Linking): string | null => {
  const { environment } = venue
  if (environment !== ruling)
    return `${venue.venue} is ${environment}, and this dealer has accounts that are ${ruling}: environments are never mixed`
  if (environment !== "PROD" && !config.allowSimulatedVenues)
    return `${venue.venue} is ${environment}, and config.pricing.allowSimulatedVenues is not set`
  return null
}

/** In the order in which the accounts were linked. */
export const placesOf = (
  parts: Parts,
  dealer: Linking,
  pair: { readonly baseAsset: string; readonly quoteAsset: string },
): ReadonlyArray<Place> => {
  const linked = linkedTo(parts, dealer)
  const ruling = rulingOf(linked)
  return linked.flatMap((link): ReadonlyArray<Place> => {
    if (faultOf(link, ruling, dealer) !== null) return []
    const { account } = link
    const instrument = parts.instruments.find(instrumentIdOf(account.venue, `${pair.baseAsset}/${pair.quoteAsset}`))
    return instrument?.status === "ACTIVE" ? [{ account, instrument }] : []
  })
}

/** Linked accounts that never count as things are. */
export const ignoredOf = (parts: Parts, dealer: Linking): ReadonlyArray<Ignored> => {
  const linked = linkedTo(parts, dealer)
  const ruling = rulingOf(linked)
  return linked.flatMap((link) => {
    const reason = faultOf(link, ruling, dealer)
    return reason === null ? [] : [{ tradingAccountId: link.account.tradingAccountId, reason }]
  })
}
