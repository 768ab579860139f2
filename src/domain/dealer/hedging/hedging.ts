/**
 * What a dealer has sold of one pair and not covered yet, and the states of its hedging as one table. The one thing to know: nothing is counted
 * twice, because everything is a sum: what executed quotes owe, less what hedges brought in. The order in which the two arrive makes no
 * difference.
 */
import { Schema } from "effect"
import { Decimal } from "../../decimal.ts"
import type { Fee, OrderSide } from "../../order/trade-order.ts"
import type { HedgeIntent } from "../dealer.ts"
import type { OpenIntents } from "./intent-queue.ts"

// The state machine of one hedging line (a pair of a dealer), as one table: what a state waits for, whether people are told again and
// again while it lasts, and what it is left by. The one thing to know: every state has an exit that needs neither the venue nor luck.

/**
 * FLAT: nothing is open. ACCUMULATING: less than the venue takes, it waits for more. HEDGING: an order is at work, or the next is about
 * to leave. IN_DOUBT: the outcome of an order is not known, and its account is being asked. OPEN: attempts failed, the next ones come later.
 * CARRIED: all that may be open is in doubt at accounts that cannot be asked any more: it is not hedged a second time.
 */
export const HedgeState = Schema.Literal("FLAT", "ACCUMULATING", "HEDGING", "IN_DOUBT", "OPEN", "CARRIED")
export type HedgeState = typeof HedgeState.Type

/**
 * What happens to a line. QUOTE: one was executed. ORDER: a stored image of a hedge, or the answer to one that was handed over. TIME: a
 * planned look. DEALER: its links or settings are others. ACCOUNT: a linked account can be asked no longer, or again. RESOLVED: an admin has said what
 * a hedge executed.
 */
export type HedgeEvent = "QUOTE" | "ORDER" | "TIME" | "DEALER" | "ACCOUNT" | "RESOLVED"

export interface HedgeLaw {
  /** An order may leave now. */
  readonly sends: boolean
  /** People are told, and told again, until it is over. */
  readonly alerts: boolean
  /** By which it may be left. */
  readonly exits: ReadonlyArray<HedgeEvent>
}

/**
 * A late fill or a fee of an old hedge (ORDER), and another word on one (RESOLVED), open what was flat, and close or change what waits. Dust
 * beside what is carried waits as it does without (TIME, DEALER).
 */
export const HEDGE_LAW: { readonly [S in HedgeState]: HedgeLaw } = {
  FLAT: { sends: false, alerts: false, exits: ["QUOTE", "ORDER", "RESOLVED"] },
  ACCUMULATING: { sends: true, alerts: false, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "RESOLVED"] },
  HEDGING: { sends: true, alerts: false, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
  IN_DOUBT: { sends: false, alerts: true, exits: ["ORDER", "ACCOUNT", "RESOLVED"] },
  OPEN: { sends: true, alerts: true, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
  CARRIED: { sends: false, alerts: true, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
}

/** What decides the state of a line. */
export interface HedgeFacts {
  /** A hedge was handed to its account, which has not answered. */
  readonly isAsking: boolean
  /** Of a hedge that is not over, at an account that can be asked. */
  readonly atWork: "NONE" | "WORKING" | "IN_DOUBT"
  /** What is open whatever hedges in doubt executed. */
  readonly open: "NOTHING" | "DUST" | "SOME"
  /** Hedges in doubt are left at accounts that cannot be asked. */
  readonly isCarrying: boolean
  /** A round of attempts failed. */
  readonly hasFailed: boolean
}

export const hedgeStateOf = ({ isAsking, atWork, open, isCarrying, hasFailed }: HedgeFacts): HedgeState => {
  if (atWork === "IN_DOUBT") return "IN_DOUBT"
  if (isAsking || atWork === "WORKING") return "HEDGING"
  if (open === "SOME") return hasFailed ? "OPEN" : "HEDGING"
  if (isCarrying) return "CARRIED"
  return open === "DUST" ? "ACCUMULATING" : "FLAT"
}

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
