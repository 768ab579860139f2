/** A stop that is submitted while no price is known: answered at once, judged by the first price that is. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { SimMarkets } from "../../../../sim/venue/market.ts"
import { okOf, World } from "../../../../sim/world.ts"

type Patch = Parameters<World["submit"]>[0]

const STOP = { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, stopPrice: "95" }
const WORDS = "WOULD_TRIGGER_IMMEDIATELY: Order would trigger immediately"

/** Answered within the time of a commit. */
const placed = (world: World, patch: Record<string, unknown> = {}): TradeOrder => {
  const asked = world.submit({ ...STOP, ...patch } as Patch)
  world.advance(100)
  return okOf(asked).order
}

/** The market stands there, its feed is closed and takes a second to open. */
const closed = (price: number) => {
  const world = new World()
  const markets = new SimMarkets(world, undefined, price)
  world.tickerMillis = 1_000
  world.start()
  world.advance(1_000)
  return { world, markets, market: markets.all[0]! }
}

const heard = (world: World, ...trades: ReadonlyArray<readonly [price: string, at: number]>): void => {
  for (const [price, at] of trades) {
    for (const it of [...world.followers]) it.onTrade?.(price, at)
    world.lastPrice = price
  }
  world.time.settle()
  world.advance(100)
}

describe("a stop submitted while the feed is closed", () => {
  it("is answered as soon as it is stored, and armed", () => {
    const { world, markets, market } = closed(100)
    const order = placed(world)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(2_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    markets.trade(market, Decimal.of("94"))
    world.advance(100)
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is rejected in the words of the refusal when the first known price is beyond it, and never fires", () => {
    const { world, markets, market } = closed(90)
    const order = placed(world)
    world.advance(2_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", rejectReason: WORDS })
    markets.trade(market, Decimal.of("89"))
    world.advance(100)
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("is fired by a trade of after its arming, though no other price was known before", () => {
    const { world, markets, market } = closed(100)
    const order = placed(world)
    markets.trade(market, Decimal.of("94"))
    world.advance(2_000)
    expect(world.read(order.tradeOrderId).terms?.trigger?.triggeredBy).toBe("TRADE")
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is rejected by a trade of before its arming, after a restart too", () => {
    for (const restarts of [false, true]) {
      const world = readyWorld()
      const before = world.time.now - 1
      const order = placed(world)
      if (restarts) {
        world.crash()
        world.start()
        world.advance(1_000)
      }
      heard(world, ["94", before])
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "REJECTED", rejectReason: WORDS })
      expect([world.venue.arrivals.size, world.followers.size]).toEqual([0, 0])
    }
  })

  it("is judged by the newest of the trades of before its arming, and fired by the next one beyond it", () => {
    const world = readyWorld()
    const before = world.time.now - 10
    const order = placed(world)
    heard(world, ["94", before], ["100", before + 5])
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    heard(world, ["94", world.time.now])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is fired by a trade of after its arming though our clock was ahead of the venue's then, after a restart too", () => {
    for (const restarts of [false, true]) {
      const world = readyWorld()
      world.wallAheadMillis = 3_600_000
      const order = placed(world)
      if (restarts) {
        world.crash()
        world.start()
        world.advance(1_000)
      }
      heard(world, ["100", world.time.now])
      world.advance(240_000)
      heard(world, ["94", world.time.now], ["96", world.time.now])
      expect(world.read(order.tradeOrderId).terms?.trigger).toMatchObject({ triggerPrice: Decimal.of("94") })
      expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
    }
  })

  it("may be cancelled between such a trade and the judgement", () => {
    const world = readyWorld()
    const order = placed(world)
    for (const it of [...world.followers]) it.onTrade?.("94", order.createdAt - 1)
    world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
  })
})

describe("a stop whose price was known", () => {
  it("is fired by a trade whose venue's clock is behind ours", () => {
    const world = readyWorld({}, "100")
    const order = placed(world)
    heard(world, ["94", order.createdAt - 500])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })
})
