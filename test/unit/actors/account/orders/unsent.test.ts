/** Orders that were let go while the database does not answer: not a byte of them has left, and nothing is asked or concluded about them. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { type Patch, placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { START, type World } from "../../../../sim/world.ts"

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

describe("a stop that fired while the database stood still and the wall clock was set back", () => {
  it.each([
    ["by itself", {}],
    ["as a leg of a list", { stopLossPrice: "95" }],
  ])("leaves with a deadline of its own, two seconds from when it leaves: %s", (_how, list) => {
    const world = ready()
    world.venue.gatewayNow = () => world.wall()
    placed(
      world,
      "stopLossPrice" in list ? { quantity: "2", orderType: "MARKET", limitPrice: undefined, ...list } : stop,
    )
    world.advance(2_000)
    world.memory.faults.hold()
    world.trade("94")
    world.advance(500)
    world.wallAheadMillis = -3_600_000
    world.advance(5_000)
    const storedAt = world.wall()
    world.memory.faults.release()
    world.advance(10_000)
    expect(stopOf(world)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    // The first was for an hour from now.
    const given = (stopOf(world).notAfter ?? 0) - storedAt
    expect([given > 0, given < 12_000]).toEqual([true, true])
  })
})

describe("an order for the day that ends before it is stored that it leaves", () => {
  const DAY_MILLIS = 86_400_000

  /** Asked for, or let go by the fill of its entry, half a second before midnight; stored half a second after it. */
  it.each<readonly [how: string, days: number, own: Patch, entry: Patch | null]>([
    ["by itself", 1, { timeInForce: "DAY" }, null],
    ["as a leg of a list", 2, {}, { takeProfitPrice: "110", takeProfitTimeInForce: "DAY" }],
  ])("is EXPIRED, %s", (_how, days, own, entry) => {
    const midnight = (Math.floor(START / DAY_MILLIS) + days) * DAY_MILLIS
    const world = readyWorld({ startAt: midnight - 10_000 }, "100")
    if (entry !== null) placed(world, entry)
    world.advance(midnight - 500 - world.time.now)
    world.memory.faults.hold()
    if (entry === null) world.submit(own as Parameters<World["submit"]>[0])
    else world.venue.fill(world.venue.openOrders()[0]!, Decimal.ONE)
    world.advance(1_000)
    world.memory.faults.release()
    world.advance(20_000)
    const orders = [...world.database.orders.values()].map(({ order }) => order)
    expect(orders.filter(({ expireAt }) => expireAt !== null)).toEqual([
      expect.objectContaining({ expireAt: midnight, orderStatus: "EXPIRED", cancelReason: null, canceledAt: null }),
    ])
    expect(world.venue.openOrders()).toEqual([])
  })
})
