/** Orders that leave while they are being stored: at a venue that follows the journal, and only those that are certainly new. */
import { describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../../src/domain/ids.ts"
import type { Venue } from "../../../../../src/domain/instrument/venue.ts"
import type { SubmitRequest } from "../../../../../src/domain/order/submit-request.ts"
import type { VenueSession } from "../../../../../src/ports/venue-session.ts"
import { type Patch, placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf, type World } from "../../../../sim/world.ts"

const FOLLOWING: Partial<Venue> = { inProcess: true, followsJournal: true }

/** The names that its orders have are read by its first one. */
const following = (venue: Partial<Venue> = FOLLOWING): World => {
  const world = readyWorld({ venue }, "100")
  placed(world, { clientOrderId: "first" })
  return world
}

/** How many orders the venue has got. */
const arrived = (world: World): number => world.venue.arrivals.size
const submit = (world: World, patch: Patch = {}) => {
  const asked = world.submit(patch as Partial<SubmitRequest>)
  world.advance(100)
  return asked
}

describe("an order at a venue that follows the journal", () => {
  it("is there before it is stored, and is answered once it is, as it was stored", () => {
    const world = following()
    world.memory.faults.hold()
    const asked = submit(world, { clientOrderId: "second" })
    expect([arrived(world), asked.answer, world.database.orders.size]).toEqual([2, undefined, 1])
    world.memory.faults.release()
    world.advance(100)
    const { order } = okOf(asked)
    expect(order.orderStatus).toBe("CREATED")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED" })
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is answered as far as its client waits for", () => {
    const world = following()
    world.memory.faults.hold()
    const asked = submit(world, { clientOrderId: "second", awaitAccepted: true } as Patch)
    world.memory.faults.release()
    world.advance(100)
    expect(okOf(asked).order.orderStatus).toBe("ACCEPTED")
  })

  it("is not rejected for a store that is late: it was not", () => {
    const world = following()
    world.memory.faults.hold()
    const asked = submit(world, { clientOrderId: "second" })
    world.advance(3_000)
    world.memory.faults.release()
    world.advance(100)
    expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it("waits for its unit until the names of the account's orders are read", () => {
    const world = readyWorld({ venue: FOLLOWING }, "100")
    world.memory.faults.hold()
    submit(world, { clientOrderId: "first" })
    expect(arrived(world)).toBe(0)
    submit(world, { clientOrderId: "second" })
    expect(arrived(world)).toBe(1)
  })

  it("waits for its unit where an older order may have its name, which is the one that is answered", () => {
    const before = following()
    const first = placed(before, { clientOrderId: "older" })
    before.cancel(first.tradeOrderId)
    before.advance(1_000)
    before.crash()
    before.start()
    before.advance(1_000)
    // The names are read by it.
    placed(before, { clientOrderId: "of this process" })
    const arrivedBefore = arrived(before)
    before.memory.faults.hold()
    const again = submit(before, { clientOrderId: "older" })
    const fresh = submit(before, { clientOrderId: "fresh" })
    expect(arrived(before)).toBe(arrivedBefore + 1)
    before.memory.faults.release()
    before.advance(1_000)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: first.tradeOrderId } })
    expect(before.read(okOf(fresh).order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    expect(arrived(before)).toBe(arrivedBefore + 1)
  })

  it("is cancelled there when the cancel came before it was stored", () => {
    const world = following()
    world.memory.faults.hold()
    const asked = submit(world, { clientOrderId: "second" })
    const [, tradeOrderId] = [...world.venue.arrivals.keys()]
    const cancelled = world.cancel(tradeOrderId!)
    world.advance(100)
    world.memory.faults.release()
    world.advance(1_000)
    expect(okOf(asked).order.orderStatus).toBe("CREATED")
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
    expect(world.read(tradeOrderId!).orderStatus).toBe("CANCELLED")
  })

  it("is cancelled there while the cancel is being stored", () => {
    const world = following()
    const order = placed(world, { clientOrderId: "second" })
    world.memory.faults.hold()
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(100)
    const named = { tradeOrderId: order.tradeOrderId, externalOrderId: null }
    expect([world.venue.find(named)?.status, cancelled.answer]).toEqual(["CANCELLED", undefined])
    world.memory.faults.release()
    world.advance(100)
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
  })
})

describe("what becomes of an order that left, where its unit", () => {
  it("is refused, or stands on a refused one: it is taken back, and its repeat is the first", () => {
    const forgone: Array<string> = []
    const sessionOf = (session: VenueSession): VenueSession => ({ ...session, forgo: (id) => void forgone.push(id) })
    const world = readyWorld({ venue: FOLLOWING, sessionOf }, "100")
    placed(world, { clientOrderId: "first" })
    world.memory.faults.hold()
    submit(world, { clientOrderId: "refused" })
    submit(world, { clientOrderId: "behind it" })
    const [, refused, behind] = [...world.venue.arrivals.keys()]
    world.memory.faults.refuse((unit) =>
      unit.rows.some((row) => row._tag === "Order" && row.order.clientOrderId === "refused") ? "no" : undefined,
    )
    world.memory.faults.release()
    world.advance(1)
    expect(forgone).toEqual([refused, behind])
  })

  it("finds its name taken by a row that nothing here knows of: it is taken back", () => {
    const forgone: Array<string> = []
    const sessionOf = (session: VenueSession): VenueSession => ({ ...session, forgo: (id) => void forgone.push(id) })
    const world = readyWorld({ venue: FOLLOWING, sessionOf }, "100")
    const first = placed(world, { clientOrderId: "first" })
    world.memory.faults.hold()
    submit(world, { clientOrderId: "taken" })
    const [, left] = [...world.venue.arrivals.keys()]
    const { order } = world.database.orders.get(first.tradeOrderId)!
    const tradeOrderId = "ffffffff-0000-4000-8000-000000000001" as TradeOrderId
    world.database.orders.set(tradeOrderId, {
      order: { ...order, tradeOrderId, clientOrderId: "taken", orderStatus: "CANCELLED" },
      acceptedNumber: null,
    })
    world.memory.faults.release()
    world.advance(1)
    expect(forgone).toEqual([left])
  })

  it("is stored, and the process dies: a switch that has fired has asked for its cancel", () => {
    const world = following()
    world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis: 5_000, reply }))
    world.advance(4_900)
    world.memory.faults.hold()
    submit(world, { clientOrderId: "second" })
    world.advance(500)
    world.memory.faults.dieNext("afterCommit")
    world.memory.faults.release()
    world.advance(10)
    world.crash()
    const [order] = [...world.database.orders.values()]
      .map((it) => it.order)
      .filter((it) => it.clientOrderId === "second")
    const { cancelAllAt } = [...world.database.accounts.values()][0]!
    expect([cancelAllAt, order?.cancelRequested]).toEqual([null, true])
  })

  it("is stored, and the process dies: a cancel of all was not answered before it was stored", () => {
    const world = following()
    world.memory.faults.hold()
    submit(world, { clientOrderId: "second" })
    const receivedAt = world.monotonic()
    const swept = world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt, reply }))
    world.advance(1_100)
    world.memory.faults.dieNext("beforeCommit", (unit) =>
      unit.rows.some(
        (row) => row._tag === "Order" && row.order.clientOrderId === "second" && row.order.cancelRequested,
      ),
    )
    world.memory.faults.release()
    world.advance(10)
    expect([world.memory.hasDied(), swept.answer]).toEqual([true, undefined])
  })
})

describe("an order at any other venue", () => {
  it.each<readonly [string, Partial<Venue>]>([
    ["of another process", {}],
    ["of this process that remembers for itself", { inProcess: true }],
  ])("%s leaves from its commit", (_, venue) => {
    const world = following(venue)
    world.memory.faults.hold()
    submit(world, { clientOrderId: "second" })
    expect(arrived(world)).toBe(1)
    world.memory.faults.release()
    world.advance(100)
    expect(arrived(world)).toBe(2)
  })
})
