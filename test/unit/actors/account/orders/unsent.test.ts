/** Orders that were let go while the database does not answer: not a byte of them has left, and nothing is asked or concluded about them. */
import { describe, expect, it } from "vitest"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import type { World } from "../../../../sim/world.ts"

const ready = (): World => readyWorld({}, "100")

const stop = { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, stopPrice: "95", quantity: "2" }

const stopOf = (world: World): TradeOrder => {
  const orders = [...world.database.orders.values()].map(({ order }) => order)
  return world.read(orders.find(({ orderType }) => orderType === "STOP_LOSS")!.tradeOrderId)
}

/** The stop fires while the database stands still for so long, and the contact to the venue is lost and found meanwhile. */
const fireUnstored = (world: World, millis: number): void => {
  world.memory.faults.hold()
  world.trade("94")
  world.advance(500)
  world.venue.streamDown()
  world.advance(300)
  world.venue.streamUp()
  world.advance(millis)
  world.memory.faults.release()
  world.advance(10_000)
}

describe("a stop that fired while the database stood still", () => {
  it.each([800, 10_000, 60_000])("is sent when it is stored, whatever was asked meanwhile (%d ms)", (millis) => {
    const world = ready()
    placed(world, stop)
    fireUnstored(world, millis)
    expect(stopOf(world)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    expect(world.venue.arrivals.get(stopOf(world).tradeOrderId)).toBe(1)
    expect(world.accounts.stats().restarts).toBe(0)
  })

  it.each([800, 10_000, 60_000])("leaves a list when it is stored, whatever was asked meanwhile (%d ms)", (millis) => {
    const world = ready()
    placed(world, { quantity: "2", orderType: "MARKET", limitPrice: undefined, stopLossPrice: "95" })
    world.advance(2_000)
    fireUnstored(world, millis)
    expect(stopOf(world)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    expect(world.venue.arrivals.get(stopOf(world).tradeOrderId)).toBe(1)
    expect(world.accounts.stats().restarts).toBe(0)
  })
})
