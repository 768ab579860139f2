/** 200 seeded worlds within the ordinary test run; `npm run sim -- --seed N` replays one that fails. */
import { describe, expect, it } from "vitest"
import { simulate } from "./simulation.ts"

const SEEDS = 200

describe("an account under faults", () => {
  it(`breaks no rule and comes to rest where the venue says, in ${SEEDS} worlds`, () => {
    let executions = 0
    let crashes = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = simulate(seed)
      expect({ seed, violations: outcome.violations }).toEqual({ seed, violations: [] })
      executions += outcome.executions
      crashes += outcome.crashes
    }
    // A world in which nothing happens proves nothing.
    expect(executions).toBeGreaterThan(SEEDS * 5)
    expect(crashes).toBeGreaterThan(SEEDS / 4)
  }, 120_000)

  it("is the same world again for the same seed", () => {
    expect(simulate(42)).toEqual(simulate(42))
    expect(simulate(42).trace).not.toBe(simulate(43).trace)
  })
})
