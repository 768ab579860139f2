/** What operators see of the loops. Those that wait for work count rounds only while there is some. */
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

interface LoopFigures {
  readonly name: string
  readonly rounds: number
  readonly failures: number
  readonly sinceSuccessMillis: number
}

export const loopMetrics = (loops: ReadonlyArray<LoopFigures>): ReadonlyArray<Reading> => {
  const each = (value: (loop: LoopFigures) => number) =>
    by("loop", Object.fromEntries(loops.map((loop) => [loop.name, value(loop)])))
  return [
    reading(
      "loop_rounds_total",
      each(({ rounds }) => rounds),
    ),
    reading(
      "loop_failures_total",
      each(({ failures }) => failures),
    ),
    reading(
      "loop_success_age_seconds",
      each(({ sinceSuccessMillis }) => sinceSuccessMillis / 1000),
    ),
  ]
}
