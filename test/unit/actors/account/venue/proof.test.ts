/** The proof that an order was never placed (contract C3): by answers and by time, and neither begins anew with a process. */
import { Effect } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { VenueUnavailable } from "../../../../../src/domain/errors/venue.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { placed, placedElsewhere, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { VenueHistory } from "../../../../sim/venue/venue-history.ts"
import type { World } from "../../../../sim/world.ts"

afterEach(() => vi.restoreAllMocks())

/** Of the simulated venue: 2 s to leave, 5 s to arrive, 10 s of margin. */
const PROOF_MILLIS = 17_000

const rowOf = (world: World, { tradeOrderId }: TradeOrder) => world.database.orders.get(tradeOrderId)!.order

const lost = (world: World): TradeOrder => {
  world.venue.fates.submit = () => "silentBefore"
  return placed(world)
}

/** A life of the process after the other, until the order is over; how many there were. */
const livesOf = (world: World, order: TradeOrder, lifeMillis: number, max: number): number => {
  for (let lives = 1; lives <= max; lives++) {
    world.advance(lifeMillis)
    if (rowOf(world, order).orderStatus === "REJECTED") return lives
    world.crash()
    world.advance(500)
    world.start()
  }
  return max + 1
}

describe("an order that was filled, of which only its trade tells for a minute", () => {
  for (const [what, aheadMillis] of [
    ["right", 0],
    ["an hour ahead", 3_600_000],
  ] as const) {
    it(`is not given up where our clock is ${what}`, () => {
      const world = readyWorld()
      world.wallAheadMillis = aheadMillis
      world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 60_000
      world.venue.fates.stream = () => "drop"
      world.venue.fates.submit = () => "lostAfter"
      const order = placed(world, { orderType: "MARKET" })
      world.advance(50_000)
      expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
      expect(rowOf(world, order).held.isPositive()).toBe(true)
      world.advance(70_000)
      expect(rowOf(world, order)).toMatchObject({ orderStatus: "FILLED", doubt: null })
    })
  }
})

describe("an order that never arrived", () => {
  it("is given up although the venue lists a trade of an order that it does not know any more", () => {
    const world = readyWorld()
    const order = lost(world)
    world.venue.fates.stream = () => "drop"
    const sim = placedElsewhere(world)
    world.venue.fill(sim, Decimal.of("0.5"))
    world.venue.end(sim, "CANCELLED")
    world.venue.forgotten.add(sim)
    world.advance(200_000)
    expect(rowOf(world, order).orderStatus).toBe("UNKNOWN")
    world.advance(300_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
    expect(world.database.quarantined.size).toBe(1)
  })

  /** Of an order that was placed elsewhere and is over, its trade alone tells. */
  const tradedElsewhere = (world: World) => {
    world.venue.fates.stream = () => "drop"
    const sim = placedElsewhere(world)
    world.venue.fill(sim, Decimal.of("0.5"))
    world.venue.end(sim, "CANCELLED")
    return sim
  }
  /** How the venue answers when it is asked for it; null: by what it knows. */
  const answersOf = (sim: ReturnType<typeof placedElsewhere>, answer: () => "fails" | "unknown" | null): void => {
    const { order: shown } = VenueHistory.prototype
    vi.spyOn(VenueHistory.prototype, "order").mockImplementation(function (this: VenueHistory, session, ref) {
      const lookup = shown.call(this, session, ref)
      const said = ref.externalOrderId === sim.externalOrderId ? answer() : null
      if (said === null) return lookup
      if (said === "unknown") return Effect.succeed({ _tag: "NotFound" as const, definite: false })
      return Effect.flatMap(lookup, () => Effect.fail(new VenueUnavailable({ reason: "simulated" })))
    })
  }

  it("is not given up while the venue does not answer for the order of such a trade", () => {
    const world = readyWorld()
    const order = lost(world)
    const sim = tradedElsewhere(world)
    let answers = false
    answersOf(sim, () => (answers ? null : "fails"))
    world.advance(900_000)
    expect(rowOf(world, order).orderStatus).toBe("UNKNOWN")
    world.venue.forgotten.add(sim)
    answers = true
    world.advance(200_000)
    expect(rowOf(world, order).orderStatus).toBe("UNKNOWN")
    world.advance(300_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
  })

  it("is not given up for one answer that the venue does not know the order of such a trade, when the later ones fail", () => {
    const world = readyWorld()
    const order = lost(world)
    const sim = tradedElsewhere(world)
    let asked = 0
    let answers = false
    answersOf(sim, () => (answers ? null : ++asked === 1 ? "unknown" : "fails"))
    world.advance(900_000)
    expect(asked).toBeGreaterThan(1)
    expect(rowOf(world, order).orderStatus).toBe("UNKNOWN")
    world.venue.forgotten.add(sim)
    answers = true
    world.advance(500_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
  })

  for (const [lifeMillis, most] of [
    [7_000, 8],
    [3_000, 24],
    [1_800, 120],
  ] as const) {
    it(`is given up although the process ends every ${lifeMillis} ms`, () => {
      const world = readyWorld()
      const order = lost(world)
      expect(livesOf(world, order, lifeMillis, 200)).toBeLessThanOrEqual(most)
      expect(rowOf(world, order)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
      expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("0")
      expect(world.venue.arrivals.size).toBe(0)
    })
  }

  it("is no victim of a restart when it waited here then and this process sent it", () => {
    const world = readyWorld({}, "100")
    const entry = placed(world, { limitPrice: "99", takeProfitLimitPrice: "110" })
    world.crash()
    world.start()
    world.advance(1_000)
    world.venue.fates.submit = () => "silentBefore"
    world.venue.fill(world.venue.find(entry)!, Decimal.ONE)
    world.advance(60_000)
    const exit = [...world.database.orders.values()].find(
      ({ order }) => order.tradeOrderId !== entry.tradeOrderId,
    )!.order
    expect(exit).toMatchObject({ orderStatus: "REJECTED", rejectReason: "NOT_PLACED: proven by expiry" })
  })

  it("is not given up sooner for that the wall clock was set", () => {
    const world = readyWorld()
    const order = lost(world)
    world.advance(3_000)
    world.crash()
    world.wallAheadMillis = 3_600_000
    world.start()
    const beganAt = world.time.now
    world.advance(PROOF_MILLIS - 4_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
    while (rowOf(world, order).orderStatus === "UNKNOWN") world.advance(100)
    expect(rowOf(world, order).orderStatus).toBe("REJECTED")
    expect(world.time.now - beganAt).toBeLessThanOrEqual(PROOF_MILLIS + 2_000)
  })

  it("is not given up for the time in which no process ran", () => {
    const world = readyWorld()
    const order = lost(world)
    world.advance(3_000)
    world.crash()
    world.advance(3_600_000)
    world.start()
    world.advance(5_000)
    expect(rowOf(world, order).orderStatus).toBe("UNKNOWN")
    world.advance(PROOF_MILLIS)
    expect(rowOf(world, order).orderStatus).toBe("REJECTED")
  })

  it("is written seldom while it is asked for", () => {
    const world = readyWorld()
    const order = lost(world)
    world.advance(60_000)
    const { orderStatus, version } = rowOf(world, order)
    expect(orderStatus).toBe("REJECTED")
    // Created, in doubt, how far the proof was a few times, rejected.
    expect(version).toBeLessThanOrEqual(7)
  })

  it("is found by a later process, and then nothing of the proof stays", () => {
    const world = readyWorld()
    const order = lost(world)
    livesOf(world, order, 4_000, 2)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
    const { instrumentId, orderSide } = order
    const late = {
      instrumentId,
      orderSide,
      orderType: "LIMIT",
      timeInForce: "GTC",
      quantity: "1",
      limitPrice: "100",
    } as const
    world.venue.place(late, order.tradeOrderId)
    world.advance(10_000)
    expect(rowOf(world, order)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
  })
})

describe("an order that the venue acknowledged before the process ended, and shows no more", () => {
  const expectNotNeverPlaced = (world: World, { tradeOrderId }: Pick<TradeOrder, "tradeOrderId">): void => {
    world.advance(200)
    world.venue.isKnown = () => false
    world.venue.end(world.venue.find({ tradeOrderId, externalOrderId: null })!, "CANCELLED")
    world.crash()
    world.start()
    world.advance(60_000)
    const { orderStatus, held } = world.read(tradeOrderId)
    expect(orderStatus).not.toBe("REJECTED")
    expect(held.isPositive()).toBe(true)
    world.advance(300_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("CANCELLED")
  }

  it("was placed: its trigger had fired", () => {
    const world = readyWorld({}, "100")
    world.venue.fates.stream = () => "drop"
    const terms = { orderSide: "SELL", orderType: "STOP_LOSS_LIMIT", stopPrice: "90", limitPrice: "95" }
    const order = placed(world, terms)
    world.trade("90")
    expectNotNeverPlaced(world, order)
  })

  it("was placed: its cancel had been asked for before it was acknowledged", () => {
    const world = readyWorld()
    world.venue.fates.stream = () => "drop"
    world.venue.fates.cancel = () => "silentBefore"
    world.submit()
    world.advance(1)
    const { order } = [...world.database.orders.values()][0]!
    world.cancel(order.tradeOrderId)
    expectNotNeverPlaced(world, order)
  })
})
