/**
 * Where a hedge may go: the linked account that the price came from; another one of the same pair where that cannot be used any more. The
 * one thing to know: what was priced at a real venue is never closed at a simulated one, or of our own: there nothing would be bought.
 */
import type { Dealer, HedgeIntent } from "../domain/dealer.ts"
import type { InstrumentId, VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument.ts"
import type { TradingAccount } from "../domain/trading-account.ts"
import type { DealerParts } from "./dealer-core.ts"

export interface HedgePlace {
  readonly account: TradingAccount
  readonly instrument: Instrument
}

type Sources = Pick<DealerParts, "accounts" | "instruments" | "markets" | "venues">

/** An account that comes back by itself: orders that it refuses now are tried again. */
const mayComeBack = ({ status }: TradingAccount): boolean =>
  status === "ACTIVE" || status === "UNAVAILABLE" || status === "CREATED"

/**
 * `owing`: the executed quotes that it is for, the one in whose name it leaves first. `isStuck`: a whole round of attempts
 * failed where the price came from. Then whatever linked account is ACTIVE and has a book comes first; without one it stays with the
 * first that may come back. Undefined: there is none.
 */
export const placeOfHedge = (
  sources: Sources,
  { linkedAccountIds, config, tenantId }: Pick<Dealer, "linkedAccountIds" | "config" | "tenantId">,
  owing: ReadonlyArray<Pick<HedgeIntent, "tradingAccountId" | "venue" | "baseAsset" | "quoteAsset">>,
  isStuck: boolean,
): HedgePlace | undefined => {
  const lead = owing[0]
  if (lead === undefined) return undefined
  const isInProcess = (venue: VenueId): boolean => sources.venues.find(venue)?.inProcess === true
  const maySimulate = config.allowSimulatedVenues && owing.every(({ venue }) => isInProcess(venue))
  const symbol = `${lead.baseAsset}/${lead.quoteAsset}`
  const linked = linkedAccountIds.filter((id) => id !== lead.tradingAccountId)
  const ids = linkedAccountIds.includes(lead.tradingAccountId) ? [lead.tradingAccountId, ...linked] : linked
  const places = ids.flatMap((id): ReadonlyArray<HedgePlace> => {
    const account = sources.accounts.find(id)
    if (account === undefined || !mayComeBack(account)) return []
    if (isInProcess(account.venue) && !maySimulate) return []
    const instrument = sources.instruments.ofPair(account.venue, symbol, tenantId)
    return instrument === undefined || instrument.status !== "ACTIVE" ? [] : [{ account, instrument }]
  })
  const isReady = ({ account, instrument }: HedgePlace): boolean =>
    account.status === "ACTIVE" && hasBook(sources, instrument.instrumentId)
  return (isStuck ? places.find(isReady) : undefined) ?? places[0]
}

const hasBook = ({ markets }: Sources, instrumentId: InstrumentId): boolean =>
  markets.topOfBook(instrumentId, "asks", 1).length > 0 || markets.topOfBook(instrumentId, "bids", 1).length > 0
