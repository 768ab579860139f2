/** What a futures account has beside the matching engine's orders and fills: one position a symbol, its leverage, and how both are kept. */
import { multiply, UNIT } from "../binance/fixed.ts"
import type { Account } from "../binance/model.ts"

export interface Position {
  /** Above zero long, below zero short. */
  amount: bigint
  /** What its amount was bought or sold for, in quote. */
  entryCost: bigint
  /** Ever, before fees. */
  realized: bigint
  updatedAt: number
}

/** An account of contracts, whichever venue keeps it. */
export interface MarginAccount extends Account {
  readonly positions: Map<string, Position>
  readonly leverage: Map<string, number>
}

export interface UsdmAccount extends MarginAccount {
  readonly marginType: Map<string, "CROSSED" | "ISOLATED">
  /** Long and short of one symbol are two positions: "hedge mode". */
  isDualSide: boolean
  isMultiAssets: boolean
  listenKey: ListenKey | undefined
}

export interface ListenKey {
  readonly key: string
  /** Venue ms. */
  validUntil: number
}

/** As the venue sets it for a symbol that nobody has touched. */
const USUAL_LEVERAGE = 20

export const leverageOf = ({ leverage }: MarginAccount, symbol: string): number =>
  leverage.get(symbol) ?? USUAL_LEVERAGE

export const positionOf = ({ positions }: MarginAccount, symbol: string): Position => {
  const known = positions.get(symbol)
  if (known !== undefined) return known
  const none = { amount: 0n, entryCost: 0n, realized: 0n, updatedAt: 0 }
  positions.set(symbol, none)
  return none
}

export const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

export const entryPriceOf = ({ amount, entryCost }: Position): bigint =>
  amount === 0n ? 0n : (entryCost * UNIT) / sizeOf(amount)

export const unrealizedOf = ({ amount, entryCost }: Position, mark: bigint): bigint => {
  const worth = multiply(mark, sizeOf(amount))
  return amount < 0n ? entryCost - worth : worth - entryCost
}
