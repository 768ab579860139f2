/** A few seeded worlds of MOCK and PAPER within the ordinary test run; `npm run sim -- --venue MOCK --seed N` replays one that fails. */
import { describe, expect, it } from "vitest"
import { sumOf } from "../tally.ts"
import { simulateFollowing } from "./simulation.ts"
import { FOLLOWING_VENUES } from "./venues.ts"

const SEEDS = 4

/** None may be missing from what the seeds draw. */
const DRAWN = ["die", "dieAfter", "crash", "refuse", "take", "store"].map((ending) => `burst: ${ending}`)

describe("venues that forget what the journal does not have", { timeout: 900_000 }, () => {
  it.each(FOLLOWING_VENUES)(`break no promise of the gateway's, in ${SEEDS} worlds of %s`, (venue) => {
    let drawn: Readonly<Record<string, number>> = {}
    let [executions, crashes] = [0, 0]
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = simulateFollowing(seed, { venue })
      expect({ seed, violations: outcome.violations }).toEqual({ seed, violations: [] })
      drawn = sumOf(drawn, outcome.drawn)
      executions += outcome.executions
      crashes += outcome.crashes
    }
    // A world in which nothing happens proves nothing.
    expect(executions).toBeGreaterThan(SEEDS * 10)
    expect(crashes).toBeGreaterThan(SEEDS * 5)
    expect(Object.keys(drawn)).toEqual(expect.arrayContaining([...DRAWN, "unit refused", "name taken"]))
  })

  it("are the same world again for the same seed", () => {
    const world = simulateFollowing(7, { tells: true })
    expect(simulateFollowing(7, { tells: true })).toEqual(world)
    expect(simulateFollowing(8).trace).not.toBe(world.trace)
  })
})
