/** Whatever the order in which the venue's words arrive, and however often: the order ends in the same place. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { SessionReport } from "../../../src/ports/venue-session.ts"
import { okOf, World } from "../../sim/world.ts"

const parts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 })

/** The reports of one order's life, told in the given order by a venue that answers questions as well. */
const live = (sizes: ReadonlyArray<number>, isCancelled: boolean, order: ReadonlyArray<number>, repeats: number) => {
  const world = new World()
  world.start()
  world.advance(1_000)
  const told: Array<SessionReport> = []
  world.venue.fates.stream = (report) => {
    told.push(report)
    return "drop"
  }
  const asked = world.submit({ quantity: "1" as never })
  world.advance(100)
  const { tradeOrderId } = okOf(asked).order
  const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
  for (const size of sizes) {
    const rest = sim.quantity.subtract(sim.executed)
    const part = Decimal.min(rest, Decimal.fromUnits(BigInt(size), 3))
    if (part.isPositive()) world.venue.fill(sim, part)
  }
  if (isCancelled && sim.status === "OPEN") world.venue.end(sim, "CANCELLED")
  world.venue.fates.stream = () => "deliver"
  const told2 = [...told, ...told.slice(0, repeats)]
  const shuffled = told2
    .map((report, index) => ({ report, key: order[index % order.length] ?? 0, index }))
    .sort((a, b) => a.key - b.key || a.index - b.index)
  for (const { report } of shuffled) {
    world.venue.tell(report)
    world.advance(10)
  }
  world.advance(30_000)
  const end = world.read(tradeOrderId)
  return { end, sim, database: world.database }
}

describe("fills and statuses in any order, repeated", () => {
  it("lead to one order: the venue's", () => {
    void fc.assert(
      fc.property(
        parts,
        fc.boolean(),
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 6 }),
        (sizes, isCancelled, order, repeats) => {
          const { end, sim, database } = live(sizes, isCancelled, order, repeats)
          expect(end.executedQuantity.toString()).toBe(sim.executed.toString())
          expect(database.executions.size).toBe(sim.fills.length)
          const expected =
            sim.status === "OPEN" ? (sim.executed.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED") : sim.status
          expect(end.orderStatus).toBe(expected)
          expect(end.held.isNegative()).toBe(false)
          expect(database.quarantined.size).toBe(0)
        },
      ),
      { numRuns: 150, seed: 7 },
    )
  })
})
