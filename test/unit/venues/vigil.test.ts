/** When a thread counts as hung, and when it is only busy. */
import { describe, expect, it } from "vitest"
import { Vigil } from "../../../src/venues/connector/shard.ts"
import { countWorkIn, hasWorked } from "../../../src/venues/worker/thread.ts"

const watched = () => {
  const thread = { done: 0 }
  const vigil = new Vigil(() => thread.done)
  const ticks = (count: number, isLate = false) => Array.from({ length: count }, () => vigil.tick(isLate))
  return { thread, vigil, ticks }
}

describe("a thread", () => {
  it("hangs when it neither answers nor works", () => {
    const { ticks } = watched()
    expect(ticks(6)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it("lives when it answers", () => {
    const { vigil, ticks } = watched()
    ticks(4)
    vigil.answered()
    expect(ticks(2)).toEqual([0, 1])
  })

  it("lives when it works, however long it does not answer, and hangs when it stops working", () => {
    const { thread, vigil, ticks } = watched()
    ticks(4)
    for (let n = 0; n < 100; n++) {
      thread.done += 1000
      expect(vigil.tick(false)).toBe(0)
    }
    expect(ticks(5)).toEqual([1, 2, 3, 4, 5])
  })

  it("is not blamed for heartbeats that came late themselves", () => {
    const { ticks } = watched()
    ticks(3)
    expect(ticks(10, true).at(-1)).toBe(3)
  })

  it("shows its work where it was told to", () => {
    const buffer = new SharedArrayBuffer(4)
    const count = new Int32Array(buffer)
    hasWorked()
    countWorkIn(buffer)
    hasWorked()
    hasWorked()
    expect(Atomics.load(count, 0)).toBe(2)
  })
})
