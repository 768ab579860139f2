/**
 * The value of a dealer's exposure in its risk currency (contract C8). The one thing to know: an asset without a fresh price is valued above its
 * last value, so a silent market does not stop the quotes of others; one that never had a value exceeds every limit.
 */

import type { Span } from "../../domain/dealer/hedging/hedging.ts"
import type { FirmQuote } from "../../domain/dealer/quote.ts"
import { exposureValue, worstExposures } from "../../domain/dealer/risk.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { DealerCore } from "./core.ts"
import { midAt, type Source, sourcesOf } from "./quotes/pricing.ts"

/** An older price says what an asset was worth, not what it is. */
const PRICE_AGE_MAX = 60_000
/** What it was last worth counts half as much again, for it may have moved since. */
const HAIRCUT = Decimal.of("1.5")
/** A book that did not come when it was waited for is not waited for again so soon. */
const SILENT_MILLIS = 60_000

const NOTHING_OPEN: ReadonlyMap<string, Span> = new Map()

export const riskCurrencyOf = ({ dealer }: Pick<DealerCore, "dealer">): string =>
  dealer.config.riskCurrency ?? dealer.baseCurrencies[0]!

const booksOf = (core: DealerCore, baseAsset: string, quoteAsset: string): ReadonlyArray<Source> =>
  sourcesOf(core, { baseAsset, quoteAsset }, null)

/** The books that say what one asset is worth in another, either way round. */
const booksBetween = (core: DealerCore, asset: string, other: string): ReadonlyArray<Source> => [
  ...booksOf(core, asset, other),
  ...booksOf(core, other, asset),
]

/** Assets by which one that has no book against the risk currency may be valued. */
const crossesOf = (core: DealerCore, asset: string): ReadonlyArray<string> => {
  const paid = core.hedging.lastPriceOf(asset)?.quoteAsset
  const crosses = new Set([...core.dealer.baseCurrencies, ...(paid === undefined ? [] : [paid])])
  crosses.delete(riskCurrencyOf(core))
  crosses.delete(asset)
  return [...crosses]
}

/** What values an asset: the books of the pair with the risk currency; where there are none, those of a cross. */
export interface ValuationBooks {
  readonly asset: string
  readonly books: ReadonlyArray<Source>
}

/** Of each asset that is open, or would be with a quote of this one: the books that value it. None where nothing has to be valued. */
export const valuationBooks = (core: DealerCore, asked: string): ReadonlyArray<ValuationBooks> => {
  if (core.dealer.riskThreshold === null) return []
  const risk = riskCurrencyOf(core)
  const open = worstExposures(core.hedging.positions(), core.quotes.outstanding, null)
  const found = new Map<string, ReadonlyArray<Source>>()
  for (const asset of new Set([asked, ...open.keys()])) {
    if (asset === risk) continue
    const own = booksBetween(core, asset, risk)
    found.set(asset, own)
    if (own.length > 0) continue
    for (const cross of crossesOf(core, asset)) {
      const books = booksBetween(core, asset, cross)
      if (books.length === 0) continue
      found.set(asset, [...found.get(asset)!, ...books])
      found.set(cross, booksBetween(core, cross, risk))
    }
  }
  return [...found].map(([asset, books]) => ({ asset, books }))
}

/** Whether a request waits for the books of this asset: not again where they did not come a moment ago. */
export const mayAwait = ({ silentSince, parts }: DealerCore, asset: string): boolean =>
  parts.clock.monotonic() - (silentSince.get(asset) ?? Number.NEGATIVE_INFINITY) >= SILENT_MILLIS

/** Fresh, by a book of its own against the risk currency. */
const ownPriceOf = (core: DealerCore, asset: string): Decimal | undefined => between(core, asset, riskCurrencyOf(core))

const between = (core: DealerCore, asset: string, other: string): Decimal | undefined => {
  if (asset === other) return Decimal.ONE
  const straight = midAt(core, booksOf(core, asset, other))
  if (straight !== undefined) return straight
  const inverse = midAt(core, booksOf(core, other, asset))
  return inverse?.isPositive() === true ? Decimal.ONE.divide(inverse, 18, "UP") : undefined
}

/** Fresh, through another asset. */
const crossPriceOf = (core: DealerCore, asset: string): Decimal | undefined => {
  for (const cross of crossesOf(core, asset)) {
    const [there, from] = [between(core, asset, cross), ownPriceOf(core, cross)]
    if (there !== undefined && from !== undefined) return there.multiply(from)
  }
  return undefined
}

/** By books alone, now or as they last were. */
const bookPriceOf = (
  core: DealerCore,
  asset: string,
): { readonly price: Decimal; readonly isOld: boolean } | undefined => {
  if (asset === riskCurrencyOf(core)) return { price: Decimal.ONE, isOld: false }
  const now = core.parts.clock.monotonic()
  const fresh = ownPriceOf(core, asset) ?? crossPriceOf(core, asset)
  if (fresh !== undefined) core.riskPrices.set(asset, { price: fresh, at: now })
  const known = core.riskPrices.get(asset)
  return known && { price: known.price, isOld: now - known.at > PRICE_AGE_MAX }
}

/** What one of an asset may be worth in the risk currency; `quote`: one whose price says what its own asset is worth. */
const riskPriceOf = (core: DealerCore, asset: string, quote: FirmQuote): Decimal | undefined => {
  const known = bookPriceOf(core, asset)
  if (known?.isOld === false) return known.price
  if (quote.baseAsset === asset) {
    const paid = bookPriceOf(core, quote.quoteAsset)
    if (paid?.isOld === false) {
      const price = quote.price.multiply(paid.price)
      // It counts among what is open with the next quote of any pair.
      core.riskPrices.set(asset, { price, at: core.parts.clock.monotonic() })
      return price
    }
  }
  if (known !== undefined) return known.price.multiply(HAIRCUT)
  // As it was priced when a client last traded it: known after a restart too, and when the asset is delisted.
  const last = core.hedging.lastPriceOf(asset)
  const paid = last && bookPriceOf(core, last.quoteAsset)
  return last && paid && last.price.multiply(paid.price).multiply(HAIRCUT)
}

/** Whether quotes that their clients could not pay for would take more than this share of what may be open. */
export const isTooRiskyUncovered = (core: DealerCore, quote: FirmQuote, share: Decimal): boolean => {
  const { riskThreshold } = core.dealer
  if (riskThreshold === null) return false
  const exposures = worstExposures(NOTHING_OPEN, core.quotes.uncovered.outstanding, quote)
  const value = exposureValue(exposures, (asset) => riskPriceOf(core, asset, quote))
  return value === undefined || value.greaterThan(riskThreshold.multiply(share))
}

/** Whether the dealer could be open beyond its threshold with this quote. What cannot be valued is too much. */
export const isTooRisky = (core: DealerCore, quote: FirmQuote): boolean => {
  const { riskThreshold } = core.dealer
  if (riskThreshold === null) return false
  const exposures = worstExposures(core.hedging.positions(), core.quotes.outstanding, quote)
  const value = exposureValue(exposures, (asset) => riskPriceOf(core, asset, quote))
  return value === undefined || value.greaterThan(riskThreshold)
}
