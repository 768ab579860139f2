/** A venue may tell an older view of an order again, when that is over. */
import { describe, expect, it } from "vitest"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import { type Patch, placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"

describe("an order that the venue rejected when its trigger fired", () => {
  it("is not taken for one that appears late when an older view of it is told again", () => {
    const triggers = { ...PLAIN_CAPABILITIES.triggers, stop: "NATIVE" as const }
    const world = readyWorld({ venue: { capabilities: { ...PLAIN_CAPABILITIES, triggers } } }, "100")
    const stop = { orderSide: "SELL", orderType: "STOP_LOSS", stopPrice: "90", limitPrice: undefined } as Patch
    const order = placed(world, stop)
    const sim = world.venue.find(order)!
    const older = world.venue.stateOf(sim)
    world.advance(1_000)
    world.venue.fates.trigger = () => false
    world.venue.trade(sim.trigger!.stopPrice)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
    world.venue.tell({ _tag: "OrderSeen", state: older })
    world.advance(1_000)
    expect(world.venue.cancels.size).toBe(0)
    expect(world.published.filter(({ json }) => json.includes("LATE_APPEARANCE"))).toEqual([])
  })
})
