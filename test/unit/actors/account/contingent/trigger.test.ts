/** Orders that wait for a price or end at a time: armed, fired, trailed, through restarts, refusals and silence. */
import { describe, expect, it } from "vitest"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf, START, type World, type WorldOptions } from "../../../../sim/world.ts"

const ready = (options: WorldOptions = {}): World => readyWorld(options, "100")

const stop = (world: World, patch: Record<string, unknown> = {}): TradeOrder =>
  placed(world, { orderSide: "SELL", orderType: "STOP_LOSS", limitPrice: undefined, stopPrice: "95", ...patch })

const restarted = (world: World, awayMillis: number): void => {
  world.crash()
  world.advance(awayMillis)
  world.start()
  world.advance(1_000)
}

const bar = (openAt: number, high: string, low: string, close: string) => ({
  openAt,
  open: close,
  high,
  low,
  close,
  volume: "1",
})

const triggerOf = (world: World, order: TradeOrder) => world.read(order.tradeOrderId).terms?.trigger

describe("a stop at the gateway", () => {
  it("is armed, fires at its price, and is sent once", () => {
    const world = ready()
    const order = stop(world)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.trade("96", "95.01")
    world.advance(100)
    expect(world.venue.arrivals.size).toBe(0)
    world.trade("95")
    world.advance(100)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    expect(triggerOf(world, order)).toMatchObject({ triggeredBy: "TRADE" })
    expect(triggerOf(world, order)?.triggerPrice?.toString()).toBe("95")
    expect(world.kinds().filter((it) => it.startsWith("TRADE_ORDER."))).toEqual([
      "TRADE_ORDER.CREATED",
      "TRADE_ORDER.ACCEPTED",
      "TRADE_ORDER.TRIGGERED",
      "TRADE_ORDER.FILLED",
    ])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
    expect(world.followers.size).toBe(0)
  })

  it("is off the board when it is cancelled, and revoked at a disconnect", () => {
    const world = ready()
    const first = stop(world)
    const second = stop(world)
    world.cancel(first.tradeOrderId)
    world.advance(100)
    expect(world.read(first.tradeOrderId).orderStatus).toBe("CANCELLED")
    world.ask((reply) => ({ _tag: "DisconnectAccount", force: false, act: DISCONNECTING, reply }) as never)
    world.advance(5_000)
    expect(world.database.orders.get(second.tradeOrderId)?.order.orderStatus).toBe("REVOKED")
    world.trade("90")
    world.advance(100)
    expect([world.followers.size, world.venue.arrivals.size]).toEqual([0, 0])
  })

  it("that fires while the venue is away is sent when it is back", () => {
    const world = ready()
    const order = stop(world)
    world.venue.isUp = false
    world.venue.streamDown()
    world.advance(100)
    world.trade("94")
    world.advance(5_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", notAfter: null })
    expect(world.venue.arrivals.size).toBe(0)
    world.venue.isUp = true
    world.venue.streamUp()
    world.advance(20_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("that the venue refuses is rejected, with an alert", () => {
    const world = ready()
    world.venue.fates.submit = () => "refuse"
    const order = stop(world)
    world.trade("95")
    world.advance(100)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
    expect(world.kinds()).toContain("TRADING_ACCOUNT.ALERT")
  })

  it("that provably never left is let go again", () => {
    const world = ready()
    let count = 0
    world.venue.fates.submit = () => (++count < 3 ? "notSent" : "accept")
    const order = stop(world)
    world.trade("95")
    world.advance(5_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("in doubt stays ACCEPTED until the venue shows it, and is never sent again, not even after a restart", () => {
    const world = ready()
    world.venue.fates.submit = () => "silentBefore"
    const order = stop(world)
    world.trade("95")
    world.advance(50)
    restarted(world, 1_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: { kind: "SUBMIT" } })
    world.venue.fates.submit = () => "accept"
    world.trade("90")
    world.advance(90_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_PLACED: proven by expiry",
    })
    expect(world.venue.arrivals.size).toBe(0)
    expect(world.kinds()).toContain("TRADING_ACCOUNT.ALERT")
  })

  it("shows once that nothing arrives that could fire it", () => {
    const world = ready()
    const orders = [stop(world), stop(world)]
    world.published.length = 0
    world.marketTurns(false)
    world.advance(100)
    expect(orders.map((it) => triggerOf(world, it)?.health)).toEqual(["STALE", "STALE"])
    expect(world.kinds()).toEqual(["TRADING_ACCOUNT.ALERT"])
    world.marketTurns(true)
    world.advance(100)
    expect(orders.map((it) => triggerOf(world, it)?.health)).toEqual(["LIVE", "LIVE"])
  })
})

describe("a restart", () => {
  it("fires what was crossed meanwhile, by the venue's bars, and nothing else", () => {
    const world = ready()
    const crossed = stop(world)
    const spared = stop(world, { stopPrice: "90" })
    world.bars = [bar(START, "101", "80", "100"), bar(START + 60_000, "101", "94", "100")]
    restarted(world, 180_000)
    world.trade("100")
    world.advance(10_000)
    expect(world.read(crossed.tradeOrderId).orderStatus).toBe("FILLED")
    expect(triggerOf(world, crossed)).toMatchObject({ triggeredBy: "RECOVERY" })
    expect(triggerOf(world, crossed)?.triggerPrice?.toString()).toBe("94")
    // The bar of its arming says nothing: its low may have been before.
    expect(world.read(spared.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it.each([
    ["ahead of", 300_000],
    ["behind", -300_000],
  ])("reads the venue's bars by the venue's clock where its own is %s it", (_, wallAheadMillis) => {
    const world = ready()
    world.wallAheadMillis = wallAheadMillis
    const crossed = stop(world)
    const spared = stop(world, { stopPrice: "85" })
    // Before the arming, at its minute, and while nobody watched.
    world.bars = [
      bar(START - 60_000, "101", "80", "100"),
      bar(START, "101", "80", "100"),
      bar(START + 60_000, "101", "94", "100"),
    ]
    restarted(world, 180_000)
    world.trade("100")
    world.advance(10_000)
    expect(triggerOf(world, crossed)).toMatchObject({ triggeredBy: "RECOVERY" })
    expect(world.read(spared.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it.each([
    ["right when it was armed, 90 s ahead since", 0, 90_000],
    ["right when it was armed, 300 s ahead since", 0, 300_000],
    ["right when it was armed, 90 s behind since", 0, -90_000],
    ["right when it was armed, 300 s behind since", 0, -300_000],
    ["300 s ahead when it was armed, right since", 300_000, 0],
    ["300 s behind when it was armed, right since", -300_000, 0],
  ])("compares each time by how the clocks stood then: %s", (_, before, since) => {
    const world = ready()
    world.wallAheadMillis = before
    const crossed = stop(world)
    const spared = stop(world, { stopPrice: "85" })
    world.bars = [
      ...[-240_000, -60_000, 0].map((from) => bar(START + from, "101", "80", "100")),
      bar(START + 60_000, "101", "94", "100"),
    ]
    world.crash()
    world.advance(180_000)
    world.wallAheadMillis = since
    world.start()
    world.advance(1_000)
    world.trade("100")
    world.advance(10_000)
    expect(triggerOf(world, crossed)).toMatchObject({ triggeredBy: "RECOVERY" })
    expect(world.read(spared.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it("fires what the first price is beyond", () => {
    const world = ready()
    const order = stop(world)
    restarted(world, 10_000)
    world.trade("93")
    world.advance(1_000)
    expect(triggerOf(world, order)).toMatchObject({ triggeredBy: "RECOVERY" })
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("lets a trailing stop meet each low where it stood, and then follow the high", () => {
    const world = ready()
    const order = stop(world, { orderType: "TRAILING_STOP", stopPrice: undefined, trailingAmount: "5" })
    world.bars = [bar(START + 60_000, "110", "96", "108"), bar(START + 120_000, "109", "106", "107")]
    restarted(world, 200_000)
    world.advance(10_000)
    expect(triggerOf(world, order)?.stopPrice.toString()).toBe("105")
    world.trade("105")
    world.advance(1_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
  })
})

describe("a trailing stop", () => {
  it("is stored at most once a second, and releases its limit at the offset that was ordered", () => {
    const world = ready()
    const order = stop(world, {
      orderType: "TRAILING_STOP",
      stopPrice: "95",
      limitPrice: "94",
    })
    const before = world.read(order.tradeOrderId).version
    world.trade("101", "102", "103", "104")
    expect(world.read(order.tradeOrderId).version).toBe(before)
    world.advance(500)
    expect(world.read(order.tradeOrderId).version).toBe(before)
    world.advance(600)
    expect(world.read(order.tradeOrderId).version).toBe(before + 1)
    expect(triggerOf(world, order)?.stopPrice.toString()).toBe("99")
    world.trade("100", "99")
    world.advance(100)
    const fired = world.read(order.tradeOrderId)
    expect(fired.limitPrice?.toString()).toBe("98")
    expect(fired.orderStatus).toBe("ACCEPTED")
    expect(world.venue.find(fired)?.order).toMatchObject({ orderType: "LIMIT", limitPrice: "98" })
  })

  it("keeps how far it came when its quantity is changed before that is stored", () => {
    const world = ready()
    const order = stop(world, { orderType: "TRAILING_STOP", stopPrice: "95" })
    world.trade("104")
    const asked = world.replace(order.tradeOrderId, { quantity: "0.5" })
    world.advance(1_500)
    okOf(asked)
    expect(world.read(order.tradeOrderId).quantity.toString()).toBe("0.5")
    expect(triggerOf(world, order)?.stopPrice.toString()).toBe("99")
    expect(triggerOf(world, order)?.trailing?.highWaterMark.toString()).toBe("104")
  })
})

describe("many that trail", () => {
  it("are stored together, a hundred to a unit", () => {
    const world = ready()
    for (let i = 0; i < 150; i++) stop(world, { orderType: "TRAILING_STOP", stopPrice: "95", quantity: "0.02" })
    const units: Array<number> = []
    world.memory.faults.refuse(({ rows }) => {
      units.push(rows.length)
      return undefined
    })
    for (const price of ["101", "102", "103"]) {
      world.trade(price)
      world.advance(100)
    }
    world.advance(2_000)
    expect(units).toEqual([100, 50])
  })
})

describe("an order with a time", () => {
  const timed = (world: World, millis: number) => ({ timeInForce: "GTD", expireAt: world.time.now + millis })

  it("that waits here is EXPIRED at its instant", () => {
    const world = ready()
    const order = stop(world, timed(world, 60_000))
    world.advance(59_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(2_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "EXPIRED", cancelReason: null })
  })

  it("that works at the venue is cancelled there and ends EXPIRED, whoever says so first", () => {
    for (const stream of ["deliver", "drop"] as const) {
      const world = ready()
      world.venue.fates.stream = () => stream
      const order = placed(world, timed(world, 60_000))
      expect(world.venue.find(world.read(order.tradeOrderId))?.order.timeInForce).toBe("GTC")
      world.advance(62_000)
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "EXPIRED", cancelReason: null })
    }
  })

  it("is EXPIRED too when the process ended between the cancel and its answer, or before", () => {
    for (const aliveMillis of [60_002, 30_000]) {
      const world = ready()
      const order = placed(world, timed(world, 60_000))
      world.advance(aliveMillis - 100)
      restarted(world, 60_000)
      world.advance(20_000)
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "EXPIRED" })
    }
  })

  it("may be cancelled before", () => {
    const world = ready()
    const order = placed(world, timed(world, 60_000))
    world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
  })
})
