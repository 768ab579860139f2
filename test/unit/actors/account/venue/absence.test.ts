/**
 * What happened at the venue while the gateway was away, when it was much: the account opens before all of it is read, nothing that was
 * read is asked for again, and what it holds stays held until the venue has said how each order ended.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../../../src/domain/ids.ts"
import { ORDER_LIMITS } from "../../../../../src/domain/order/rates.ts"
import type { SubmitRequest } from "../../../../../src/domain/order/submit-request.ts"
import { pagedVenue } from "../../../../kit/worlds/paged-venue.ts"
import { okOf, World } from "../../../../sim/world.ts"

const UNLIMITED = {
  ...ORDER_LIMITS,
  openOrders: 10_000,
  orderSubmit: { perSecond: 10_000, burst: 10_000 },
  orderCancel: { perSecond: 10_000, burst: 10_000 },
}

const resting = (world: World, count: number): ReadonlyArray<TradeOrderId> => {
  const ids: Array<TradeOrderId> = []
  for (let i = 0; i < count; i++) {
    ids.push(okOf(submitted(world, { quantity: "0.1", limitPrice: "50" })).order.tradeOrderId)
  }
  world.advance(2_000)
  return ids
}

const submitted = (world: World, patch: { readonly quantity?: string; readonly limitPrice?: string }) => {
  const asked = world.submit(patch as Partial<SubmitRequest>)
  world.advance(20)
  return asked
}

const statuses = (world: World, ids: ReadonlyArray<TradeOrderId>): ReadonlyArray<string | undefined> => [
  ...new Set(ids.map((id) => world.database.orders.get(id)?.order.orderStatus)),
]

const held = (world: World): Decimal =>
  [...world.database.orders.values()].reduce((sum, { order }) => sum.add(order.held), Decimal.ZERO)

/** Everything that rests there ends, and nobody hears of it. */
const endAll = (world: World): void => {
  world.crash()
  for (const sim of world.venue.openOrders()) world.venue.end(sim, "CANCELLED")
}

describe("orders that ended while the gateway was away", () => {
  it.each([181, 781])("%i of them: the account opens within a second, and few questions tell of all", (count) => {
    const world = new World({ limits: UNLIMITED })
    const asked = pagedVenue(world, { endedPage: 50, fillsPage: 1000, fillsEveryMillis: 0 })
    world.start()
    world.advance(1_000)
    const ids = resting(world, count)
    endAll(world)
    asked.singles = 0
    world.start()
    world.advance(1_500)
    expect(world.status()).toBe("ACTIVE")
    world.advance(5_000)
    expect(statuses(world, ids)).toEqual(["CANCELLED"])
    expect(asked.endedPages).toBe(Math.ceil(count / 50))
    expect(asked.singles).toBe(0)
    expect(held(world).toString()).toBe("0")
  })

  it("and are asked for one at a time hold what they held, while the account is open", () => {
    const world = new World({ limits: UNLIMITED })
    const asked = pagedVenue(world, { endedPage: null, fillsPage: 1000, fillsEveryMillis: 0 })
    world.start()
    world.advance(1_000)
    const ids = resting(world, 181)
    endAll(world)
    asked.singles = 0
    world.start()
    world.advance(2_000)
    expect(world.status()).toBe("ACTIVE")
    expect(asked.singles).toBeLessThan(40)
    const open = ids.filter((id) => world.database.orders.get(id)?.order.orderStatus === "ACCEPTED")
    expect(open.length).toBeGreaterThan(100)
    expect(held(world).toString()).toBe(
      Decimal.of("5")
        .multiply(Decimal.of(String(open.length)))
        .toString(),
    )
    const news = okOf(submitted(world, {}))
    expect(news.order.tradeOrderId).toBeDefined()
    world.advance(60_000)
    expect(statuses(world, ids)).toEqual(["CANCELLED"])
  })
})

describe("trades of an absence", () => {
  const TRADES = 500

  /** One order that is still open has had them all. */
  const absent = () => {
    const world = new World({ limits: UNLIMITED })
    const asked = pagedVenue(world, { endedPage: 50, fillsPage: 50, fillsEveryMillis: 6_000 })
    world.start()
    world.advance(1_000)
    const { tradeOrderId } = okOf(submitted(world, { quantity: "20", limitPrice: "50" })).order
    world.advance(2_000)
    world.crash()
    const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
    for (let i = 0; i < TRADES; i++) world.venue.fill(sim, Decimal.of("0.01"))
    world.advance(600_000)
    Object.assign(asked, { fillPages: 0, singles: 0 })
    asked.cursors.length = 0
    return { world, asked, tradeOrderId }
  }

  const executed = (world: World, id: TradeOrderId): string | undefined =>
    world.database.orders.get(id)?.order.executedQuantity.toString()

  it("that take the venue's budget for minutes do not keep the account closed", () => {
    const { world, asked, tradeOrderId } = absent()
    world.start()
    world.advance(6_000)
    expect(world.status()).toBe("ACTIVE")
    world.advance(24_000)
    expect(Number(executed(world, tradeOrderId))).toBeGreaterThan(1)
    expect(Number(executed(world, tradeOrderId))).toBeLessThan(4)
    // An order of the meantime is placed, and cancelled, at once.
    const { order } = okOf(submitted(world, { quantity: "1", limitPrice: "40" }))
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(500)
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
    world.advance(90_000)
    expect(executed(world, tradeOrderId)).toBe("5")
    const executions = world.database.orders.get(tradeOrderId)?.order.executions ?? []
    expect(executions.filter((it) => it.inferred)).toEqual([])
    expect(new Set(asked.cursors).size).toBe(asked.cursors.length)
  })

  it("are read on from where a question failed, and where the session was lost", () => {
    const { world, asked, tradeOrderId } = absent()
    asked.failFills = 0
    world.start()
    world.advance(15_000)
    expect(asked.cursors.length).toBeGreaterThan(1)
    asked.failFills = 2
    world.advance(20_000)
    world.venue.streamDown()
    world.advance(5_000)
    world.venue.streamUp()
    world.advance(200_000)
    expect(world.status()).toBe("ACTIVE")
    expect(executed(world, tradeOrderId)).toBe("5")
    // Each page once, but for the one that was under way when the stream was lost; the first again for what was traded in the meantime.
    const again = asked.cursors.filter((it, i) => asked.cursors.indexOf(it) !== i)
    expect(again.filter((it) => it !== null).length).toBeLessThanOrEqual(1)
  })
})
