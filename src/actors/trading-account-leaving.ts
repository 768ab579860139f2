/**
 * Orders that are over leave memory: at once when there are too many, else after a minute in which nothing touched them, so that an idle
 * account has none. The one thing to know: between the decision and the leaving lies the store's word that everything is durable, and the
 * names stay for longer than any answer of the store is believed.
 */
import type { AccountCore } from "./trading-account-core.ts"

const REST_MILLIS = 60_000
/** An answer of the store counts for so long after it was asked. */
export const BELIEVED_MILLIS = 20_000
const NAMES_MILLIS = BELIEVED_MILLIS + 10_000
const SWEEP_MILLIS = 15_000

/** The answer is called when an order is over. */
export const keepLeaving = (core: AccountCore): (() => void) => {
  const { self, parts } = core
  const { monotonic } = parts.clock
  let isLeaving = false
  let isSweepDue = false

  const leave = (): void => {
    if (isLeaving) return
    const restedSince = monotonic() - REST_MILLIS
    const leaving = core.leavers(restedSince)
    if (leaving.size === 0) return
    isLeaving = true
    core.whenDurable(() => {
      isLeaving = false
      // What is still at work stays: nothing is gained by looking again at once.
      if (core.dismiss(leaving, restedSince, monotonic()) && core.hasTooMany) leave()
    })
  }

  const sweepLater = (): void => {
    if (isSweepDue || !core.hasPast) return
    isSweepDue = true
    self.later(SWEEP_MILLIS, () => {
      isSweepDue = false
      core.forgetPast(monotonic() - NAMES_MILLIS)
      leave()
      sweepLater()
    })
  }

  return () => {
    if (core.hasTooMany) leave()
    sweepLater()
  }
}
