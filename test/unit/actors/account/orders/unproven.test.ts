/**
 * An account that was connected at a venue whose orders are not proven, in an installation that has not opted in: it adds nothing, and loses
 * sight of nothing.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { UNANSWERED_ORDERS } from "../../../../../src/venues/adapters/plain.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { instrument } from "../../../../sim/venue/listing.ts"
import { okOf, World } from "../../../../sim/world.ts"

/** As the next release finds it. */
const upgrade = (world: World): void =>
  void Object.assign(world.venue.venue, { orders: UNANSWERED_ORDERS, takesOrders: false })

const REFUSAL = {
  _tag: "ExperimentalVenue",
  venue: "SIM",
  missing: UNANSWERED_ORDERS.missing,
  optIn: expect.stringContaining("add SIM to EXPERIMENTAL_ORDERS"),
}

describe("an order that is counted in contracts, of before such were refused", () => {
  it("is not raised by a change, and may be lowered", () => {
    const world = new World()
    const listed = { ...instrument }
    world.instruments = [listed]
    world.start()
    world.advance(1_000)
    const { tradeOrderId } = placed(world, { quantity: "3" })
    Object.assign(listed, { contract: { type: "INVERSE", size: Decimal.of("10") } })
    const more = world.replace(tradeOrderId, { quantity: "4" })
    world.advance(100)
    expect(more.answer).toMatchObject({ error: { _tag: "InstrumentNotTradable" } })
    const less = world.replace(tradeOrderId, { quantity: "2" })
    world.advance(1_500)
    expect(okOf(less).baseQuantity.toString()).toBe("2")
  })
})

describe("without the opt-in", () => {
  it("a new order is refused with the venue, what is missing and how the installation opts in; nothing is stored or sent", () => {
    const world = readyWorld()
    upgrade(world)
    const asked = world.submit({})
    world.advance(100)
    expect(asked.answer).toMatchObject({ error: REFUSAL })
    expect([world.database.orders.size, world.venue.orders.size]).toEqual([0, 0])
  })

  it("what is open is seen, filled and cancelled as ever", () => {
    const world = readyWorld()
    const [filled, kept] = [placed(world), placed(world)]
    upgrade(world)
    world.venue.fill(world.venue.find(filled)!, Decimal.of("1"))
    world.advance(100)
    expect(world.read(filled.tradeOrderId).orderStatus).toBe("FILLED")
    const cancelled = world.cancel(kept.tradeOrderId)
    world.advance(100)
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
  })

  it("a change may take back of what is there, and add nothing to it", () => {
    const world = readyWorld()
    const { tradeOrderId } = placed(world, { quantity: "3" })
    upgrade(world)
    for (const more of [{ quantity: "4" }, { limitPrice: "101" }]) {
      const asked = world.replace(tradeOrderId, more)
      world.advance(100)
      expect(asked.answer).toMatchObject({ error: REFUSAL })
    }
    const less = world.replace(tradeOrderId, { quantity: "2" })
    world.advance(1_500)
    expect(okOf(less).baseQuantity.toString()).toBe("2")
  })

  it("a stop that was taken before is kept: when its price comes it is sent", () => {
    const world = readyWorld({}, "100")
    const { tradeOrderId } = placed(world, {
      orderSide: "SELL",
      orderType: "STOP_LOSS",
      limitPrice: undefined,
      stopPrice: "95",
    })
    upgrade(world)
    world.trade("94")
    world.advance(500)
    expect(world.venue.find(world.read(tradeOrderId))).toBeDefined()
  })
})
