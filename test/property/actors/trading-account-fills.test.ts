/** Whatever the order in which trades, views and timers come: one truth in the end, and every event told again as it was told. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { EXECUTIONS_KEPT } from "../../../src/domain/order/trade-order.ts"
import type { VenueFill } from "../../../src/ports/venue-session.ts"
import { life, live } from "../../kit/worlds/filled-lives.ts"
import { placed, readyWorld } from "../../kit/worlds/ready-world.ts"
import { retold } from "../../kit/worlds/retold.ts"
import { ACCOUNT } from "../../sim/world.ts"

const summed = (trades: ReadonlyArray<VenueFill>) => {
  const fees = new Map<string, Decimal>()
  let cost = Decimal.ZERO
  for (const trade of trades) {
    cost = cost.add(Decimal.of(trade.price).multiply(Decimal.of(trade.quantity)))
    for (const fee of trade.fees)
      fees.set(fee.asset, (fees.get(fee.asset) ?? Decimal.ZERO).add(Decimal.of(fee.quantity)))
  }
  return { cost: `${cost}`, fees: [...fees].map(([asset, quantity]) => `${quantity} ${asset}`) }
}

describe("trades, views and timers in any order", () => {
  it("come to the venue's quantity, cost and fees, with its trades alone", () => {
    let inferred = 0
    void fc.assert(
      fc.property(life(1, 6, 400), (one) => {
        const { world, end, sim, trades } = live(one)
        inferred += world.database.executions.size - trades.length
        const { cost, fees } = summed(trades)
        expect({
          quantity: `${end.executedQuantity}`,
          cost: `${end.executedCost}`,
          fees: end.fees.map(({ asset, quantity }) => `${quantity} ${asset}`),
          trades: new Set(end.executions.map((it) => it.externalTradeId)),
          count: end.executionCount,
          unexplained: end.unexplained,
        }).toEqual({
          quantity: `${sim.executed}`,
          cost,
          fees,
          trades: new Set(trades.map((it) => it.externalTradeId)),
          count: trades.length,
          unexplained: null,
        })
        expect(end.orderStatus).toBe(sim.status === "OPEN" ? "PARTIALLY_FILLED" : sim.status)
        expect(world.database.quarantined.size).toBe(0)
      }),
      { numRuns: 120, seed: 5 },
    )
    expect(inferred).toBeGreaterThan(20)
  })

  it("are told again from what the journal keeps, letter for letter", () => {
    let told = 0
    void fc.assert(
      fc.property(life(1, 25, 60), (one) => {
        const { database } = live(one).world
        for (const event of database.events.get(ACCOUNT) ?? []) {
          if (event.kept === undefined) continue
          told++
          expect(retold(database, ACCOUNT, event)).toBe(event.payload)
        }
      }),
      { numRuns: 60, seed: 6 },
    )
    expect(told).toBeGreaterThan(1_000)
  })
})

describe("an order of a thousand fills", () => {
  it("carries and keeps as little with each as one of few", () => {
    const world = readyWorld()
    const { tradeOrderId } = placed(world, { quantity: "900" as never })
    const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
    const sizes: Array<number> = []
    for (let i = 0; i < 1_000; i++) {
      const before = world.database.events.get(ACCOUNT)!.length
      world.venue.fill(sim, Decimal.of("0.5"), "99")
      sim.fills.length = 0
      world.advance(20)
      const events = world.database.events.get(ACCOUNT)!.slice(before)
      sizes.push(events.reduce((sum, { kept = null, payload }) => sum + (kept ?? payload).length, 0))
    }
    const end = world.read(tradeOrderId)
    expect([end.executions.length, end.executionCount, `${end.executedQuantity}`]).toEqual([
      EXECUTIONS_KEPT,
      1_000,
      "500",
    ])
    expect(world.database.executions.size).toBe(1_000)
    expect(Math.max(...sizes)).toBeLessThan(1_000)
    expect(Math.max(...sizes.slice(-100))).toBeLessThan(sizes[50]! + 100)
    world.crash()
    world.start()
    world.advance(2_000)
    const again = world.read(tradeOrderId)
    expect([again.executions.length, again.executionCount]).toEqual([EXECUTIONS_KEPT, 1_000])
    const repeated = [...world.database.executions.values()][3]!
    world.venue.tell({
      _tag: "Filled",
      fill: {
        tradeOrderId,
        externalOrderId: sim.externalOrderId,
        externalTradeId: repeated.externalTradeId,
        instrumentId: again.instrumentId,
        orderSide: again.orderSide,
        quantity: "0.5",
        price: "99",
        fees: [],
        executedAt: repeated.executedAt,
      },
    })
    world.advance(1_000)
    expect(world.read(tradeOrderId).executionCount).toBe(1_000)
    expect(world.database.executions.size).toBe(1_000)
  })
})
