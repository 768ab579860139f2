/** Trades that the stream tells of the wrong order: none is counted there, and none costs the actor its life. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import type { VenueFill } from "../../../../../src/ports/venue-session.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import type { World } from "../../../../sim/world.ts"

/** After so long an order that ended is out of memory, its names too. */
const FORGOTTEN_MILLIS = 200_000

const executed = (world: World, order: TradeOrder) => world.read(order.tradeOrderId).executedQuantity.toString()
const restarts = (world: World) => world.accounts.stats().restarts
const simOf = (world: World, order: TradeOrder) => world.venue.find(order)!

/** As a trade of this order, by the stream alone. */
const tell = (world: World, order: TradeOrder, fill: VenueFill): void => {
  const { tradeOrderId, externalOrderId } = simOf(world, order)
  world.venue.tell({ _tag: "Filled", fill: { ...fill, tradeOrderId, externalOrderId } })
}

describe("a trade that the stream tells of an order that is not its own", () => {
  it.each(["in memory", "out of memory", "of another process"])("when its own order is %s changes nothing", (place) => {
    const world = readyWorld()
    const own = placed(world)
    const fill = world.venue.fill(simOf(world, own), Decimal.of("1"))
    world.advance(1_000)
    const other = placed(world, { limitPrice: "101" as never })
    if (place === "out of memory") world.advance(FORGOTTEN_MILLIS)
    if (place === "of another process") {
      world.crash()
      world.start()
      world.advance(1_000)
    }
    tell(world, other, fill)
    world.advance(130_000)
    expect([world.status(), restarts(world), world.defects]).toEqual(["ACTIVE", 0, []])
    expect(executed(world, other)).toBe("0")
    world.venue.fill(simOf(world, other), Decimal.of("1"))
    world.advance(1_000)
    expect([executed(world, own), executed(world, other)]).toEqual(["1", "1"])
  })

  it.each([
    ["at a price beyond its limit", { price: "100.01" }],
    ["over more than remains of it", { quantity: "1.01" }],
    ["on the other side", { orderSide: "SELL" }],
  ] as const)("%s, is not counted there", (_, patch) => {
    const world = readyWorld()
    const own = placed(world, { limitPrice: "120" as never })
    const other = placed(world)
    const sim = simOf(world, own)
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    const fill = world.venue.fill(sim, Decimal.of("1"), "100")
    world.venue.fates.stream = () => "deliver"
    tell(world, other, { ...fill, externalTradeId: "T-odd", ...patch })
    world.advance(5_000)
    expect([executed(world, other), restarts(world)]).toEqual(["0", 0])
    expect(world.read(other.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
    world.advance(130_000)
    expect([executed(world, own), executed(world, other)]).toEqual(["1", "0"])
  })

  it("counts all the same when the venue lists it as that order's, with the alert of more than was ordered", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.oddFill(simOf(world, order), Decimal.of("1.5"))
    world.advance(10)
    expect(executed(world, order)).toBe("0")
    world.advance(2_000)
    expect(executed(world, order)).toBe("1.5")
    expect(world.published.filter(({ json }) => json.includes("OVERFILL"))).toHaveLength(1)
  })
})
