/** Orders that have left an account's memory but for their names: replays, reads, cancels and late evidence find them all the same. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { AccountOrders } from "../../../../../src/actors/account/order-memory.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { tradeOrderJson } from "../../../../../src/domain/order/trade-order-record.ts"
import type { AccountStore } from "../../../../../src/ports/account-store.ts"
import type { SimOrder } from "../../../../sim/venue/exchange.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { errorOf, okOf, World } from "../../../../sim/world.ts"

/** The simulation keeps six whole. */
const LATER_ORDERS = 12

let world: World
/** Orders that were read from the store. */
let found: Array<unknown>
beforeEach(() => {
  found = []
  world = new World({
    storeOf: (store: AccountStore["Type"]) => ({
      ...store,
      find: (id, by) => {
        found.push(by)
        return store.find(id, by)
      },
    }),
  })
  world.start()
  world.advance(2_000)
})
afterEach(() => world.crash())

const text = (value: string) => value as never
const placed = (patch: Parameters<World["submit"]>[0] = {}): { order: TradeOrder; sim: SimOrder } => {
  const asked = world.submit({ quantity: text("1"), ...patch })
  world.advance(300)
  const { order } = okOf(asked)
  return { order, sim: world.venue.find(order)! }
}
const cancelled = (order: TradeOrder): void => {
  world.cancel(order.tradeOrderId)
  world.advance(300)
}
const othersEnd = (): void => {
  for (let n = 0; n < LATER_ORDERS; n++) cancelled(placed({ clientOrderId: `later-${n}` }).order)
  found = []
}
const stored = ({ tradeOrderId }: TradeOrder): TradeOrder => world.database.orders.get(tradeOrderId)!.order
const executions = (): number => world.database.executions.size

describe("an order that has left memory", () => {
  it("is answered again for its key as it is, and refused for another order", () => {
    const request = { clientOrderId: "first", idempotencyKey: "key" }
    const { order } = placed(request)
    cancelled(order)
    othersEnd()
    const again = world.submit({ ...request, quantity: text("1") })
    const other = world.submit({ ...request, quantity: text("2") })
    const sameName = world.submit({ clientOrderId: "first", idempotencyKey: "other", quantity: text("2") })
    world.advance(300)
    expect(found).toEqual([{ tradeOrderId: order.tradeOrderId }])
    expect(okOf(again)).toMatchObject({ replayed: true })
    expect(tradeOrderJson(okOf(again).order)).toBe(tradeOrderJson(stored(order)))
    expect([errorOf(other), errorOf(sameName)]).toEqual(["IdempotencyConflict", "DuplicateClientOrderId"])
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it.each([
    ["another key", "other"],
    ["none", null],
  ])("is answered again for its client order id with %s", (_name, idempotencyKey) => {
    const { order } = placed({ clientOrderId: "first", idempotencyKey: "key" })
    cancelled(order)
    othersEnd()
    const again = world.submit({ clientOrderId: "first", idempotencyKey, quantity: text("1") })
    world.advance(300)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: order.tradeOrderId } })
    // Nor is it refused for want of funds, as a new one would be.
    const { order: holding } = placed({ quantity: text("9"), limitPrice: text("1000") })
    expect(holding.orderStatus).toBe("CREATED")
    const refused = world.submit({ clientOrderId: "first", idempotencyKey, quantity: text("1") })
    world.advance(300)
    expect(okOf(refused)).toMatchObject({ replayed: true, order: { tradeOrderId: order.tradeOrderId } })
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("is known by its key in the next process too", () => {
    const { order } = placed({ clientOrderId: "first" })
    cancelled(order)
    othersEnd()
    world.crash()
    world.start()
    world.advance(5_000)
    // Refused for want of funds if it were new.
    const { order: holding } = placed({ quantity: text("9"), limitPrice: text("1000") })
    expect(holding.orderStatus).toBe("CREATED")
    const again = world.submit({ clientOrderId: "first", quantity: text("1") })
    world.advance(300)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: order.tradeOrderId } })
  })

  it("takes a fill that comes late, once, whatever the fill names", () => {
    const { order, sim } = placed()
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.25"))
    cancelled(order)
    world.venue.fates.stream = () => "deliver"
    othersEnd()
    const [fill] = sim.fills
    for (const tradeOrderId of [null, order.tradeOrderId, null])
      world.venue.tell({ _tag: "Filled", fill: { ...fill!, tradeOrderId } })
    world.advance(2_000)
    expect(world.kinds().filter((kind) => kind === "TRADE_ORDER.LATE_FILL")).toHaveLength(1)
    expect([stored(order).orderStatus, stored(order).executedQuantity.toString()]).toEqual(["CANCELLED", "0.25"])
    expect(executions()).toBe(1)
    othersEnd()
    world.venue.tell({ _tag: "Filled", fill: { ...fill!, tradeOrderId: null } })
    world.advance(2_000)
    expect([executions(), found]).toEqual([1, []])
  })

  it("is read and cancelled as what it is", () => {
    const { order } = placed({ clientOrderId: "first" })
    cancelled(order)
    othersEnd()
    expect(tradeOrderJson(world.read(order.tradeOrderId))).toBe(tradeOrderJson(stored(order)))
    const again = world.cancel(order.tradeOrderId)
    world.advance(300)
    expect(okOf(again).orderStatus).toBe("CANCELLED")
  })

  it("comes back with its whole list", () => {
    const exits = { takeProfitPrice: text("110"), stopLossPrice: text("90") }
    const entry = { ...exits, clientOrderId: "entry", limitPrice: text("95"), quantity: text("1") }
    const { order } = placed(entry)
    cancelled(order)
    othersEnd()
    const again = world.submit(entry)
    world.advance(300)
    expect(okOf(again).linked?.map((it) => it.orderStatus)).toEqual(["REVOKED", "REVOKED"])
  })
})

describe("what is remembered of ended orders", () => {
  class Orders extends AccountOrders {
    /** Who leaves, and when, is said by each test. */
    constructor(
      wholeOrders: number,
      later: (millis: number, run: () => void) => unknown = () => undefined,
      whenDurable: (run: () => void) => void = () => undefined,
    ) {
      super({
        wholeOrders,
        ended: null,
        endedLately: [],
        forgottenUpTo: Number.NEGATIVE_INFINITY,
        monotonic: () => 0,
        later,
        whenDurable,
        becameClear: () => undefined,
      })
    }
    get size(): number {
      return [...this.values()].length
    }
    end(order: TradeOrder, touchedAt = 0): void {
      this.index({ order, stored: true, owed: null, question: null, touchedAt } as never)
    }
  }
  const ended = (n: number): TradeOrder => ({
    ...stored(placed().order),
    orderStatus: "CANCELLED",
    tradeOrderId: `order-${n}` as never,
    clientOrderId: `client-${n}`,
    externalOrderId: `venue-${n}`,
    version: 3,
  })
  const knownOf = (orders: AccountOrders, n: number) => [
    orders.idOfClient(`client-${n}`),
    orders.idAtVenue({ tradeOrderId: null, instrumentId: BTC_USDT, externalOrderId: `venue-${n}` }),
    orders.find({ clientOrderId: `client-${n}` })?.order.version,
  ]

  it("is looked at for every tenth that ends, not for each, where hundreds are still at work", () => {
    let looks = 0
    class Looked extends Orders {
      override leavers(restedSince: number): ReadonlyMap<TradeOrder["tradeOrderId"], number> {
        looks++
        return super.leavers(restedSince)
      }
    }
    const orders = new Looked(100, undefined, (run) => run())
    const template = ended(0)
    for (let n = 0; n < 500; n++) {
      const order = { ...template, clientOrderId: `client-${n}`, tradeOrderId: `order-${n}` as never }
      orders.index({ order, stored: true, owed: null, question: {}, touchedAt: n } as never)
    }
    expect(orders.size).toBe(500)
    expect(looks).toBe(40)
  })

  it("is a few of them whole, for a while the names of those that left, and then nothing", () => {
    const sweeps: Array<() => void> = []
    const orders = new Orders(100, (_, sweep) => sweeps.push(sweep))
    const template = ended(0)
    for (let n = 0; n < 1_000; n++) {
      const names = { clientOrderId: `client-${n}`, externalOrderId: `venue-${n}` }
      orders.end({ ...template, ...names, tradeOrderId: `order-${n}` as never }, n)
      orders.dismiss(orders.leavers(-1), -1, n)
    }
    expect(orders.size).toBe(100)
    expect(knownOf(orders, 900)).toEqual(["order-900", "order-900", 3])
    expect(knownOf(orders, 899)).toEqual(["order-899", "order-899", undefined])
    orders.forgetPast(899)
    expect(knownOf(orders, 799)).toEqual([undefined, undefined, undefined])
    orders.dismiss(orders.leavers(2_000), 2_000, 3_000)
    orders.forgetPast(3_000)
    expect(orders.size).toBe(0)
    expect(knownOf(orders, 999)).toEqual([undefined, undefined, undefined])
    // An idle account sweeps no more.
    expect(sweeps.length).toBe(1)
    for (const sweep of sweeps.splice(0)) sweep()
    expect(sweeps).toEqual([])
  })

  it("says whether what the store answers is old", () => {
    const orders = new Orders(1)
    const [first, second] = [ended(1), ended(2)]
    orders.end(first)
    expect(orders.isOutdated({ ...first, version: 2 })).toBe(false)
    orders.end(second)
    orders.dismiss(orders.leavers(-1), -1, 0)
    expect([orders.isOutdated({ ...first, version: 2 }), orders.isOutdated(first)]).toEqual([true, false])
  })

  it("keeps an order that changed after it was to leave", () => {
    const orders = new Orders(1)
    const [first, second] = [ended(1), ended(2)]
    orders.end(first)
    orders.end(second)
    const leaving = orders.leavers(-1)
    const working = orders.find({ tradeOrderId: first.tradeOrderId })!
    working.order = { ...first, version: 4 }
    expect(orders.dismiss(leaving, -1, 0)).toBe(false)
    expect(orders.size).toBe(2)
  })
})
