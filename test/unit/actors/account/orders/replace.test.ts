/** Changes of working orders: by amend, by renewal, and what may happen while they are under way. */
import { describe, expect, it } from "vitest"
import { Decimal, type PositiveDecimalText } from "../../../../../src/domain/decimal.ts"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import type { AskedChange } from "../../../../../src/domain/order/rules/change.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import type { PlacedBy } from "../../../../../src/domain/user/act.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { errorOf, okOf, type World } from "../../../../sim/world.ts"

const AMENDS = { capabilities: { ...PLAIN_CAPABILITIES, amend: true } }

const text = (value: string) => value as PositiveDecimalText

const placed = (world: World, patch: Parameters<World["submit"]>[0] = {}): TradeOrder => {
  const asked = world.submit(patch)
  world.advance(100)
  return world.read(okOf(asked).order.tradeOrderId)
}

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
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    const asked = world.replace(order.tradeOrderId, { quantity: "2", limitPrice: "90" })
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

  it("without an answer is seen by a view, also after a cancel of the order was refused", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentAfter"
    world.venue.fates.stream = () => "drop"
    world.venue.fates.cancel = () => "refuse"
    world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    world.cancel(order.tradeOrderId)
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null, doubt: null })
    expect(world.read(order.tradeOrderId).baseQuantity.toString()).toBe("2")
    expect(world.database.quarantined.size).toBe(0)
  })

  it("seconds after its answer was lost is not taken for one that it will not make, when the wall clock was set meanwhile", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "arrivesLate"
    world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(200)
    world.wallAheadMillis = 3_600_000
    world.advance(3_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PENDING_REPLACE", doubt: { kind: "AMEND" } })
    world.advance(20_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null, doubt: null })
    expect(world.read(order.tradeOrderId).baseQuantity.toString()).toBe("2")
  })

  it("holds the larger of both while it is under way, and what it came to after", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fates.amend = () => "silentAfter"
    world.venue.fates.stream = () => "drop"
    world.replace(order.tradeOrderId, { quantity: "1" })
    world.advance(50)
    expect(held(world)).toBe("200")
    world.venue.fates.stream = () => "deliver"
    world.advance(60_000)
    expect(held(world)).toBe("100")
  })

  it.each(["lostBefore", "silentBefore"] as const)("that never arrived (%s) is not repeated, and not made", (fate) => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => fate
    const asked = world.replace(order.tradeOrderId, { quantity: "3" })
    world.advance(7_000)
    expect(okOf(asked).orderStatus).toBe("PENDING_REPLACE")
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "PENDING_REPLACE",
      doubt: fate === "lostBefore" ? { kind: "AMEND" } : null,
    })
    expect(held(world)).toBe("300")
    world.advance(120_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null, terms: null })
    expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
    expect(held(world)).toBe("100")
  })

  it.each(["lostAfter", "silentAfter", "arrivesLate"] as const)(
    "whose answer is lost (%s) is found at the venue",
    (fate) => {
      const world = readyWorld({ venue: AMENDS })
      const order = placed(world)
      world.venue.fates.amend = () => fate
      world.venue.fates.stream = () => "drop"
      world.replace(order.tradeOrderId, { quantity: "3", limitPrice: "99" })
      world.advance(120_000)
      const now = world.read(order.tradeOrderId)
      expect(now).toMatchObject({ orderStatus: "ACCEPTED", doubt: null, terms: null })
      expect([now.baseQuantity.toString(), now.limitPrice?.toString()]).toEqual(["3", "99"])
      expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
      expect(held(world)).toBe("297")
    },
  )

  it("is found after a restart in the middle of it", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentAfter"
    world.replace(order.tradeOrderId, { quantity: "3" })
    world.advance(8)
    world.crash()
    world.start()
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
    expect(world.read(order.tradeOrderId).baseQuantity.toString()).toBe("3")
    expect(world.venue.amends.get(order.tradeOrderId)).toBe(1)
  })

  it("leaves the order as it was when the venue refuses", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "refuse"
    const asked = world.replace(order.tradeOrderId, { limitPrice: "110" })
    world.advance(100)
    expect(errorOf(asked)).toBe("ChangeRejected")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null, doubt: null })
    expect(held(world)).toBe("100")
  })

  it("is not mistaken for the end of the order by a fill up to its old quantity", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    world.replace(order.tradeOrderId, { quantity: "3" })
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

  it("came to nothing where the order was executed whole, also when the venue does not know it any more", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "silentBefore"
    world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(100)
    world.venue.isKnown = () => false
    world.venue.fates.stream = (report) => (report._tag === "OrderSeen" ? "drop" : "deliver")
    world.venue.fill(simOf(world, order), Decimal.of("1"))
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "FILLED", cancelReason: null })
  })

  it("is not undone by a list of open orders that was read before it was made", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    const { venue } = world
    venue.fates.amend = () => "silentBefore"
    world.replace(order.tradeOrderId, { quantity: "3" })
    world.advance(100)
    venue.fates.stream = () => "drop"
    venue.isKnown = () => false
    venue.listsWaitMillis = 4_000
    venue.streamDown()
    venue.streamUp()
    world.advance(5_000)
    const to = { quantity: "3", limitPrice: "100", stopPrice: null, askedAt: 0, notAfter: Number.MAX_SAFE_INTEGER }
    expect(venue.alter(simOf(world, order), to)).toBe(true)
    world.advance(15_000)
    expect(world.status()).toBe("ACTIVE")
    venue.isKnown = () => true
    venue.listsWaitMillis = 0
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", baseQuantity: Decimal.of("3") })
  })

  it("may be cancelled while it is under way, whatever comes of it", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    world.venue.fates.amend = () => "lostAfter"
    world.replace(order.tradeOrderId, { quantity: "3" })
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(2_000)
    expect(okOf(cancelled)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(held(world)).toBe("0")
    expect(simOf(world, order).status).toBe("CANCELLED")
  })
})

describe("a change by cancel and a new order", () => {
  it("is covered for the new order while the old one still fills", () => {
    const world = readyWorld()
    const order = placed(world, { quantity: text("2") })
    world.venue.fates.cancel = () => "silentBefore"
    world.replace(order.tradeOrderId, { quantity: "5" })
    world.advance(20)
    expect(held(world)).toBe("500")
    world.venue.fill(simOf(world, order), Decimal.of("0.5"))
    world.advance(20)
    expect(world.read(order.tradeOrderId).executedQuantity.toString()).toBe("0.5")
    // The new order will be over 4.5.
    expect(held(world)).toBe("450")
  })

  const heirOf = (world: World, order: TradeOrder): TradeOrder | undefined =>
    orders(world).find((it) => it.replacesTradeOrderId === order.tradeOrderId)

  it.each([null, 6])("keeps by whose request the new order came (crash after %s ms)", (crashAfter) => {
    const by = {
      userId: "u",
      sessionId: "s",
      ip: "10.0.0.1",
      requestId: "r",
      clientRequestId: null,
    } as unknown as PlacedBy
    const world = readyWorld()
    const order = placed(world)
    const told: Array<unknown> = []
    const listen = () =>
      world.memory.faults.refuse(({ rows }) => {
        for (const row of rows)
          if (row._tag === "Order" && row.order.replacesTradeOrderId === order.tradeOrderId && row.order.version === 1)
            told.push(row.actor)
        return undefined
      })
    listen()
    world.replace(order.tradeOrderId, { limitPrice: "95" }, by)
    if (crashAfter !== null) {
      world.advance(crashAfter)
      world.crash()
      world.start()
      listen()
    }
    world.advance(120_000)
    expect(heirOf(world, order)).toBeDefined()
    expect(told).toEqual([by])
  })

  it("answers the new order, made in the unit that ended the old one", () => {
    const world = readyWorld()
    const order = placed(world, { clientOrderId: "mine" })
    const asked = world.replace(order.tradeOrderId, { limitPrice: "95" })
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
    const world = readyWorld()
    const order = placed(world, { quantity: "2" as never })
    // The venue's word of the fill is lost: only the order itself tells of it.
    world.venue.fates.stream = () => "drop"
    world.replace(order.tradeOrderId, { quantity: "3", limitPrice: "95" })
    world.venue.fill(simOf(world, order), Decimal.of("0.5"))
    world.advance(30_000)
    const old = world.read(order.tradeOrderId)
    expect(old).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "REPLACED" })
    expect(old.executedQuantity.toString()).toBe("0.5")
    expect(heirOf(world, order)?.baseQuantity.toString()).toBe("2.5")
    expect(world.venue.openOrders().map((it) => it.order.quantity)).toEqual(["2.5"])
  })

  it("places nothing when the order was filled meanwhile", () => {
    const world = readyWorld()
    const order = placed(world)
    const asked = world.replace(order.tradeOrderId, { quantity: "2" })
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
      const world = readyWorld()
      const order = placed(world)
      let left = 1
      world.venue.fates.cancel = () => (left-- > 0 ? fate : "accept")
      world.replace(order.tradeOrderId, { limitPrice: "95" })
      world.advance(120_000)
      expect(world.venue.openOrders().map((it) => it.order.limitPrice)).toEqual(["95"])
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
    },
  )

  it("is given up when the venue refuses the cancel", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => "refuse"
    const asked = world.replace(order.tradeOrderId, { quantity: "5" })
    world.advance(500)
    expect(errorOf(asked)).toBe("ChangeRejected")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", terms: null })
    expect(held(world)).toBe("100")
  })

  it("becomes a plain cancel when the client cancels it", () => {
    const world = readyWorld()
    const order = placed(world)
    world.replace(order.tradeOrderId, { quantity: "5" })
    const cancelled = world.cancel(order.tradeOrderId)
    world.advance(5_000)
    expect(okOf(cancelled)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(heirOf(world, order)).toBeUndefined()
    expect(world.venue.openOrders()).toHaveLength(0)
    expect(held(world)).toBe("0")
  })

  it.each([6, 12, 40])("comes to one order after a crash %s ms into it, soon after", (millis) => {
    const world = readyWorld()
    const order = placed(world)
    world.replace(order.tradeOrderId, { limitPrice: "95" })
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
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => "silentAfter"
    world.replace(order.tradeOrderId, { limitPrice: "95" })
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
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(100)
    const cases: ReadonlyArray<readonly [AskedChange, string]> = [
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
      const asked = world.replace(order.tradeOrderId, values)
      world.advance(20)
      expect([values, errorOf(asked)]).toEqual([values, error])
    }
    expect(world.venue.amends.size).toBe(0)
  })

  it("when the order is over, being cancelled or in doubt, and the same values change nothing", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world)
    const same = world.replace(order.tradeOrderId, { quantity: "1.000", limitPrice: "100" })
    world.advance(50)
    expect(okOf(same).version).toBe(world.read(order.tradeOrderId).version)
    world.venue.fates.cancel = () => "silentBefore"
    world.cancel(order.tradeOrderId)
    const pending = world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    expect(errorOf(pending)).toBe("OrderNotChangeable")
    world.venue.fates.submit = () => "lostBefore"
    const doubtful = world.submit()
    world.advance(100)
    const inDoubt = world.replace(okOf(doubtful).order.tradeOrderId, { quantity: "2" })
    world.advance(50)
    expect(errorOf(inDoubt)).toBe("OrderNotChangeable")
  })

  it("waits for an order that has just left, and changes it then", () => {
    const world = readyWorld({ venue: AMENDS })
    const submitted = world.submit()
    world.advance(2)
    const { tradeOrderId } = okOf(submitted).order
    const asked = world.replace(tradeOrderId, { limitPrice: "90" })
    world.advance(100)
    expect(okOf(asked).limitPrice?.toString()).toBe("90")
    expect(world.read(tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it("ends the order when what is left of it is executed", () => {
    const world = readyWorld({ venue: AMENDS })
    const order = placed(world, { quantity: "2" as never })
    world.venue.fill(simOf(world, order), Decimal.ONE)
    world.advance(100)
    const asked = world.replace(order.tradeOrderId, { quantity: "1" })
    world.advance(200)
    expect(okOf(asked)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    const over = world.replace(order.tradeOrderId, { quantity: "3" })
    world.advance(20)
    expect(errorOf(over)).toBe("OrderClosed")
  })
})
