/** One instrument of MOCK, and what orders come to at its matcher: decimals here, whole units of the instrument's steps there. */
import { Decimal } from "../../domain/decimal.ts"
import { type Instrument, quantityStep } from "../../domain/instrument/instrument.ts"
import type { VenueOrder } from "../../ports/venue-session.ts"
import type { MatcherKlines } from "../matching/klines.ts"
import type { MatchEvent, Matcher } from "../matching/matcher.ts"
import { unitsOf } from "../matching/units.ts"
import { boughtFor, type MockOrder } from "./accounts.ts"
import { amendRefusalOf } from "./checks.ts"
import type { SyntheticMarket } from "./market.ts"

export interface Market {
  readonly instrument: Instrument
  readonly matcher: Matcher
  readonly book: Matcher
  readonly synthetic: SyntheticMarket
  readonly klines: MatcherKlines
  lastPrice: string | null
  lastQuantity: string | null
  /** Resting orders of accounts: while there are any, the market moves. */
  resting: number
}

/** A market buy by cost, as the quantity that the book sells for it now. */
export const forCost = ({ instrument, matcher }: Market, request: VenueOrder, cost: string): VenueOrder => {
  const { precision, scale } = instrument
  const budget = Decimal.of(cost).divide(Decimal.of("1"), precision + scale, "DOWN")
  const step = unitsOf(quantityStep(instrument), scale) ?? 1n
  const units = matcher.affordable(unitsOf(budget, precision + scale) ?? 0n, step)
  return boughtFor(request, Decimal.fromUnits(units, scale))
}

/** What the matcher makes of an order as it is wanted, or why it stays as it is. */
export const amended = ({ instrument, matcher }: Market, wanted: MockOrder): ReadonlyArray<MatchEvent> | string => {
  const refusal = amendRefusalOf(instrument, wanted)
  if (refusal !== undefined) return refusal.text
  const { request, quantity, executed, limitPrice } = wanted
  const price = limitPrice === null ? undefined : unitsOf(limitPrice, instrument.precision)
  const left = unitsOf(quantity.subtract(executed), instrument.scale)
  if (price === undefined || left === undefined) return "off the instrument's steps"
  const events = matcher.amend(request.tradeOrderId, price, left)
  return events === "WOULD_TAKE" ? "post-only order would trade at once" : (events ?? "the order does not rest")
}

/** A market as the checks of an order see it. */
export const checked = ({ instrument, matcher }: Market) => ({
  instrument,
  cost: (quantity: Decimal): Decimal => {
    const units = unitsOf(quantity, instrument.scale) ?? 0n
    return Decimal.fromUnits(matcher.cost("BUY", units), instrument.precision + instrument.scale)
  },
})
