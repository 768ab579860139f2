/**
 * Where a dealer's prices come from: the books of its linked accounts' venues, as far as they count (places.ts). The one thing to
 * know: the client's own account is never one of them.
 */

import { midOf } from "../../../domain/dealer/pricing.ts"
import type { Decimal } from "../../../domain/decimal.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import type { DealerCore } from "../core.ts"
import { type Place, placesOf } from "../places.ts"

/** A book that its venue has not confirmed since, by a change or by its word that there is none, says nothing about now (contract C8). */
const BOOK_AGE_MAX = 2_000

export type Source = Place

/** In the order in which the accounts were linked. */
export const sourcesOf = (
  { dealer, parts }: Pick<DealerCore, "dealer" | "parts">,
  pair: { readonly baseAsset: string; readonly quoteAsset: string },
  trader: TradingAccountId | null,
): ReadonlyArray<Source> => placesOf(parts, dealer, pair).filter(({ account }) => account.tradingAccountId !== trader)

/** How old the book is that would price now; null: none may, for what is sold now must be hedged there now. */
export const ageOf = ({ parts }: Pick<DealerCore, "parts">, { account, instrument }: Source): number | null => {
  const age = account.status === "ACTIVE" ? parts.markets.bookAge(instrument.instrumentId) : null
  return age === null || age > BOOK_AGE_MAX ? null : age
}

/** Its book is there, and may be of long ago. */
export const isOld = ({ parts }: Pick<DealerCore, "parts">, { account, instrument }: Source): boolean =>
  account.status === "ACTIVE" && (parts.markets.bookAge(instrument.instrumentId) ?? 0) > BOOK_AGE_MAX

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
