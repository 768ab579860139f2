/**
 * What the private session reports, applied to its order. A report that cannot be applied is kept raw, and the order is asked for:
 * the actor never dies of a venue's word (order-path 3).
 */
import { Decimal } from "../domain/decimal.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import { changeOf } from "../domain/order-change.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { SnapshotRow } from "../domain/portfolio.ts"
import type { SessionReport, VenueBalances } from "../ports/venue-session.ts"
import { cancelRefused } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { appeared, applyAcknowledgement, applyFill, seen } from "./trading-account-evidence.ts"
import { strayFill, withStray } from "./trading-account-foreign.ts"
import type { Live } from "./trading-account-live.ts"
import { cancelled, eventOf, IllegalTransition, moved, noted } from "./trading-account-progress.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { dispatch, lossOf, partnerOf, takeBack } from "./trading-account-release.ts"
import { changeMade, changeNotMade, endCancelled, isRenewing } from "./trading-account-replace.ts"
import { cleaned, decimal, venueId } from "./trading-account-text.ts"

/** From a submit that provably did not leave to its next. */
const SEND_AGAIN_MILLIS = 100

/** Reports of orders and balances; what concerns the session itself is its keeper's affair. */
export type OrderReport = Exclude<
  SessionReport,
  { readonly _tag: "StreamDown" } | { readonly _tag: "StreamUp" } | { readonly _tag: "SessionRefused" }
>

export const applyReport = (core: AccountCore, report: OrderReport): void => {
  switch (report._tag) {
    case "BalancesSeen":
      applyBalances(core, report.balances)
      return
    case "OrderSeen": {
      const { state } = report
      const live = core.findAtVenue(state.tradeOrderId, state.externalOrderId)
      if (live !== undefined) {
        attempt(core, live, report, () => seen(core, live, state, false))
        return
      }
      const { tradeOrderId, externalOrderId, instrumentId } = state
      withStray(core, { tradeOrderId, externalOrderId, instrumentId, state }, (found) =>
        attempt(core, found, report, () => seen(core, found, state, false)),
      )
      return
    }
    case "Filled": {
      const { fill } = report
      const live = core.findAtVenue(fill.tradeOrderId, fill.externalOrderId)
      if (live === undefined) strayFill(core, fill)
      else attempt(core, live, fill, () => applyFill(core, live, fill))
      return
    }
    default: {
      const live = core.orders.get(report.tradeOrderId)
      if (live !== undefined) {
        attempt(core, live, report, () => applyOutcome(core, live, report))
        return
      }
      withStray(core, stranger(report.tradeOrderId), (found) =>
        attempt(core, found, report, () => applyOutcome(core, found, report)),
      )
      return
    }
  }
}

const stranger = (tradeOrderId: TradeOrderId) => ({
  tradeOrderId,
  externalOrderId: "",
  state: null,
  instrumentId: null,
})

type Outcome = Exclude<OrderReport, { readonly _tag: "BalancesSeen" | "OrderSeen" | "Filled" }>

const applyOutcome = (core: AccountCore, live: Live, report: Outcome): void => {
  const { order } = live
  const over = isTerminal(order.orderStatus)
  if (report._tag === "CancelAccepted" || report._tag === "CancelRefused" || report._tag === "CancelInDoubt")
    live.isCancelOut = false
  switch (report._tag) {
    case "Accepted":
      if (order.orderStatus === "REJECTED") {
        appeared(core, live, report.externalOrderId)
        return
      }
      if (!over) applyAcknowledgement(core, live, report.externalOrderId, report.at)
      return
    case "Refused":
      if (!over) reject(core, live, `${report.code}: ${report.text}`, report.at)
      return
    case "NotSent":
      if (over) return
      if (order.externalOrderId !== null) throw new IllegalTransition(order, "not sent")
      if (order.cancelRequested) {
        const next = cancelled(order, live.cancelReason, core.parts.clock.now())
        core.change(live, next, eventOf(next), { at: report.at })
        return
      }
      if (takeBack(core, live)) return
      if (sendAgain(core, live, report.reason)) return
      reject(core, live, lateOr(core, live, `NOT_SENT: ${report.reason}`), report.at)
      return
    case "InDoubt":
      if (!over) doubt(core, live, report.reason, report.at)
      return
    case "CancelAccepted": {
      if (over) return
      const isRenewed = isRenewing(order)
      if (!order.cancelRequested && !isRenewed) {
        core.look(live, "cancelled without a request")
        return
      }
      // What takes its place, or the other leg of its pair, depends on what was executed: only the order itself says that for certain.
      if ((isRenewed || order.contingencyType === "OCO") && !core.venue.inProcess) {
        core.look(live, isRenewed ? "cancelled to be replaced" : "cancelled for the other leg")
        return
      }
      // Fills that the venue has named come first.
      if (live.owed !== null) {
        core.look(live, "cancelled with trades outstanding")
        return
      }
      const reason = isRenewed ? "REPLACED" : live.cancelReason
      endCancelled(core, live, cancelled(order, reason, core.parts.clock.now()), report.at)
      return
    }
    case "CancelRefused":
      if (over) return
      if (report.unknownOrder) {
        core.look(live, `cancel: ${report.text}`)
        return
      }
      if (isRenewing(order)) changeNotMade(core, live, report.text, report.at)
      else cancelRefused(core, live, report.text, report.at)
      return
    case "CancelInDoubt":
      if (over || !(order.cancelRequested || isRenewing(order))) return
      if (!order.inDoubt) core.change(live, { ...order, inDoubt: true }, null, { portfolio: false })
      core.look(live, `cancel in doubt: ${report.reason}`)
      return
    case "AmendAccepted":
      changeMade(core, live, venueId(report.externalOrderId), report.at)
      return
    case "AmendRefused":
      if (over) return
      if (report.unknownOrder) core.look(live, `change: ${report.text}`)
      else if (changeOf(order)?.how === "AMEND") changeNotMade(core, live, report.text, report.at)
      return
    case "AmendInDoubt":
      if (over || changeOf(order) === null) return
      if (!order.inDoubt) core.change(live, { ...order, inDoubt: true }, null, { portfolio: false })
      core.look(live, `change in doubt: ${report.reason}`)
      return
  }
}

/** Proven that no byte left, and there is still time: once more in a moment, under the same id (contract C3). */
const sendAgain = (core: AccountCore, live: Live, reason: string): boolean => {
  const now = core.parts.clock.now()
  const { orderStatus, notAfter } = live.order
  if (orderStatus !== "SUBMITTED" || notAfter === null || core.session === null) return false
  if (partnerOf(core, live.order) !== null) return false
  if (now + SEND_AGAIN_MILLIS >= notAfter) return false
  live.order = noted(live.order, now, `not sent, once more: ${reason}`)
  core.self.later(SEND_AGAIN_MILLIS, () => {
    const { order } = live
    if (isTerminal(order.orderStatus) || order.externalOrderId !== null) return
    if (order.cancelRequested) {
      const next = cancelled(order, live.cancelReason, core.parts.clock.now())
      core.change(live, next, eventOf(next))
    } else if (order.orderStatus === "SUBMITTED") {
      if (core.session === null) reject(core, live, `NOT_SENT: ${reason}`, core.parts.clock.now())
      else dispatch(core, live)
    }
  })
  return true
}

const lateOr = (core: AccountCore, live: Live, reason: string): string =>
  live.order.notAfter !== null && core.parts.clock.now() > live.order.notAfter ? "GATEWAY_LATE" : reason

const reject = (core: AccountCore, live: Live, rejectReason: string, at: number): void => {
  const { order } = live
  if (order.executedQuantity.isPositive()) throw new IllegalTransition(order, "REJECTED")
  const next = moved(order, "REJECTED", { rejectReason: cleaned(rejectReason.slice(0, 400)) })
  core.change(live, next, eventOf(next), { at, alerts: lossOf(next) })
}

/** The submit may or may not have arrived. An order that is already acknowledged is in no doubt. */
const doubt = (core: AccountCore, live: Live, reason: string, at: number): void => {
  const { order } = live
  const why = `in doubt: ${reason}`
  if (order.orderStatus === "SUBMITTED") {
    const next = moved(order, "UNKNOWN", { inDoubt: true })
    core.change(live, next, eventOf(next), { at })
  } else if (order.orderStatus === "PENDING_CANCEL" && order.externalOrderId === null) {
    core.change(live, { ...order, inDoubt: true, statusBeforeCancel: "UNKNOWN" }, null, { portfolio: false })
  } else if (order.orderStatus === "ACCEPTED" && order.externalOrderId === null) {
    // A trigger that fired: the order stays ACCEPTED, in doubt (contract C1.3 knows no way back).
    core.change(live, { ...order, inDoubt: true }, null, { portfolio: false })
  } else if (order.orderStatus !== "UNKNOWN") return
  core.look(live, why)
}

/** A snapshot, or the part of one that changed (contract C10). A row that cannot be read leaves its asset as it was. */
export const applyBalances = (core: AccountCore, balances: VenueBalances): void => {
  const rows: Array<SnapshotRow> = []
  let complete = balances.complete
  for (const row of balances.balances) {
    const read = attempt(core, null, row, () => ({
      asset: venueId(row.asset),
      available: decimal(row.available),
      locked: decimal(row.locked),
    }))
    if (read !== undefined) rows.push(read)
    // What is not listed would be zero; of the first snapshot nothing was known before.
    else if (core.portfolio.isKnown) complete = false
  }
  const included = new Map<string, Decimal>()
  for (const { order, acceptedAt } of core.openLives()) {
    if (acceptedAt === null || acceptedAt > balances.at) continue
    const asset = order.orderSide === "BUY" ? order.quoteAsset : order.baseAsset
    included.set(asset, (included.get(asset) ?? Decimal.ZERO).add(order.held))
  }
  core.markDirty(core.portfolio.seen(rows, balances.at, complete, included))
  const events = core.changedPositions(core.parts.clock.now())
  if (events.length > 0) core.commit([], events)
}
