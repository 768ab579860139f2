/**
 * Prices one quote from the current books: which sources count, the best offer for the whole size, or why there is none. Books out of line with
 * the others are excluded.
 */

import { PLAIN_PROFILE, type PricingProfile, takerFeeBps, timeBps } from "../../../domain/dealer/config.ts"
import {
  averageOf,
  isBetter,
  isOutOfLine,
  keptLevels,
  medianOf,
  midOf,
  type Priced,
  priceSize,
  type Sold,
  worstOf,
} from "../../../domain/dealer/pricing.ts"
import type { PricingReceipt } from "../../../domain/dealer/quote.ts"
import { type AskedQuote, ttlSecondsOf } from "../../../domain/dealer/quote-request.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import {
  InvalidQuantityPrecision,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
} from "../../../domain/errors/order-parameters.ts"
import { PricingProfileNotFound } from "../../../domain/errors/quote.ts"
import type { InstrumentId, TradingAccountId } from "../../../domain/ids.ts"
import { type Instrument, quantityStep } from "../../../domain/instrument/instrument.ts"
import type { OrderSide } from "../../../domain/order/trade-order.ts"
import { AMOUNT_MAX, isWritableAmount } from "../../../domain/wallet/wallet.ts"
import type { DealerCore } from "../core.ts"
import { type Place, placesOf } from "../places.ts"

// Where a dealer's prices come from: the books of its linked accounts' venues, as far as they count (places.ts). The one thing to
// know: the client's own account is never one of them.

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

// Leaves books out that say something else than the others do. The price that is best for the client wins, so of several books the one that
// is wrong would always win: one that is out of line prices nothing, and those who run the dealer hear of it.

/** A book that stays out of line is told of so often. */
const TELL_MILLIS = 60_000
const TWO = Decimal.of("2")

type Core = Pick<DealerCore, "dealer" | "parts" | "toldOutOfLine">

/** What a book says one is worth: between its sides, or at the one that it has. */
const priceAt = ({ parts }: Core, instrumentId: InstrumentId): Decimal | undefined => {
  const [bids, asks] = (["bids", "asks"] as const).map((side) => parts.markets.topOfBook(instrumentId, side, 1))
  const [row] = [...(bids ?? []), ...(asks ?? [])]
  const price = midOf(bids ?? [], asks ?? []) ?? (row && Decimal.fromVenue(row[0]))
  return price?.isPositive() === true ? price : undefined
}

/** Those whose books are fresh and in line with each other. Accounts at one venue share a book, which counts once. */
export const inLine = (core: Core, sources: ReadonlyArray<Source>): ReadonlyArray<Source> => {
  const fresh = sources.filter((source) => ageOf(core, source) !== null)
  const prices = new Map<InstrumentId, Decimal>()
  for (const { instrument } of fresh) {
    const price = priceAt(core, instrument.instrumentId)
    if (price !== undefined) prices.set(instrument.instrumentId, price)
  }
  const median = medianOf([...prices.values()])
  if (median === undefined) return fresh
  const { collarPercent } = core.dealer.config
  // The median of two lies in the middle between them: what counts is how far they are from each other.
  const limit = prices.size === 2 ? collarPercent.divide(TWO, 18, "HALF_EVEN") : collarPercent
  const isOut = ({ instrument: { instrumentId } }: Source): boolean => {
    const price = prices.get(instrumentId)
    if (price === undefined || !isOutOfLine(price, median, limit)) return false
    tell(core, instrumentId, `${instrumentId} is at ${price}, the median of ${prices.size} books at ${median}`)
    return true
  }
  return fresh.filter((source) => !isOut(source))
}

const tell = ({ dealer, parts, toldOutOfLine }: Core, instrumentId: InstrumentId, what: string): void => {
  const now = parts.clock.monotonic()
  const told = toldOutOfLine.get(instrumentId)
  if (told !== undefined && now - told < TELL_MILLIS) return
  toldOutOfLine.set(instrumentId, now)
  const message = `${what}: outside config.pricing.collarPercent (${dealer.config.collarPercent}), so it is not used for pricing`
  const alert = { code: "BOOK_OUT_OF_LINE", severity: "WARNING", message, tradeOrderId: null } as const
  parts.tradingAccounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
}

interface PricedQuote extends Priced {
  readonly receipt: PricingReceipt
}

interface ProfileInForce {
  readonly profileId: string | null
  readonly profile: PricingProfile
}

export const profileOf = (
  { dealer }: Pick<DealerCore, "dealer">,
  asked: string | null,
): ProfileInForce | PricingProfileNotFound => {
  const { defaultPricingProfile, clientPricingProfiles } = dealer.config
  const profileId = asked ?? defaultPricingProfile
  if (profileId === null) return { profileId, profile: PLAIN_PROFILE }
  if (profileId !== defaultPricingProfile && !clientPricingProfiles.includes(profileId))
    return new PricingProfileNotFound()
  const profile = dealer.config.pricingProfiles.get(profileId)
  return profile === undefined ? new PricingProfileNotFound() : { profileId, profile }
}

/** Steps and limits of what is sold here: the platform's own where it lists the pair, else those of the finest source. */
export const termsOfTrade = (
  { dealer, parts }: Pick<DealerCore, "dealer" | "parts">,
  asked: Pick<AskedQuote, "instrumentId">,
  sources: ReadonlyArray<Source>,
): Instrument => {
  const own = parts.instruments.find(asked.instrumentId, dealer.tenantId)
  if (own?.status === "ACTIVE") return own
  const [first, ...others] = sources.map(({ instrument }) => instrument)
  return others.reduce((a, b) => (quantityStep(b).lessThan(quantityStep(a)) ? b : a), first!)
}

/** A size in base is whole lots, as an order's is. What a size in quote comes to in base is known once it is priced. */
export const sizeFault = ({ size }: Pick<AskedQuote, "size">, instrument: Instrument): DomainError | null => {
  const amount = size.quantityType === "BASE" ? size.quantity : size.quoteQuantity
  if (!isWritableAmount(amount)) return new QuantityAboveMaximum({ maxQuantity: AMOUNT_MAX.toString() })
  if (size.quantityType === "QUOTE") return null
  const step = quantityStep(instrument)
  if (!amount.isMultipleOf(step)) return new InvalidQuantityPrecision({ step: step.toString() })
  return limitFault(amount, instrument)
}

/** Limits of what changes hands, whatever the size was asked for in. */
export const limitFault = (
  quantity: Decimal,
  { minQuantity, maxQuantity }: Pick<Instrument, "minQuantity" | "maxQuantity">,
): DomainError | null => {
  if (!isWritableAmount(quantity)) return new QuantityAboveMaximum({ maxQuantity: AMOUNT_MAX.toString() })
  if (quantity.lessThan(minQuantity)) return new QuantityBelowMinimum({ minQuantity: minQuantity.toString() })
  return maxQuantity !== null && quantity.greaterThan(maxQuantity)
    ? new QuantityAboveMaximum({ maxQuantity: maxQuantity.toString() })
    : null
}

/** Whether no fresh book of these goes on where the gateway does not know it any further. */
export const isKnownToItsEnd = (
  core: Pick<DealerCore, "dealer" | "parts">,
  orderSide: OrderSide,
  sources: ReadonlyArray<Source>,
): boolean =>
  sources.every((source) => {
    const { instrumentId } = source.instrument
    return (
      ageOf(core, source) === null || core.parts.markets.isWhole(instrumentId, orderSide === "BUY" ? "asks" : "bids")
    )
  })

/** Of the books that are fresh, the one whose price for the whole size, all in, is best; undefined when none reaches so far, null for less than a lot. */
export const priceNow = (
  core: Pick<DealerCore, "dealer" | "parts">,
  asked: Pick<AskedQuote, "orderSide" | "size" | "expiry">,
  sources: ReadonlyArray<Source>,
  profile: PricingProfile,
  instrument: Instrument,
  now: number,
): PricedQuote | null | undefined => {
  const { markets } = core.parts
  const { orderSide, size } = asked
  const side = orderSide === "BUY" ? "asks" : "bids"
  const ttlBps = timeBps(profile, ttlSecondsOf(asked.expiry, now))
  let best: { readonly sold: Sold; readonly source: Source; readonly age: number } | null | undefined
  for (const source of sources) {
    const age = ageOf(core, source)
    if (age === null) continue
    const { instrumentId, venue } = source.instrument
    const margin = { takerFeeBps: takerFeeBps(core.dealer.config, venue), markupBps: profile.markupBps, ttlBps }
    const sold = priceSize(orderSide, markets.levels(instrumentId, side), size, margin, instrument)
    if (sold === null) best ??= null
    else if (sold !== undefined && (!best || isBetter(orderSide, sold.offer, best.sold.offer)))
      best = { sold, source, age }
  }
  if (!best) return best
  const { sold, source, age } = best
  const { offer, ...priced } = sold
  const { walk, margin } = offer
  return {
    ...priced,
    receipt: {
      tradingAccountId: source.account.tradingAccountId,
      venue: source.instrument.venue,
      instrumentId: source.instrument.instrumentId,
      bookAt: Math.round(now - age),
      ...keptLevels(walk),
      walkedPrice: averageOf(walk),
      worstPrice: worstOf(walk),
      ...margin,
    },
  }
}
