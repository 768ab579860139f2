/** How late the event loop is said to be. */
import { expect, it } from "vitest"
import { late } from "../../../src/metrics/process-metrics.ts"

it("says that a loop at rest is not late: the look itself is no delay", () => {
  expect([late(0), late(20e6)]).toEqual([0, 0])
  expect(late(270e6)).toBeCloseTo(0.25, 9)
})
