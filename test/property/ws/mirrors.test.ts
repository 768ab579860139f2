/**
 * Channels of one process read at others, over a cable that loses, delays, repeats and reorders, with a broker and owners that come and go: each reader gets one publication
 * after the other or is told to start over, and in the end all have the newest.
 */
import { describe, expect, it } from "vitest"
import { runMirrors } from "../../kit/cable/mirror-run.ts"

const SEEDS = 10
/** Of which a reader of bars has more than the edge to which it comes. */
const AHEAD = 2_196

describe("mirrors under faults", () => {
  it("each reader gets one publication after the other or is told, and all have the newest in the end", async () => {
    const all = { recovered: 0, startedOver: 0, told: 0, repairs: 0 }
    for (const seed of [...Array.from({ length: SEEDS }, (_, i) => i + 1), AHEAD]) {
      const { faults, sums } = await runMirrors(seed)
      expect([seed, faults]).toEqual([seed, []])
      for (const way of Object.keys(all) as ReadonlyArray<keyof typeof all>) all[way] += sums[way]
    }
    // None of the ways is left out.
    for (const [way, count] of Object.entries(all)) expect([way, count > 100]).toEqual([way, true])
  })
})
