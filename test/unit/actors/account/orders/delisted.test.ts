/** Orders at an instrument that its venue lists no more: what would add is refused with its own error, what takes back is done. */
import { describe, expect, it } from "vitest"
import { placed } from "../../../../kit/worlds/ready-world.ts"
import { instrument } from "../../../../sim/venue/listing.ts"
import { okOf, World } from "../../../../sim/world.ts"

const DELISTED = { error: { _tag: "InstrumentDelisted", instrumentId: instrument.instrumentId } }

/** An order that was open when the instrument left the list. */
const delistedWorld = () => {
  const world = new World()
  const listed = { ...instrument }
  world.instruments = [listed]
  world.start()
  world.advance(1_000)
  const order = placed(world, { quantity: "3" })
  Object.assign(listed, { status: "DELISTED" })
  return { world, order, listed }
}

describe("at an instrument that is DELISTED", () => {
  it("a new order is refused as such; nothing is stored or sent", () => {
    const { world } = delistedWorld()
    const before = [world.database.orders.size, world.venue.orders.size]
    const asked = world.submit({})
    world.advance(100)
    expect(asked.answer).toMatchObject(DELISTED)
    expect([world.database.orders.size, world.venue.orders.size]).toEqual(before)
  })

  it("a change adds nothing, by quantity or by price, and may take back", () => {
    const { world, order } = delistedWorld()
    for (const more of [{ quantity: "4" }, { limitPrice: "101" }]) {
      const asked = world.replace(order.tradeOrderId, more)
      world.advance(100)
      expect(asked.answer).toMatchObject(DELISTED)
    }
    const less = world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(1_500)
    expect(okOf(less).baseQuantity.toString()).toBe("2")
  })

  it("what is open is seen and cancelled as ever, and orders are taken again once it is listed", () => {
    const { world, order, listed } = delistedWorld()
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
    Object.assign(listed, { status: "ACTIVE" })
    expect(placed(world).instrumentId).toBe(instrument.instrumentId)
  })
})
