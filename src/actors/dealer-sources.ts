/**
 * Where a dealer's prices come from: the books of its linked accounts' venues. The one thing to know: a book that clients can move, for
 * it is simulated or our own, counts only where the dealer's configuration says so, and never that of the client's own account.
 */
import type { Decimal } from "../domain/decimal.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument.ts"
import { midOf } from "../domain/pricing.ts"
import type { TradingAccount } from "../domain/trading-account.ts"
import type { DealerCore } from "./dealer-core.ts"

/** An older book says nothing about now (contract C8). */
export const BOOK_AGE_MAX = 2_000

export interface Source {
  readonly account: TradingAccount
  readonly instrument: Instrument
}

/** In the order in which the accounts were linked. */
export const sourcesOf = (
  { dealer, parts }: Pick<DealerCore, "dealer" | "parts">,
  pair: { readonly baseAsset: string; readonly quoteAsset: string },
  trader: TradingAccountId | null,
): ReadonlyArray<Source> => {
  const sources: Array<Source> = []
  for (const id of dealer.linkedAccountIds) {
    const account = parts.accounts.find(id)
    const venue = account && parts.venues.find(account.venue)
    if (account === undefined || venue === undefined || id === trader || account.status === "DISCONNECTED") continue
    if (venue.inProcess && !dealer.config.allowSimulatedVenues) continue
    const instrument = parts.instruments.ofPair(account.venue, `${pair.baseAsset}/${pair.quoteAsset}`, dealer.tenantId)
    if (instrument?.status === "ACTIVE") sources.push({ account, instrument })
  }
  return sources
}

/** Between best bid and best ask of the first book that is fresh. */
export const midAt = (core: Pick<DealerCore, "parts">, sources: ReadonlyArray<Source>): Decimal | undefined => {
  const { markets } = core.parts
  for (const { instrument } of sources) {
    const { instrumentId } = instrument
    if ((markets.bookAge(instrumentId) ?? Number.MAX_VALUE) > BOOK_AGE_MAX) continue
    const mid = midOf(markets.topOfBook(instrumentId, "bids", 1), markets.topOfBook(instrumentId, "asks", 1))
    if (mid !== undefined) return mid
  }
  return undefined
}
