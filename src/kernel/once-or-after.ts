/** What an actor waits for, but not for ever. */
import type { Self } from "./behaviour.ts"

/** Runs `run` once: when the answer is first called, or, if nobody calls it, in a turn of the actor's after `millis`. */
export const onceOrAfter = (self: Pick<Self<never>, "later">, millis: number, run: () => void): (() => void) => {
  let isOver = false
  const once = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    run()
  }
  const callOff = self.later(millis, once)
  return once
}
