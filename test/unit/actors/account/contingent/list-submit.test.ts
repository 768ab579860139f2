/** A list from its submit to its end (contract C4): the entry with its exits, and the bare pair. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { BARE_PAIR, placed, pricedWorld, text } from "../../../../kit/worlds/priced-world.ts"
import type { World } from "../../../../sim/world.ts"

const rows = (world: World): ReadonlyArray<string> =>
  [...world.database.orders.values()].map(
    ({ order }) =>
      `${order.terms?.leg ?? "ENTRY"} ${order.contingencyType} ${order.orderStatus} ${order.executedQuantity}/${order.baseQuantity} holds ${order.held}`,
  )

describe("a list that was submitted", () => {
  it("protects what the entry buys, and ends with the take-profit", () => {
    const world = pricedWorld()
    const [entry] = placed(world, {
      quantity: text("4"),
      takeProfitLimitPrice: text("110"),
      stopLossPrice: text("90"),
    })
    expect(rows(world)).toEqual([
      "ENTRY OTOCO ACCEPTED 0/4 holds 400",
      "TAKE_PROFIT OCO CREATED 0/4 holds 0",
      "STOP_LOSS OCO CREATED 0/4 holds 0",
    ])
    world.venue.fill(world.venue.find(entry!)!, Decimal.of("3"))
    world.advance(100)
    expect(rows(world)).toEqual([
      "ENTRY OTOCO PARTIALLY_FILLED 3/4 holds 100",
      "TAKE_PROFIT OCO ACCEPTED 0/3 holds 3",
      "STOP_LOSS OCO ACCEPTED 0/3 holds 0",
    ])
    const takeProfit = world.venue.openOrders().find((it) => it.order.orderSide === "SELL")!
    world.cancel(entry!.tradeOrderId)
    world.advance(100)
    world.venue.fill(takeProfit, Decimal.of("3"))
    world.advance(100)
    expect(rows(world)).toEqual([
      "ENTRY OTOCO CANCELLED 3/4 holds 0",
      "TAKE_PROFIT OCO FILLED 3/3 holds 0",
      "STOP_LOSS OCO REVOKED 0/3 holds 0",
    ])
  })

  it("works from the first moment as a bare pair, which holds its amount once", () => {
    const world = pricedWorld()
    placed(world, BARE_PAIR)
    world.advance(100)
    expect(rows(world)).toEqual(["STOP_LOSS OCO ACCEPTED 0/4 holds 0", "TAKE_PROFIT OCO ACCEPTED 0/4 holds 4"])
    expect(world.venue.openOrders()).toHaveLength(1)
    world.venue.fill(world.venue.openOrders()[0]!, Decimal.of("1"))
    world.advance(100)
    expect(rows(world)).toEqual(["STOP_LOSS OCO ACCEPTED 0/3 holds 0", "TAKE_PROFIT OCO PARTIALLY_FILLED 1/4 holds 3"])
    world.crash()
    world.start()
    world.advance(5_000)
    world.venue.fill(world.venue.openOrders()[0]!, Decimal.of("3"))
    world.advance(1_000)
    expect(rows(world)).toEqual(["STOP_LOSS OCO REVOKED 0/3 holds 0", "TAKE_PROFIT OCO FILLED 4/4 holds 0"])
  })
})
