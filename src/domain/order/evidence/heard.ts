/** What it makes of an order that the venue has it: acknowledged, triggered there, or back after it was given up. */

import { isTerminal } from "../status.ts"
import type { TradeOrder } from "../trade-order.ts"
import { changeTo, type Effects, type Known, NOTHING, type OrderEffect, quietly } from "./effects.ts"
import { acknowledged, eventOf } from "./progress.ts"

/** The image that says so; null: the order's own does. */
const acknowledging = (order: TradeOrder, externalOrderId: string, at: number | null): OrderEffect | null => {
  const next = acknowledged(order, externalOrderId, at)
  if (next === order) return null
  if (next.orderStatus !== order.orderStatus) return changeTo(next, at, { kind: eventOf(next) })
  // A process that ends here must not take it for one that the venue has never shown.
  const isFirst = order.externalOrderId === null
  return next.doubt === order.doubt && !isFirst ? { _tag: "Keep", next } : quietly(next, { at })
}

/** The venue has the order: at least acknowledged. */
export const heard = ({ order, now }: Known, externalOrderId: string, at: number | null): Effects => {
  const image = acknowledging(order, externalOrderId, at)
  const since: OrderEffect = { _tag: "Heard", at: at ?? now }
  return image === null ? [since] : [since, image]
}

/** Whether what was heard is more than the image said. */
export const isNews = (effects: Effects): boolean => effects.some(({ _tag }) => _tag === "Change" || _tag === "Keep")

/** The venue's own trigger has fired; null: it had, or there is none. */
export const firedThere = ({ order, now }: Known, at: number | null): OrderEffect | null => {
  const { terms, orderStatus } = order
  const trigger = terms?.trigger ?? null
  if (terms === null || trigger === null || isTerminal(orderStatus)) return null
  if (trigger.execution !== "NATIVE" || trigger.triggeredAt !== null) return null
  const next = {
    ...order,
    terms: { ...terms, trigger: { ...trigger, triggeredAt: at ?? now, triggeredBy: "VENUE" as const } },
  }
  return changeTo(next, at, { kind: "TRADE_ORDER.TRIGGERED" })
}

/** An order that is over shows up: one that was "never placed" must not work on (contract C3, 6). */
export const appeared = ({ order, isConnected }: Known, externalOrderId: string): Effects => {
  if (order.orderStatus !== "REJECTED" || !isConnected) return NOTHING
  const known = order.externalOrderId
  const cancel: OrderEffect = { _tag: "CancelThere", externalOrderId: known ?? externalOrderId }
  if (known !== null) return [cancel]
  const message = "an order that was proven not placed appeared at the venue and is being cancelled"
  const { tradeOrderId } = order
  const alerts = [{ code: "LATE_APPEARANCE", severity: "CRITICAL", message, tradeOrderId } as const]
  return [cancel, quietly({ ...order, externalOrderId }, { alerts })]
}
