/**
 * The schedule of queries about an order whose outcome is unknown (contract C3): when the next one is due, and until when. `ask` of
 * `venue/doubt.ts` sends them.
 */
import { changeOf } from "../../../domain/order/change.ts"
import { isAsked } from "../../../domain/order/evidence/law.ts"
import { noted } from "../../../domain/order/evidence/progress.ts"
import type { AccountCore } from "../core.ts"
import type { Question, WorkingOrder } from "../working-order.ts"

/** Pause before each question, in ms; then every minute. */
const PAUSES_MILLIS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]
const LAST_PAUSE_MILLIS = 60_000
/** News of an order are no reason to put off a question that is due. */
const SOON_MILLIS = 1_000

export const isOpenQuestion = ({ order, isUnsent }: WorkingOrder): boolean =>
  isAsked(order) &&
  !isUnsent &&
  (order.orderStatus === "UNKNOWN" || order.doubt !== null || order.cancelRequested || changeOf(order) !== null)

export const newQuestion = ({ order }: WorkingOrder): Question => ({
  attempt: 0,
  notFounds: order.doubt?.kind === "SUBMIT" ? order.doubt.notFounds : 0,
  missingSince: null,
  isKept: false,
  dueAt: 0,
  isUnderWay: false,
  isUnanswered: false,
  callOff: () => undefined,
})

/** Starts asking. What is being asked already is asked soon: there is news of it. Of what never left the gateway the venue knows nothing. */
export const inquire = (core: AccountCore, working: WorkingOrder, why: string): void => {
  if (!isAsked(working.order) || working.isUnsent || core.account.status === "DISCONNECTED") return
  working.order = noted(working.order, core.parts.clock.now(), why)
  if (working.question !== null) {
    if (working.question.dueAt > core.parts.clock.monotonic() + SOON_MILLIS) {
      working.question.attempt = 0
      schedule(core, working)
    }
    return
  }
  working.question = newQuestion(working)
  schedule(core, working)
}

/** `withinMillis`: not later, if the next question may be the last. */
export const schedule = (core: AccountCore, working: WorkingOrder, withinMillis = LAST_PAUSE_MILLIS): void => {
  const { question } = working
  if (question === null) return
  const pause = Math.min(withinMillis, PAUSES_MILLIS[question.attempt] ?? LAST_PAUSE_MILLIS)
  question.attempt++
  question.dueAt = core.parts.clock.monotonic() + pause
  // One query at a time, whatever triggered it.
  question.callOff()
  question.callOff = core.self.later(pause, () => core.sequels.ask(core, working))
}

/** Asked again in a minute: an answer that makes no sense would be the same in a moment. */
export const putOff = (core: AccountCore, working: WorkingOrder): void => {
  if (working.question === null) return
  working.question.attempt = PAUSES_MILLIS.length
  schedule(core, working)
}
