/** What a submit leaves behind: the rows of a list in one unit, one hold for it, its answer, and the same answer for a repeat. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SubmitAnswer } from "../../../../../src/actors/account/messages.ts"
import { placeOf, type TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { errorOf, okOf, World } from "../../../../sim/world.ts"

let world: World
beforeEach(() => {
  world = new World({ venue: { orderExpiryMillis: 5_000 } })
  world.start()
  world.advance(2_000)
})
afterEach(() => world.crash())

type Patch = Parameters<World["submit"]>[0]
const text = (value: string) => value as never
const submit = (patch: Patch, millis = 100): SubmitAnswer => {
  const asked = world.submit(patch)
  world.advance(millis)
  return okOf(asked)
}
const stored = (): ReadonlyArray<TradeOrder> => [...world.database.orders.values()].map(({ order }) => order)
const lockedOf = (currency: string): string | undefined => world.portfolio(currency)[0]?.locked.toString()
const exits = { takeProfitPrice: text("110"), stopLossPrice: text("90") }

describe("an entry with exits", () => {
  it("is stored with them at once, holds for itself only, and answers them", () => {
    // So that nothing is filled before it is looked at.
    world.venue.fates.submit = () => "silentBefore"
    const { order, linked, replayed } = submit({ ...exits, clientOrderId: "entry" })
    expect(replayed).toBe(false)
    expect(order).toMatchObject({ contingencyType: "OTOCO", orderListId: order.tradeOrderId, orderStatus: "CREATED" })
    expect(linked?.map((it) => [it.orderType, it.contingencyType, it.terms?.leg])).toEqual([
      ["TAKE_PROFIT", "OCO", "TAKE_PROFIT"],
      ["STOP_LOSS", "OCO", "STOP_LOSS"],
    ])
    for (const child of linked ?? []) {
      expect(child).toMatchObject({ orderListId: order.tradeOrderId, orderSide: "SELL", clientOrderId: null })
      expect(child.terms?.parentId).toBe(order.tradeOrderId)
      expect([placeOf(child), child.held.toString(), child.baseQuantity.toString()]).toEqual(["WAITING", "0", "1"])
    }
    expect(stored().map((it) => it.tradeOrderId)).toEqual([order, ...(linked ?? [])].map((it) => it.tradeOrderId))
    expect([lockedOf("USDT"), lockedOf("BTC")]).toEqual(["100", "0"])
  })

  it("is answered with them again for the same key, and refused for another order", () => {
    world.venue.fates.submit = () => "silentBefore"
    const first = submit({ ...exits, clientOrderId: "entry" })
    const again = submit({ ...exits, clientOrderId: "entry" })
    expect(again.replayed).toBe(true)
    expect(again.order.tradeOrderId).toBe(first.order.tradeOrderId)
    expect(again.linked?.map((it) => it.tradeOrderId)).toEqual(first.linked?.map((it) => it.tradeOrderId))
    const other = world.submit({ ...exits, stopLossPrice: text("91"), clientOrderId: "entry" })
    world.advance(100)
    expect(errorOf(other)).toBe("IdempotencyConflict")
    expect(stored()).toHaveLength(3)
  })

  it("is one unit: what the database loses, it loses whole", () => {
    world.memory.faults.dieNext("beforeCommit")
    world.submit(exits)
    world.advance(100)
    expect(stored()).toEqual([])
  })
})

describe("a pair of exits", () => {
  it("has a list of its own and holds the base amount once, where it may rest", () => {
    const { order, linked } = submit({
      orderType: "STOP_LOSS",
      orderSide: "SELL",
      limitPrice: null,
      stopPrice: text("90"),
      takeProfitLimitPrice: text("110"),
    })
    expect(order).toMatchObject({ contingencyType: "OCO", orderType: "STOP_LOSS" })
    expect(linked).toMatchObject([{ contingencyType: "OCO", orderType: "LIMIT", orderListId: order.orderListId }])
    expect(order.orderListId).not.toBe(order.tradeOrderId)
    expect([placeOf(order), order.held.toString(), linked?.[0]?.held.toString()]).toEqual(["ARMED", "0", "1"])
    expect(lockedOf("BTC")).toBe("1")
    // Only the leg that rests has left.
    expect([...world.venue.arrivals.keys()]).toEqual([linked?.[0]?.tradeOrderId])
  })
})

describe("a trigger that the gateway watches", () => {
  const stop = { orderType: "STOP", limitPrice: null, stopPrice: text("110") } as const

  it("holds what it may cost at market, and sends nothing", () => {
    const { order } = submit(stop)
    expect([placeOf(order), order.notAfter, order.held.toString()]).toEqual(["ARMED", null, "115.5"])
    expect(lockedOf("USDT")).toBe("115.5")
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("counts as accepted when it is armed", () => {
    const asked = world.submit({ ...stop, awaitAccepted: true })
    world.advance(500)
    expect(okOf(asked).order.orderStatus).toBe("ACCEPTED")
  })

  it("is refused where the market is there already, and where the funds do not reach", () => {
    world.lastPrice = "110"
    expect(errorOf(world.submit(stop))).toBe("WouldTriggerImmediately")
    world.lastPrice = "100"
    expect(errorOf(world.submit({ ...stop, quantity: text("1000") }))).toBe("InsufficientBalance")
    expect(stored()).toEqual([])
  })

  it("trails from the price that is known, and not without one", () => {
    const trailing = {
      orderType: "TRAILING_STOP",
      orderSide: "SELL",
      limitPrice: null,
      trailingDelta: 500,
    } as const
    const unpriced = world.submit(trailing)
    world.advance(3_000)
    expect(errorOf(unpriced)).toBe("TickerUnavailable")
    world.lastPrice = "100"
    const { terms } = submit(trailing).order
    expect(terms?.trigger?.stopPrice.toString()).toBe("95")
    expect(terms?.trigger?.trailing?.highWaterMark.toString()).toBe("100")
  })
})

describe("a submit", () => {
  it("says when it came how far, and nothing of it for a repeat", () => {
    world.memory.faults.delay(20)
    const { timing } = submit({ clientOrderId: "timed" })
    if (timing === undefined) throw new Error("no timing")
    expect(timing.committedAt - timing.checkedAt).toBeGreaterThanOrEqual(20)
    const instants = [timing.receivedAt, timing.checkedAt, timing.committedAt, timing.dispatchedAt]
    expect([...instants].sort((a, b) => a - b)).toEqual(instants)
    expect(submit({ clientOrderId: "timed" }).timing).toBeUndefined()
  })

  it("holds a buy over so much quote to the last digit, and is filled when that is spent", () => {
    world.crash()
    const { capabilities } = world.venue.port.find("SIM") ?? {}
    if (capabilities === undefined) throw new Error("no venue")
    world = new World({ venue: { capabilities: { ...capabilities, marketBuyByCost: true } } })
    world.start()
    world.advance(2_000)
    const { order } = submit({ orderType: "MARKET", quantity: text("250"), quantityType: "QUOTE" })
    expect([order.held.toString(), order.baseQuantity.toString()]).toEqual(["250", "2.5"])
    world.advance(1_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "FILLED", orderQuantityType: "QUOTE" })
  })
})
