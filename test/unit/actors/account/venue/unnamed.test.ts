/**
 * Orders that the venue shows without our client id: an order of ours that is shown before its submit is answered is not taken for one that
 * was placed elsewhere, and one that was placed elsewhere is, once our own submits are settled.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { isEnd } from "../../../../../src/domain/order/view.ts"
import type { SessionReport } from "../../../../../src/ports/venue-session.ts"
import { placedElsewhere, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { PLAIN_TRAITS, type VenueTraits } from "../../../../sim/traits.ts"
import { errorOf, okOf, World } from "../../../../sim/world.ts"

const KINDS = ["ASKED", "CHANGED"] as const

const worldOf = (clientIds: VenueTraits["clientIds"], traits: Partial<VenueTraits> = {}): World => {
  const world = readyWorld()
  world.venue.traits = { ...PLAIN_TRAITS, ...traits, clientIds }
  return world
}

const ordersOf = (world: World): ReadonlyArray<TradeOrder> =>
  [...world.database.orders.values()].map(({ order }) => order)
const only = (world: World): TradeOrder => {
  const orders = ordersOf(world)
  expect(orders).toHaveLength(1)
  return orders[0]!
}
const locked = (world: World): string => world.portfolio("USDT")[0]!.locked.toString()
const executed = (world: World): ReadonlyArray<string> =>
  [...world.database.executions.values()].map(({ tradeOrderId }) => tradeOrderId)

describe.each(KINDS)("at a venue whose views do not name our client id (%s), an order of ours", (kind) => {
  it("is one order here when the stream shows it, and its trade, before the submit is answered", () => {
    const world = worldOf(kind)
    const asked = world.submit({ quantity: "2" as never })
    const late = world.submit({ orderType: "MARKET", quantity: "1" as never })
    world.advance(2_000)
    const orders = ordersOf(world)
    expect(orders.map(({ origin, orderStatus }) => [origin, orderStatus])).toEqual([
      ["GATEWAY", "ACCEPTED"],
      ["GATEWAY", "FILLED"],
    ])
    expect(orders.map((it) => it.tradeOrderId)).toEqual([okOf(asked).order.tradeOrderId, okOf(late).order.tradeOrderId])
    expect(executed(world)).toEqual([okOf(late).order.tradeOrderId])
    world.advance(60_000)
    expect(ordersOf(world)).toHaveLength(2)
    expect(locked(world)).toBe("200")
  })

  it("is one order here when our clock is an hour ahead of the venue's", () => {
    const world = worldOf(kind)
    world.wallAheadMillis = 3_600_000
    const asked = world.submit({ quantity: "2" as never })
    world.advance(20_000)
    expect(only(world)).toMatchObject({ tradeOrderId: okOf(asked).order.tradeOrderId, orderStatus: "ACCEPTED" })
    expect(locked(world)).toBe("200")
  })

  it.each(["lostAfter", "silentAfter", "arrivesLate"] as const)(
    "is one order here when the answer to its submit does not come (%s), and is not sent again",
    (fate) => {
      const world = worldOf(kind)
      world.venue.fates.submit = () => fate
      world.submit({ quantity: "2" as never })
      world.advance(6_000)
      world.venue.fill(world.venue.find(only(world))!, Decimal.of("0.5"))
      world.advance(120_000)
      const order = only(world)
      expect(order).toMatchObject({ origin: "GATEWAY", orderStatus: "PARTIALLY_FILLED", doubt: null })
      expect(order.executedQuantity.toString()).toBe("0.5")
      expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
      expect(locked(world)).toBe("150")
    },
  )

  it("is one order here when the process ends between its submit and the answer", () => {
    const world = worldOf(kind)
    world.submit({ quantity: "2" as never })
    while (world.venue.orders.size === 0) world.advance(1)
    world.venue.fill(world.venue.find(only(world))!, Decimal.of("0.5"))
    world.crash()
    world.start()
    world.advance(60_000)
    const order = only(world)
    expect(order).toMatchObject({ origin: "GATEWAY", orderStatus: "PARTIALLY_FILLED", doubt: null })
    expect(executed(world)).toEqual([order.tradeOrderId])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
    expect(locked(world)).toBe("150")
  })

  it("is one order here when more are in doubt than are asked for before the account opens", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "silentAfter"
    for (let n = 0; n < 25; n++) world.submit({ quantity: "1" as never, limitPrice: "90" as never })
    world.advance(100)
    world.crash()
    world.start()
    world.advance(60_000)
    const orders = ordersOf(world)
    expect(orders).toHaveLength(25)
    expect(new Set(orders.map((it) => it.externalOrderId)).size).toBe(25)
    expect(orders.every((it) => it.origin === "GATEWAY" && it.orderStatus === "ACCEPTED")).toBe(true)
  })

  it("is one order here, with its trades, when it is cancelled before the venue has named it", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    world.venue.fill(world.venue.find(only(world))!, Decimal.of("0.5"))
    world.cancel(only(world).tradeOrderId)
    world.advance(20_000)
    const order = only(world)
    expect(order).toMatchObject({ origin: "GATEWAY", orderStatus: "CANCELLED", executedQuantity: Decimal.of("0.5") })
    expect(executed(world)).toEqual([order.tradeOrderId])
  })

  it("is cancelled when it comes after it was given up, and a trade alone tells of it", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never })
    world.advance(30_000)
    const { tradeOrderId } = only(world)
    // No list of open orders: what the venue says when it is asked whose trade that is has to do.
    world.venue.listsWaitMillis = 3_600_000
    world.venue.fates.stream = ({ _tag }) => (_tag === "OrderSeen" ? "drop" : "deliver")
    const sim = placedElsewhere(world, { quantity: "2" }, tradeOrderId)
    world.venue.fill(sim, Decimal.of("0.5"))
    world.advance(30_000)
    expect(sim.status).toBe("CANCELLED")
    expect(only(world)).toMatchObject({ origin: "GATEWAY", executedQuantity: Decimal.of("0.5") })
  })

  it("is cancelled when it comes after it was given up, while another one in doubt may be it", () => {
    const world = worldOf(kind, { replicaLagMillis: 2_000 })
    world.venue.random.between = (_from, to) => to
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(30_000)
    const { tradeOrderId } = only(world)
    world.submit()
    world.advance(100)
    const sim = placedElsewhere(world, {}, tradeOrderId)
    world.advance(10_000)
    expect(ordersOf(world).map((it) => it.orderStatus)).toEqual(["REJECTED", "UNKNOWN"])
    expect(world.read(tradeOrderId).externalOrderId).toBe(sim.externalOrderId)
    expect(sim.status).toBe("CANCELLED")
    world.advance(20_000)
    expect(ordersOf(world).map((it) => it.orderStatus)).toEqual(["REJECTED", "REJECTED"])
  })

  it("is in doubt, not rejected, when its submit is refused after it was shown", () => {
    const world = worldOf(kind, { refusesWhenShown: true })
    world.venue.fates.submit = () => "refusedWhenShown"
    world.submit({ quantity: "2" as never })
    world.advance(20_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "ACCEPTED", doubt: null })
  })

  it("is in doubt, not rejected, when its submit is refused while the venue is asked whose the order is that it shows", () => {
    const world = worldOf(kind, { refusesWhenShown: true })
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never })
    world.advance(30_000)
    expect(only(world).orderStatus).toBe("REJECTED")
    world.venue.fates.submit = () => "refusedWhenShown"
    world.submit({ quantity: "2" as never })
    world.advance(20_000)
    expect(ordersOf(world)).toMatchObject([
      { origin: "GATEWAY", orderStatus: "REJECTED" },
      { origin: "GATEWAY", orderStatus: "ACCEPTED", doubt: null },
    ])
  })

  it("is in doubt while an order that was filled may be it, and the venue knows that one by no client id yet", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostAfter"
    world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 100_000
    world.submit()
    world.advance(20)
    world.venue.fill(world.venue.find(only(world))!, Decimal.ONE)
    world.advance(60_000)
    expect(only(world)).toMatchObject({ orderStatus: "UNKNOWN", held: Decimal.of("100") })
    world.advance(120_000)
    const order = only(world)
    expect(order).toMatchObject({ origin: "GATEWAY", orderStatus: "FILLED", doubt: null })
    expect(executed(world)).toEqual([order.tradeOrderId])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is in doubt in a later process too, which is not shown that one and finds no trade of it yet", () => {
    const world = worldOf(kind, { historyLagMillis: 100_000 })
    world.venue.random.between = (_from, to) => to
    world.venue.fates.submit = () => "lostAfter"
    world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 100_000
    world.submit()
    world.advance(20)
    world.venue.fill(world.venue.find(only(world))!, Decimal.ONE)
    world.advance(3_000)
    world.crash()
    world.advance(1_000)
    world.start()
    world.advance(60_000)
    expect(only(world)).toMatchObject({ orderStatus: "UNKNOWN", held: Decimal.of("100") })
    world.advance(120_000)
    const order = only(world)
    expect(order).toMatchObject({ origin: "GATEWAY", orderStatus: "FILLED", doubt: null })
    expect(executed(world)).toEqual([order.tradeOrderId])
  })

  it("is given up by a later process when the venue never had it, though an equal one was shown to an older one", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(50)
    world.venue.fill(placedElsewhere(world), Decimal.ONE)
    world.advance(3_000)
    world.crash()
    world.start()
    world.advance(60_000)
    expect(ordersOf(world).map((it) => it.orderStatus)).toContain("UNKNOWN")
    world.advance(400_000)
    expect(ordersOf(world)).toMatchObject([
      { origin: "GATEWAY", orderStatus: "REJECTED" },
      { origin: "EXTERNAL", orderStatus: "FILLED" },
    ])
    expect(locked(world)).toBe("0")
  })

  it("is one order here when it comes after it was given up and fills at once, and an older view of it is told last", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 100_000
    world.submit({ orderType: "MARKET" })
    world.advance(30_000)
    const { tradeOrderId, orderStatus } = only(world)
    expect(orderStatus).toBe("REJECTED")
    const sim = placedElsewhere(world, { orderType: "MARKET", limitPrice: null }, tradeOrderId)
    const older = { ...world.venue.stateOf(sim), tradeOrderId: null, status: "OPEN", executedQuantity: "0" } as const
    world.advance(1_000)
    world.venue.tell({ _tag: "OrderSeen", state: older })
    world.advance(200_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "FILLED" })
    expect(executed(world)).toEqual([tradeOrderId])
  })

  it("is one order here when it comes after it was given up and fills at once, and the stream loses its end", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 60_000
    world.submit({ orderType: "MARKET" })
    world.advance(30_000)
    const { tradeOrderId, orderStatus } = only(world)
    expect(orderStatus).toBe("REJECTED")
    const isEndSeen = (it: SessionReport) => it._tag === "Filled" || (it._tag === "OrderSeen" && isEnd(it.state))
    world.venue.fates.stream = (report) => (isEndSeen(report) ? "drop" : "deliver")
    placedElsewhere(world, { orderType: "MARKET", limitPrice: null }, tradeOrderId)
    world.advance(150_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "FILLED" })
    expect(executed(world)).toEqual([tradeOrderId])
  })

  it("is one order here when it comes after it was given up, and the session ends before the venue could be asked for it", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(30_000)
    const { tradeOrderId } = only(world)
    world.venue.isUp = false
    placedElsewhere(world, {}, tradeOrderId)
    world.advance(3_000)
    world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
    world.advance(60_000)
    expect(only(world)).toMatchObject({ tradeOrderId, orderStatus: "REJECTED" })
  })

  it("has the trades that fit it alone, when the venue has forgotten it with its cancel", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const { tradeOrderId } = only(world)
    const sim = world.venue.find(only(world))!
    // Neither the stream nor an answer tells of it before the venue has forgotten it.
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.5"))
    world.cancel(tradeOrderId)
    world.advance(100)
    world.crash()
    world.start()
    world.advance(900_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "CANCELLED", doubt: null })
    expect(only(world).executedQuantity.toString()).toBe("0.5")
    expect(executed(world)).toEqual([tradeOrderId])
  })

  /** Filled in part without a word, cancelled, and forgotten: the process ends before it hears of the cancel. */
  const cancelledUnheard = (world: World, meanwhile = (): void => undefined): TradeOrder => {
    world.venue.fates.stream = () => "drop"
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const order = ordersOf(world).at(-1)!
    world.venue.fill(world.venue.find(order)!, Decimal.of("0.5"))
    meanwhile()
    world.cancel(order.tradeOrderId)
    world.advance(8)
    expect(world.venue.find(order)!.status).toBe("CANCELLED")
    world.crash()
    world.start()
    return order
  }

  it("has the trades that fit it alone, when nothing was heard of its cancel and the venue has forgotten it", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    const { tradeOrderId } = cancelledUnheard(world)
    world.advance(900_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "CANCELLED", doubt: null })
    expect(only(world).executedQuantity.toString()).toBe("0.5")
    expect(executed(world)).toEqual([tradeOrderId])
  })

  it("has the trades that fit it, and another in doubt whose cancel nobody asked for", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    const { tradeOrderId } = cancelledUnheard(world, () => {
      world.venue.fates.submit = () => "lostBefore"
      world.submit({ orderType: "MARKET", quantity: "3" as never, limitPrice: undefined })
      world.advance(100)
    })
    world.advance(900_000)
    expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
    expect(executed(world)).toEqual([tradeOrderId])
    expect(ordersOf(world).map(({ orderStatus }) => orderStatus)).toEqual(["CANCELLED", "REJECTED"])
  })

  it("has the trades that fit it alone, where an older process gave up another that they do not fit", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never, limitPrice: "90" as never })
    world.advance(30_000)
    expect(only(world).orderStatus).toBe("REJECTED")
    const { tradeOrderId } = cancelledUnheard(world)
    world.advance(900_000)
    expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
    expect(executed(world)).toEqual([tradeOrderId])
  })

  it.each(["this", "an older"])(
    "has the trades that fit it, and another that was given up and appeared to %s process",
    (to) => {
      const world = worldOf(kind, { forgetsCancelled: true })
      world.venue.fates.submit = () => "lostBefore"
      world.submit({ quantity: "2" as never })
      world.advance(100)
      const other = only(world)
      world.cancel(other.tradeOrderId)
      world.advance(30_000)
      expect(only(world)).toMatchObject({ orderStatus: "REJECTED", cancelRequested: true, externalOrderId: null })
      const appears = (): void => {
        placedElsewhere(world, { quantity: "2" }, other.tradeOrderId)
        world.advance(30_000)
        expect(world.read(other.tradeOrderId).externalOrderId).not.toBeNull()
      }
      if (to !== "this") appears()
      const { tradeOrderId } = cancelledUnheard(world)
      if (to === "this") appears()
      world.advance(900_000)
      expect(executed(world)).toEqual([tradeOrderId])
      expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
    },
  )

  it("has the trades that fit it, and another that left minutes after them and was given up", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    const { tradeOrderId } = cancelledUnheard(world)
    world.advance(200_000)
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const later = ordersOf(world).at(-1)!
    world.cancel(later.tradeOrderId)
    world.advance(60_000)
    expect(world.read(later.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", cancelRequested: true })
    world.advance(700_000)
    expect(executed(world)).toEqual([tradeOrderId])
    expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
  })

  it("is one order here when it was shown, and the venue has forgotten it with its cancel", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const { externalOrderId } = world.venue.find(only(world))!
    world.venue.fates.stream = () => "drop"
    world.cancel(only(world).tradeOrderId)
    world.advance(900_000)
    expect(only(world)).toMatchObject({ origin: "GATEWAY", orderStatus: "CANCELLED", externalOrderId, doubt: null })
    expect(locked(world)).toBe("0")
  })

  it("is one order here when it was shown, the venue has forgotten it, and another one like it left minutes later", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const first = only(world)
    const { externalOrderId } = world.venue.find(first)!
    world.venue.fates.stream = () => "drop"
    world.cancel(first.tradeOrderId)
    world.advance(100_000)
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never })
    world.advance(900_000)
    expect(ordersOf(world).map((it) => [it.origin, it.orderStatus, it.externalOrderId])).toEqual([
      ["GATEWAY", "CANCELLED", externalOrderId],
      ["GATEWAY", "REJECTED", null],
    ])
  })

  it("is not taken for another one that was given up, when the venue has forgotten that one", () => {
    const world = worldOf(kind, { forgetsCancelled: true })
    world.venue.fates.submit = () => "silentAfter"
    world.submit({ quantity: "2" as never })
    world.advance(100)
    const first = only(world)
    const sim = world.venue.find(first)!
    world.venue.fates.stream = () => "drop"
    world.venue.forgotten.add(sim)
    world.venue.end(sim, "CANCELLED")
    world.advance(1_000)
    world.venue.fates.submit = () => "lostBefore"
    world.submit({ quantity: "2" as never })
    world.advance(900_000)
    const second = ordersOf(world).find((it) => it.tradeOrderId !== first.tradeOrderId)
    expect(second).toMatchObject({ orderStatus: "REJECTED", externalOrderId: null })
  })

  it("is one order here when it was the newest of many that were given up, and comes to another process", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    for (let n = 0; n < 25; n++) {
      world.submit({ quantity: "1" as never, limitPrice: "90" as never })
      world.advance(100)
    }
    world.advance(60_000)
    expect(new Set(ordersOf(world).map((it) => it.orderStatus))).toEqual(new Set(["REJECTED"]))
    const { tradeOrderId } = ordersOf(world).at(-1)!
    world.crash()
    world.start()
    world.advance(10_000)
    const sim = placedElsewhere(world, { limitPrice: "90" }, tradeOrderId)
    world.advance(30_000)
    expect(ordersOf(world)).toHaveLength(25)
    expect(world.read(tradeOrderId).externalOrderId).toBe(sim.externalOrderId)
  })

  it("was never placed, and an equal one placed elsewhere after that is imported within a moment while it is open", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(30_000)
    expect(only(world).orderStatus).toBe("REJECTED")
    const { externalOrderId } = placedElsewhere(world)
    world.advance(8_000)
    only(world)
    world.advance(12_000)
    expect(ordersOf(world)).toMatchObject([
      { origin: "GATEWAY", orderStatus: "REJECTED" },
      { origin: "EXTERNAL", orderStatus: "ACCEPTED", externalOrderId },
    ])
  })

  it("is rejected in the end, and an equal one that was filled meanwhile is imported, when the venue never had it", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(50)
    world.venue.fill(placedElsewhere(world), Decimal.ONE)
    world.advance(60_000)
    expect(only(world)).toMatchObject({ orderStatus: "UNKNOWN", held: Decimal.of("100") })
    world.advance(400_000)
    expect(ordersOf(world)).toMatchObject([
      { origin: "GATEWAY", orderStatus: "REJECTED" },
      { origin: "EXTERNAL", orderStatus: "FILLED" },
    ])
    expect(executed(world)).toEqual([ordersOf(world)[1]!.tradeOrderId])
    expect(locked(world)).toBe("0")
  })

  it("is rejected, and an equal one placed elsewhere is imported, when the venue never had it", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(50)
    const sim = placedElsewhere(world)
    world.advance(100)
    expect(only(world)).toMatchObject({ orderStatus: "UNKNOWN" })
    world.venue.fill(sim, Decimal.of("0.5"))
    world.advance(60_000)
    expect(ordersOf(world)).toMatchObject([
      { origin: "GATEWAY", orderStatus: "REJECTED" },
      { origin: "EXTERNAL", orderStatus: "PARTIALLY_FILLED", externalOrderId: sim.externalOrderId },
    ])
    expect(executed(world)).toEqual([ordersOf(world)[1]!.tradeOrderId])
    expect(locked(world)).toBe("50")
  })

  it("is told apart from an equal one that is placed elsewhere at the same time", () => {
    const world = worldOf(kind)
    const asked = world.submit()
    const sim = placedElsewhere(world)
    world.advance(30_000)
    const own = okOf(asked).order.tradeOrderId
    const orders = ordersOf(world)
    expect(orders).toHaveLength(2)
    expect(orders.find((it) => it.tradeOrderId === own)).toMatchObject({ origin: "GATEWAY", orderStatus: "ACCEPTED" })
    expect(orders.find((it) => it.tradeOrderId !== own)).toMatchObject({
      origin: "EXTERNAL",
      orderStatus: "ACCEPTED",
      externalOrderId: sim.externalOrderId,
    })
    expect(locked(world)).toBe("200")
  })

  it("keeps none waiting that it cannot be", () => {
    const world = worldOf(kind)
    world.venue.fates.submit = () => "lostBefore"
    world.submit()
    world.advance(50)
    placedElsewhere(world, { quantity: "3" })
    placedElsewhere(world, { limitPrice: "90" })
    placedElsewhere(world, { orderSide: "SELL", limitPrice: "120" })
    world.advance(500)
    expect(ordersOf(world).filter((it) => it.origin === "EXTERNAL")).toHaveLength(3)
  })
})

describe("the names of trades that memory does not know", () => {
  it("are asked for again by the next incarnation when the store's answer is a defect; callers are answered", () => {
    let defects = 0
    const world = new World({
      storeOf: (store) => ({
        ...store,
        names: (id, asked) => {
          if (defects-- > 0) throw new Error("names")
          return store.names(id, asked)
        },
      }),
    })
    world.start()
    world.advance(2_000)
    const sim = placedElsewhere(world)
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    defects = 1
    world.venue.fill(sim, Decimal.of("0.5"))
    const refused = world.submit({ clientOrderId: "first", quantity: "900000" as never })
    world.advance(10_000)
    expect(errorOf(refused)).toBe("OutcomeUnknown")
    expect(only(world)).toMatchObject({ origin: "EXTERNAL", orderStatus: "PARTIALLY_FILLED" })
    expect(world.accounts.stats().restarts).toBe(1)
  })
})
