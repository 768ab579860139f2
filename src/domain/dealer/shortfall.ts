/** When an unexplained shortfall of an account is worth an alert (decision 52), and how often alerts of a lasting fault repeat. */
import { Decimal } from "../decimal.ts"
import { type Instrument, quantityStep } from "../instrument/instrument.ts"
import { AMOUNT_DIGITS_MAX } from "../wallet/wallet.ts"

// Trouble that lasts is told at once, and again after 1, 2, 4 … 60 minutes. In ms.

const FIRST_PAUSE_MILLIS = 60_000
const LAST_PAUSE_MILLIS = 3_600_000

/** `pause`: the one before; undefined: the trouble is told for the first time. */
export const pauseAfter = (pause?: number): number =>
  pause === undefined ? FIRST_PAUSE_MILLIS : Math.min(2 * pause, LAST_PAUSE_MILLIS)

const HUNDRED = Decimal.of("100")

export interface ShortfallTerms {
  /** Share of what the account had of an asset, in percent. */
  readonly percent: Decimal
  /** By asset: a smaller shortfall raises no alert. For other assets: less than `least`. */
  readonly dust: ReadonlyMap<string, Decimal>
}

/** `least`: that its venue takes of the asset in an order. */
export const isShort = (
  { percent, dust }: ShortfallTerms,
  asset: string,
  lost: Decimal,
  had: Decimal,
  least: () => Decimal,
): boolean =>
  lost.isPositive() && lost.multiply(HUNDRED).atLeast(percent.multiply(had)) && lost.atLeast(dust.get(asset) ?? least())

/** In percent. */
export const shareLost = (lost: Decimal, had: Decimal): Decimal => lost.multiply(HUNDRED).divide(had, 2, "HALF_UP")

type Market = Pick<Instrument, "baseAsset" | "quoteAsset" | "lotSize" | "scale" | "minQuantity" | "minNotional">

/**
 * The least of an asset that any of these markets takes in an order. What an order must be worth counts where the market's price is known: else,
 * and where no market names a least, it is too little rather than too much.
 */
export const leastOrder = <M extends Market>(
  asset: string,
  markets: Iterable<M>,
  priceOf: (market: M) => Decimal | null,
): Decimal => {
  let known: Decimal | null = null
  let other: Decimal | null = null
  for (const market of markets) {
    const { minNotional, minQuantity } = market
    if (market.quoteAsset === asset && minNotional?.isPositive() === true) known = lesser(known, minNotional)
    if (market.baseAsset !== asset) continue
    const size = Decimal.max(minQuantity, quantityStep(market))
    const price = minNotional?.isPositive() === true ? priceOf(market) : null
    if (minNotional?.isPositive() !== true) known = lesser(known, size)
    else if (price?.isPositive() !== true) other = lesser(other, size)
    else known = lesser(known, Decimal.max(size, minNotional.divide(price, AMOUNT_DIGITS_MAX, "DOWN")))
  }
  return known ?? other ?? Decimal.ZERO
}

const lesser = (one: Decimal | null, other: Decimal): Decimal => (one === null ? other : Decimal.min(one, other))
