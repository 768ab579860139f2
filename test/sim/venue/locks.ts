/** What orders lock of an account's assets until they are executed or over. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueOrder } from "../../../src/ports/venue-session.ts"
import { listed } from "./listing.ts"

/** An order of the exchange. */
interface Locking {
  readonly order: Pick<VenueOrder, "instrumentId" | "orderSide" | "limitPrice">
  readonly externalOrderId: string
  readonly quantity: Decimal
  readonly executed: Decimal
  readonly status: string
  readonly partner: Locking | null
}

/** A list locks once, for its dearer leg. */
const isLockedByPartner = ({ order, partner, externalOrderId }: Locking): boolean => {
  if (partner?.status !== "OPEN") return false
  const own = Decimal.of(order.limitPrice ?? "0")
  const other = Decimal.of(partner.order.limitPrice ?? "0")
  return own.lessThan(other) || (own.equals(other) && externalOrderId > partner.externalOrderId)
}

export const lockedBy = (open: ReadonlyArray<Locking>, asset: string): Decimal => {
  let sum = Decimal.ZERO
  for (const sim of open) {
    const { order, quantity, executed } = sim
    if (isLockedByPartner(sim)) continue
    const { baseAsset, quoteAsset } = listed(order.instrumentId)
    const rest = quantity.subtract(executed)
    if (order.orderSide === "SELL" && asset === baseAsset) sum = sum.add(rest)
    if (order.orderSide === "BUY" && asset === quoteAsset)
      sum = sum.add(Decimal.of(order.limitPrice ?? "0").multiply(rest))
  }
  return sum
}
