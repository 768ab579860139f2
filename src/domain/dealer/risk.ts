/**
 * A dealer's open exposure, valued (contract C8): what is executed and not hedged, and every firm quote as if it were executed where that is
 * worst. The one thing to know: firm quotes of both sides never cancel out, because either may be executed alone.
 */
import { Decimal } from "../decimal.ts"
import type { Span } from "./hedging/hedging.ts"
import type { FirmQuote } from "./quote.ts"

type Counted = Pick<FirmQuote, "baseAsset" | "orderSide" | "quantity">

/** What firm quotes promise, by asset: kept as they come and go, so that a request costs no walk through them. */
export class Outstanding {
  /** What the client buys the dealer is short of until it is hedged. */
  readonly #sums = { BUY: new Map<string, Decimal>(), SELL: new Map<string, Decimal>() }

  add(quote: Counted): void {
    this.#change(quote, quote.quantity)
  }

  remove(quote: Counted): void {
    this.#change(quote, quote.quantity.negate())
  }

  /** By clients, of this asset. */
  of(orderSide: FirmQuote["orderSide"], asset: string): Decimal {
    return this.#sums[orderSide].get(asset) ?? Decimal.ZERO
  }

  assets(): ReadonlySet<string> {
    return new Set([...this.#sums.BUY.keys(), ...this.#sums.SELL.keys()])
  }

  #change({ baseAsset, orderSide }: Counted, by: Decimal): void {
    const sum = this.of(orderSide, baseAsset).add(by)
    if (sum.isZero()) this.#sums[orderSide].delete(baseAsset)
    else this.#sums[orderSide].set(baseAsset, sum)
  }
}

/** The most that may be open in each asset, in that asset, never negative; `asked`: a quote more. */
export const worstExposures = (
  positions: ReadonlyMap<string, Span>,
  outstanding: Outstanding,
  asked: Counted | null,
): ReadonlyMap<string, Decimal> => {
  const worst = new Map<string, Decimal>()
  const assets = new Set([...positions.keys(), ...outstanding.assets()])
  if (asked !== null) assets.add(asked.baseAsset)
  const promised = (orderSide: FirmQuote["orderSide"], asset: string): Decimal => {
    const sum = outstanding.of(orderSide, asset)
    return asked?.orderSide === orderSide && asked.baseAsset === asset ? sum.add(asked.quantity) : sum
  }
  for (const asset of assets) {
    const position = positions.get(asset)
    const low = (position?.low ?? Decimal.ZERO).subtract(promised("BUY", asset))
    const high = (position?.high ?? Decimal.ZERO).add(promised("SELL", asset))
    const exposure = Decimal.max(low.abs(), high.abs())
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
