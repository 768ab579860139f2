/** One quote's price from the books as they are now: the best offer for the whole size, or why there is none. */
import { PLAIN_PROFILE, type PricingProfile, takerFeeBps, timeBps } from "../../../domain/dealer/config.ts"
import {
  averageOf,
  isBetter,
  keptLevels,
  type Priced,
  priceSize,
  type Sold,
  worstOf,
} from "../../../domain/dealer/pricing.ts"
import type { PricingReceipt } from "../../../domain/dealer/quote.ts"
import { type AskedQuote, ttlSecondsOf } from "../../../domain/dealer/quote-request.ts"
import type { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import {
  InvalidQuantityPrecision,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
} from "../../../domain/errors/order-parameters.ts"
import { PricingProfileNotFound } from "../../../domain/errors/quote.ts"
import { type Instrument, quantityStep } from "../../../domain/instrument/instrument.ts"
import type { OrderSide } from "../../../domain/order/trade-order.ts"
import { AMOUNT_MAX, isWritableAmount } from "../../../domain/wallet/wallet.ts"
import type { DealerCore } from "../core.ts"
import { ageOf, type Source } from "./sources.ts"

export interface PricedQuote extends Priced {
  readonly receipt: PricingReceipt
}

export interface ProfileInForce {
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
