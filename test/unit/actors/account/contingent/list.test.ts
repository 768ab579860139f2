/** The life of contingent orders in the account's actor (contract C4): the entry's fills, the pair of exits, and what goes wrong. */
import { describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { ENTRY, type ListOptions, ListWorld, STOP_LOSS, TAKE_PROFIT } from "../../../../kit/worlds/list-world.ts"
import { newestCore } from "../../../../kit/worlds/newest-core.ts"
import type { SimOrder } from "../../../../sim/venue/exchange.ts"
import { okOf } from "../../../../sim/world.ts"

vi.mock("../../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

const worldOf = (kind: "entry" | "pair", options: ListOptions = {}): ListWorld => new ListWorld(kind, options).wake()

const amending = { ...PLAIN_CAPABILITIES, amend: true }

const wait = <A>(world: ListWorld, asked: A): A => {
  world.advance(200)
  return asked
}

/** The take-profit that was sent and given up, half a second after the venue has taken it all the same. */
const lateTakeProfit = (world: ListWorld): SimOrder => {
  for (;;) {
    world.advance(10)
    const late = world.venue.find({ tradeOrderId: TAKE_PROFIT, externalOrderId: null })
    if (late === undefined) continue
    world.advance(500)
    return late
  }
}

const shape = (world: ListWorld, kind: "TAKE_PROFIT" | "STOP_LOSS"): string => {
  const { orderStatus, baseQuantity, executedQuantity, held, cancelReason } = world.leg(kind)
  return `${orderStatus} ${executedQuantity}/${baseQuantity} holds ${held}${cancelReason === null ? "" : ` ${cancelReason}`}`
}

describe("an entry with exits", () => {
  it("keeps them waiting until it fills, and lets both go at the first fill", () => {
    const world = worldOf("entry")
    expect(world.venue.openOrders()).toHaveLength(1)
    expect(shape(world, "STOP_LOSS")).toBe("CREATED 0/10 holds 0")
    world.buy("3")
    world.advance(200)
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/3 holds 3")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/3 holds 0")
    expect(world.atVenue("TAKE_PROFIT")?.quantity.toString()).toBe("3")
    expect(world.atVenue("STOP_LOSS")).toBeUndefined()
    expect(world.leg("STOP_LOSS").terms?.trigger?.armedAt).not.toBeNull()
    expect(world.venue.arrivals.get(TAKE_PROFIT)).toBe(1)
  })

  it("grows them with every further fill, the resting one in one change for several fills", () => {
    const world = worldOf("entry", { venue: { capabilities: amending } })
    world.buy("3")
    world.advance(20)
    for (const _ of [1, 2, 3]) {
      world.buy("1")
      world.advance(20)
      expect(world.leg("STOP_LOSS").baseQuantity.toString()).toBe(world.entry?.executed.toString())
    }
    world.advance(1_000)
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/6 holds 6")
    expect(world.venue.amends.get(TAKE_PROFIT)).toBe(1)
    expect(world.venue.arrivals.get(TAKE_PROFIT)).toBe(1)
  })

  it("tells the growth of what is armed as the state that it stays in", () => {
    const world = worldOf("entry", { takeProfit: "TRIGGER" })
    world.buy("3")
    world.advance(20)
    world.published.length = 0
    world.buy("2")
    world.advance(20)
    const told = world.published
      .map((it) => JSON.parse(it.json) as { kind: string; data: { orderStatus: string; quantity: string } })
      .filter(({ kind, data }) => kind.startsWith("TRADE_ORDER.") && data.orderStatus === "ACCEPTED")
    expect(told.map(({ kind, data }) => `${kind} ${data.quantity}`)).toEqual([
      "TRADE_ORDER.ACCEPTED 5",
      "TRADE_ORDER.ACCEPTED 5",
    ])
  })

  it("grows a resting one by cancel and renewal where the venue cannot amend", () => {
    const world = worldOf("entry")
    world.buy("3")
    world.advance(500)
    world.buy("4")
    world.advance(1_000)
    expect(world.leg("TAKE_PROFIT").replacesTradeOrderId).toBe(TAKE_PROFIT)
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/7 holds 7")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/7 holds 0")
    expect(world.venue.openOrders().filter((it) => it.order.orderSide === "SELL")).toHaveLength(1)
    expect(world.alerts()).toEqual([])
  })

  it("hold what is left when one that was renewed fills after all, also while its heir is being changed", () => {
    const world = worldOf("entry")
    world.buy("3")
    world.advance(500)
    world.buy("4")
    world.advance(1_000)
    world.venue.fates.cancel = () => "silentBefore"
    world.buy("1")
    world.advance(500)
    world.buy("1")
    world.advance(20)
    expect(shape(world, "TAKE_PROFIT")).toBe("PENDING_REPLACE 0/7 holds 9")
    const renewed = world.venue.find({ tradeOrderId: TAKE_PROFIT, externalOrderId: null })!
    world.venue.oddFill(renewed, Decimal.of("2"))
    world.advance(20)
    expect(shape(world, "TAKE_PROFIT")).toBe("PENDING_REPLACE 0/7 holds 8")
    expect(world.portfolio("BTC")[0]!.locked.toString()).toBe("8")
  })

  it("hold what it buys while the one that holds is being cancelled for the stop", () => {
    const world = worldOf("entry")
    world.buy("3")
    world.advance(500)
    world.venue.fates.cancel = () => "silentBefore"
    world.fire("STOP_LOSS")
    world.advance(20)
    expect(shape(world, "TAKE_PROFIT")).toBe("PENDING_CANCEL 0/3 holds 3 OCO_SIBLING")
    world.buy("4")
    world.advance(20)
    expect(shape(world, "TAKE_PROFIT")).toBe("PENDING_CANCEL 0/3 holds 7 OCO_SIBLING")
    expect(world.portfolio("BTC")[0]!.locked.toString()).toBe("7")
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.ONE)
    world.advance(20)
    expect(shape(world, "TAKE_PROFIT")).toBe("PARTIALLY_FILLED 1/3 holds 6 OCO_SIBLING")
  })

  it("protects what is left after fees in the base asset, in whole lots", () => {
    const world = worldOf("entry")
    world.venue.baseFee = Decimal.of("0.0015")
    world.buy("3")
    world.advance(200)
    // 3 − 0.0045 = 2.9955
    expect(world.leg("TAKE_PROFIT").baseQuantity.toString()).toBe("2.995")
    expect(world.leg("STOP_LOSS").baseQuantity.toString()).toBe("2.995")
  })

  it("waits with less than the venue takes, and revokes what stays below at the entry's end", () => {
    const world = worldOf("entry", { quantity: "0.02" })
    world.buy("0.005")
    world.advance(200)
    expect(shape(world, "TAKE_PROFIT")).toBe("CREATED 0/0.02 holds 0")
    world.buy("0.004")
    world.advance(200)
    // 0.009 × 110 is less than the smallest notional of 1.
    expect(shape(world, "TAKE_PROFIT")).toBe("CREATED 0/0.02 holds 0")
    world.cancel(ENTRY)
    world.advance(200)
    expect(shape(world, "TAKE_PROFIT")).toBe("REVOKED 0/0.02 holds 0 BELOW_MINIMUM")
    expect(shape(world, "STOP_LOSS")).toBe("REVOKED 0/0.02 holds 0 BELOW_MINIMUM")
    expect(world.read(ENTRY).orderStatus).toBe("CANCELLED")
  })

  it("takes its exits with it when it ends without a fill, and leaves them what it bought otherwise", () => {
    const empty = worldOf("entry")
    empty.cancel(ENTRY)
    empty.advance(200)
    expect(shape(empty, "TAKE_PROFIT")).toBe("REVOKED 0/10 holds 0 PARENT_CLOSED")
    expect(shape(empty, "STOP_LOSS")).toBe("REVOKED 0/10 holds 0 PARENT_CLOSED")
    const partly = worldOf("entry")
    partly.buy("2")
    partly.advance(200)
    partly.cancel(ENTRY)
    partly.advance(200)
    expect(shape(partly, "TAKE_PROFIT")).toBe("ACCEPTED 0/2 holds 2")
    expect(shape(partly, "STOP_LOSS")).toBe("ACCEPTED 0/2 holds 0")
  })

  it("protects a fill that comes after its exits were revoked by new ones", () => {
    const world = worldOf("entry")
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "delay" : "deliver")
    world.venue.fates.latencyMillis = () => 20
    world.cancel(ENTRY)
    world.advance(200)
    expect(shape(world, "STOP_LOSS")).toContain("PARENT_CLOSED")
    const { entry } = world
    if (entry === null) throw new Error("no entry")
    world.venue.fill(entry, Decimal.of("2"))
    world.advance(2_000)
    expect(world.read(ENTRY).executedQuantity.toString()).toBe("2")
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/2 holds 2")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/2 holds 0")
    expect(world.leg("STOP_LOSS").replacesTradeOrderId).toBe(STOP_LOSS)
  })

  it("begins the pair again when it buys more after the take-profit has sold everything", () => {
    const world = worldOf("entry")
    world.buy("3")
    world.advance(200)
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.of("3"))
    world.advance(200)
    expect(shape(world, "TAKE_PROFIT")).toBe("FILLED 3/3 holds 0")
    expect(shape(world, "STOP_LOSS")).toBe("REVOKED 0/3 holds 0 OCO_SIBLING")
    world.buy("7")
    world.advance(500)
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/7 holds 7")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/7 holds 0")
    expect(world.alerts()).toEqual([])
  })
})

describe("a pair of exits", () => {
  const protectedWorld = (options: ListOptions = {}): ListWorld => {
    const world = worldOf("entry", options)
    world.buy("10")
    world.advance(300)
    world.published.length = 0
    return world
  }

  it("reduces one leg in the unit of the other's fill", () => {
    const world = protectedWorld()
    world.memory.faults.dieNext("afterCommit", (unit) => unit.rows.some((row) => row._tag === "Execution"))
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.of("4"))
    world.advance(100)
    expect(world.memory.hasDied()).toBe(true)
    const row = (id: string) => world.rows().find((it) => it.tradeOrderId === id)
    expect(row(TAKE_PROFIT)?.executedQuantity.toString()).toBe("4")
    expect(row(STOP_LOSS)?.baseQuantity.toString()).toBe("6")
    world.restart()
    expect(shape(world, "TAKE_PROFIT")).toBe("PARTIALLY_FILLED 4/10 holds 6")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/6 holds 0")
  })

  it("ends the stop when the take-profit is filled", () => {
    const world = protectedWorld()
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.of("10"))
    world.advance(100)
    expect(shape(world, "STOP_LOSS")).toBe("REVOKED 0/10 holds 0 OCO_SIBLING")
    expect(world.alerts()).toEqual([])
    expect(newestCore().orders.open.size).toBe(0)
  })

  it("sends a stop that fires only when the take-profit's cancel is confirmed, for what is left", () => {
    const world = protectedWorld()
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.of("4"))
    world.advance(100)
    world.memory.faults.hold()
    world.fire("STOP_LOSS")
    expect(shape(world, "TAKE_PROFIT")).toBe("PENDING_CANCEL 4/10 holds 6 OCO_SIBLING")
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
    world.memory.faults.release()
    world.advance(1_000)
    expect(shape(world, "TAKE_PROFIT")).toBe("CANCELLED 4/10 holds 0 OCO_SIBLING")
    expect(shape(world, "STOP_LOSS")).toBe("FILLED 6/6 holds 0")
    expect(world.venue.arrivals.get(STOP_LOSS)).toBe(1)
    expect(world.alerts()).toEqual([])
  })

  it("asks the venue when the cancel has no answer, and sends the stop once", () => {
    const world = protectedWorld()
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = () => "drop"
    world.fire("STOP_LOSS")
    world.advance(1_400)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
    world.advance(3_000)
    expect(world.leg("TAKE_PROFIT")).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "OCO_SIBLING" })
    expect(world.venue.arrivals.get(STOP_LOSS)).toBe(1)
  })

  it("has nothing left to send when the take-profit fills while it is being cancelled", () => {
    const world = protectedWorld()
    const takeProfit = world.atVenue("TAKE_PROFIT")!
    world.venue.fates.cancel = () => {
      world.venue.fill(takeProfit, Decimal.of("10"))
      return "accept"
    }
    world.fire("STOP_LOSS")
    world.advance(2_000)
    expect(shape(world, "TAKE_PROFIT")).toBe("FILLED 10/10 holds 0")
    expect(shape(world, "STOP_LOSS")).toBe("REVOKED 0/10 holds 0 OCO_SIBLING")
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
  })

  it("keeps asking for the cancel when the venue refuses it, and never has both live", () => {
    const world = protectedWorld()
    let refusals = 3
    world.venue.fates.cancel = () => (refusals-- > 0 ? "refuse" : "accept")
    world.fire("STOP_LOSS")
    world.advance(1_000)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
    world.advance(40_000)
    expect(world.leg("TAKE_PROFIT").orderStatus).toBe("CANCELLED")
    expect(shape(world, "STOP_LOSS")).toBe("FILLED 10/10 holds 0")
  })

  it("sends no other leg while one that was given up works at the venue", () => {
    const world = worldOf("entry")
    world.venue.fates.submit = (order) => (order.tradeOrderId === TAKE_PROFIT ? "arrivesTooLate" : "accept")
    world.venue.fates.cancel = (ref) => (ref.tradeOrderId === TAKE_PROFIT ? "refuse" : "accept")
    world.venue.random.between = () => 40_000
    world.buy("10")
    world.advance(45_000)
    const late = world.venue.find({ tradeOrderId: TAKE_PROFIT, externalOrderId: null })!
    expect(world.rows().find((it) => it.tradeOrderId === TAKE_PROFIT)!.orderStatus).toBe("REJECTED")
    expect(late.status).toBe("OPEN")
    world.fire("STOP_LOSS")
    world.advance(30_000)
    expect(shape(world, "TAKE_PROFIT")).toBe("CANCELLED 0/10 holds 0 OCO_SIBLING")
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect(late.status).toBe("CANCELLED")
    expect(world.rows().find((it) => it.tradeOrderId === STOP_LOSS)!.orderStatus).toBe("FILLED")
    expect(world.venue.arrivals.get(STOP_LOSS)).toBe(1)
  })

  it("sends no other leg while the venue is asked whether the one it shows without our name is one that was given up", () => {
    const world = worldOf("entry")
    world.venue.traits = { ...world.venue.traits, clientIds: "ASKED", replicaLagMillis: 4_000 }
    world.venue.fates.submit = (order) => (order.tradeOrderId === TAKE_PROFIT ? "arrivesTooLate" : "accept")
    world.venue.random.between = (from, to) => (to === 4_000 ? to : Math.max(from, 40_000))
    world.buy("10")
    const late = lateTakeProfit(world)
    world.fire("STOP_LOSS")
    world.advance(2_000)
    expect([late.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual(["OPEN", undefined])
    world.advance(60_000)
    expect([late.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual(["CANCELLED", 1])
  })

  it.each(["shows", "does not show yet"])(
    "nor in a process that begins then, when the list of open orders %s it",
    (how) => {
      const world = worldOf("entry")
      world.venue.fates.submit = (order) => (order.tradeOrderId === TAKE_PROFIT ? "arrivesTooLate" : "accept")
      world.venue.fates.cancel = (ref) => (ref.tradeOrderId === TAKE_PROFIT ? "refuse" : "accept")
      world.venue.random.between = (_from, to) => to
      world.buy("10")
      const late = lateTakeProfit(world)
      world.fire("STOP_LOSS")
      world.advance(500)
      world.crash()
      if (how !== "shows") world.venue.openOrders = () => []
      world.start()
      world.advance(5_000)
      expect([world.status(), late.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual(["ACTIVE", "OPEN", undefined])
      Reflect.deleteProperty(world.venue, "openOrders")
      world.venue.fates.cancel = () => "accept"
      world.advance(60_000)
      expect([late.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual(["CANCELLED", 1])
    },
  )

  it("sends no other leg in a new process while one that ended here works at the venue", () => {
    const world = protectedWorld()
    const takeProfit = world.atVenue("TAKE_PROFIT")!
    world.venue.fates.cancel = () => "refuse"
    // A word of the venue that is not true.
    world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(takeProfit), status: "CANCELLED" } })
    world.advance(30_000)
    expect(shape(world, "TAKE_PROFIT")).toBe("CANCELLED 0/10 holds 0 VENUE")
    world.fire("STOP_LOSS")
    world.advance(5_000)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
    world.restart()
    expect([world.status(), takeProfit.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual([
      "ACTIVE",
      "OPEN",
      undefined,
    ])
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect([takeProfit.status, world.venue.arrivals.get(STOP_LOSS)]).toEqual(["CANCELLED", 1])
  })

  it("tells of a fill that comes after the confirmed cancel, when the stop has sold the rest", () => {
    const world = protectedWorld()
    const takeProfit = world.atVenue("TAKE_PROFIT")!
    world.fire("STOP_LOSS")
    world.advance(1_000)
    expect(shape(world, "STOP_LOSS")).toBe("FILLED 10/10 holds 0")
    world.venue.fill(takeProfit, Decimal.of("1"))
    world.advance(1_000)
    expect(world.leg("TAKE_PROFIT").executedQuantity.toString()).toBe("1")
    expect(world.alerts()).toEqual([{ code: "EXIT_ABOVE_POSITION", severity: "CRITICAL" }])
  })

  it("sends the one whose trigger fires, and withdraws the other, when both are armed", () => {
    const world = protectedWorld({ takeProfit: "TRIGGER" })
    expect(shape(world, "TAKE_PROFIT")).toBe("ACCEPTED 0/10 holds 10")
    world.fire("STOP_LOSS")
    expect(shape(world, "TAKE_PROFIT")).toBe("REVOKED 0/10 holds 0 OCO_SIBLING")
    world.advance(300)
    expect(shape(world, "STOP_LOSS")).toBe("FILLED 10/10 holds 0")
    const other = protectedWorld({ takeProfit: "TRIGGER" })
    other.fire("TAKE_PROFIT")
    other.advance(300)
    expect(shape(other, "TAKE_PROFIT")).toBe("FILLED 10/10 holds 0")
    expect(shape(other, "STOP_LOSS")).toBe("REVOKED 0/10 holds 0 OCO_SIBLING")
  })

  it("ends with the leg that the user cancels", () => {
    const world = protectedWorld()
    okOf(wait(world, world.cancel(STOP_LOSS)))
    expect(shape(world, "STOP_LOSS")).toBe("CANCELLED 0/10 holds 0 USER_REQUEST")
    expect(shape(world, "TAKE_PROFIT")).toBe("CANCELLED 0/10 holds 0 OCO_SIBLING")
    const other = protectedWorld()
    okOf(wait(other, other.cancel(TAKE_PROFIT)))
    expect(shape(other, "TAKE_PROFIT")).toBe("CANCELLED 0/10 holds 0 USER_REQUEST")
    expect(shape(other, "STOP_LOSS")).toBe("REVOKED 0/10 holds 0 OCO_SIBLING")
    expect(other.alerts()).toEqual([])
  })

  it("keeps the other leg when the venue refuses one, and says so", () => {
    const world = worldOf("entry")
    world.venue.fates.submit = () => "refuse"
    world.buy("5")
    world.advance(300)
    expect(world.leg("TAKE_PROFIT").orderStatus).toBe("REJECTED")
    expect(shape(world, "STOP_LOSS")).toBe("ACCEPTED 0/5 holds 5")
    expect(world.alerts()).toEqual([{ code: "UNPROTECTED_POSITION", severity: "WARNING" }])
    world.fire("STOP_LOSS")
    world.advance(300)
    expect(world.leg("STOP_LOSS").orderStatus).toBe("REJECTED")
    expect(world.alerts().filter((it) => it.code === "UNPROTECTED_POSITION")).toEqual([
      { code: "UNPROTECTED_POSITION", severity: "WARNING" },
      { code: "UNPROTECTED_POSITION", severity: "CRITICAL" },
    ])
  })

  it("is not let go again when the account is being closed", () => {
    const world = worldOf("entry")
    world.buy("2")
    world.advance(100)
    const asked = world.ask((reply) => ({ _tag: "DisconnectAccount", force: false, act: DISCONNECTING, reply }))
    world.buy("3")
    world.advance(5_000)
    okOf(asked)
    expect(world.rows().every((it) => it.held.isZero())).toBe(true)
    expect(world.venue.openOrders()).toHaveLength(0)
    expect(world.rows()).toHaveLength(3)
    expect(world.alerts()).toEqual([])
  })
})
