/**
 * The end of a renewal: an order that was cancelled to make place for another ends in the unit in which the other begins, and only when
 * it is known how much of it was executed.
 */
import type { Decimal } from "../../../domain/decimal.ts"
import { changed, changeOf, isRenewing, made, withChange } from "../../../domain/order/change.ts"
import { cancelled, eventOf, moved } from "../../../domain/order/evidence/progress.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { AccountCore } from "../core.ts"
import { askBalances } from "../venue/balances.ts"
import { isListLeftThere } from "../venue/unnamed.ts"
import type { Alert, WorkingOrder } from "../working-order.ts"
import { holdUntilReady, isLate, withDeadline } from "./dispatch.ts"
import { heirOf, release } from "./new-order.ts"

/** Past this the new order of a renewal is not placed any more: its price is stale. */
const RENEW_MILLIS = 30_000

/** A renewal that is still worth going on with. */
export const isRenewalDue = (core: AccountCore, order: TradeOrder): boolean =>
  isRenewing(order) && core.parts.clock.now() <= (changeOf(order)?.askedAt ?? 0) + RENEW_MILLIS

/** The order ends CANCELLED; where it was cancelled for a change, the order that takes its place begins in the same unit. */
export const endCancelled = (core: AccountCore, working: WorkingOrder, next: TradeOrder, at: number | null): void => {
  const { order } = working
  const change = changeOf(order)
  // What takes the place of an exit that makes way for a pair is the list's affair.
  if (change?.how !== "RENEW" || !isRenewing(order) || next.cancelReason !== "REPLACED") {
    core.change(working, next, eventOf(next), { at })
    return
  }
  core.parts.failpoint.hit("renew.confirmed")
  const aim = changed(withChange(order, null), change)
  const rest = aim.baseQuantity.subtract(order.executedQuantity)
  const hindrance = hindranceOf(core, order, aim, rest)
  if (hindrance !== null) {
    const { tradeOrderId } = order
    const message = `cancelled but not replaced: ${hindrance}`
    const alerts: ReadonlyArray<Alert> = rest.isPositive()
      ? [{ code: "NOT_REPLACED", severity: "CRITICAL", message, tradeOrderId }]
      : []
    core.change(working, next, eventOf(next), { at, alerts })
    return
  }
  const image = heirOf(core, made(order, change), { quantity: rest, baseQuantity: rest })
  // A leg waits for the list, which lets it go when nothing of the list is left at the venue.
  const heir = core.add(isHeldHere(core, image) ? image : withDeadline(core, image))
  const waiters = working.changeWaiters.splice(0)
  core.change(working, next, eventOf(next), {
    at,
    others: [
      {
        live: heir,
        next: heir.order,
        kind: "TRADE_ORDER.CREATED",
        by: change.by,
        committed: (stored) => {
          releaseRenewed(core, heir)
          for (const run of waiters) run({ _tag: "Renewed", order: stored, by: heir })
        },
      },
    ],
  })
  askBalances(core)
}

const isHeldHere = (core: AccountCore, { orderListId, terms }: TradeOrder): boolean =>
  orderListId !== null && (terms?.leg ?? null) !== null && isListLeftThere(core, orderListId)

const hindranceOf = (core: AccountCore, order: TradeOrder, aim: TradeOrder, rest: Decimal): string | null => {
  if (!rest.isPositive()) return "nothing remains of it"
  if (!isRenewalDue(core, order)) return "the venue confirmed the cancel too late"
  if (core.account.status === "LOCKED" || core.account.status === "DISCONNECTED") return "the account is disconnected"
  const instrument = core.parts.instruments.find(order.instrumentId, order.tenantId)
  if (instrument === undefined) return null
  const { minQuantity, minNotional } = instrument
  const notional = aim.limitPrice?.multiply(rest) ?? null
  const isSmall = minNotional !== null && notional?.lessThan(minNotional) === true
  return isSmall || rest.lessThan(minQuantity) ? "what remains is below the venue's minimum" : null
}

/** The new order is durable: to the venue, unless it is too late, unwanted by now, or there is no session. */
const releaseRenewed = (core: AccountCore, working: WorkingOrder): void => {
  core.parts.failpoint.hit("renew.committed")
  working.stored = true
  const waiting = working.whenStored.splice(0)
  const { order } = working
  const now = core.parts.clock.now()
  const isLocked = core.account.status === "LOCKED" || core.account.status === "DISCONNECTED"
  const isTooLate = order.notAfter !== null && isLate(core, order.notAfter, working.knownAt)
  if (working.cancelledEarly || isLocked) {
    const next = cancelled(order, working.cancelledEarly ? "USER_REQUEST" : "ACCOUNT_DISCONNECTED", now)
    core.change(working, next, eventOf(next))
  } else if (isTooLate || (core.connection.session === null && order.notAfter !== null)) {
    const rejectReason = isTooLate ? "GATEWAY_LATE" : "NOT_SENT: the venue session is gone"
    const next = moved(order, "REJECTED", { rejectReason })
    core.change(working, next, eventOf(next))
  } else if (order.notAfter !== null && isHeldHere(core, order)) holdUntilReady(core, working)
  else release(core, working)
  for (const run of waiting) run(true)
}
