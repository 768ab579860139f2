/** An exit that waits because another order of its list may work at the venue: the operator hears of it. */
import { describe, expect, it, vi } from "vitest"
import { ListWorld, STOP_LOSS, TAKE_PROFIT } from "../../../../kit/worlds/list-world.ts"

vi.mock("../../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

const UNPROTECTED = { code: "UNPROTECTED_POSITION", severity: "CRITICAL" }

/** The take-profit was given up and comes to the venue after that. */
const worldOf = (): ListWorld => {
  const world = new ListWorld("entry").wake()
  world.venue.fates.submit = (order) => (order.tradeOrderId === TAKE_PROFIT ? "arrivesTooLate" : "accept")
  world.venue.random.between = () => 40_000
  return world
}

const told = (world: ListWorld) => world.alerts().filter(({ code }) => code === UNPROTECTED.code)

/** The stop fires and is not let go. */
const firedAndKept = (world: ListWorld): void => {
  world.fire("STOP_LOSS")
  world.advance(55_000)
  expect([told(world), world.venue.arrivals.get(STOP_LOSS)]).toEqual([[], undefined])
  world.advance(10_000)
  expect([told(world), world.venue.arrivals.get(STOP_LOSS)]).toEqual([[UNPROTECTED], undefined])
  world.advance(120_000)
  expect(told(world)).toEqual([UNPROTECTED])
}

describe("an exit that is kept back", () => {
  it("for one that was given up and works at the venue is told of after a minute, once", () => {
    const world = worldOf()
    world.venue.fates.cancel = (ref) => (ref.tradeOrderId === TAKE_PROFIT ? "refuse" : "accept")
    world.buy("10")
    world.advance(45_000)
    firedAndKept(world)
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBe(1)
    expect(told(world)).toEqual([UNPROTECTED])
  })

  it("while it is asked whose the order is that the venue shows without our name is told of after a minute, once", () => {
    const world = worldOf()
    world.venue.traits = { ...world.venue.traits, clientIds: "ASKED" }
    world.buy("10")
    world.advance(39_000)
    world.venue.fates.query = () => false
    world.advance(6_000)
    firedAndKept(world)
    world.venue.fates.query = () => true
    world.advance(90_000)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBe(1)
  })
})
