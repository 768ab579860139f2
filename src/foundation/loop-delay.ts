/**
 * This thread's event loop delay. The one thing to know: each sample costs a wake-up, half of an idle thread's cost; so a thread has one sampler
 * for all its readers.
 */
import { type Histogram, monitorEventLoopDelay } from "node:perf_hooks"

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
  /** Ends a window that is full. Without it, a window continues until the next reading. */
  readonly look: () => void
  /** Forgets all that was: what a start costs is no sign of trouble. */
  readonly restart: () => void
  /** Of the last whole window; of the running one while there is no other. */
  readonly window: () => LoopDelay
  /** The longest delay since the last whole window began: one stall is one look of 200, of which no percentile tells. */
  readonly worst: () => number
}

/** A reset forgets when the last look was: a stall that begins before the next one, 50 ms later, is not seen. So it is rare. */
export const loopWatchOf = (looks: Histogram): LoopWatch => {
  const running = (): LoopDelay => ({
    p50: lateMillis(looks.percentile(50)),
    p99: lateMillis(looks.percentile(99)),
    max: lateMillis(looks.max),
  })
  let last: LoopDelay | null = null
  const look = (): void => {
    if (looks.count < WINDOW_LOOKS) return
    last = running()
    looks.reset()
  }
  return {
    look,
    restart: () => {
      last = null
      looks.reset()
    },
    window: () => {
      look()
      return last ?? running()
    },
    worst: () => {
      look()
      return Math.max(last?.max ?? 0, lateMillis(looks.max))
    },
  }
}

let watch: LoopWatch | undefined

const begin = (): LoopWatch => {
  const looks = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
  looks.enable()
  return loopWatchOf(looks)
}

/** From the first call on, for as long as the thread lives. */
export const watchLoopDelay = (): LoopWatch => {
  watch ??= begin()
  return watch
}
