/** What a state of an order means, in the words of the guides. */
import meanings from "guide:meanings"
import type { TradeOrder } from "../../clients/typescript/src/index.ts"

const ofReason = (table: Readonly<Record<string, string>>, reason: string | null): ReadonlyArray<string> => {
  if (reason === null) return []
  const known = table[reason.split(/[:\s]/)[0] ?? ""]
  return [known === undefined ? reason : `${reason}: ${known}`]
}

/** Sentences, the state itself first. */
export const explained = (order: TradeOrder): ReadonlyArray<string> => {
  const { status, orderStatus } = order
  const finer = meanings.event[`TRADE_ORDER.${orderStatus}`]
  return [
    `${status}: ${meanings.status[status] ?? "no meaning is written down"}.`,
    ...(finer === undefined ? [] : [`${orderStatus}: ${finer}.`]),
    ...ofReason(meanings.rejectReason, order.rejectReason),
    ...ofReason(meanings.cancelReason, order.cancelReason),
    ...(order.inDoubt ? ["In doubt: its funds stay held, and it is never sent again."] : []),
    ...(order.cancelRequested && order.status !== "CANCELLED"
      ? ["A cancel was asked for; the venue has not confirmed it."]
      : []),
    ...(order.execution === "EMULATED" ? ["The gateway watches its trigger: the venue has none such."] : []),
    ...(order.triggerHealth === null ? [] : [`Trigger: ${order.triggerHealth}.`]),
    ...(order.origin === "EXTERNAL" ? ["Placed at the venue, not through this gateway."] : []),
  ]
}

export const typeMeaning = (orderType: string): string => meanings.orderType[orderType] ?? ""

/** Of the whole installation. */
export const modeMeaning = (mode: string): string => meanings.mode[mode] ?? ""
