/** The ledger in PostgreSQL against the ledger on paper: the same random requests, the same outcomes and balances. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { type LedgerRig, openLedgerRig } from "../../kit/worlds/ledger-rig.ts"
import { commands, play } from "../../kit/worlds/ledger-runs.ts"

const database = withTestDatabase()
let rig: LedgerRig

beforeAll(async () => {
  rig = await openLedgerRig(database().url)
})
afterAll(() => rig.close())

describe("the ledger", () => {
  // `npm run torture -- ledger-model` does 1,000.
  it("answers and counts as its model does, 40 times 50 commands", async () => {
    await fc.assert(
      fc.asyncProperty(commands(50), (all) => play(rig, all)),
      { numRuns: 40 },
    )
    expect(rig.defects).toEqual([])
    expect(await rig.violations()).toEqual([])
    const { requests, refused } = rig.writer.stats()
    // It says something only where many are refused, each for its own reason, and many are not.
    expect(refused.size).toBeGreaterThan(4)
    expect([...refused.values()].reduce((all, one) => all + one, 0)).toBeLessThan(requests * 0.9)
  })
})
