/** A refusal of an order that the venue has shown: two words that contradict each other, so the order itself is asked for (contract C3). */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import type { World } from "../../../../sim/world.ts"

const refuse = (world: World, { tradeOrderId }: TradeOrder, code = "INSUFFICIENT_FUNDS"): void => {
  const at = world.time.now
  world.venue.tell({ _tag: "Refused", tradeOrderId, code, text: "no funds", at })
  world.advance(50)
}

const locked = (world: World): string => world.portfolio("USDT")[0]!.locked.toString()

describe("a refusal after the venue has shown the order", () => {
  it("is a doubt, and the order works on when the venue has it", () => {
    const world = readyWorld()
    const order = placed(world)
    const asked = world.venue.questions
    refuse(world, order)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: { kind: "SUBMIT" } })
    expect(locked(world)).toBe("100")
    world.advance(2_000)
    expect(world.venue.questions).toBeGreaterThan(asked)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
    world.venue.fill(world.venue.find(order)!, Decimal.ONE)
    world.advance(100)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
  })

  it("is a doubt, and the order is rejected when the venue says so of the order itself", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.stream = () => "drop"
    world.venue.end(world.venue.find(order)!, "REJECTED")
    world.venue.fates.stream = () => "deliver"
    refuse(world, order)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: { kind: "SUBMIT" } })
    world.advance(2_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
    expect(locked(world)).toBe("0")
  })

  it("of an order that was executed in part takes nothing back", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fill(world.venue.find(order)!, Decimal.of("0.4"))
    world.advance(100)
    world.published.length = 0
    refuse(world, order)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PARTIALLY_FILLED", doubt: { kind: "SUBMIT" } })
    expect(world.kinds()).not.toContain("TRADING_ACCOUNT.ALERT")
    world.advance(2_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PARTIALLY_FILLED", doubt: null })
    expect(locked(world)).toBe("60")
  })

  it("is asked for by a later process, too", () => {
    const world = readyWorld()
    const order = placed(world)
    refuse(world, order)
    world.crash()
    world.start()
    world.advance(2_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
  })

  it("rejects an order of which nothing was heard", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "refuse"
    const order = placed(world)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", doubt: null })
    expect(locked(world)).toBe("0")
  })
})

describe("a refusal because the market is closed", () => {
  it("is told to the market data, of that instrument and of no other refusal", () => {
    const world = readyWorld()
    const [first, second] = [placed(world), placed(world)]
    refuse(world, first)
    expect(world.closedMarkets).toEqual([])
    refuse(world, second, "MARKET_CLOSED")
    expect(world.closedMarkets).toEqual([second.instrumentId])
  })

  it("is over when the venue takes an order of that instrument that trades at once or ends, and none that may rest", () => {
    const world = readyWorld()
    placed(world, { timeInForce: "GTX" })
    placed(world)
    expect(world.openMarkets).toEqual([])
    const { instrumentId } = placed(world, { timeInForce: "IOC" })
    expect(world.openMarkets).toEqual([instrumentId])
  })
})
