/**
 * Where a hedge may go: the linked account that the price came from, or another one for the same pair if that cannot be used any longer. The one
 * thing to know: what was priced in one environment is never hedged in another: there nothing real would be bought, or nothing is owed.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer, HedgeIntent } from "../../../domain/dealer/dealer.ts"
import type { InstrumentId, TradingAccountId, VenueId } from "../../../domain/ids.ts"
import { gravestOf, type VenueEnvironment } from "../../../domain/instrument/venue.ts"
import type { DealerParts } from "../core.ts"
import { environmentAt, type Place, placesOf } from "../places.ts"

export type HedgePlace = Place

type Sources = Pick<DealerParts, "accounts" | "instruments" | "markets" | "venues">

/** An account that comes back by itself: orders that it refuses now are tried again. */
const mayComeBack = ({ status }: TradingAccount): boolean =>
  status === "ACTIVE" || status === "UNAVAILABLE" || status === "CREATED"

/** The executed quotes that a hedge is for. */
export interface Owing {
  /** In whose name it leaves. */
  readonly lead: Pick<HedgeIntent, "tradingAccountId" | "venue" | "baseAsset" | "quoteAsset"> | undefined
  /** Where they were priced; none: no quote is open, hedges executed more than was owed. */
  readonly venues: ReadonlyArray<VenueId>
  /** Accounts whose hedges did, the newest first. */
  readonly executors: ReadonlyArray<TradingAccountId>
}

type Linking = Pick<Dealer, "linkedAccountIds" | "config" | "tenantId">

/** What was executed too much is there where it was executed, whatever was quoted since. */
const isTooMuch = ({ venues, executors }: Owing): boolean => venues.length === 0 && executors.length > 0

/** Where what is open has to be closed: exposures of several, under links of before, close as one where the most is at stake. */
export const environmentOwed = (sources: Sources, owing: Owing): VenueEnvironment | undefined => {
  const { lead, venues, executors } = owing
  const quotedAt = isTooMuch(owing) || lead === undefined ? [] : [lead.venue, ...venues]
  const executedAt = executors.map((id) => sources.accounts.find(id)?.venue)
  return gravestOf([...quotedAt, ...executedAt].map((venue) => environmentAt(sources, venue)))
}

/** Wherever a hedge may go, first where the price came from. */
export const placesOfHedge = (sources: Sources, dealer: Linking, owing: Owing): ReadonlyArray<HedgePlace> => {
  const { lead, executors } = owing
  if (lead === undefined) return []
  const owed = environmentOwed(sources, owing)
  const usable = placesOf(sources, dealer, lead).filter(
    ({ account }) => mayComeBack(account) && environmentAt(sources, account.venue) === owed,
  )
  const first = isTooMuch(owing) ? executors[0] : lead.tradingAccountId
  const isLead = ({ account }: HedgePlace): boolean => account.tradingAccountId === first
  return [...usable.filter(isLead), ...usable.filter((place) => !isLead(place))]
}

/**
 * `isStuck`: a whole round of attempts
 * failed where the price came from. Then whatever linked account is ACTIVE and has a book comes first; without one it stays with the
 * first that may come back. Undefined: there is none.
 */
export const placeOfHedge = (
  sources: Sources,
  dealer: Linking,
  owing: Owing,
  isStuck: boolean,
): HedgePlace | undefined => {
  const places = placesOfHedge(sources, dealer, owing)
  const isReady = ({ account, instrument }: HedgePlace): boolean =>
    account.status === "ACTIVE" && hasBook(sources, instrument.instrumentId)
  return (isStuck ? places.find(isReady) : undefined) ?? places[0]
}

/** Of a market that trades, as far as is known. */
const hasBook = ({ markets }: Sources, instrumentId: InstrumentId): boolean =>
  markets.bookAge(instrumentId) !== null &&
  (markets.topOfBook(instrumentId, "asks", 1).length > 0 || markets.topOfBook(instrumentId, "bids", 1).length > 0)
