/** A burst of one user's submits and the way to the store: its accounts' actors in the simulated world. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { storedAtOnce } from "../../../../src/actors/account/orders/waiting-submits.ts"
import type { TradingAccountId, UserId } from "../../../../src/domain/ids.ts"
import { ORDER_LIMITS } from "../../../../src/domain/order/rates.ts"
import type { TradeOrder } from "../../../../src/domain/order/trade-order.ts"
import { simAccount } from "../../../sim/accounts.ts"
import { ACCOUNT, errorOf, okOf, World } from "../../../sim/world.ts"

const SECOND = "0aaaaaaa-0000-4000-8000-0000000000b2" as TradingAccountId
const STRANGERS = "0aaaaaaa-0000-4000-8000-0000000000b3" as TradingAccountId
const AT_ONCE = storedAtOnce(ORDER_LIMITS.orderSubmitUser)

let world: World
beforeEach(() => {
  world = new World({
    others: [
      simAccount({ tradingAccountId: SECOND, externalTradingAccountId: "second" }),
      simAccount({
        tradingAccountId: STRANGERS,
        externalTradingAccountId: "stranger",
        userId: "0bbbbbbb-0000-4000-8000-000000000077" as UserId,
      }),
    ],
  })
  world.start()
  world.advance(2_000)
  world.memory.faults.hold()
})
afterEach(() => world.crash())

const burst = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    world.submit({ tradingAccountId: n % 2 === 0 ? ACCOUNT : SECOND, idempotencyKey: `burst-${n}` }),
  )

describe("a burst of one user", () => {
  it("waits for its own orders; another user's goes to the store at once", () => {
    const asked = burst(40)
    expect(world.memory.waiting()).toBe(AT_ONCE)
    const other = world.submit({ tradingAccountId: STRANGERS })
    expect(world.memory.waiting()).toBe(AT_ONCE + 1)
    world.memory.faults.release()
    world.advance(500)
    expect(okOf(other).replayed).toBe(false)
    const ids = asked.map((it) => okOf(it).order.tradeOrderId)
    expect(new Set(ids).size).toBe(40)
    // First in, first out.
    const stored = [...world.database.orders.keys()].filter((id) => id !== okOf(other).order.tradeOrderId)
    expect(stored).toEqual(ids)
    expect(world.venue.arrivals.size).toBe(41)
  })

  it("is refused what has waited for a second, of which nothing is stored or sent", () => {
    const asked = burst(20)
    world.advance(1_001)
    const refused = asked.filter((it) => errorOf(it) === "Busy")
    expect(refused).toHaveLength(20 - AT_ONCE)
    world.memory.faults.release()
    world.advance(500)
    expect(world.database.orders.size).toBe(AT_ONCE)
    const later = world.submit({ idempotencyKey: "later" })
    world.advance(500)
    expect(okOf(later).replayed).toBe(false)
  })

  it("counts each order once in the limits, however long it waited", () => {
    const { burst: most } = ORDER_LIMITS.orderSubmit
    const asked = Array.from({ length: most + 5 }, () => world.submit())
    world.memory.faults.release()
    world.advance(900)
    expect(asked.filter((it) => errorOf(it) === "OrderRateLimited")).toHaveLength(5)
    expect(asked.filter((it) => errorOf(it) === undefined)).toHaveLength(most)
  })

  it("that may not be stored any more is refused as soon as its turn comes, all of it", () => {
    const asked = burst(30)
    world.mode = "cancel_only"
    world.memory.faults.release()
    world.advance(50)
    expect(asked.filter((it) => errorOf(it) === "TradingHalted")).toHaveLength(30 - AT_ONCE)
  })

  it("repeats that wait are one order", () => {
    const asked = [
      ...burst(AT_ONCE),
      world.submit({ idempotencyKey: "twice" }),
      world.submit({ idempotencyKey: "twice" }),
    ]
    world.memory.faults.release()
    world.advance(500)
    const [first, second] = asked.slice(-2).map((it) => okOf(it))
    expect(second!.order.tradeOrderId).toBe(first!.order.tradeOrderId)
    expect([first!.replayed, second!.replayed]).toEqual([false, true])
  })

  it("goes on where the store refuses a unit, and where an actor begins anew", () => {
    const asked = burst(30)
    let refused = 0
    world.memory.faults.refuse(() => (refused++ === 0 ? "of a test" : undefined))
    world.memory.faults.release()
    world.advance(3_000)
    expect(world.restarts).toBeGreaterThan(0)
    for (const it of asked) expect(it.answer).toBeDefined()
    const after = burst(1)
    world.advance(500)
    expect(after[0]!.answer).toBeDefined()
    const other = world.submit({ idempotencyKey: "fresh" })
    world.advance(500)
    expect(okOf(other).replayed).toBe(false)
  })

  it("is met by a cancel, and by a read, of one that waits", () => {
    const asked = Array.from({ length: AT_ONCE + 2 }, (_, n) => world.submit({ clientOrderId: `c-${n}` }))
    const by = (n: number) => ({ clientOrderId: `c-${n}` })
    const receivedAt = world.monotonic()
    const cancel = world.ask((reply) => ({ _tag: "CancelOrder", by: by(AT_ONCE), receivedAt, reply }))
    const read = world.ask<TradeOrder>((reply) => ({ _tag: "ReadOrder", by: by(AT_ONCE + 1), reply }))
    world.memory.faults.release()
    world.advance(1_500)
    expect([errorOf(cancel), okOf(read).clientOrderId]).toEqual([undefined, `c-${AT_ONCE + 1}`])
    const cancelled = okOf(asked[AT_ONCE]!).order.tradeOrderId
    expect(world.read(cancelled).orderStatus).toBe("CANCELLED")
    expect(world.venue.arrivals.has(cancelled)).toBe(false)
  })

  it("is met by a cancel of all, and by the dead man's switch", () => {
    const states = (asked: ReturnType<typeof burst>) =>
      asked.map((it) => world.read(okOf(it).order.tradeOrderId).orderStatus)
    const all = burst(AT_ONCE * 2 + 4)
    world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt: world.monotonic(), reply }))
    world.memory.faults.release()
    world.advance(1_500)
    expect(new Set(states(all.filter((_, n) => n % 2 === 0)))).toEqual(new Set(["CANCELLED"]))
    world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis: 1_000, reply }))
    world.advance(700)
    world.memory.faults.hold()
    const dead = Array.from({ length: AT_ONCE + 5 }, () => world.submit())
    world.advance(500)
    world.memory.faults.release()
    world.advance(1_500)
    expect(new Set(states(dead))).toEqual(new Set(["CANCELLED"]))
  })
})
