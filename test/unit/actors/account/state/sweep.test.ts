/** Cancel of all orders, the dead man's switch, and the limits of an account. */
import { describe, expect, it } from "vitest"
import type { Swept } from "../../../../../src/actors/account/messages.ts"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { tradeOrderRecord } from "../../../../../src/domain/order/trade-order-record.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, type Asked, errorOf, okOf, START, type World } from "../../../../sim/world.ts"

const placed = (world: World): TradeOrder => {
  const asked = world.submit()
  world.advance(100)
  return world.read(okOf(asked).order.tradeOrderId)
}

const cancelAll = (world: World, instrumentId: InstrumentId | null = null): Asked<Swept> =>
  world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId, receivedAt: world.time.now - START, reply }))

const silenceOf = (world: World, timeoutMillis: number): Asked<TradingAccount> =>
  world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis, reply }))

const nth = <A>(all: ReadonlyArray<A>, index: number): A => {
  const found = all[index]
  if (found === undefined) throw new Error(`nothing at ${index}`)
  return found
}

describe("cancel of all orders", () => {
  it("answers when each has its answer, by what became of it", () => {
    const world = readyWorld()
    const [first, second] = [placed(world), placed(world)]
    const filled = placed(world)
    const unstored = world.submit()
    const asked = cancelAll(world)
    const sim = world.venue.find(filled)
    if (sim !== undefined) world.venue.fill(sim, Decimal.ONE)
    world.advance(600)
    const { cancelled, pending, failed } = okOf(asked)
    const late = okOf(unstored).order.tradeOrderId
    expect([...cancelled].sort()).toEqual([first.tradeOrderId, second.tradeOrderId, late].sort())
    expect([pending, failed]).toEqual([[], [filled.tradeOrderId]])
    expect(world.venue.openOrders()).toHaveLength(0)
    expect(world.venue.arrivals.has(late)).toBe(false)
    expect(world.read(first.tradeOrderId)).toMatchObject({ cancelReason: "USER_REQUEST" })
  })

  it("answers after a second what the venue has not confirmed, and one cancel per order is on its way", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => "silentBefore"
    const asked = cancelAll(world)
    cancelAll(world)
    world.advance(900)
    expect(asked.answer).toBeUndefined()
    world.advance(200)
    expect(okOf(asked)).toEqual({ cancelled: [], pending: [order.tradeOrderId], failed: [] })
    expect(world.venue.cancels.get(order.tradeOrderId)).toBe(1)
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
  })

  it("keeps to one instrument, and answers at once when there is nothing to do", () => {
    const world = readyWorld()
    const order = placed(world)
    const elsewhere = cancelAll(world, "SIM:ETH/USDT" as InstrumentId)
    world.advance(10)
    expect(okOf(elsewhere)).toEqual({ cancelled: [], pending: [], failed: [] })
    const here = cancelAll(world, BTC_USDT)
    world.advance(300)
    expect(okOf(here).cancelled).toEqual([order.tradeOrderId])
  })
})

describe("the dead man's switch", () => {
  it("cancels everything when nothing is heard, and is off then", () => {
    const world = readyWorld()
    const order = placed(world)
    const set = silenceOf(world, 5_000)
    world.advance(20)
    const { cancelAllAt } = okOf(set)
    expect(cancelAllAt).toBe(world.database.accounts.get(ACCOUNT)?.cancelAllAt)
    world.advance(4_000)
    silenceOf(world, 5_000)
    world.advance(4_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(1_500)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
    expect(world.database.accounts.get(ACCOUNT)?.cancelAllAt).toBeNull()
    const next = placed(world)
    world.advance(60_000)
    expect(world.read(next.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it.each([
    [1, "the dead man's switch asked to cancel 1 order"],
    [2, "the dead man's switch asked to cancel 2 orders"],
  ])("tells of %d, as of what is asked for and not done yet", (count, message) => {
    const world = readyWorld()
    for (let n = 0; n < count; n++) placed(world)
    silenceOf(world, 2_000)
    world.advance(5_000)
    const told = world.published.map((it) => JSON.parse(it.json) as { kind: string; data: unknown })
    const alerts = told.filter(({ kind }) => kind === "TRADING_ACCOUNT.ALERT").map(({ data }) => data)
    expect(alerts).toMatchObject([{ code: "DEAD_MAN_SWITCH", message }])
  })

  it("is taken off with 0", () => {
    const world = readyWorld()
    const order = placed(world)
    silenceOf(world, 2_000)
    world.advance(1_000)
    const off = silenceOf(world, 0)
    world.advance(60_000)
    expect(okOf(off).cancelAllAt).toBeNull()
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it.each([
    ["before", 10_000, 2_000],
    ["after", 10_000, 60_000],
  ])("goes on across a restart that ends %s its instant", (_, timeout, away) => {
    const world = readyWorld()
    const order = placed(world)
    silenceOf(world, timeout)
    world.advance(100)
    world.crash()
    world.advance(away)
    world.start()
    world.advance(1_000)
    const passed = away > timeout
    if (!passed) expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(30_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
    expect(world.venue.openOrders()).toHaveLength(0)
    expect(world.database.accounts.get(ACCOUNT)?.cancelAllAt).toBeNull()
  })

  it("is why an order ends that another process hears the end of", () => {
    const world = readyWorld()
    const order = placed(world)
    silenceOf(world, 2_000)
    world.venue.fates.cancel = () => "silentBefore"
    world.advance(3_000)
    const pending = world.read(order.tradeOrderId)
    expect(pending).toMatchObject({ orderStatus: "PENDING_CANCEL", cancelReason: "DEAD_MAN_SWITCH" })
    // Told when it is so.
    expect(tradeOrderRecord(pending).cancelReason).toBeNull()
    world.crash()
    world.venue.fates.cancel = () => "accept"
    world.start()
    world.advance(30_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
  })

  it("that was not stored was not answered", () => {
    const world = readyWorld()
    const order = placed(world)
    world.memory.faults.hold()
    const set = silenceOf(world, 5_000)
    world.advance(100)
    expect(set.answer).toBeUndefined()
    world.crash()
    world.start()
    world.advance(60_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })
})

describe("limits", () => {
  it("refuse the submit past the burst, answer a replay all the same, and never hold up a cancel", () => {
    const world = readyWorld()
    const asked = Array.from({ length: 101 }, (_, i) =>
      world.submit({ quantity: "0.1" as never, idempotencyKey: `k${i}` }),
    )
    world.advance(500)
    expect(asked.slice(0, 100).every((it) => it.answer !== undefined && "ok" in it.answer)).toBe(true)
    expect(errorOf(nth(asked, 100))).toBe("OrderRateLimited")
    for (let i = 0; i < 30; i++) world.submit({ quantity: "0.1" as never })
    const replay = world.submit({ quantity: "0.1" as never, idempotencyKey: "k0" })
    const first = okOf(nth(asked, 0)).order
    const cancel = world.cancel(first.tradeOrderId)
    world.advance(500)
    expect(okOf(replay).replayed).toBe(true)
    expect(okOf(cancel).orderStatus).toBe("CANCELLED")
    const later = world.submit({ quantity: "0.1" as never, idempotencyKey: "k100" })
    world.advance(500)
    expect(okOf(later).replayed).toBe(false)
  })

  it("refuse more than 500 working orders, until one is over", () => {
    const world = readyWorld()
    let last: TradeOrder | undefined
    for (let i = 0; i < 500; i++) {
      const asked = world.submit({ quantity: "0.1" as never })
      world.advance(25)
      last = okOf(asked).order
    }
    const full = world.submit({ quantity: "0.1" as never })
    world.advance(100)
    expect(errorOf(full)).toBe("TooManyOpenOrders")
    if (last !== undefined) world.cancel(last.tradeOrderId)
    world.advance(500)
    const again = world.submit({ quantity: "0.1" as never })
    world.advance(100)
    expect(okOf(again).replayed).toBe(false)
  })

  it("bound cancels by a bucket of their own", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => "silentBefore"
    const asked = Array.from({ length: 201 }, () => world.cancel(order.tradeOrderId))
    world.advance(2_000)
    expect(errorOf(nth(asked, 200))).toBe("OrderRateLimited")
    expect(asked.slice(0, 200).every((it) => it.answer !== undefined && "ok" in it.answer)).toBe(true)
  })
})
