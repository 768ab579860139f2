/**
 * Doubts and how they end (contract C3): an order whose outcome is unknown is queried by its client id until the venue lists it, or until it is
 * proven that it was never placed. It is never resent, and only evidence ends the doubt.
 */
import { Exit } from "effect"
import { isRenewing } from "../../../domain/order/change.ts"
import { isUnheardOf } from "../../../domain/order/evidence/doubt.ts"
import { isAsked } from "../../../domain/order/evidence/law.ts"
import { noted } from "../../../domain/order/evidence/progress.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { AccountState } from "../../../ports/account-store.ts"
import type { OrderLookup, VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { Live, Question } from "../live.ts"
import { mayCancel, sendCancel } from "../orders/cancel.ts"
import { submittedAt } from "../orders/dispatch.ts"
import { isRenewalDue } from "../orders/renewal.ts"
import { askForBalances, isAccountedFor } from "./balances.ts"
import { applyFill, seen, take } from "./evidence.ts"
import { foreignOrderId, seeStray, strayFill } from "./foreign.ts"
import { WATCH_MILLIS } from "./late-orders.ts"
import { prove } from "./proof.ts"
import { attempt } from "./quarantine.ts"
import { inquire, isOpenQuestion, newQuestion, putOff, schedule, stop } from "./question.ts"
import { hiddenUntil, mayBeTradesOf, strayName } from "./unnamed.ts"

const PROOF_NOT_FOUNDS = 3
const PROOF_MARGIN_MILLIS = 10_000
/** The question whose answer may prove it is asked so long after the proof is ripe. */
const RIPE_MILLIS = 100
/** Without an expiry at the venue an order is given up this long after its submit. */
const PROOF_WITHOUT_EXPIRY_MILLIS = 300_000
/** An order that the venue had, and neither shows nor lists trades of, may have been filled: so long both are waited for. */
const GONE_MILLIS = 300_000
/** A proof that has come so much further is stored. */
const KEEP_MILLIS = 1_000
const CANCELS_MAX = 3

/** A session is there again: every open question is asked at once. */
export const askAgain = (core: AccountCore): void => {
  for (const live of core.orders.openLives()) {
    if (!isOpenQuestion(live)) continue
    if (live.question === null) inquire(core, live, "queried again: the session was restored")
    else {
      live.question.attempt = 0
      schedule(core, live)
    }
  }
}

export const ask = (core: AccountCore, live: Live): void => {
  if (live.question === null) return
  if (!isAsked(live.order) || live.isUnsent) {
    stop(live)
    return
  }
  const { session } = core.connection
  if (session === null) {
    schedule(core, live)
    return
  }
  const wasUnanswered = live.question.isUnanswered
  live.question.isUnanswered = false
  core.self.fork(core.connection.budget(session.fetchOrder(core.refOf(live.order))), (exit) => {
    if (live.question === null) return
    if (Exit.isFailure(exit)) {
      schedule(core, live)
      live.question.isUnanswered = true
      return
    }
    if (wasUnanswered) hurry(core, live.question)
    understood(core, live, exit.value, () => answered(core, live, exit.value))
  })
}

/** The venue answers again: what it left unanswered is asked from the beginning, or a proof would take as long as the outage did. */
const hurry = (core: AccountCore, answeredNow: Question): void => {
  answeredNow.attempt = 0
  for (const live of core.orders.openLives()) {
    const { question } = live
    if (question === null || !question.isUnanswered) continue
    question.attempt = 0
    schedule(core, live)
  }
}

const understood = (core: AccountCore, live: Live, answer: unknown, apply: () => void): void => {
  const isUnderstood = attempt(core, live, answer, () => {
    apply()
    return true
  })
  if (isUnderstood !== true) putOff(core, live)
}

/**
 * It is on a list of open orders. That is no answer about it, since some venues keep their list for seconds: what is not known of it, the
 * order itself is asked for.
 */
export const listed = (core: AccountCore, live: Live, state: VenueOrderState): void => {
  live.order = noted(live.order, core.parts.clock.now(), `listed: ${state.status} ${state.externalOrderId}`)
  if (live.question !== null) live.question.missingSince = null
  seen(core, live, state, false)
  if (!isOpenQuestion(live) || live.owed !== null) stop(live)
}

/** What the venue says about an order that it was asked for; also used by reconciliation and audits. */
export const answered = (core: AccountCore, live: Live, lookup: OrderLookup): void => {
  const now = core.parts.clock.now()
  if (lookup._tag === "Found") {
    live.order = noted(live.order, now, `found: ${lookup.state.status} ${lookup.state.externalOrderId}`)
    if (live.question !== null) live.question.missingSince = null
    seen(core, live, lookup.state, true)
    if (isOpenQuestion(live) && live.owed === null) stillOpen(core, live)
    else stop(live)
    return
  }
  if (!isAsked(live.order)) {
    stop(live)
    return
  }
  if (live.question === null) inquire(core, live, "unknown to the venue")
  const question = live.question!
  question.notFounds++
  live.order = noted(live.order, now, lookup.definite ? "not found, definitely" : `not found (${question.notFounds})`)
  if (lookup.definite) {
    conclude(core, live)
    return
  }
  question.missingSince ??= core.parts.clock.monotonic()
  askForBalances(core, live)
  const known = knownMillis(core, live)
  keepProof(core, live, question, known)
  const ripeIn = isUnheardOf(live.order) ? unplacedIn(core, live, known) : goneIn(core, live, question.missingSince)
  if (question.notFounds < PROOF_NOT_FOUNDS || ripeIn >= 0 || core.connection.session === null) {
    schedule(core, live, ripeIn >= 0 ? ripeIn + RIPE_MILLIS : undefined)
    return
  }
  prove(core, live, (proof) => {
    if (live.question === null || isTerminal(live.order.orderStatus)) return stop(live)
    if (proof === null) return schedule(core, live)
    const { state, fills, unnamed, isHidden } = proof
    const unowned = proof.unowned.filter((it) => mayBeExplained(core, it))
    if (unowned.length + unnamed.length > 0) {
      for (const fill of unowned) strayFill(core, fill)
      for (const shown of unnamed) seeStray(core, shown)
      return schedule(core, live)
    }
    // An order that may be this one was shown.
    if (isHidden || isHiddenSinceBefore(core, live) || live.question.notFounds < PROOF_NOT_FOUNDS)
      return schedule(core, live)
    if (state === undefined && fills.length === 0) {
      const { missingSince } = live.question
      // Balances were read since, and say otherwise; or it was shown.
      const isRipe = isUnheardOf(live.order) || (missingSince !== null && goneIn(core, live, missingSince) < 0)
      if (!isRipe) return schedule(core, live)
      if (mayBeTradesOf(core, live, proof.unowned)) return takeTrades(core, live, proof.unowned)
      return proof.gone === null ? conclude(core, live) : weighGone(core, live, proof.gone)
    }
    understood(core, live, proof, () => {
      if (state !== undefined) seen(core, live, state, false)
      for (const fill of fills) attempt(core, live, fill, () => applyFill(core, live, fill))
      goOn(core, live)
    })
  })
}

/** Evidence was applied: asked again while it leaves a question. */
const goOn = (core: AccountCore, live: Live): void => {
  if (isOpenQuestion(live)) schedule(core, live)
  else stop(live)
}

/**
 * Of an order that the venue has cancelled, or may have, and not shown: trades that fit it, and no other of ours that is open. The venue does
 * not know their order by its own id: it forgets orders that are over, so that it does not know this one by our id proves nothing.
 */
const takeTrades = (core: AccountCore, live: Live, fills: ReadonlyArray<VenueFill>): void => {
  const { externalOrderId } = fills[0]!
  live.order = noted(live.order, core.parts.clock.now(), `the trades of ${externalOrderId} match only this order`)
  const taken = fills.filter((fill) => attempt(core, live, fill, () => applyFill(core, live, fill)) === true)
  if (taken.length === 0) conclude(core, live)
  else goOn(core, live)
}

/**
 * It may be the order that was shown without our name, and is not open any more. A venue that knows that one, and does not know this one
 * by our id, says that they are two; one that has forgotten that one says nothing, and no other order of ours may be it.
 */
const weighGone = (core: AccountCore, live: Live, gone: VenueOrderState): void => {
  const { session } = core.connection
  if (session === null) return schedule(core, live)
  const { externalOrderId, instrumentId } = gone
  const ref = { tradeOrderId: foreignOrderId(core, gone), externalOrderId, instrumentId }
  core.self.fork(core.connection.budget(session.fetchOrder(ref)), (exit) => {
    if (live.question === null || isTerminal(live.order.orderStatus)) return stop(live)
    if (Exit.isFailure(exit)) return schedule(core, live)
    const lookup = exit.value
    if (lookup._tag === "Found") {
      const isOurs = lookup.state.tradeOrderId === live.order.tradeOrderId
      return isOurs ? understood(core, live, lookup, () => answered(core, live, lookup)) : conclude(core, live)
    }
    live.order = noted(
      live.order,
      core.parts.clock.now(),
      `listed as ${externalOrderId}, which matches only this order`,
    )
    const isRead = attempt(core, live, gone, () => {
      seen(core, live, gone, false)
      return true
    })
    if (isRead !== true) conclude(core, live)
    else goOn(core, live)
  })
}

/**
 * The venue is asked for the order of the trade until it answers. One that it has not known for so long holds up no proof any more: by its
 * own word, since a question that failed says nothing of the order.
 */
const mayBeExplained = ({ strays }: AccountCore, fill: VenueFill): boolean =>
  strays.unknownFor(strayName(fill)) < GONE_MILLIS

/**
 * ms until an order without a word of the venue is given up: by its expiry, and by both clocks, since a step of the wall clock proves
 * nothing.
 */
const unplacedIn = ({ parts }: AccountCore, { order }: Live, knownMillis: number): number => {
  const sentAt = submittedAt(order)
  const proofAt =
    order.submitDeadline === null ? sentAt + PROOF_WITHOUT_EXPIRY_MILLIS : order.submitDeadline + PROOF_MARGIN_MILLIS
  return Math.max(proofAt - parts.clock.now(), proofAt - sentAt - knownMillis)
}

/** ms until what the venue had is over by its silence: its expiry proves nothing. It is at once where all that it executed is known. */
const goneIn = (core: AccountCore, live: Live, missingSince: number): number => {
  const { executedQuantity, baseQuantity } = live.order
  const isAllKnown = executedQuantity.atLeast(baseQuantity) || isAccountedFor(core, live)
  return isAllKnown ? -1 : missingSince + GONE_MILLIS - core.parts.clock.monotonic()
}

/** By monotonic clocks; the time between two processes does not count. */
const knownMillis = ({ parts }: AccountCore, { knownAt, knownBefore }: Live): number =>
  (knownBefore ?? 0) + parts.clock.monotonic() - knownAt

/** An order that may be this one was shown to an older process: which one, this process does not know. */
const isHiddenSinceBefore = (core: AccountCore, live: Live): boolean =>
  isUnheardOf(live.order) && live.provesFrom !== null && knownMillis(core, live) < live.provesFrom

/** As `knownMillis` will be by then; null: nothing that was shown may be this one. */
const provesFrom = (core: AccountCore, live: Live): number | null => {
  const until = hiddenUntil(core, live)
  const own = until === null ? null : (live.knownBefore ?? 0) + until - live.knownAt
  return own === null || live.provesFrom === null ? (own ?? live.provesFrom) : Math.max(own, live.provesFrom)
}

/**
 * How far the proof is, with the order: with the first answer of a process, and then each time it has grown by `KEEP_MILLIS`. So it comes
 * to its end however short the lives of the processes are, and is written seldom.
 */
const keepProof = (core: AccountCore, live: Live, question: Question, knownMillis: number): void => {
  const { notFounds, isKept } = question
  const step = isKept || live.knownBefore === null ? KEEP_MILLIS : 0
  const effects = take(core, live, {
    _tag: "NotFound",
    proof: { notFounds, knownMillis, step, provesFrom: provesFrom(core, live) },
  })
  if (effects.length > 0) question.isKept = true
}

/** The watch over orders that were declared never placed outlives the process. */
export const watchAgain = (core: AccountCore, { unplacedOrders }: AccountState): void => {
  if (core.venue.inProcess) return
  const now = core.parts.clock.now()
  const oldestFirst = [...unplacedOrders].sort((a, b) => a.updatedAt - b.updatedAt)
  for (const order of oldestFirst) {
    const left = order.updatedAt + WATCH_MILLIS - now
    if (left > 0) core.late.watchOn(order, null, left)
  }
}

/** Proven: not at the venue, or (acknowledged before) not there any more. */
const conclude = (core: AccountCore, live: Live): void => {
  stop(live)
  take(core, live, { _tag: "NotFound", proof: "WHOLE" })
}

/** The venue shows the order and the question stays: a cancel that had no effect is sent again, a few times. */
const stillOpen = (core: AccountCore, live: Live): void => {
  const { order } = live
  const isRenewed = isRenewing(order)
  if ((order.cancelRequested || isRenewed) && core.connection.session !== null) {
    const isDue = mayCancel(core, live)
    const isHopeless =
      (live.cancels.sent >= CANCELS_MAX && core.account.status !== "LOCKED") ||
      (isRenewed && !isRenewalDue(core, order))
    if (isDue && isHopeless) {
      giveUpCancel(core, live)
      return
    }
    // What was asked for a moment ago may not be stored yet.
    if (isDue) core.whenDurable(() => mayCancel(core, live) && sendCancel(core, live))
  }
  if (live.question === null) live.question = newQuestion(live)
  schedule(core, live)
}

/** Sent three times, still open: the cancel failed and the order works on. */
const giveUpCancel = (core: AccountCore, live: Live): void => {
  stop(live)
  take(core, live, {
    _tag: "CancelRefused",
    unknownOrder: false,
    text: "the order is still open at the venue",
    at: null,
  })
}
