/**
 * Orders that were given up and were at the venue all the same: its trades are listed late, and so is the order itself. What they executed is
 * booked to them, in this process and in a later one.
 */
import { Effect } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { type Patch, placed, placedElsewhere, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { PLAIN_TRAITS } from "../../../../sim/traits.ts"
import { VenueHistory } from "../../../../sim/venue/venue-history.ts"
import type { World } from "../../../../sim/world.ts"

afterEach(() => vi.restoreAllMocks())

const rowOf = (world: World, { tradeOrderId }: Pick<TradeOrder, "tradeOrderId">) =>
  world.database.orders.get(tradeOrderId)!.order

/** The stream tells nothing, and the history lists no trade before then. */
const listsNothingFor = (world: World, millis: number): void => {
  const from = world.time.now + millis
  const { fillsSince } = VenueHistory.prototype
  vi.spyOn(VenueHistory.prototype, "fillsSince").mockImplementation(function (this: VenueHistory, ...asked) {
    return Effect.flatMap(fillsSince.apply(this, asked), (fills) => Effect.succeed(world.time.now < from ? [] : fills))
  })
  world.venue.fates.stream = () => "drop"
}

/** Filled at once, shown 50 s later; given up before that. */
const filledUnheard = (world: World): TradeOrder => {
  const filledAt = world.time.now
  world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - filledAt > 50_000
  world.venue.fates.submit = () => "lostAfter"
  const order = placed(world, { orderType: "MARKET" })
  world.venue.fates.submit = () => "accept"
  world.advance(30_000)
  expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", rejectReason: "NOT_PLACED: proven by expiry" })
  return order
}

describe("an order that was given up although it was filled", () => {
  it("is asked for by our id, where the venue lists no trades for minutes", () => {
    const world = readyWorld()
    listsNothingFor(world, 1_000_000)
    const order = filledUnheard(world)
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED" })
    expect(rowOf(world, order).executedQuantity.toString()).toBe("1")
    expect(world.published.some(({ json }) => json.includes("FILL_AFTER_REJECT"))).toBe(true)
  })

  it("is asked for by a later process, whatever the clocks say of when it was given up", () => {
    const world = readyWorld()
    listsNothingFor(world, 1_000_000)
    const order = filledUnheard(world)
    world.crash()
    world.wallAheadMillis = 7_200_000
    world.start()
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED" })
  })

  it("is asked for until the venue answers", () => {
    const world = readyWorld()
    listsNothingFor(world, 10_000_000)
    const order = filledUnheard(world)
    world.venue.isUp = false
    world.advance(600_000)
    world.venue.isUp = true
    expect(rowOf(world, order).orderStatus).toBe("REJECTED")
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED" })
  })
})

describe("an order of which the stream told a trade, without our name, and nothing else", () => {
  /** The venue does not know it by any name, nor lists its trade, for so long; its own end is no secret after that. */
  const toldByItsTrade = (world: World, millis: number, patch: Patch = {}): TradeOrder => {
    world.venue.traits = { ...PLAIN_TRAITS, clientIds: "ASKED" }
    const from = world.time.now + millis
    world.venue.isKnown = () => world.time.now >= from
    listsNothingFor(world, millis)
    world.venue.fates.stream = ({ _tag }) => (_tag === "Filled" ? "deliver" : "drop")
    world.venue.fates.submit = () => "lostAfter"
    return placed(world, { orderType: "MARKET", ...patch })
  }

  it("is not given up before the venue says what that trade was of", () => {
    const world = readyWorld()
    const order = toldByItsTrade(world, 100_000)
    world.advance(60_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
    expect(rowOf(world, order).held.isPositive()).toBe(true)
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    expect(world.published.some(({ json }) => json.includes("FILL_AFTER_REJECT"))).toBe(false)
  })

  it("is not given up by a later process either, which was not told that trade", () => {
    const world = readyWorld()
    const order = toldByItsTrade(world, 100_000)
    world.advance(5_000)
    world.crash()
    world.start()
    world.advance(60_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    expect(world.published.some(({ json }) => json.includes("FILL_AFTER_REJECT"))).toBe(false)
  })

  it("is not given up by a later process where it was for so much money, and bought more for it than was estimated", () => {
    const world = readyWorld({ venue: { capabilities: { ...PLAIN_CAPABILITIES, marketBuyByCost: true } } })
    world.venue.price = Decimal.of("90")
    const order = toldByItsTrade(world, 100_000, { quantity: "90", quantityType: "QUOTE" })
    expect(world.venue.openOrders()).toHaveLength(0)
    world.advance(5_000)
    world.crash()
    world.start()
    world.advance(60_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
  })

  it("is given up when the venue denies the order of that trade for 300 s", () => {
    const world = readyWorld()
    const order = toldByItsTrade(world, 10_000_000)
    world.advance(280_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN" })
    world.advance(200_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
  })
})

describe("an order that was given up and has appeared", () => {
  it("is asked for by a later process that was not told of what it executed", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const order = placed(world)
    world.advance(30_000)
    expect(rowOf(world, order).orderStatus).toBe("REJECTED")
    world.venue.fates.cancel = () => "silentBefore"
    const sim = placedElsewhere(world, {}, order.tradeOrderId)
    world.advance(1_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", externalOrderId: sim.externalOrderId })
    listsNothingFor(world, 1_000_000)
    world.venue.fill(sim, sim.quantity)
    world.crash()
    world.start()
    world.advance(120_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED" })
  })
})
