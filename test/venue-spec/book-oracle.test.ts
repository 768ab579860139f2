/**
 * The first frames of two recorded days through a connector and the market data actors to a subscriber, with and without faults of
 * the line: at every publication called SYNCED the subscriber has the venue's book, to the 200 best levels at least. `npm run torture -- oracle` plays them whole.
 */
import { afterAll, describe, expect, it } from "vitest"
import { runBook } from "../torture/oracle/book-run.ts"
import { VARIANTS } from "../torture/oracle/fault-plan.ts"
import { faultsOf } from "../torture/oracle/oracle.ts"
import { DAYS, hasDays, readDays } from "../torture/oracle/recorded-day.ts"

if (!hasDays) console.info("skipped: the recorded captures are not beside the repository")

const FRAMES = 150

describe.skipIf(!hasDays)("TC-B01 a recorded market through a line that loses, repeats, swaps and cuts", () => {
  const reading = hasDays ? readDays(DAYS) : undefined
  afterAll(async () => (await reading)?.remove())

  const cases = VARIANTS.map((variant, n) => [variant, DAYS[n % DAYS.length]] as const)
  it.each(cases)("%s frames of %s leave the subscriber with the venue's book", async (variant, day) => {
    const recorded = (await reading)?.days.find((each) => each.day === day)
    if (recorded === undefined) throw new Error(`${day} was not read`)
    const facts = await runBook({ recorded, variant, speed: 20, seed: 7, every: 50, frames: FRAMES })
    expect(faultsOf(variant, facts)).toEqual([])
    expect(facts).toMatchObject({
      unequal: 0,
      crossed: 0,
      stale: 0,
      shallowSeconds: 0,
      unanswered: 0,
      behind: [],
      frames: FRAMES,
    })
    if (variant === "dropped" || variant === "reordered" || variant === "cut")
      expect(facts.resyncs).toBeGreaterThanOrEqual(facts.faults)
    else expect(facts.checkpoints).toBe(facts.named)
  })
})
