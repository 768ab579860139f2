/** When what an account has less than anything explains is for people (decision 52). */
import { Decimal } from "./decimal.ts"

const HUNDRED = Decimal.of("100")

export interface ShortfallTerms {
  /** Share of what the account had of an asset, in percent. */
  readonly percent: Decimal
  /** By asset: less than this is told to nobody. */
  readonly dust: ReadonlyMap<string, Decimal>
}

export const isShort = ({ percent, dust }: ShortfallTerms, asset: string, lost: Decimal, had: Decimal): boolean =>
  lost.isPositive() &&
  lost.multiply(HUNDRED).atLeast(percent.multiply(had)) &&
  lost.atLeast(dust.get(asset) ?? Decimal.ZERO)

/** In percent. */
export const shareLost = (lost: Decimal, had: Decimal): Decimal => lost.multiply(HUNDRED).divide(had, 2, "HALF_UP")
