/**
 * Doubts and how they end (contract C3): an order whose outcome is unknown is queried by its client id until the venue lists it, or until it is
 * proven that it was never placed. It is never resent, and only evidence ends the doubt.
 */
import { Effect, Exit } from "effect"
import { isRenewing } from "../../../domain/order/change.ts"
import { isUnheardOf } from "../../../domain/order/evidence/doubt.ts"
import { isAsked } from "../../../domain/order/evidence/law.ts"
import { noted } from "../../../domain/order/evidence/progress.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { AccountState } from "../../../ports/account-store.ts"
import type { OrderLookup, VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { mayCancel, sendNextCancel } from "../orders/cancel.ts"
import { submittedAt } from "../orders/dispatch.ts"
import { isRenewalDue } from "../orders/renewal.ts"
import { type Question, stopAsking, type WorkingOrder } from "../working-order.ts"
import { askForBalances, isAccountedFor } from "./balances.ts"
import { applyFill, seen, take } from "./evidence.ts"
import { foreignOrderId, seeStray, strayFill } from "./foreign.ts"
import { WATCH_MILLIS } from "./late-orders.ts"
import { prove } from "./proof.ts"
import { attempt } from "./quarantine.ts"
import { inquire, isOpenQuestion, newQuestion, putOff, schedule } from "./question.ts"
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
  for (const working of core.orders.openLives()) {
    if (!isOpenQuestion(working)) continue
    if (working.question === null) inquire(core, working, "queried again: the session was restored")
    else {
      working.question.attempt = 0
      schedule(core, working)
    }
  }
}

export const ask = (core: AccountCore, working: WorkingOrder): void => {
  if (working.question === null) return
  if (!isAsked(working.order) || working.isUnsent) {
    stopAsking(working)
    return
  }
  const { session } = core.connection
  if (session === null) {
    schedule(core, working)
    return
  }
  const wasUnanswered = working.question.isUnanswered
  working.question.isUnanswered = false
  const isStillAsked = (): boolean => working.question !== null && core.connection.session === session
  const begin = Effect.sync(() => {
    if (working.question !== null) working.question.isUnderWay = true
  })
  const question = Effect.zipRight(begin, session.fetchOrder(core.refOf(working.order)))
  core.self.fork(core.connection.budgetWhile(isStillAsked, question), (exit) => {
    if (working.question === null) return
    working.question.isUnderWay = false
    const lookup = Exit.isSuccess(exit) ? exit.value : null
    if (lookup === null) {
      schedule(core, working)
      working.question.isUnanswered = true
      return
    }
    if (wasUnanswered) hurry(core, working.question)
    understood(core, working, lookup, () => answered(core, working, lookup))
  })
}

/** The venue answers again: what it left unanswered is asked from the beginning, or a proof would take as long as the outage did. */
const hurry = (core: AccountCore, answeredNow: Question): void => {
  answeredNow.attempt = 0
  for (const working of core.orders.openLives()) {
    const { question } = working
    if (question === null || !question.isUnanswered) continue
    question.attempt = 0
    schedule(core, working)
  }
}

const understood = (core: AccountCore, working: WorkingOrder, answer: unknown, apply: () => void): void => {
  const isUnderstood = attempt(core, working, answer, () => {
    apply()
    return true
  })
  if (isUnderstood !== true) putOff(core, working)
}

/**
 * It is on a list of open orders. That is no answer about it, since some venues keep their list for seconds: what is not known of it, the
 * order itself is asked for.
 */
export const listed = (core: AccountCore, working: WorkingOrder, state: VenueOrderState): void => {
  working.order = noted(working.order, core.parts.clock.now(), `listed: ${state.status} ${state.externalOrderId}`)
  if (working.question !== null) working.question.missingSince = null
  seen(core, working, state, false)
  if (!isOpenQuestion(working) || working.owed !== null) stopAsking(working)
  cancelAgain(core, working)
}

/**
 * The venue lists it as open: a cancel that had no answer is sent again where it is due, and does not wait until the order itself is asked for,
 * which of a thousand takes minutes. Where the list is late the venue refuses it as one of an order that is over.
 */
export const cancelAgain = (core: AccountCore, working: WorkingOrder): void => {
  const { order, cancels } = working
  if (!order.cancelRequested || isTerminal(order.orderStatus) || cancels._tag === "UNSENT") return
  if (cancels.sent < CANCELS_MAX && mayCancel(core, working)) sendNextCancel(core, working)
}

/** What the venue says about an order that it was asked for; also used by reconciliation and audits. */
export const answered = (core: AccountCore, working: WorkingOrder, lookup: OrderLookup): void => {
  const now = core.parts.clock.now()
  if (lookup._tag === "Found") {
    working.order = noted(working.order, now, `found: ${lookup.state.status} ${lookup.state.externalOrderId}`)
    if (working.question !== null) working.question.missingSince = null
    seen(core, working, lookup.state, true)
    if (isOpenQuestion(working) && working.owed === null) stillOpen(core, working)
    else stopAsking(working)
    return
  }
  if (!isAsked(working.order)) {
    stopAsking(working)
    return
  }
  if (working.question === null) inquire(core, working, "unknown to the venue")
  const question = working.question!
  question.notFounds++
  working.order = noted(
    working.order,
    now,
    lookup.definite ? "not found, definitely" : `not found (${question.notFounds})`,
  )
  if (lookup.definite) {
    conclude(core, working)
    return
  }
  question.missingSince ??= core.parts.clock.monotonic()
  askForBalances(core, working)
  const known = knownMillis(core, working)
  keepProof(core, working, question, known)
  const ripeIn = isUnheardOf(working.order)
    ? unplacedIn(core, working, known)
    : goneIn(core, working, question.missingSince)
  if (question.notFounds < PROOF_NOT_FOUNDS || ripeIn >= 0 || core.connection.session === null) {
    schedule(core, working, ripeIn >= 0 ? ripeIn + RIPE_MILLIS : undefined)
    return
  }
  prove(core, working, (proof) => {
    if (working.question === null || isTerminal(working.order.orderStatus)) return stopAsking(working)
    if (proof === null) return schedule(core, working)
    const { state, fills, unnamed, isHidden } = proof
    const unowned = proof.unowned.filter((it) => mayBeExplained(core, it))
    if (unowned.length + unnamed.length > 0) {
      for (const fill of unowned) strayFill(core, fill)
      for (const shown of unnamed) seeStray(core, shown)
      return schedule(core, working)
    }
    // An order that may be this one was shown.
    if (isHidden || isHiddenSinceBefore(core, working) || working.question.notFounds < PROOF_NOT_FOUNDS)
      return schedule(core, working)
    if (state === undefined && fills.length === 0) {
      const { missingSince } = working.question
      // Balances were read since, and say otherwise; or it was shown.
      const isRipe = isUnheardOf(working.order) || (missingSince !== null && goneIn(core, working, missingSince) < 0)
      if (!isRipe) return schedule(core, working)
      if (mayBeTradesOf(core, working, proof.unowned)) return takeTrades(core, working, proof.unowned)
      return proof.gone === null ? conclude(core, working) : weighGone(core, working, proof.gone)
    }
    understood(core, working, proof, () => {
      if (state !== undefined) seen(core, working, state, false)
      for (const fill of fills) attempt(core, working, fill, () => applyFill(core, working, fill))
      goOn(core, working)
    })
  })
}

/** Evidence was applied: asked again while it leaves a question. */
const goOn = (core: AccountCore, working: WorkingOrder): void => {
  if (isOpenQuestion(working)) schedule(core, working)
  else stopAsking(working)
}

/**
 * Of an order that the venue has cancelled, or may have, and not shown: trades that fit it, and no other of ours that is open. The venue does
 * not know their order by its own id: it forgets orders that are over, so that it does not know this one by our id proves nothing.
 */
const takeTrades = (core: AccountCore, working: WorkingOrder, fills: ReadonlyArray<VenueFill>): void => {
  const { externalOrderId } = fills[0]!
  working.order = noted(working.order, core.parts.clock.now(), `the trades of ${externalOrderId} match only this order`)
  const taken = fills.filter((fill) => attempt(core, working, fill, () => applyFill(core, working, fill)) === true)
  if (taken.length === 0) conclude(core, working)
  else goOn(core, working)
}

/**
 * It may be the order that was shown without our name, and is not open any more. A venue that knows that one, and does not know this one
 * by our id, says that they are two; one that has forgotten that one says nothing, and no other order of ours may be it.
 */
const weighGone = (core: AccountCore, working: WorkingOrder, gone: VenueOrderState): void => {
  const { session } = core.connection
  if (session === null) return schedule(core, working)
  const { externalOrderId, instrumentId } = gone
  const ref = { tradeOrderId: foreignOrderId(core, gone), externalOrderId, instrumentId }
  core.self.fork(core.connection.budget(session.fetchOrder(ref)), (exit) => {
    if (working.question === null || isTerminal(working.order.orderStatus)) return stopAsking(working)
    if (Exit.isFailure(exit)) return schedule(core, working)
    const lookup = exit.value
    if (lookup._tag === "Found") {
      const isOurs = lookup.state.tradeOrderId === working.order.tradeOrderId
      return isOurs ? understood(core, working, lookup, () => answered(core, working, lookup)) : conclude(core, working)
    }
    working.order = noted(
      working.order,
      core.parts.clock.now(),
      `listed as ${externalOrderId}, which matches only this order`,
    )
    const isRead = attempt(core, working, gone, () => {
      seen(core, working, gone, false)
      return true
    })
    if (isRead !== true) conclude(core, working)
    else goOn(core, working)
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
const unplacedIn = ({ parts }: AccountCore, { order }: WorkingOrder, knownMillis: number): number => {
  const sentAt = submittedAt(order)
  const proofAt =
    order.submitDeadline === null ? sentAt + PROOF_WITHOUT_EXPIRY_MILLIS : order.submitDeadline + PROOF_MARGIN_MILLIS
  return Math.max(proofAt - parts.clock.now(), proofAt - sentAt - knownMillis)
}

/** ms until what the venue had is over by its silence: its expiry proves nothing. It is at once where all that it executed is known. */
const goneIn = (core: AccountCore, working: WorkingOrder, missingSince: number): number => {
  const { executedQuantity, baseQuantity } = working.order
  const isAllKnown = executedQuantity.atLeast(baseQuantity) || isAccountedFor(core, working)
  return isAllKnown ? -1 : missingSince + GONE_MILLIS - core.parts.clock.monotonic()
}

/** By monotonic clocks; the time between two processes does not count. */
const knownMillis = ({ parts }: AccountCore, { knownAt, knownBefore }: WorkingOrder): number =>
  (knownBefore ?? 0) + parts.clock.monotonic() - knownAt

/** An order that may be this one was shown to an older process: which one, this process does not know. */
const isHiddenSinceBefore = (core: AccountCore, working: WorkingOrder): boolean =>
  isUnheardOf(working.order) && working.provesFrom !== null && knownMillis(core, working) < working.provesFrom

/** As `knownMillis` will be by then; null: nothing that was shown may be this one. */
const provesFrom = (core: AccountCore, working: WorkingOrder): number | null => {
  const until = hiddenUntil(core, working)
  const own = until === null ? null : (working.knownBefore ?? 0) + until - working.knownAt
  return own === null || working.provesFrom === null ? (own ?? working.provesFrom) : Math.max(own, working.provesFrom)
}

/**
 * How far the proof is, with the order: with the first answer of a process, and then each time it has grown by `KEEP_MILLIS`. So it comes
 * to its end however short the lives of the processes are, and is written seldom.
 */
const keepProof = (core: AccountCore, working: WorkingOrder, question: Question, knownMillis: number): void => {
  const { notFounds, isKept } = question
  const step = isKept || working.knownBefore === null ? KEEP_MILLIS : 0
  const effects = take(core, working, {
    _tag: "NotFound",
    proof: { notFounds, knownMillis, step, provesFrom: provesFrom(core, working) },
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
const conclude = (core: AccountCore, working: WorkingOrder): void => {
  stopAsking(working)
  take(core, working, { _tag: "NotFound", proof: "WHOLE" })
}

/** The venue shows the order and the question stays: a cancel that had no effect is sent again, a few times. */
const stillOpen = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  const isRenewed = isRenewing(order)
  if ((order.cancelRequested || isRenewed) && core.connection.session !== null) {
    const isDue = mayCancel(core, working)
    const isHopeless =
      (working.cancels.sent >= CANCELS_MAX && core.account.status !== "LOCKED") ||
      (isRenewed && !isRenewalDue(core, order))
    if (isDue && isHopeless) {
      giveUpCancel(core, working)
      return
    }
    if (isDue) sendNextCancel(core, working)
  }
  if (working.question === null) working.question = newQuestion(working)
  schedule(core, working)
}

/** Sent three times, still open: the cancel failed and the order works on. */
const giveUpCancel = (core: AccountCore, working: WorkingOrder): void => {
  stopAsking(working)
  take(core, working, {
    _tag: "CancelRefused",
    unknownOrder: false,
    text: "the order is still open at the venue",
    at: null,
  })
}
