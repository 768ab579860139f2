/** What a change is refused for by the market and by the other exit of its pair, and what a pair of buys holds. */
import { describe, expect, it } from "vitest"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { type Patch, placed, pricedWorld, text } from "../../../../kit/worlds/priced-world.ts"
import { errorOf, okOf, type World } from "../../../../sim/world.ts"

const replace = (world: World, { tradeOrderId }: TradeOrder, asked: object) => {
  const answer = world.replace(tradeOrderId, asked)
  world.advance(1_500)
  return answer
}

const locked = (world: World): string => world.portfolio("USDT")[0]?.locked.toString() ?? "none"

const PAIR: Patch = {
  orderSide: "BUY",
  orderType: "STOP_LOSS",
  quantity: text("2"),
  stopPrice: text("120"),
  takeProfitPrice: text("80"),
  limitPrice: null,
}

describe("a pair of buys", () => {
  it("holds what its dearer leg may cost, from the first moment on", () => {
    const world = pricedWorld()
    placed(world, PAIR)
    // At market beyond its trigger it may cost 5 % more.
    expect(locked(world)).toBe("252")
    world.advance(5_000)
    expect(locked(world)).toBe("252")
  })

  it("keeps its legs on their sides of the market", () => {
    const world = pricedWorld()
    const [stop, profit] = placed(world, PAIR)
    expect(errorOf(replace(world, profit!, { stopPrice: "130" }))).toBe("InvalidPriceRelation")
    expect(errorOf(replace(world, stop!, { stopPrice: "70" }))).toBe("InvalidPriceRelation")
    expect(errorOf(replace(world, profit!, { stopPrice: "110" }))).toBe("WouldTriggerImmediately")
    expect(okOf(replace(world, profit!, { stopPrice: "85" })).terms?.trigger?.stopPrice.toString()).toBe("85")
  })
})

describe("a change", () => {
  it("is refused when the market has reached the new trigger already", () => {
    const world = pricedWorld()
    const [stop] = placed(world, { orderType: "STOP", quantity: text("1"), stopPrice: text("130"), limitPrice: null })
    expect(errorOf(replace(world, stop!, { stopPrice: "90" }))).toBe("WouldTriggerImmediately")
    expect(world.read(stop!.tradeOrderId).terms?.trigger?.stopPrice.toString()).toBe("130")
  })

  it("is held to the price collar as a submit is", () => {
    const world = pricedWorld()
    const [order] = placed(world, { limitPrice: text("90"), quantity: text("1") })
    expect(errorOf(replace(world, order!, { limitPrice: "201" }))).toBe("PriceOutsideCollar")
  })
})
