/**
 * What a dealer's exposure is worth in its risk currency (contract C8). The one thing to know: an asset is valued by a book of its own, which
 * must be followed like the book that prices, and a price that was known stands in for it for a while and no longer.
 */
import { exposureValue, worstExposures } from "../domain/dealer-risk.ts"
import { Decimal } from "../domain/decimal.ts"
import type { Span } from "../domain/hedging.ts"
import type { FirmQuote } from "../domain/quote.ts"
import type { DealerCore } from "./dealer-core.ts"
import { midAt, type Source, sourcesOf } from "./dealer-sources.ts"

/** An older price values nothing. */
const PRICE_AGE_MAX = 60_000

const NOTHING_OPEN: ReadonlyMap<string, Span> = new Map()

const riskCurrencyOf = ({ dealer }: Pick<DealerCore, "dealer">): string =>
  dealer.config.riskCurrency ?? dealer.baseCurrencies[0]!

const straightOf = (core: DealerCore, asset: string): ReadonlyArray<Source> =>
  sourcesOf(core, { baseAsset: asset, quoteAsset: riskCurrencyOf(core) }, null)
const inverseOf = (core: DealerCore, asset: string): ReadonlyArray<Source> =>
  sourcesOf(core, { baseAsset: riskCurrencyOf(core), quoteAsset: asset }, null)

/** Of each asset that is open, or would be with a quote of this one: the books that value it. None where nothing has to be valued. */
export const valuationBooks = (core: DealerCore, asked: string): ReadonlyArray<ReadonlyArray<Source>> => {
  if (core.dealer.riskThreshold === null) return []
  const open = worstExposures(core.hedging.positions(), core.quotes.outstanding, null)
  return [...new Set([asked, ...open.keys()])]
    .filter((asset) => asset !== riskCurrencyOf(core))
    .map((asset) => [...straightOf(core, asset), ...inverseOf(core, asset)])
}

/** What one of an asset is worth in the risk currency: one of itself, else by a book of the pair, either way round. */
const riskPriceOf = (core: DealerCore, asset: string): Decimal | undefined => {
  if (asset === riskCurrencyOf(core)) return Decimal.ONE
  const now = core.parts.clock.monotonic()
  const straight = midAt(core, straightOf(core, asset))
  if (straight !== undefined) core.riskPrices.set(asset, { price: straight, at: now })
  else {
    const inverse = midAt(core, inverseOf(core, asset))
    if (inverse?.isPositive()) core.riskPrices.set(asset, { price: Decimal.ONE.divide(inverse, 18, "UP"), at: now })
  }
  const known = core.riskPrices.get(asset)
  return known !== undefined && now - known.at <= PRICE_AGE_MAX ? known.price : undefined
}

/** Whether quotes that their clients could not pay for would take more than this share of what may be open. */
export const isTooRiskyUncovered = (core: DealerCore, quote: FirmQuote, share: Decimal): boolean => {
  const { riskThreshold } = core.dealer
  if (riskThreshold === null) return false
  const exposures = worstExposures(NOTHING_OPEN, core.quotes.uncovered.outstanding, quote)
  const value = exposureValue(exposures, (asset) => riskPriceOf(core, asset))
  return value === undefined || value.greaterThan(riskThreshold.multiply(share))
}

/** Whether the dealer could be open beyond its threshold with this quote. What cannot be valued is too much. */
export const isTooRisky = (core: DealerCore, quote: FirmQuote): boolean => {
  const { riskThreshold } = core.dealer
  if (riskThreshold === null) return false
  const exposures = worstExposures(core.hedging.positions(), core.quotes.outstanding, quote)
  const value = exposureValue(exposures, (asset) => riskPriceOf(core, asset))
  return value === undefined || value.greaterThan(riskThreshold)
}
