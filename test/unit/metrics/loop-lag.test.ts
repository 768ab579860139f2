/** How late the event loop is said to be. */
import { expect, it } from "vitest"
import { lateMillis } from "../../../src/foundation/loop-delay.ts"

it("says that a loop at rest is not late: the look itself is no delay", () => {
  expect([lateMillis(0), lateMillis(50e6), lateMillis(Number.NaN)]).toEqual([0, 0, 0])
  expect(lateMillis(300e6)).toBeCloseTo(250, 9)
})
