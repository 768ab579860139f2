/** A reader that is cut off again and again misses nothing, gets nothing twice, and everything in order; at length: `npm run torture -- recovery`. */
import { describe, expect, it } from "vitest"
import { FORMATS } from "../../kit/servers/conformance.ts"
import { runRecovery } from "../../kit/worlds/recovery-run.ts"

const CUTS = 20
const PUBLICATIONS = 2000

describe.each(FORMATS)("a stream in %s through a line that breaks", (format) => {
  it.each([
    ["the official client", "official", false, "memory"],
    ["the official client, with deltas", "official", true, "memory"],
    ["the official client, with deltas and out of storage", "official", true, "storage"],
    ["a bare socket", "bare", false, "memory"],
    ["a bare socket, with deltas", "bare", true, "memory"],
    ["a bare socket, out of storage", "bare", false, "storage"],
  ] as const)("arrives whole, once and in order: %s", async (_what, reader, delta, history) => {
    const run = { reader, format, delta, history, publications: PUBLICATIONS, cuts: CUTS, seed: 7 }
    const facts = await runRecovery(run)
    expect(facts).toMatchObject({ ended: "", gaps: 0, duplicates: 0, reorders: 0, wrong: 0, unrecovered: 0 })
    expect(facts.received).toBe(facts.published)
    expect(facts.published).toBeGreaterThanOrEqual(PUBLICATIONS)
    expect(facts.cuts).toBe(CUTS)
    expect(facts.replays > 0).toBe(history === "storage")
    expect(facts.recoveries).toBeGreaterThanOrEqual(CUTS / 2)
  })
})
