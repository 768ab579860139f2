/**
 * Which of a dealer's linked accounts count, and where a pair trades on them: prices, values and hedges all use this. The one thing to know:
 * those that count are of one environment, so that commitments in real money are never priced, valued or hedged with play money.
 */
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import { AccountOfAnotherEnvironment } from "../../domain/errors/dealer.ts"
import type { CannotQuoteReason } from "../../domain/errors/quote.ts"
import type { ExperimentalVenue, NotSupportedByVenue } from "../../domain/errors/venue.ts"
import type { TradingAccountId, VenueId } from "../../domain/ids.ts"
import { type Instrument, isCountedInBase } from "../../domain/instrument/instrument.ts"
import { gravestOf, isSpot, type Venue, type VenueEnvironment } from "../../domain/instrument/venue.ts"
import { ordersFault } from "../../domain/instrument/venue-capabilities.ts"
import type { DealerCore, DealerParts } from "./core.ts"

type Parts = Pick<DealerParts, "accounts" | "instruments" | "venues">
type Linking = Pick<Dealer, "linkedAccountIds" | "config" | "tenantId">

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

/** A venue that is gone may have been a real one. */
export const environmentAt = ({ venues }: Pick<Parts, "venues">, venue: VenueId | undefined): VenueEnvironment =>
  (venue && venues.find(venue)?.environment) ?? "PROD"

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

/**
 * Why an account is not linked beside those that are; null: it may be. `owing`: venues where what is open was priced: it would be closed with
 * money of another environment once the accounts there are gone.
 */
export const linkFault = (
  parts: Parts,
  dealer: Linking,
  owing: ReadonlyArray<VenueId>,
  { venue: name }: Pick<TradingAccount, "venue">,
): AccountOfAnotherEnvironment | ExperimentalVenue | NotSupportedByVenue | null => {
  const asked = parts.venues.find(name)
  const unproven = asked && ordersFault(asked)
  if (unproven !== undefined) return unproven
  const open = owing.map((venue) => environmentAt(parts, venue))
  const linked = rulingOf(linkedTo(parts, dealer))
  const isLinked = linked !== undefined
  const ruling = linked ?? gravestOf(open)
  const environment = asked?.environment
  if (environment === undefined || ruling === undefined || environment === ruling) return null
  const reason = `${name} is ${environment}, and ${isLinked ? "the accounts that are linked are" : "what is open was priced at"} ${ruling}: a dealer uses one environment, so ${isLinked ? "unlink those first" : "the position must be closed there first"}`
  return new AccountOfAnotherEnvironment({ venue: name, environment, linked: ruling, reason })
}

/** Null: it counts. */
const faultOf = ({ venue }: Linked, ruling: VenueEnvironment | undefined, { config }: Linking): string | null => {
  const { environment, inProcess, orders, takesOrders } = venue
  if (!takesOrders)
    return `orders at ${venue.venue} are ${orders.proof}, and EXPERIMENTAL_ORDERS does not name it: it could not take hedges`
  if (environment !== ruling)
    return `${venue.venue} is ${environment}, and this dealer has accounts that are ${ruling}: environments cannot be mixed`
  if (config.allowSimulatedVenues || (environment === "PROD" && !inProcess)) return null
  const what = environment === "PROD" ? "has books that clients can move" : `is ${environment}`
  return `${venue.venue} ${what}, and config.pricing.allowSimulatedVenues is not set`
}

/** Quotes and exposures are amounts of base: a book or an order in contracts would cover another amount than it says. */
const countingFault = ({ venue }: Linked, instrument: Instrument): string | null => {
  if (isCountedInBase(instrument, isSpot(venue))) return null
  const { instrumentId, contract } = instrument
  if (contract === undefined) return `the contract size of ${instrumentId} is unknown until its venue lists it again`
  const size = contract.size === null ? "an unknown size" : `size ${contract.size}`
  return `${instrumentId} is counted in ${contract.type} contracts of ${size}: only spot and linear contracts of size 1 are supported`
}

interface Pair {
  readonly baseAsset: string
  readonly quoteAsset: string
}

const tradedAt = (parts: Parts, dealer: Linking, { account }: Linked, pair: Pair): Instrument | undefined => {
  const symbol = `${pair.baseAsset}/${pair.quoteAsset}`
  const instrument = parts.instruments.ofPair(account.venue, symbol, dealer.tenantId)
  return instrument?.status === "ACTIVE" ? instrument : undefined
}

/** In the order in which the accounts were linked. */
export const placesOf = (parts: Parts, dealer: Linking, pair: Pair): ReadonlyArray<Place> => {
  const linked = linkedTo(parts, dealer)
  const ruling = rulingOf(linked)
  return linked.flatMap((link): ReadonlyArray<Place> => {
    if (faultOf(link, ruling, dealer) !== null) return []
    const instrument = tradedAt(parts, dealer, link, pair)
    if (instrument === undefined || countingFault(link, instrument) !== null) return []
    return [{ account: link.account, instrument }]
  })
}

/**
 * Why nothing is priced at the accounts that count: something is open that was priced, or may have been hedged, in another environment. A quote
 * would be netted against it: real exposure would seem closed by play money, or the reverse. Undefined: nothing is. Accounts of several come
 * together where one that was disconnected is connected again, or where what ruled is gone.
 */
export const mixingFault = (parts: Parts, dealer: Linking, owing: ReadonlyArray<VenueId>): string | undefined => {
  const ruling = rulingOf(linkedTo(parts, dealer))
  const open = owing.map((venue) => environmentAt(parts, venue))
  const other = ruling && gravestOf(open.filter((environment) => environment !== ruling))
  return (
    other &&
    `what is open was priced or hedged at ${other}, and the accounts that count are ${ruling}: it must be closed first`
  )
}

/** Why there is no place that could price a pair for this client: the reason that is nearest to a price. */
export const noPlaceReason = (parts: Parts, dealer: Linking, pair: Pair): CannotQuoteReason => {
  const linked = linkedTo(parts, dealer)
  if (linked.length === 0) return "NO_LINKED_ACCOUNT"
  // Places there are, and the client's own account is all of them.
  if (placesOf(parts, dealer, pair).length > 0) return "OWN_ACCOUNT"
  const trading = linked.filter((link) => tradedAt(parts, dealer, link, pair) !== undefined)
  if (trading.length === 0) return "INSTRUMENT_NOT_TRADED"
  const ruling = rulingOf(linked)
  return trading.some((link) => faultOf(link, ruling, dealer) === null) ? "COUNTED_IN_CONTRACTS" : "VENUE_NOT_ALLOWED"
}

/** Linked accounts that do not count as things are: for any pair (null), or for this one although their venue trades it. */
export const ignoredOf = (parts: Parts, dealer: Linking, pair: Pair | null): ReadonlyArray<Ignored> => {
  const linked = linkedTo(parts, dealer)
  const ruling = rulingOf(linked)
  return linked.flatMap((link) => {
    const fault = faultOf(link, ruling, dealer)
    const instrument = pair === null || fault !== null ? undefined : tradedAt(parts, dealer, link, pair)
    const reason = pair === null ? fault : instrument === undefined ? null : countingFault(link, instrument)
    return reason === null ? [] : [{ tradingAccountId: link.account.tradingAccountId, reason }]
  })
}

// Tells those who run a dealer which of its linked accounts do not count, and why. The one thing to know: nothing else would reveal it, for the
// dealer goes on with the others; once per account and reason until the dealer is changed or its actor is built anew.

type Core = Pick<DealerCore, "dealer" | "parts" | "toldIgnored">

const tellOnce = ({ dealer, parts, toldIgnored }: Core, message: string): void => {
  if (toldIgnored.has(message)) return
  toldIgnored.add(message)
  const alert = { code: "ACCOUNT_IGNORED", severity: "WARNING", message, tradeOrderId: null } as const
  parts.tradingAccounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
}

const tell = (core: Core, ignored: ReadonlyArray<Ignored>): void => {
  for (const { tradingAccountId, reason } of ignored)
    tellOnce(core, `linked account ${tradingAccountId} is ignored: ${reason}`)
}

/** At the start, and after a change of the dealer: whatever was told before is told again where it still holds. */
export const tellIgnored = (core: Core): void => {
  core.toldIgnored.clear()
  if (core.dealer.status !== "ARCHIVED") tell(core, ignoredOf(core.parts, core.dealer, null))
}

/** That nothing is priced, though accounts count. */
export const tellUnpriced = (core: Core, fault: string): void => tellOnce(core, `nothing is quoted: ${fault}`)

/** Of one pair, when it is asked for: what a venue's instruments are counted in is known then at the latest. */
export const tellIgnoredFor = (core: Core, pair: { readonly baseAsset: string; readonly quoteAsset: string }): void =>
  tell(core, ignoredOf(core.parts, core.dealer, pair))
