/**
 * What a dealer has sold and not covered yet, of one pair. The one thing to know: nothing is counted twice, because everything is a sum:
 * what executed quotes owe, less what hedges brought in. In which order the two came makes no difference.
 */

import { Decimal } from "../../decimal.ts"
import type { Fee, OrderSide } from "../../order/trade-order.ts"
import type { HedgeIntent } from "../dealer.ts"
import type { OpenIntents } from "./intent-queue.ts"

/** Sums over a pair's executed quotes and hedges. BUY counts above zero, SELL below. */
export interface HedgeTotals {
  readonly baseAsset: string
  /** In base: what the hedges of all executed quotes come to. */
  readonly owed: Decimal
  /** In quote asset: what they would have cost at the walked prices. */
  readonly reference: Decimal
  /** In quote asset: what clients paid beyond the walked prices. */
  readonly spread: Decimal
  /** In base: what hedges executed. */
  readonly hedged: Decimal
  /** In quote asset: what that cost. */
  readonly cost: Decimal
  /** What venues took for it, by asset. What they took in base was bought and is not there: it is open again. */
  readonly fees: ReadonlyMap<string, Decimal>
}

export const noTotals = (baseAsset: string): HedgeTotals => ({
  baseAsset,
  owed: Decimal.ZERO,
  reference: Decimal.ZERO,
  spread: Decimal.ZERO,
  hedged: Decimal.ZERO,
  cost: Decimal.ZERO,
  fees: new Map(),
})

/** The side of the hedge that closes an exposure. */
export const sideOf = (exposure: Decimal): OrderSide => (exposure.isNegative() ? "SELL" : "BUY")

const signed = (side: OrderSide, amount: Decimal): Decimal => (side === "BUY" ? amount : amount.negate())

/** What is still to be bought; below zero: to be sold. */
export const exposureOf = ({ baseAsset, owed, hedged, fees }: HedgeTotals): Decimal =>
  owed.subtract(hedged).add(fees.get(baseAsset) ?? Decimal.ZERO)

/** With one more executed quote. */
export const withIntent = (totals: HedgeTotals, intent: HedgeIntent): HedgeTotals => {
  const { orderSide, quantity, quotePrice, walkedPrice } = intent
  return {
    ...totals,
    owed: totals.owed.add(signed(orderSide, quantity)),
    reference: totals.reference.add(signed(orderSide, walkedPrice.multiply(quantity))),
    spread: totals.spread.add(signed(orderSide, quotePrice.subtract(walkedPrice).multiply(quantity))),
  }
}

/** What a hedge has executed so far. */
export interface HedgeProgress {
  readonly orderSide: OrderSide
  readonly executedQuantity: Decimal
  readonly executedCost: Decimal
  readonly fees: ReadonlyArray<Pick<Fee, "asset" | "quantity">>
}

/** With what a hedge has executed since `before`; null: it is heard of for the first time. */
export const withProgress = (totals: HedgeTotals, before: HedgeProgress | null, now: HedgeProgress): HedgeTotals => {
  const { orderSide } = now
  const quantity = now.executedQuantity.subtract(before?.executedQuantity ?? Decimal.ZERO)
  const cost = now.executedCost.subtract(before?.executedCost ?? Decimal.ZERO)
  return {
    ...totals,
    hedged: totals.hedged.add(signed(orderSide, quantity)),
    cost: totals.cost.add(signed(orderSide, cost)),
    fees: withFees(withFees(totals.fees, before?.fees ?? [], -1), now.fees, 1),
  }
}

const withFees = (
  sums: ReadonlyMap<string, Decimal>,
  fees: HedgeProgress["fees"],
  sign: 1 | -1,
): ReadonlyMap<string, Decimal> => {
  if (fees.length === 0) return sums
  const next = new Map(sums)
  for (const { asset, quantity } of fees)
    next.set(asset, (next.get(asset) ?? Decimal.ZERO).add(sign === 1 ? quantity : quantity.negate()))
  return next
}

/** What an admin says that a hedge executed, of which its venue does not. */
export interface HedgeVerdict {
  readonly executedQuantity: Decimal
  readonly executedCost: Decimal
}

/** What a hedge counts as: what its venue says. Of one that is not over what an admin said of it, where that is more. */
export const countedOf = <A extends HedgeProgress>(told: A, isOver: boolean, verdict: HedgeVerdict | null): A =>
  verdict === null || isOver || verdict.executedQuantity.atMost(told.executedQuantity) ? told : { ...told, ...verdict }

/** What a hedge may have executed beyond what it counts as: nothing of one that is over, or that an admin has spoken of. */
export const restOf = (hedge: {
  readonly isOver: boolean
  readonly verdict: HedgeVerdict | null
  readonly baseQuantity: Decimal
  readonly executedQuantity: Decimal
}): Decimal =>
  hedge.isOver || hedge.verdict !== null
    ? Decimal.ZERO
    : Decimal.max(Decimal.ZERO, hedge.baseQuantity.subtract(hedge.executedQuantity))

/** What may be open, between the least and the most that hedges in doubt have executed. */
export interface Span {
  readonly low: Decimal
  readonly high: Decimal
}

/** `rest`: what each of the hedges in doubt may have executed beyond what is known. */
export const spanOf = (
  exposure: Decimal,
  inDoubt: Iterable<{ readonly orderSide: OrderSide; readonly rest: Decimal }>,
): Span => {
  let [low, high] = [exposure, exposure]
  for (const { orderSide, rest } of inDoubt) {
    if (orderSide === "BUY") low = low.subtract(rest)
    else high = high.add(rest)
  }
  return { low, high }
}

/** What is open whatever they executed: no order for it closes anything twice. */
export const surelyOpen = ({ low, high }: Span): Decimal =>
  low.isPositive() ? low : high.isNegative() ? high : Decimal.ZERO

/** What a dealer earned and risks in one pair; money in its quote asset. */
export interface HedgeResult {
  readonly spread: Decimal
  /** What hedges cost beyond the walked prices, fees in base included; below zero: less. Quotes that cover each other cost nothing. */
  readonly slippage: Decimal
  /** Of what is open, at the given price; null without one. */
  readonly unrealised: Decimal | null
  /** spread − slippage + unrealised; fees in other assets than base are apart. */
  readonly total: Decimal | null
}

/** `mid`: what the open exposure is valued at; null where no book is known. `open`: of its side. */
export const resultOf = (totals: HedgeTotals, open: OpenIntents, mid: Decimal | null): HedgeResult => {
  const exposure = exposureOf(totals)
  const side = sideOf(exposure)
  let openReference = signed(side, open.reference)
  const uncovered = exposure.subtract(signed(side, open.sum))
  // Hedges executed more than was owed, or lost it in fees: that is worth what the market says, else what it cost.
  if (!uncovered.isZero()) openReference = openReference.add(uncovered.multiply(mid ?? averageCost(totals)))
  const slippage = totals.cost.subtract(totals.reference.subtract(openReference))
  const { spread } = totals
  if (mid === null && !exposure.isZero()) return { spread, slippage, unrealised: null, total: null }
  const unrealised = openReference.subtract(exposure.multiply(mid ?? Decimal.ZERO))
  return { spread, slippage, unrealised, total: spread.subtract(slippage).add(unrealised) }
}

const averageCost = ({ cost, hedged }: HedgeTotals): Decimal =>
  hedged.isZero() ? Decimal.ZERO : cost.divide(hedged, 18, "HALF_EVEN")
