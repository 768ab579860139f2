/**
 * A hedge as its venue has it: what was executed and how it ended, and from when on anybody can know it. It goes on whether the gateway
 * runs or not; what the gateway may know of it at an instant is `imageAt`.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import { graver } from "../../../src/domain/order/evidence/doubt.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { Fee, TradeOrder } from "../../../src/domain/order/trade-order.ts"

export interface VenueFill {
  readonly quantity: Decimal
  readonly price: Decimal
  readonly fee: { readonly asset: string; readonly quantity: Decimal } | null
  /** From when on its venue shows it. */
  shownAt: number
}

export interface VenueHedge {
  readonly fills: ReadonlyArray<VenueFill>
  readonly end: { readonly status: "CANCELLED" | "EXPIRED" | "REJECTED"; readonly reason: string | null } | null
  endAt: number
  /** Until then nobody learns anything of it: its outcome is in doubt. */
  mutedUntil: number
}

/** What its venue executed in truth, shown or not. */
export const truthOf = ({ fills }: VenueHedge): { readonly quantity: Decimal; readonly cost: Decimal } => ({
  quantity: fills.reduce((sum, it) => sum.add(it.quantity), Decimal.ZERO),
  cost: fills.reduce((sum, it) => sum.add(it.quantity.multiply(it.price)), Decimal.ZERO),
})

/** So long a venue may be silent before its silence is a doubt. */
const SILENCE_MILLIS = 300

const feesOf = (fills: ReadonlyArray<VenueFill>, venue: VenueId): ReadonlyArray<Fee> => {
  const sums = new Map<string, Decimal>()
  for (const { fee } of fills)
    if (fee !== null) sums.set(fee.asset, (sums.get(fee.asset) ?? Decimal.ZERO).add(fee.quantity))
  return [...sums].map(([asset, quantity]) => ({ asset, venue, quantity }))
}

/** The next image of an order whose account hears its venue now; null: nothing is new. */
export const imageAt = (order: TradeOrder, hedge: VenueHedge, now: number): TradeOrder | null => {
  const isOver = isTerminal(order.orderStatus)
  if (hedge.mutedUntil > now) {
    const isDoubt = !isOver && order.doubt === null && now - order.createdAt >= SILENCE_MILLIS
    return isDoubt
      ? { ...order, orderStatus: "UNKNOWN", doubt: graver(order, "SUBMIT"), version: order.version + 1 }
      : null
  }
  const shown = hedge.fills.filter(({ shownAt }) => shownAt <= now)
  const executedQuantity = shown.reduce((sum, it) => sum.add(it.quantity), Decimal.ZERO)
  const executedCost = shown.reduce((sum, it) => sum.add(it.quantity.multiply(it.price)), Decimal.ZERO)
  const isFilled = executedQuantity.equals(order.baseQuantity)
  const hasEnded = hedge.end !== null && hedge.endAt <= now
  const orderStatus = isFilled
    ? "FILLED"
    : isOver
      ? order.orderStatus
      : hasEnded
        ? hedge.end!.status
        : executedQuantity.isPositive()
          ? "PARTIALLY_FILLED"
          : "ACCEPTED"
  const isSame = orderStatus === order.orderStatus && executedQuantity.equals(order.executedQuantity)
  if (isSame && order.doubt === null) return null
  return {
    ...order,
    orderStatus,
    doubt: null,
    rejectReason: orderStatus === "REJECTED" ? (hedge.end?.reason ?? null) : order.rejectReason,
    executedQuantity,
    executedCost,
    fees: feesOf(shown, order.venue),
    version: order.version + 1,
  }
}
