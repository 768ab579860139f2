/**
 * The change of a working order as arithmetic (contract C1, PENDING_REPLACE): what it requests, the resulting order, and what the order must hold
 * meanwhile and after.
 */
import { Decimal } from "../decimal.ts"
import { NO_TERMS, type OrderTerms, type RequestedChange } from "./terms.ts"
import type { TradeOrder } from "./trade-order.ts"
import type { OrderView } from "./view.ts"

/** Absolute values; absent or null: stays as it is. */
export interface OrderChange {
  /** Total in base, what is executed included. */
  readonly baseQuantity?: Decimal | null
  readonly limitPrice?: Decimal | null
  readonly stopPrice?: Decimal | null
}

/** The change that is under way at the venue; null when there is none. */
export const changeOf = (order: TradeOrder): RequestedChange | null => order.terms?.change ?? null

/** The order is cancelled for it. */
export const isRenewal = (change: RequestedChange | null): boolean => change !== null && change.how !== "AMEND"

/** The order is being cancelled to make place for a new one. */
export const isRenewing = (order: TradeOrder): boolean => isRenewal(changeOf(order)) && !order.cancelRequested

/** How much may be executed without being too much: an amend that asks for more may have been made already. */
export const orderedQuantity = (order: TradeOrder): Decimal => {
  const change = changeOf(order)
  if (change === null || change.how !== "AMEND" || change.baseQuantity === null) return order.baseQuantity
  return Decimal.max(order.baseQuantity, change.baseQuantity)
}

/** Terms with nothing in them are none. */
const slim = (terms: OrderTerms): OrderTerms | null =>
  Object.values(terms).every((value) => value === null) ? null : terms

export const withChange = (order: TradeOrder, change: RequestedChange | null): TradeOrder =>
  change === null && changeOf(order) === null
    ? order
    : { ...order, terms: slim({ ...(order.terms ?? NO_TERMS), change }) }

/** The order with the change made, its hold not yet looked at. A quantity is in base from then on. */
export const changed = (order: TradeOrder, { baseQuantity, limitPrice, stopPrice }: OrderChange): TradeOrder => {
  const { trigger } = order.terms ?? NO_TERMS
  const terms =
    order.terms !== null && trigger !== null && stopPrice
      ? { ...order.terms, trigger: { ...trigger, stopPrice } }
      : order.terms
  return {
    ...order,
    terms,
    limitPrice: limitPrice ?? order.limitPrice,
    ...(baseQuantity && { baseQuantity, quantity: baseQuantity, orderQuantityType: "BASE" as const }),
  }
}

const priceOf = ({ limitPrice, terms }: TradeOrder): Decimal => limitPrice ?? terms?.trigger?.stopPrice ?? Decimal.ONE

/** What of it is still to be executed. */
export const unexecutedOf = ({ baseQuantity, executedQuantity }: TradeOrder): Decimal =>
  Decimal.max(Decimal.ZERO, baseQuantity.subtract(executedQuantity))

const share = (whole: Decimal, part: Decimal, of: Decimal): Decimal =>
  part.equals(of) || !of.isPositive() ? whole : whole.multiply(part).divide(of, 18, "UP")

/** What the order holds once it is changed to `next`; an order that holds nothing goes on holding nothing. */
export const heldAs = (order: TradeOrder, next: TradeOrder): Decimal => {
  const [before, after] = [unexecutedOf(order), unexecutedOf(next)]
  if (order.orderSide === "SELL") return share(order.held, after, before)
  return share(order.held, after.multiply(priceOf(next)), before.multiply(priceOf(order)))
}

/** The hold at the end of a change: as planned for what it came to, less what was executed meanwhile. */
const heldAfter = (order: TradeOrder, planned: Decimal, executedBefore: Decimal): Decimal =>
  share(planned, unexecutedOf(order), Decimal.max(Decimal.ZERO, order.baseQuantity.subtract(executedBefore)))

/** The change was made. The state of the order is the caller's affair. */
export const made = (order: TradeOrder, change: RequestedChange): TradeOrder => {
  const next = changed(withChange(order, null), change)
  return { ...next, held: heldAfter(next, change.held, change.executedBefore) }
}

/** The change was not made. */
export const unmade = (order: TradeOrder, change: RequestedChange): TradeOrder => {
  const next = withChange(order, null)
  return { ...next, held: heldAfter(next, change.heldBefore, change.executedBefore) }
}

/** While its outcome is not known the order is covered for both ends of the change. */
export const heldMeanwhile = (order: TradeOrder, change: RequestedChange): Decimal =>
  Decimal.max(made(order, change).held, unmade(order, change).held)

/** Whether the venue's view of the order is that of the changed one; null when its view does not tell the two apart. */
export const isMadeBy = (
  order: TradeOrder,
  change: RequestedChange,
  view: Pick<OrderView, "quantity" | "limitPrice">,
): boolean | null => {
  const tells: Array<boolean> = []
  const tell = (seen: Decimal | null, before: Decimal | null, after: Decimal | null): void => {
    if (after === null || seen === null || before === null || after.equals(before)) return
    if (seen.equals(after)) tells.push(true)
    else if (seen.equals(before)) tells.push(false)
  }
  tell(view.quantity, order.baseQuantity, change.baseQuantity)
  tell(view.limitPrice, order.limitPrice, change.limitPrice)
  if (tells.length === 0) return null
  return tells.every((isMade) => isMade) ? true : tells.some((isMade) => isMade) ? null : false
}
