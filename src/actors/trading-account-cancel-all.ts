/**
 * Cancel of all orders of an account, or of those of one instrument: each by its own cancel, one in flight per order. Answered when all
 * have their answer, or after 1 s with what is known then.
 */
import { AccountDisconnected } from "../domain/errors/trading-account.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { CancelReason } from "../domain/trade-order.ts"
import type { CancelAllOrders } from "./account-messages.ts"
import { ANSWER_MILLIS, requestCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"

export const cancelAllOrders = (
  core: AccountCore,
  { instrumentId, reason, receivedAt, reply }: CancelAllOrders,
): void => {
  if (core.account.status === "DISCONNECTED") return reply.fail(new AccountDisconnected({}))
  const limited = reason === undefined ? core.limits.cancelError() : null
  if (limited !== null) return reply.fail(limited)
  const pending = new Set<TradeOrderId>()
  const cancelled: Array<TradeOrderId> = []
  const failed: Array<TradeOrderId> = []
  let isOver = false
  const answer = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    core.whenDurable(() => reply.ok({ cancelled, pending: [...pending], failed }))
  }
  const settled = (id: TradeOrderId, into: Array<TradeOrderId>): void => {
    if (isOver || !pending.delete(id)) return
    into.push(id)
    if (pending.size === 0) answer()
  }
  const callOff = core.self.later(Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic()), answer)
  const lives = core.orders
    .openLives()
    .filter(({ order }) => instrumentId === null || order.instrumentId === instrumentId)
  for (const { order } of lives) pending.add(order.tradeOrderId)
  sweep(core, lives, reason ?? "USER_REQUEST", (live) => {
    const { tradeOrderId } = live.order
    live.cancelWaiters.push({
      ok: () => settled(tradeOrderId, cancelled),
      // Filled, expired or rejected before the cancel, or the venue keeps it.
      fail: () => settled(tradeOrderId, failed),
    })
  })
  if (pending.size === 0) answer()
}

/** Asks for the cancel of each; what is not stored yet is cancelled when it is. `each` runs before the cancel of the order is asked for. */
export const sweep = (
  core: AccountCore,
  lives: ReadonlyArray<Live>,
  reason: CancelReason,
  each: (live: Live) => void = () => undefined,
): void => {
  for (const live of lives) {
    if (!live.stored) {
      if (reason === "USER_REQUEST") live.cancelledEarly = true
      each(live)
      live.whenStored.push((exists) => {
        if (exists) requestCancel(core, live, reason)
      })
      continue
    }
    each(live)
    // The cancel of its entry may have ended it a moment ago.
    if (!isTerminal(live.order.orderStatus)) requestCancel(core, live, reason)
  }
}
