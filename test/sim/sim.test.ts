/** 20 seeded worlds within the ordinary test run, `.ci/run` goes on; `npm run sim -- --seed N` replays one that fails. */
import { describe, expect, it } from "vitest"
import { simulate } from "./simulation.ts"

const SEEDS = 20

/** By list and type: none may be missing from what the seeds draw. */
const TYPES = [
  "MARKET",
  "LIMIT",
  "LIMIT_MAKER",
  "STOP",
  "STOP_LIMIT",
  "STOP_LOSS",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT",
  "TAKE_PROFIT_LIMIT",
  "TRAILING_STOP",
  "OTO LIMIT",
  "OTO MARKET",
  "OTO STOP",
  "OTO STOP_LOSS",
  "OTO TAKE_PROFIT",
  "OTOCO LIMIT",
  "OTOCO MARKET",
  "OTOCO STOP",
  "OCO LIMIT",
  "OCO STOP_LOSS",
  "OCO STOP_LOSS_LIMIT",
  "OCO TAKE_PROFIT",
  "OCO TAKE_PROFIT_LIMIT",
]

describe("an account under faults", () => {
  it(`breaks no rule and comes to rest where the venue says, in ${SEEDS} worlds`, { timeout: 900_000 }, () => {
    let executions = 0
    let crashes = 0
    const types = new Set<string>()
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = simulate(seed)
      expect({ seed, violations: outcome.violations }).toEqual({ seed, violations: [] })
      executions += outcome.executions
      crashes += outcome.crashes
      for (const type of Object.keys(outcome.types)) types.add(type)
    }
    // A world in which nothing happens proves nothing.
    expect(executions).toBeGreaterThan(SEEDS * 5)
    expect(crashes).toBeGreaterThan(SEEDS / 4)
    expect([...types]).toEqual(expect.arrayContaining(TYPES))
  })

  it("is the same world again for the same seed", () => {
    expect(simulate(42, { tells: true })).toEqual(simulate(42, { tells: true }))
    expect(simulate(42).trace).not.toBe(simulate(43).trace)
  })
})
