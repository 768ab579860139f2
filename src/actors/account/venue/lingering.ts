/**
 * Orders that are closed here but still open at the venue: the venue confirmed a cancel and did not carry it out. A closed order stays closed
 * (contract C1.3), so it is cancelled once more and an alert is raised: nothing is held for what it may still fill.
 */
import { wasNeverPlaced } from "../../../domain/order/list.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { cancelAtVenue, mayCancel } from "../orders/cancel.ts"
import type { WorkingOrder } from "../working-order.ts"

/** Some venues keep their list of open orders for so long. */
const LIST_MILLIS = 10_000

const isFresh = ({ parts }: AccountCore, { order }: WorkingOrder): boolean =>
  parts.clock.now() - order.updatedAt < LIST_MILLIS

/** On the list of open orders that agreement begins with: it works there, unless the list may be older than its end. */
export const seenAtStart = (core: AccountCore, working: WorkingOrder, { status }: VenueOrderState): void => {
  if (status === "OPEN" && isTerminal(working.order.orderStatus) && !isFresh(core, working)) core.late.appeared(working)
}

/** Given up and shown since, a moment before this process began: the list may be older than its appearance. */
export const recallAppeared = (core: AccountCore): void => {
  for (const working of core.orders.values())
    if (wasNeverPlaced(working.order) && working.order.externalOrderId !== null && isFresh(core, working))
      core.late.appeared(working)
}

/** Those whose alert was raised in this process. */
const told = new WeakSet<WorkingOrder>()

/**
 * `seen`: those of the audit before. One sighting proves nothing, because a list may be older than the end: some venues keep theirs for
 * ten seconds. Answers those of this audit.
 */
export const auditEnded = (
  core: AccountCore,
  open: ReadonlyArray<VenueOrderState>,
  quietMillis: number,
  seen: ReadonlySet<WorkingOrder>,
): ReadonlySet<WorkingOrder> => {
  const now = core.parts.clock.monotonic()
  const lingering = new Set<WorkingOrder>()
  const shown = new Set(open.map((state) => core.orders.findAtVenue(state)))
  // A list may be older than the sight of it.
  for (const [working, shownAt] of core.late.appearances)
    if (!shown.has(working) && now - shownAt >= quietMillis) core.late.gone(working)
  for (const state of open) {
    const { status, externalOrderId } = state
    const working = core.orders.findAtVenue(state)
    if (working === undefined || status !== "OPEN" || !isTerminal(working.order.orderStatus)) continue
    // One that was "never placed" and appears is cancelled at its first sight (venue/evidence.ts).
    if (working.order.orderStatus === "REJECTED" || (!seen.has(working) && now - working.touchedAt < quietMillis))
      continue
    lingering.add(working)
    if (seen.has(working)) cancelAgain(core, working, externalOrderId)
  }
  return lingering
}

const cancelAgain = (core: AccountCore, working: WorkingOrder, externalOrderId: string): void => {
  const { order } = working
  core.late.appeared(working)
  if (order.orderStatus !== "FILLED" && mayCancel(core, working))
    cancelAtVenue(core, working, core.refOf({ ...order, externalOrderId: order.externalOrderId ?? externalOrderId }))
  if (told.has(working)) return
  told.add(working)
  const message = `an order that is ${order.orderStatus} here is still open at the venue and is being cancelled there`
  const { tradeOrderId } = order
  core.outlet.alert({ code: "OPEN_AFTER_END", severity: "CRITICAL", message, tradeOrderId })
}
