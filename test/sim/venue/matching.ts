/** Of one match: the trades it is made of, their prices and their fees, as the exchange's traits say. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../src/ports/venue-session.ts"
import type { Random } from "../time.ts"
import type { VenueTraits } from "../traits.ts"
import { FEE_ASSET, listed } from "./listing.ts"

/** What a match must know of the exchange. */
interface Terms {
  readonly random: Random
  readonly traits: VenueTraits
  /** Rate of the fee of a buy that is charged in the base asset; null: as the traits say. */
  readonly baseFee: Decimal | null
  readonly priceIn: (instrumentId: InstrumentId) => Decimal
  readonly totalsOf: (account: string) => ReadonlyMap<string, Decimal>
}

interface Matched {
  /** The exchange account. */
  readonly account: string
  readonly order: Pick<VenueOrder, "instrumentId" | "orderSide" | "limitPrice">
}

/** A better price is still near the limit. */
const BETTER_SHARE = Decimal.of("0.05")

/** Whole lots, but the last one: that has the rest. */
export const partsOf = ({ random, traits }: Terms, { order }: Matched, whole: Decimal): ReadonlyArray<Decimal> => {
  if (traits.tradesOfMatch === 1) return [whole]
  const { lotSize } = listed(order.instrumentId)
  const count = random.between(1, traits.tradesOfMatch)
  const part = whole.divide(Decimal.of(`${count}`), 18, "DOWN").roundTo(lotSize, "DOWN")
  if (part.isZero()) return [whole]
  const parts: Array<Decimal> = []
  let rest = whole
  while (parts.length < count - 1) {
    parts.push(part)
    rest = rest.subtract(part)
  }
  return [...parts, rest]
}

export const priceOf = (exchange: Terms, { order }: Matched): string => {
  const { limitPrice, orderSide, instrumentId } = order
  if (limitPrice === null) return exchange.priceIn(instrumentId).toString()
  const { random, traits } = exchange
  if (traits.betterTicks === 0) return limitPrice
  const limit = Decimal.of(limitPrice)
  const better = listed(instrumentId).tickSize.multiply(Decimal.of(`${random.between(0, traits.betterTicks)}`))
  if (better.greaterThan(limit.multiply(BETTER_SHARE))) return limitPrice
  return (orderSide === "BUY" ? limit.subtract(better) : limit.add(better)).toString()
}

interface Fee {
  readonly asset: string
  readonly quantity: Decimal
}

/** Null: none is charged. */
export const feeOf = (exchange: Terms, { account, order }: Matched, part: Decimal, cost: Decimal): Fee | null => {
  const { baseAsset, quoteAsset } = listed(order.instrumentId)
  const { traits, baseFee } = exchange
  if (order.orderSide === "BUY" && baseFee !== null) return { asset: baseAsset, quantity: part.multiply(baseFee) }
  const rate = Decimal.of(traits.feeRate)
  if (rate.isZero()) return null
  const inQuote = { asset: quoteAsset, quantity: cost.multiply(rate) }
  if (traits.feeAsset === "RECEIVED" && order.orderSide === "BUY")
    return { asset: baseAsset, quantity: part.multiply(rate) }
  if (traits.feeAsset !== "THIRD") return inQuote
  const left = exchange.totalsOf(account).get(FEE_ASSET) ?? Decimal.ZERO
  return left.atLeast(inQuote.quantity) ? { ...inQuote, asset: FEE_ASSET } : inQuote
}
