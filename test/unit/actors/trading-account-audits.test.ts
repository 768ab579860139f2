/** How often an account is audited: at its own pace while the venue answers at once, at the venue's where it makes questions wait. */
import { describe, expect, it } from "vitest"
import { SIM } from "../../sim/venue.ts"
import { World } from "../../sim/world.ts"

describe("audits", () => {
  it("keep their periods while they are answered, and stretch instead of piling up where they wait", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.submit()
    world.advance(120_000)
    const periods = () => world.accounts.auditPeriods().get(SIM)
    expect(periods()?.balances).toBeGreaterThanOrEqual(30_000)
    expect(periods()?.openOrders).toBeGreaterThanOrEqual(10_000)
    expect(periods()?.openOrders).toBeLessThan(11_500)
    const before = world.venue.questions
    world.advance(60_000)
    expect(world.venue.questions - before).toBeGreaterThanOrEqual(8)
    // Each question takes 40 s.
    world.venue.fates.latencyMillis = () => 20_000
    world.advance(60_000)
    const slow = world.venue.questions
    world.advance(400_000)
    expect(world.venue.questions - slow).toBeLessThanOrEqual(11)
    expect(periods()?.openOrders).toBeGreaterThan(40_000)
    expect(periods()?.openOrders).toBeLessThan(200_000)
    world.venue.fates.latencyMillis = () => 5
    world.advance(400_000)
    expect(periods()?.openOrders).toBeLessThan(11_500)
  })
})
