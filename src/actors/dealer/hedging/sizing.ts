/**
 * The next order of a line at its place, or why there is none: what is too small says whether the venue's listing makes it so, or only what it has
 * refused. The one thing to know: without a place it is measured where it was priced, and what the listing of the last place there made dust stays
 * dust, because it could not be closed there and must not keep other accounts from being linked.
 */
import { type HedgePlan, planHedge } from "../../../domain/dealer/hedging/hedge-order.ts"
import { Decimal } from "../../../domain/decimal.ts"
import { type Instrument, quantityStep } from "../../../domain/instrument/instrument.ts"
import type { DealerCore } from "../core.ts"
import type { HedgeLine } from "./line.ts"
import type { HedgePlace } from "./place.ts"

type Core = Pick<DealerCore, "parts" | "dealer">

/** Rows of the book that price a hedge. */
const WALK_ROWS = 100

type Dust = HedgeLine["dust"]

/** `before`: what the line was dust by until now. */
export const sizeNext = (core: Core, line: HedgeLine, place: HedgePlace | undefined, before: Dust): HedgePlan => {
  if (place === undefined && before === "LISTED") return { _tag: "TooSmall" }
  const listed = listingOf(core, line, place)
  return listed === undefined ? { _tag: "NoPrice" } : planAt(core, line, asLearned(core, line, listed))
}

/** What makes it too small: the listing, for as long as it is so, or only what its venue has refused, for an hour. */
export const dustBy = (core: Core, line: HedgeLine, place: HedgePlace | undefined, before: Dust): Dust => {
  if (place === undefined && before === "LISTED") return before
  const listed = listingOf(core, line, place)
  return listed !== undefined && planAt(core, line, listed)._tag === "TooSmall" ? "LISTED" : "LEARNED"
}

const listingOf = ({ parts, dealer }: Core, line: HedgeLine, place: HedgePlace | undefined): Instrument | undefined =>
  place?.instrument ?? parts.instruments.find(line.lead()?.instrumentId ?? "", dealer.tenantId)

const planAt = ({ parts, dealer }: Core, line: HedgeLine, instrument: Instrument): HedgePlan => {
  const { slippageBps } = dealer.config.hedge
  const exposure = line.due
  const book = parts.markets.topOfBook(instrument.instrumentId, exposure.isNegative() ? "bids" : "asks", WALK_ROWS)
  const at = line.wasAtMarket ? "MARKET" : line.attempt === 1 && line.rounds === 0 ? "QUOTED" : "BOOK"
  return planHedge({ instrument, exposure, open: line.openDue(), book, slippageBps, at })
}

/** With the smallest quantity that its venue has not refused as too small. */
const asLearned = ({ parts }: Core, { tooSmall }: HedgeLine, instrument: Instrument): Instrument => {
  if (tooSmall?.instrumentId !== instrument.instrumentId) return instrument
  if (tooSmall.until <= parts.clock.monotonic()) return instrument
  const least = tooSmall.quantity.add(quantityStep(instrument))
  return { ...instrument, minQuantity: Decimal.max(least, instrument.minQuantity) }
}
