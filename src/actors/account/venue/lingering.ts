/**
 * Orders that are closed here but still open at the venue: the venue confirmed a cancel and did not carry it out. A closed order stays closed
 * (contract C1.3), so it is cancelled once more and an alert is raised: nothing is held for what it may still fill.
 */
import { wasNeverPlaced } from "../../../domain/order/list.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { Live } from "../live.ts"
import { cancelAtVenue, mayCancel } from "../orders/cancel.ts"

/** Some venues keep their list of open orders for so long. */
const LIST_MILLIS = 10_000

const isFresh = ({ parts }: AccountCore, { order }: Live): boolean => parts.clock.now() - order.updatedAt < LIST_MILLIS

/** On the list of open orders that agreement begins with: it works there, unless the list may be older than its end. */
export const seenAtStart = (core: AccountCore, live: Live, { status }: VenueOrderState): void => {
  if (status === "OPEN" && isTerminal(live.order.orderStatus) && !isFresh(core, live)) core.late.appeared(live)
}

/** Given up and shown since, a moment before this process began: the list may be older than its appearance. */
export const recallAppeared = (core: AccountCore): void => {
  for (const live of core.orders.values())
    if (wasNeverPlaced(live.order) && live.order.externalOrderId !== null && isFresh(core, live))
      core.late.appeared(live)
}

/** Those whose alert was raised in this process. */
const told = new WeakSet<Live>()

/**
 * `seen`: those of the audit before. One sighting proves nothing, because a list may be older than the end: some venues keep theirs for
 * ten seconds. Answers those of this audit.
 */
export const auditEnded = (
  core: AccountCore,
  open: ReadonlyArray<VenueOrderState>,
  quietMillis: number,
  seen: ReadonlySet<Live>,
): ReadonlySet<Live> => {
  const now = core.parts.clock.monotonic()
  const lingering = new Set<Live>()
  const shown = new Set(open.map((state) => core.orders.findAtVenue(state)))
  // A list may be older than the sight of it.
  for (const [live, shownAt] of core.late.appearances)
    if (!shown.has(live) && now - shownAt >= quietMillis) core.late.gone(live)
  for (const state of open) {
    const { status, externalOrderId } = state
    const live = core.orders.findAtVenue(state)
    if (live === undefined || status !== "OPEN" || !isTerminal(live.order.orderStatus)) continue
    // One that was "never placed" and appears is cancelled at its first sight (venue/evidence.ts).
    if (live.order.orderStatus === "REJECTED" || (!seen.has(live) && now - live.touchedAt < quietMillis)) continue
    lingering.add(live)
    if (seen.has(live)) cancelAgain(core, live, externalOrderId)
  }
  return lingering
}

const cancelAgain = (core: AccountCore, live: Live, externalOrderId: string): void => {
  const { order } = live
  core.late.appeared(live)
  if (order.orderStatus !== "FILLED" && mayCancel(core, live))
    cancelAtVenue(core, live, core.refOf({ ...order, externalOrderId: order.externalOrderId ?? externalOrderId }))
  if (told.has(live)) return
  told.add(live)
  const message = `an order that is ${order.orderStatus} here is still open at the venue and is being cancelled there`
  const { tradeOrderId } = order
  core.outlet.alert({ code: "OPEN_AFTER_END", severity: "CRITICAL", message, tradeOrderId })
}
