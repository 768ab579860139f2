/**
 * Doubts and their end (contract C3): an order whose outcome is unknown is asked for by its client id until the venue shows it, or
 * until it is proven that it was never placed. It is never sent again, and nothing but evidence ends the doubt.
 */
import { Exit } from "effect"
import { changeOf } from "../domain/order-change.ts"
import { isTerminal } from "../domain/order-status.ts"
import { NEVER_PLACED } from "../domain/trade-order.ts"
import type { AccountState } from "../ports/account-store.ts"
import type { OrderLookup } from "../ports/venue-session.ts"
import { cancelRefused, mayCancel, sendCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { applyFill, seen } from "./trading-account-evidence.ts"
import { strayFill } from "./trading-account-foreign.ts"
import type { Doubt, Live } from "./trading-account-live.ts"
import { cancelled, eventOf, moved, noted } from "./trading-account-progress.ts"
import { prove } from "./trading-account-proof.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { lossOf, submittedAt } from "./trading-account-release.ts"
import { changeNotMade, endCancelled, isRenewalDue, isRenewing } from "./trading-account-replace.ts"

/** Pause before each question, in ms; then every minute. */
const PAUSES_MILLIS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]
const LAST_PAUSE_MILLIS = 60_000
/** News of an order are no reason to put off a question that is due. */
const SOON_MILLIS = 1_000
const PROOF_NOT_FOUNDS = 3
const PROOF_MARGIN_MILLIS = 10_000
/** The question whose answer may prove it is asked so long after the proof is ripe. */
const RIPE_MILLIS = 100
/** Without an expiry at the venue an order is given up this long after its submit. */
const PROOF_WITHOUT_EXPIRY_MILLIS = 300_000
const CANCELS_MAX = 3
/** How long the late appearance of an order that was "never placed" is looked for. */
const WATCH_MILLIS = 86_400_000

const isOpenQuestion = ({ order }: Live): boolean =>
  !isTerminal(order.orderStatus) &&
  (order.orderStatus === "UNKNOWN" || order.inDoubt || order.cancelRequested || changeOf(order) !== null)

const newDoubt = (): Doubt => ({ attempt: 0, notFounds: 0, dueAt: 0, isUnanswered: false, callOff: () => undefined })

/** Starts asking. What is being asked already is asked soon: there is news of it. */
export const startDoubt = (core: AccountCore, live: Live, why: string): void => {
  live.order = noted(live.order, core.parts.clock.now(), why)
  if (live.doubt !== null) {
    if (live.doubt.dueAt > core.parts.clock.monotonic() + SOON_MILLIS) {
      live.doubt.attempt = 0
      schedule(core, live)
    }
    return
  }
  live.doubt = newDoubt()
  schedule(core, live)
}

/** A session is there again: every open question is asked at once. */
export const askAgain = (core: AccountCore): void => {
  for (const live of core.openLives()) {
    if (!isOpenQuestion(live)) continue
    if (live.doubt === null) startDoubt(core, live, "asked again: the session is back")
    else {
      live.doubt.attempt = 0
      schedule(core, live)
    }
  }
}

const stop = (live: Live): void => {
  live.doubt?.callOff()
  live.doubt = null
}

/** `withinMillis`: not later, if the next question may be the last. */
const schedule = (core: AccountCore, live: Live, withinMillis = LAST_PAUSE_MILLIS): void => {
  const { doubt } = live
  if (doubt === null) return
  const pause = Math.min(withinMillis, PAUSES_MILLIS[doubt.attempt] ?? LAST_PAUSE_MILLIS)
  doubt.attempt++
  doubt.dueAt = core.parts.clock.monotonic() + pause
  // One question at a time, whoever asked for it.
  doubt.callOff()
  doubt.callOff = core.self.later(pause, () => ask(core, live))
}

const ask = (core: AccountCore, live: Live): void => {
  if (live.doubt === null) return
  if (isTerminal(live.order.orderStatus)) {
    stop(live)
    return
  }
  const { session } = core
  if (session === null) {
    schedule(core, live)
    return
  }
  const wasUnanswered = live.doubt.isUnanswered
  live.doubt.isUnanswered = false
  core.self.fork(core.budget(session.fetchOrder(core.refOf(live.order))), (exit) => {
    if (live.doubt === null) return
    if (Exit.isFailure(exit)) {
      schedule(core, live)
      live.doubt.isUnanswered = true
      return
    }
    if (wasUnanswered) hurry(core, live.doubt)
    understood(core, live, exit.value, () => answered(core, live, exit.value))
  })
}

/** The venue answers again: what it left unanswered is asked from the beginning, or a proof would take as long as the outage did. */
const hurry = (core: AccountCore, answeredNow: Doubt): void => {
  answeredNow.attempt = 0
  for (const live of core.openLives()) {
    const { doubt } = live
    if (doubt === null || !doubt.isUnanswered) continue
    doubt.attempt = 0
    schedule(core, live)
  }
}

/** An answer that makes no sense would be the same in a moment: the question is asked again in a minute. */
const understood = (core: AccountCore, live: Live, answer: unknown, apply: () => void): void => {
  const isUnderstood = attempt(core, live, answer, () => {
    apply()
    return true
  })
  if (isUnderstood === true || live.doubt === null) return
  live.doubt.attempt = PAUSES_MILLIS.length
  schedule(core, live)
}

/** What the venue says about an order that it was asked for; also used by reconciliation and audits. */
export const answered = (core: AccountCore, live: Live, lookup: OrderLookup): void => {
  const now = core.parts.clock.now()
  if (lookup._tag === "Found") {
    live.order = noted(live.order, now, `found: ${lookup.state.status} ${lookup.state.externalOrderId}`)
    seen(core, live, lookup.state, true)
    if (isOpenQuestion(live) && live.owed === null) stillOpen(core, live)
    else stop(live)
    return
  }
  if (isTerminal(live.order.orderStatus)) {
    stop(live)
    return
  }
  if (live.doubt === null) startDoubt(core, live, "unknown to the venue")
  const doubt = live.doubt!
  doubt.notFounds++
  live.order = noted(live.order, now, lookup.definite ? "not found, definitely" : `not found (${doubt.notFounds})`)
  if (lookup.definite) {
    conclude(core, live)
    return
  }
  if (live.order.orderStatus === "SUBMITTED") {
    const order = moved(live.order, "UNKNOWN", { inDoubt: true })
    core.change(live, order, eventOf(order))
  }
  const proofAt =
    live.order.submitDeadline === null
      ? submittedAt(live.order) + PROOF_WITHOUT_EXPIRY_MILLIS
      : live.order.submitDeadline + PROOF_MARGIN_MILLIS
  // By both clocks: a step of the wall clock proves nothing.
  const known = core.parts.clock.monotonic() - (live.sentAt ?? live.knownAt)
  const ripeIn = Math.max(proofAt - now, proofAt - submittedAt(live.order) - known)
  if (doubt.notFounds < PROOF_NOT_FOUNDS || ripeIn >= 0 || core.session === null) {
    schedule(core, live, ripeIn >= 0 ? ripeIn + RIPE_MILLIS : undefined)
    return
  }
  prove(core, live, (proof) => {
    if (live.doubt === null || isTerminal(live.order.orderStatus)) return stop(live)
    if (proof === null) return schedule(core, live)
    const { state, fills, unowned } = proof
    if (unowned.length > 0) {
      for (const fill of unowned) strayFill(core, fill)
      return schedule(core, live)
    }
    if (state === undefined && fills.length === 0) return conclude(core, live)
    understood(core, live, proof, () => {
      if (state !== undefined) seen(core, live, state, true)
      for (const fill of fills) attempt(core, live, fill, () => applyFill(core, live, fill))
      if (isOpenQuestion(live)) schedule(core, live)
      else stop(live)
    })
  })
}

/** The watch over orders that were declared never placed outlives the process. */
export const watchAgain = (core: AccountCore, { unplacedOrders }: AccountState): void => {
  if (core.venue.inProcess) return
  const now = core.parts.clock.now()
  for (const { tradeOrderId, updatedAt } of unplacedOrders) {
    const left = updatedAt + WATCH_MILLIS - now
    if (left > 0) core.watched.set(tradeOrderId, core.parts.clock.monotonic() + left)
  }
}

/** Proven: not at the venue, or (acknowledged before) not there any more. */
const conclude = (core: AccountCore, live: Live): void => {
  stop(live)
  // What was never there was not changed either: it goes back to its state before (contract C1.3), and ends from there.
  if (live.order.externalOrderId === null && !live.order.cancelRequested)
    changeNotMade(core, live, "the venue never had the order", null)
  const { order } = live
  const now = core.parts.clock.now()
  if (order.externalOrderId === null && order.executedQuantity.isZero()) {
    const rejectReason = live.restarted ? NEVER_PLACED.restarted : NEVER_PLACED.proven
    core.watched.set(order.tradeOrderId, core.parts.clock.monotonic() + WATCH_MILLIS)
    const next = moved(order, "REJECTED", { rejectReason })
    core.change(live, next, "TRADE_ORDER.REJECTED", { alerts: lossOf(next) })
    return
  }
  const reason = order.cancelRequested ? live.cancelReason : isRenewing(order) ? "REPLACED" : "VENUE"
  endCancelled(core, live, cancelled(order, reason, now), null)
}

/** The venue shows the order and the question stays: a cancel that had no effect is sent again, a few times. */
const stillOpen = (core: AccountCore, live: Live): void => {
  const { order } = live
  const isRenewed = isRenewing(order)
  if ((order.cancelRequested || isRenewed) && core.session !== null) {
    const isDue = mayCancel(core, live)
    const isHopeless =
      (live.cancelsSent >= CANCELS_MAX && core.account.status !== "LOCKED") || (isRenewed && !isRenewalDue(core, order))
    if (isDue && isHopeless) {
      giveUpCancel(core, live)
      return
    }
    if (isDue) sendCancel(core, live)
  }
  if (live.doubt === null) live.doubt = newDoubt()
  schedule(core, live)
}

/** Sent three times, still open: the cancel failed and the order works on. */
const giveUpCancel = (core: AccountCore, live: Live): void => {
  stop(live)
  const reason = "the venue keeps the order open"
  if (isRenewing(live.order)) changeNotMade(core, live, reason, null)
  else cancelRefused(core, live, reason, null)
}
