/**
 * How late this thread's event loop is. The one thing to know: each look costs a wake-up, at rest half of what a thread costs at all; so a
 * thread has one watch of it, for all who ask.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

const RESOLUTION_MILLIS = 50
/** About 10 s. Told of whole windows, which no question makes shorter. */
const WINDOW_LOOKS = 200

/** Milliseconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The histogram, in ns, has its timer's own interval in each figure: a loop at rest would seem to be late by it. Without one it is NaN. */
export const lateMillis = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MILLIS) || 0

export interface LoopWatch {
  /** Of the last whole window; of the running one while there is no other. */
  readonly window: () => LoopDelay
  /** The worse of the two: what is late now is seen at once. */
  readonly p99: () => number
}

let watch: LoopWatch | undefined

const begin = (): LoopWatch => {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
  loop.enable()
  const running = (): LoopDelay => ({
    p50: lateMillis(loop.percentile(50)),
    p99: lateMillis(loop.percentile(99)),
    max: lateMillis(loop.max),
  })
  let last: LoopDelay | null = null
  const turned = (): LoopDelay => {
    const now = running()
    if (loop.count < WINDOW_LOOKS) return now
    last = now
    loop.reset()
    return now
  }
  return {
    window: () => {
      const now = turned()
      return last ?? now
    },
    p99: () => Math.max(last?.p99 ?? 0, turned().p99),
  }
}

/** From the first call on, for as long as the thread lives. */
export const watchLoopDelay = (): LoopWatch => {
  watch ??= begin()
  return watch
}
