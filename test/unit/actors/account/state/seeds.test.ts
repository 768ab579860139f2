/** What seeds of the simulation found, each as the shortest life that shows it (`npm run sim -- --seed N`). */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { SimMarkets } from "../../../../sim/venue/market.ts"
import { errorOf, START, World, type WorldOptions } from "../../../../sim/world.ts"

const DAY_MILLIS = 86_400_000

const ready = (options: WorldOptions = {}): World => readyWorld(options, "100")

const rows = (world: World): ReadonlyArray<TradeOrder> => [...world.database.orders.values()].map((it) => it.order)

describe("a renewal", () => {
  it("of an entry that is confirmed too late takes its waiting exits with it (seed 30)", () => {
    const world = ready()
    const entry = placed(world, { quantity: "5", takeProfitLimitPrice: "110", stopLossPrice: "90" })
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = () => "drop"
    world.venue.isUp = false
    world.replace(entry.tradeOrderId, { quantity: "7" })
    world.advance(60_000)
    world.venue.isUp = true
    world.advance(120_000)
    expect(world.read(entry.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "REPLACED" })
    const exits = rows(world).filter((it) => it.terms?.leg)
    expect(exits.map((it) => `${it.orderStatus} ${it.cancelReason}`)).toEqual([
      "REVOKED PARENT_CLOSED",
      "REVOKED PARENT_CLOSED",
    ])
  })

  it("of an order that the venue has triggered does not wait for its trigger again (seed 144)", () => {
    const triggers = { ...PLAIN_CAPABILITIES.triggers, stop: "NATIVE" as const }
    const world = ready({ venue: { capabilities: { ...PLAIN_CAPABILITIES, triggers } } })
    const order = placed(world, { orderType: "STOP_LIMIT", stopPrice: "105", limitPrice: "106" })
    const [sim] = world.venue.openOrders()
    expect(sim?.trigger?.isTriggered).toBe(false)
    world.venue.trade(sim!.trigger!.stopPrice)
    world.advance(200)
    world.replace(order.tradeOrderId, { limitPrice: "104" })
    world.advance(5_000)
    const [heir] = world.venue.openOrders()
    expect(heir?.tradeOrderId).not.toBe(order.tradeOrderId)
    expect(heir?.order.limitPrice).toBe("104")
    expect(heir?.trigger).toBeNull()
  })
})

describe("a trigger of the venue", () => {
  it("whose order is rejected while it is being changed ends the change and the order (seed 198)", () => {
    const triggers = { ...PLAIN_CAPABILITIES.triggers, stop: "NATIVE" as const }
    const world = ready({ venue: { capabilities: { ...PLAIN_CAPABILITIES, triggers, amend: true } } })
    const order = placed(world, { orderType: "STOP_LIMIT", stopPrice: "105", limitPrice: "106" })
    const [sim] = world.venue.openOrders()
    world.venue.fates.amend = () => "silentBefore"
    world.venue.fates.trigger = () => false
    world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    world.venue.trade(sim!.trigger!.stopPrice)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
    expect(world.database.quarantined.size).toBe(0)
  })
})

describe("an exit that the venue watches", () => {
  it("and rejects when it fires, while its list wants it larger, is over and not asked to change again (seed 4182)", () => {
    const triggers = { ...PLAIN_CAPABILITIES.triggers, stop: "NATIVE" as const }
    const world = ready({ venue: { capabilities: { ...PLAIN_CAPABILITIES, triggers, amend: true } } })
    const entry = placed(world, { quantity: "5", stopLossPrice: "90" })
    const bought = world.venue.find({ tradeOrderId: entry.tradeOrderId, externalOrderId: null })!
    world.venue.fill(bought, Decimal.of("2"))
    world.advance(1_000)
    const [, sim] = world.venue.openOrders()
    expect([sim?.order.orderSide, `${sim?.quantity}`, sim?.trigger?.isTriggered]).toEqual(["SELL", "2", false])
    world.venue.fates.amend = () => "lostBefore"
    world.venue.fates.trigger = () => false
    world.venue.fill(bought, Decimal.of("2"))
    world.advance(100)
    const [, exit] = rows(world)
    expect(exit?.orderStatus).toBe("PENDING_REPLACE")
    // Its end is heard of so late that the list would ask for the change again.
    world.venue.fates.stream = () => "drop"
    world.venue.isUp = false
    world.venue.trade(Decimal.of("90"))
    world.advance(10_000)
    world.venue.isUp = true
    world.advance(30_000)
    expect(world.read(exit!.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
    const asked = world.venue.amends.get(exit!.tradeOrderId)
    world.advance(180_000)
    expect(world.venue.amends.get(exit!.tradeOrderId)).toBe(asked)
    expect(world.database.quarantined.size).toBe(0)
  })

  it("and rejects after a part of it was executed is cancelled by the venue", () => {
    const world = ready()
    const order = placed(world, { quantity: "5" })
    const sim = world.venue.find({ tradeOrderId: order.tradeOrderId, externalOrderId: null })!
    world.venue.fill(sim, Decimal.of("2"))
    world.advance(100)
    world.venue.end(sim, "REJECTED")
    world.advance(5_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "CANCELLED",
      cancelReason: "VENUE",
      executedQuantity: Decimal.of("2"),
    })
  })
})

describe("a trigger", () => {
  it("that has fired is not changed before the venue has it, and its doubt ends without harm (seed 664)", () => {
    const world = ready({ venue: { capabilities: { ...PLAIN_CAPABILITIES, amend: true } } })
    const order = placed(world, { orderType: "STOP_LIMIT", stopPrice: "105", limitPrice: "106" })
    world.venue.fates.submit = () => "silentBefore"
    world.trade("105")
    world.advance(200)
    const asked = world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(200)
    expect(errorOf(asked)).toBe("OrderNotChangeable")
    world.advance(120_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
    expect(world.accounts.stats().restarts).toBe(0)
  })

  it("that is armed while the trades are interrupted does not fire at a price from before (seed 178)", () => {
    const world = new World()
    const market = new SimMarkets(world)
    world.start()
    world.advance(1_000)
    market.trade(market.all[0]!, market.all[0]!.price)
    const terms = { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, quantity: "1" }
    const first = placed(world, { ...terms, stopPrice: "80" })
    market.down()
    const second = placed(world, { ...terms, stopPrice: "100" })
    expect(world.read(second.tradeOrderId).terms?.trigger?.triggeredAt).toBeNull()
    expect(world.read(first.tradeOrderId).orderStatus).toBe("ACCEPTED")
    market.up()
    market.trade(market.all[0]!, market.all[0]!.price)
    world.advance(200)
    expect(world.read(second.tradeOrderId).orderStatus).toBe("FILLED")
  })
})

describe("a trigger whose time is over", () => {
  it("by a clock that was set is expired by the price that would fire it, and not left unwatched (seed 3975)", () => {
    const world = ready()
    const terms = { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, quantity: "1", stopPrice: "90" }
    const order = placed(world, { ...terms, timeInForce: "GTD", expireAt: world.wall() + 600_000 })
    world.wallAheadMillis += 3_600_000
    world.trade("89")
    world.advance(100)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("EXPIRED")
  })
})

describe("an exit of a day", () => {
  it("that waits for its entry past the day's end is expired (seed 370)", () => {
    const world = ready({ startAt: START + DAY_MILLIS - 10_000 })
    const entry = placed(world, { quantity: "5", stopLossPrice: "90", stopLossTimeInForce: "DAY" })
    world.advance(20_000)
    expect(world.read(entry.tradeOrderId).orderStatus).toBe("ACCEPTED")
    expect(rows(world).find((it) => it.terms?.leg)?.orderStatus).toBe("EXPIRED")
  })

  it("that begins again with the rest of its entry is still of a day (seed 7918)", () => {
    const world = ready()
    const exits = { takeProfitLimitPrice: "110", stopLossPrice: "90", stopLossTimeInForce: "DAY" }
    const entry = placed(world, { quantity: "5", ...exits })
    const bought = world.venue.find(entry)!
    world.venue.fill(bought, Decimal.of("2"))
    world.advance(1_000)
    const profit = world.venue.openOrders().find(({ order }) => order.orderSide === "SELL")!
    world.venue.fill(profit, Decimal.of("2"))
    world.advance(1_000)
    world.venue.fill(bought, Decimal.of("3"))
    world.advance(1_000)
    const stops = rows(world).filter(({ terms }) => terms?.leg === "STOP_LOSS")
    expect(stops.map(({ orderStatus, timeInForce }) => [orderStatus, timeInForce])).toEqual([
      ["REVOKED", "DAY"],
      ["ACCEPTED", "DAY"],
    ])
    expect(stops[1]!.expireAt).toBe(stops[0]!.expireAt)
  })
})

describe("a pair of exits", () => {
  it("lets its stop go for what the cancelled leg left, however late the news of its fills (seed 5310)", () => {
    const world = ready()
    const exits = { orderSide: "SELL", orderType: "STOP_LOSS", stopPrice: "90", limitPrice: undefined }
    const stop = placed(world, { ...exits, quantity: "5", takeProfitLimitPrice: "110" })
    const [resting] = world.venue.openOrders()
    expect(resting?.order.limitPrice).toBe("110")
    world.venue.fates.stream = () => "drop"
    world.venue.fill(resting!, Decimal.of("1"))
    world.trade("90")
    world.advance(30_000)
    const sent = world.venue.find({ tradeOrderId: stop.tradeOrderId, externalOrderId: null })
    expect(sent?.executed.toString()).toBe("4")
    const executed = rows(world).map((it) => it.executedQuantity.toString())
    expect(executed.sort()).toEqual(["1", "4"])
  })
})
