/**
 * Time as this thread's event loop has it: with the clock while the loop turns, and one step where it stood still. For how late another is: what came while nothing
 * here was read did not come late.
 */
import { performance } from "node:perf_hooks"

/** The longest turn that counts in full, in ms. */
const STEP_MILLIS = 100
const LOOK_MILLIS = 50

/** `isNeeded`: while it answers true the time goes on between two readings, too; a process at rest is not woken. */
export const makeLoopTime = (isNeeded: () => boolean): (() => number) => {
  let lived = 0
  let last = 0
  let timer: NodeJS.Timeout | undefined
  const advance = (): void => {
    const now = performance.now()
    lived += Math.min(now - last, STEP_MILLIS)
    last = now
  }
  const look = (): void => {
    advance()
    if (isNeeded()) return
    clearInterval(timer)
    timer = undefined
  }
  return () => {
    if (timer === undefined) {
      last = performance.now()
      timer = setInterval(look, LOOK_MILLIS).unref()
    } else advance()
    return lived
  }
}
