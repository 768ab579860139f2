/** How late the event loop is said to be: looks are recorded as the loop's own watch records them, of which the last test has a real one. */
import { createHistogram } from "node:perf_hooks"
import { expect, it, vi } from "vitest"
import { lateMillis, loopWatchOf, watchLoopDelay } from "../../../src/foundation/loop-delay.ts"

const WINDOW = 200
const STALL_MILLIS = 2_000

const setup = () => {
  const looks = createHistogram()
  const watch = loopWatchOf(looks)
  const look = (lateMillis: number): void => {
    looks.record(Math.round((50 + lateMillis) * 1e6))
    watch.look()
  }
  return { watch, look, rest: (count: number) => Array.from({ length: count }, () => look(0)) }
}

it("says that a loop at rest is not late: the look itself is no delay", () => {
  expect([lateMillis(0), lateMillis(50e6), lateMillis(Number.NaN)]).toEqual([0, 0, 0])
  expect(lateMillis(300e6)).toBeCloseTo(250, 9)
  const { watch, rest } = setup()
  expect([watch.worst(), watch.window()]).toEqual([0, { p50: 0, p99: 0, max: 0 }])
  rest(WINDOW + 1)
  expect(watch.worst()).toBeLessThan(1)
})

it("tells of one stall at the next question, wherever in its window it is", () => {
  for (const before of [0, 1, 150, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW - 1]) {
    const { watch, look, rest } = setup()
    rest(before)
    look(STALL_MILLIS)
    expect([before, Math.round(watch.worst() / 10)]).toEqual([before, STALL_MILLIS / 10])
  }
})

it("tells of a stall for one to two windows and no longer, also when nobody asks for an hour", () => {
  for (const before of [0, 150, WINDOW - 1]) {
    const { watch, look, rest } = setup()
    rest(before)
    look(STALL_MILLIS)
    rest(WINDOW - 1)
    expect([before, watch.worst() > 1_000]).toEqual([before, true])
    rest(WINDOW + 1)
    expect([before, watch.worst() < 1]).toEqual([before, true])
    look(STALL_MILLIS)
    rest(72_000)
    expect([before, watch.worst() < 1]).toEqual([before, true])
  }
})

it("forgets what was before it was told to start anew", () => {
  const { watch, look, rest } = setup()
  look(STALL_MILLIS)
  rest(WINDOW)
  look(STALL_MILLIS)
  watch.restart()
  rest(1)
  expect([watch.worst() < 1, watch.window().max < 1]).toEqual([true, true])
})

it("has quantiles of the last whole window alone", () => {
  const { watch, look, rest } = setup()
  rest(WINDOW - 1)
  look(STALL_MILLIS)
  const { p50, p99, max } = watch.window()
  expect([p50 < 1, p99 < 1, max > 1_000]).toEqual([true, true, true])
  rest(WINDOW - 1)
  expect(watch.window()).toEqual({ p50, p99, max })
  rest(1)
  expect(watch.window().max).toBeLessThan(1)
})

it("sees a stall of this thread", async () => {
  const watch = watchLoopDelay()
  await vi.waitFor(() => {
    for (const until = performance.now() + 300; performance.now() < until; );
    expect(watch.worst()).toBeGreaterThan(200)
  }, 10_000)
})
