/** Orders that their session builds while they are being stored: which ones, and what becomes of those that are not dispatched after all. */
import { describe, expect, it } from "vitest"
import type { SubmitRequest } from "../../../../../src/domain/order/submit-request.ts"
import { type Patch, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf } from "../../../../sim/world.ts"

/** One order that is checked and not stored yet. */
const storing = (patch: Patch = {}) => {
  const world = readyWorld({}, "100")
  world.memory.faults.hold()
  const asked = world.submit(patch as Partial<SubmitRequest>)
  world.advance(100)
  return { world, asked }
}

describe("an order that leaves from its commit", () => {
  it("is prepared while it is being stored, and is dispatched, and arrives, once it is", () => {
    const { world, asked } = storing()
    expect([world.venue.prepared.size, world.venue.arrivals.size]).toEqual([1, 0])
    world.memory.faults.release()
    world.advance(1_000)
    expect(world.venue.arrivals.get(okOf(asked).order.tradeOrderId)).toBe(1)
    expect(world.venue.prepared.size).toBe(0)
  })

  it("is given up where it is stored too late to leave", () => {
    const { world } = storing()
    world.advance(3_000)
    world.memory.faults.release()
    world.advance(1_000)
    expect([...world.database.orders.values()].map(({ order }) => order.rejectReason)).toEqual(["GATEWAY_LATE"])
    expect([world.venue.prepared.size, world.venue.arrivals.size]).toEqual([0, 0])
  })

  it("is given up where it was cancelled before it was stored", () => {
    const { world } = storing()
    const [tradeOrderId] = world.venue.prepared
    world.cancel(tradeOrderId!)
    world.memory.faults.release()
    world.advance(1_000)
    expect(world.read(tradeOrderId!)).toMatchObject({ orderStatus: "CANCELLED" })
    expect([world.venue.prepared.size, world.venue.arrivals.size]).toEqual([0, 0])
  })
})

describe("an order that waits", () => {
  it.each<readonly [string, Patch]>([
    ["for its trigger", { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, stopPrice: "95" }],
    ["for its entry, and the entry with it", { takeProfitPrice: "110", stopLossPrice: "90" }],
  ])("%s is not prepared", (_, patch) => {
    const { world } = storing(patch)
    expect(world.venue.prepared.size).toBe(0)
  })
})
