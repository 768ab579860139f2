/**
 * Leaves books out that say something else than the others do. The price that is best for the client wins, so of several books the one that
 * is wrong would always win: one that is out of line prices nothing, and those who run the dealer hear of it.
 */
import { isOutOfLine, medianOf, midOf } from "../../../domain/dealer/pricing.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { DealerCore } from "../core.ts"
import { ageOf, type Source } from "./sources.ts"

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
  const message = `${what}: farther than config.pricing.collarPercent (${dealer.config.collarPercent}), it prices nothing`
  const alert = { code: "BOOK_OUT_OF_LINE", severity: "WARNING", message, tradeOrderId: null } as const
  parts.tradingAccounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
}
