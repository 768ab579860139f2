/** Why the venue ended the rest of an order, in our words (contract C1.3: what Binance calls EXPIRED is often a remainder). */
import { changeOf, isRenewal } from "../change.ts"
import { type CancelReason, isPaired, releasedType, type TradeOrder } from "../trade-order.ts"
import type { OrderView } from "../view.ts"
import { hasRunOut } from "./progress.ts"

export const endingOf = (
  order: TradeOrder,
  view: Pick<OrderView, "status" | "ending">,
  requested: CancelReason,
  now: number,
): { readonly to: "CANCELLED" | "EXPIRED"; readonly cancelReason: CancelReason | null } => {
  if (view.ending === "SELF_TRADE_PREVENTION") return { to: "CANCELLED", cancelReason: "SELF_TRADE_PREVENTION" }
  if (isPaired(order) && isEndedByOther(order, view.ending, requested))
    return { to: "CANCELLED", cancelReason: "OCO_SIBLING" }
  const timed = order.timeInForce === "GTD" || order.timeInForce === "DAY"
  if (view.status === "EXPIRED" && timed && view.ending === null) return { to: "EXPIRED", cancelReason: null }
  // Its time is over, whatever the venue calls it.
  if (view.ending === null && hasRunOut(order, now) && (order.cancelRequested || changeOf(order) === null))
    return { to: "EXPIRED", cancelReason: null }
  const remainder: CancelReason | null =
    order.timeInForce === "FOK"
      ? "FOK_NOT_FILLED"
      : releasedType(order) === "MARKET" && !isWaitingThere(order)
        ? "NO_LIQUIDITY"
        : order.timeInForce === "IOC"
          ? "IOC_REMAINDER"
          : null
  if (view.ending === "REMAINDER") return { to: "CANCELLED", cancelReason: remainder ?? "NO_LIQUIDITY" }
  if (order.cancelRequested) return { to: "CANCELLED", cancelReason: requested }
  if (isRenewal(changeOf(order))) return { to: "CANCELLED", cancelReason: "REPLACED" }
  return { to: "CANCELLED", cancelReason: remainder ?? "VENUE" }
}

/** The venue ended a leg of its own list for what happened to the other; not what its own trigger left without a counterpart. */
const isEndedByOther = (order: TradeOrder, ending: OrderView["ending"], requested: CancelReason): boolean => {
  const isRemainder = ending === "REMAINDER" || (releasedType(order) === "MARKET" && !isWaitingThere(order))
  if (isRemainder) return false
  return ending === "LIST" || (requested === "OCO_SIBLING" && !order.cancelRequested)
}

/** The venue watches its trigger, which has not fired. */
const isWaitingThere = ({ terms }: TradeOrder): boolean =>
  terms?.trigger?.execution === "NATIVE" && terms.trigger.triggeredAt === null
