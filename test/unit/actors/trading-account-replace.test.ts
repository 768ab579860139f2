/** Changes of working orders: by amend, by renewal, and what may happen while they are under way. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/trade-order.ts"
import { PLAIN_CAPABILITIES } from "../../../src/domain/venue-capabilities.ts"
import { type Asked, errorOf, okOf, START, World } from "../../sim/world.ts"

const AMENDS = { capabilities: { ...PLAIN_CAPABILITIES, amend: true } }

const ready = (venue: ConstructorParameters<typeof World>[0] = {}): World => {
  const world = new World(venue)
  world.start()
  world.advance(1_000)
  expect(world.status()).toBe("ACTIVE")
  world.published.length = 0
  return world
}

const placed = (world: World, patch: Parameters<World["submit"]>[0] = {}): TradeOrder => {
  const asked = world.submit(patch)
  world.advance(100)
  return world.read(okOf(asked).order.tradeOrderId)
}

interface Values {
  readonly quantity?: string
  readonly limitPrice?: string
  readonly stopPrice?: string
}

const replace = (world: World, tradeOrderId: TradeOrderId, asked: Values): Asked<TradeOrder> =>
  world.ask((reply) => ({
    _tag: "ReplaceOrder",
    by: { tradeOrderId },
    asked,
    receivedAt: world.time.now - START,
    reply,
  }))

const simOf = (world: World, order: TradeOrder) => {
  const sim = world.venue.find(order)
  if (sim === undefined) throw new Error("not at the venue")
  return sim
}

const held = (world: World): string => world.portfolio("USDT")[0]?.locked.toString() ?? "none"
const orderKinds = (world: World) => world.kinds().filter((kind) => kind.startsWith("TRADE_ORDER."))
const orders = (world: World) => [...world.database.orders.values()].map(({ order }) => order)

describe("a change that the venue makes", () => {
  it("is told as REPLACED once, then the order works with its new values", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    const asked = replace(world, order.tradeOrderId, { quantity: "2", limitPrice: "90" })
    // The hold grows before anything leaves.
    expect(world.venue.amends.size).toBe(0)
    world.advance(100)
    expect(okOf(asked)).toMatchObject({ tradeOrderId: order.tradeOrderId, orderStatus: "ACCEPTED" })
    expect(okOf(asked).baseQuantity.toString()).toBe("2")
    expect(okOf(asked).limitPrice?.toString()).toBe("90")
    expect(held(world)).toBe("180")
    expect(orderKinds(world).slice(-3)).toEqual([
      "TRADE_ORDER.PENDING_REPLACE",
      "TRADE_ORDER.REPLACED",
      "TRADE_ORDER.ACCEPTED",
    ])
    world.venue.fill(simOf(world, order), Decimal.of("2"))
    world.advance(100)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "FILLED", terms: null })
  })

  it("holds the larger of both while it is under way, and what it came to after", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fates.amend = () => "silentAfter"
    world.venue.fates.stream = () => "drop"
    replace(world, order.tradeOrderId, { quantity: "1" })
    world.advance(50)
    expect(held(world)).toBe("200")
    world.venue.fates.stream = () => "deliver"
    world.advance(60_000)
    expect(held(world)).toBe("100")
  })

  it.each(["lostBefore", "silentBefore"] as const)("that never arrived (%s) is not repeated, and not made", (fate) => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => fate
    const asked = replace(world, order.tradeOrderId, { quantity: "3" })
    world.advance(7_000)
    expect(okOf(asked).orderStatus).toBe("PENDING_REPLACE")
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "PENDING_REPLACE",
      inDoubt: fate === "lostBefore",
    })
    expect(held(world)).toBe("300")
    world.advance(120_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", inDoubt: false, terms: null })
    expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
    expect(held(world)).toBe("100")
  })

  it.each(["lostAfter", "silentAfter", "arrivesLate"] as const)(
    "whose answer is lost (%s) is found at the venue",
    (fate) => {
      const world = ready({ venue: AMENDS })
      const order = placed(world)
      world.venue.fates.amend = () => fate
      world.venue.fates.stream = () => "drop"
      replace(world, order.tradeOrderId, { quantity: "3", limitPrice: "99" })
      world.advance(120_000)
      const now = world.read(order.tradeOrderId)
      expect(now).toMatchObject({ orderStatus: "ACCEPTED", inDoubt: false, terms: null })
      expect([now.baseQuantity.toString(), now.limitPrice?.toString()]).toEqual(["3", "99"])
      expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
      expect(held(world)).toBe("297")
    },
  )

  it("is found after a restart in the middle of it", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentAfter"
    replace(world, order.tradeOrderId, { quantity: "3" })
    world.advance(8)
    world.crash()
    world.start()
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", inDoubt: false })
    expect(world.read(order.tradeOrderId).baseQuantity.toString()).toBe("3")
    expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
  })

  it("leaves the order as it was when the venue refuses", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "refuse"
    const asked = replace(world, order.tradeOrderId, { limitPrice: "110" })
    world.advance(100)
    expect(errorOf(asked)).toBe("ChangeRejected")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null, inDoubt: false })
    expect(held(world)).toBe("100")
  })

  it("is not mistaken for the end of the order by a fill up to its old quantity", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    replace(world, order.tradeOrderId, { quantity: "3" })
    world.advance(20)
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(20)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("PARTIALLY_FILLED")
    world.venue.fates.stream = () => "deliver"
    world.advance(60_000)
    expect(orderKinds(world)).toContain("TRADE_ORDER.REPLACED")
    expect(world.read(order.tradeOrderId).baseQuantity.toString()).toBe("3")
    expect(held(world)).toBe("200")
    world.venue.fill(simOf(world, order), Decimal.of("2"))
    world.advance(100)
    const end = world.read(order.tradeOrderId)
    expect(end).toMatchObject({ orderStatus: "FILLED" })
    expect(end.overfillQuantity.isZero()).toBe(true)
  })

  it("may be cancelled while it is under way, whatever comes of it", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "lostAfter"
    replace(world, order.tradeOrderId, { quantity: "3" })
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(2_000)
    expect(okOf(cancelled)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(held(world)).toBe("0")
    expect(simOf(world, order).status).toBe("CANCELLED")
  })
})

describe("a change by cancel and a new order", () => {
  const heirOf = (world: World, order: TradeOrder): TradeOrder | undefined =>
    orders(world).find((it) => it.replacesTradeOrderId === order.tradeOrderId)

  it("answers the new order, made in the unit that ended the old one", () => {
    const world = ready()
    const order = placed(world, { clientOrderId: "mine" })
    const asked = replace(world, order.tradeOrderId, { limitPrice: "95" })
    world.advance(500)
    const heir = okOf(asked)
    expect(heir).toMatchObject({ replacesTradeOrderId: order.tradeOrderId, clientOrderId: null, version: 1 })
    expect(heir.limitPrice?.toString()).toBe("95")
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "CANCELLED",
      cancelReason: "REPLACED",
      terms: null,
    })
    expect(world.read(heir.tradeOrderId).orderStatus).toBe("ACCEPTED")
    expect(held(world)).toBe("95")
    const kinds = orderKinds(world)
    const end = kinds.indexOf("TRADE_ORDER.CANCELLED")
    expect(kinds.slice(end, end + 2)).toEqual(["TRADE_ORDER.CANCELLED", "TRADE_ORDER.CREATED"])
    expect(world.venue.openOrders()).toHaveLength(1)
  })

  it("places what remains after a fill that raced the cancel", () => {
    const world = ready()
    const order = placed(world, { quantity: "2" as never })
    // The venue's word of the fill is lost: only the order itself tells of it.
    world.venue.fates.stream = () => "drop"
    replace(world, order.tradeOrderId, { quantity: "3", limitPrice: "95" })
    world.venue.fill(simOf(world, order), Decimal.of("0.5"))
    world.advance(30_000)
    const old = world.read(order.tradeOrderId)
    expect(old).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "REPLACED" })
    expect(old.executedQuantity.toString()).toBe("0.5")
    expect(heirOf(world, order)?.baseQuantity.toString()).toBe("2.5")
    expect(world.venue.openOrders().map((it) => it.order.quantity)).toEqual(["2.5"])
  })

  it("places nothing when the order was filled meanwhile", () => {
    const world = ready()
    const order = placed(world)
    const asked = replace(world, order.tradeOrderId, { quantity: "2" })
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(30_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "FILLED", terms: null })
    expect(errorOf(asked)).toBe("OrderClosed")
    expect(heirOf(world, order)).toBeUndefined()
    expect(world.venue.openOrders()).toHaveLength(0)
  })

  it.each(["lostBefore", "silentBefore", "lostAfter", "silentAfter"] as const)(
    "comes to one order, never two, when the cancel's answer is lost (%s)",
    (fate) => {
      const world = ready()
      const order = placed(world)
      let left = 1
      world.venue.fates.cancel = () => (left-- > 0 ? fate : "accept")
      replace(world, order.tradeOrderId, { limitPrice: "95" })
      world.advance(120_000)
      expect(world.venue.openOrders().map((it) => it.order.limitPrice)).toEqual(["95"])
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", inDoubt: false })
    },
  )

  it("is given up when the venue refuses the cancel", () => {
    const world = ready()
    const order = placed(world)
    world.venue.fates.cancel = () => "refuse"
    const asked = replace(world, order.tradeOrderId, { quantity: "5" })
    world.advance(500)
    expect(errorOf(asked)).toBe("ChangeRejected")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null })
    expect(held(world)).toBe("100")
  })

  it("becomes a plain cancel when the client cancels it", () => {
    const world = ready()
    const order = placed(world)
    replace(world, order.tradeOrderId, { quantity: "5" })
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(5_000)
    expect(okOf(cancelled)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(heirOf(world, order)).toBeUndefined()
    expect(world.venue.openOrders()).toHaveLength(0)
    expect(held(world)).toBe("0")
  })

  it.each([6, 12, 40])("comes to one order after a crash %s ms into it, soon after", (millis) => {
    const world = ready()
    const order = placed(world)
    replace(world, order.tradeOrderId, { limitPrice: "95" })
    world.advance(millis)
    world.crash()
    world.start()
    world.advance(120_000)
    const open = world.venue.openOrders()
    expect(open).toHaveLength(1)
    expect(orders(world).filter((it) => it.orderStatus === "ACCEPTED")).toHaveLength(1)
    for (const [, count] of world.venue.arrivals) expect(count).toBe(1)
  })

  it("places no stale price: confirmed too late, it ends with an alert", () => {
    const world = ready()
    const order = placed(world)
    world.venue.fates.cancel = () => "silentAfter"
    replace(world, order.tradeOrderId, { limitPrice: "95" })
    world.advance(8)
    world.crash()
    world.advance(40_000)
    world.start()
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "REPLACED" })
    expect(heirOf(world, order)).toBeUndefined()
    expect(world.published.some((it) => it.json.includes("NOT_REPLACED"))).toBe(true)
  })
})

describe("a change is refused", () => {
  it("by the rules, before anything is sent", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(100)
    const cases: ReadonlyArray<readonly [Values, string]> = [
      [{}, "MissingParameter"],
      [{ quantity: "0" }, "InvalidParameter"],
      [{ quantity: "0.5" }, "InvalidParameter"],
      [{ quantity: "2.0001" }, "InvalidQuantityPrecision"],
      [{ quantity: "5000" }, "QuantityAboveMaximum"],
      [{ limitPrice: "99.999" }, "InvalidPricePrecision"],
      [{ limitPrice: "0.01" }, "NotionalBelowMinimum"],
      [{ stopPrice: "90" }, "ParameterNotAllowed"],
      [{ quantity: "1000", limitPrice: "2000" }, "InsufficientBalance"],
    ]
    for (const [values, error] of cases) {
      const asked = replace(world, order.tradeOrderId, values)
      world.advance(20)
      expect([values, errorOf(asked)]).toEqual([values, error])
    }
    expect(world.venue.amends.size).toBe(0)
  })

  it("when the order is over, being cancelled or in doubt, and the same values change nothing", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world)
    const same = replace(world, order.tradeOrderId, { quantity: "1.000", limitPrice: "100" })
    world.advance(50)
    expect(okOf(same).version).toBe(world.read(order.tradeOrderId).version)
    world.venue.fates.cancel = () => "silentBefore"
    world.cancel(order.tradeOrderId)
    const pending = replace(world, order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    expect(errorOf(pending)).toBe("OrderNotChangeable")
    world.venue.fates.submit = () => "lostBefore"
    const doubtful = world.submit()
    world.advance(100)
    const inDoubt = replace(world, okOf(doubtful).order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    expect(errorOf(inDoubt)).toBe("OrderNotChangeable")
  })

  it("waits for an order that has just left, and changes it then", () => {
    const world = ready({ venue: AMENDS })
    const submitted = world.submit()
    world.advance(2)
    const { tradeOrderId } = okOf(submitted).order
    const asked = replace(world, tradeOrderId, { limitPrice: "90" })
    world.advance(100)
    expect(okOf(asked).limitPrice?.toString()).toBe("90")
    expect(world.read(tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it("ends the order when what is left of it is executed", () => {
    const world = ready({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(100)
    const asked = replace(world, order.tradeOrderId, { quantity: "1" })
    world.advance(200)
    expect(okOf(asked)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    const over = replace(world, order.tradeOrderId, { quantity: "3" })
    world.advance(20)
    expect(errorOf(over)).toBe("OrderClosed")
  })
})
