/**
 * A dealer's open exposure, valued (contract C8): what is executed and not hedged, and every firm quote as if it were executed where that
 * is worst. The one thing to know: firm quotes of both sides never cancel out, for nobody can say which of them will be executed.
 */
import { Decimal } from "./decimal.ts"
import type { FirmQuote } from "./quote.ts"

type Counted = Pick<FirmQuote, "baseAsset" | "orderSide" | "quantity">

/** The most that may be open in each asset, in that asset, never negative. */
export const worstExposures = (
  positions: ReadonlyMap<string, Decimal>,
  quotes: Iterable<Counted>,
): ReadonlyMap<string, Decimal> => {
  const sold = new Map<string, Decimal>()
  const bought = new Map<string, Decimal>()
  for (const { baseAsset, orderSide, quantity } of quotes) {
    // What the client buys the dealer is short of until it is hedged.
    const sums = orderSide === "BUY" ? sold : bought
    sums.set(baseAsset, (sums.get(baseAsset) ?? Decimal.ZERO).add(quantity))
  }
  const worst = new Map<string, Decimal>()
  for (const asset of new Set([...positions.keys(), ...sold.keys(), ...bought.keys()])) {
    const position = positions.get(asset) ?? Decimal.ZERO
    const low = position.subtract(sold.get(asset) ?? Decimal.ZERO)
    const high = position.add(bought.get(asset) ?? Decimal.ZERO)
    const exposure = Decimal.max(low.isNegative() ? low.negate() : low, high.isNegative() ? high.negate() : high)
    if (exposure.isPositive()) worst.set(asset, exposure)
  }
  return worst
}

/** In the risk currency; undefined when an asset that is open has no price: then nothing may be said of it. */
export const exposureValue = (
  exposures: ReadonlyMap<string, Decimal>,
  priceOf: (asset: string) => Decimal | undefined,
): Decimal | undefined => {
  let sum = Decimal.ZERO
  for (const [asset, exposure] of exposures) {
    const price = priceOf(asset)
    if (price === undefined) return undefined
    sum = sum.add(exposure.multiply(price))
  }
  return sum
}
