/**
 * The exits of an entry on their way to the venue's own list (contract C4, decision 0018): when they go, what happens between the steps,
 * and who watches meanwhile.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { type Patch, placed, pricedWorld, text } from "../../../../kit/worlds/priced-world.ts"
import { simVenue } from "../../../../sim/venue/listing.ts"
import type { World } from "../../../../sim/world.ts"

const ENTRY: Patch = {
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: text("5"),
  limitPrice: text("100"),
  takeProfitLimitPrice: text("110"),
  stopLossPrice: text("90"),
}

/** An entry that rests with both exits waiting. */
const entered = (patch: Patch = {}, oco: "NATIVE" | "EMULATED" = "NATIVE") => {
  const world = pricedWorld({ venue: { capabilities: { ...simVenue.capabilities, oco } } })
  const [entry] = placed(world, { ...ENTRY, ...patch })
  const buy = (quantity: string): void => {
    world.venue.fill(simOf(world, entry!)!, Decimal.of(quantity))
    world.advance(20)
  }
  return { world, entry: entry!, buy }
}

const simOf = (world: World, { tradeOrderId }: TradeOrder) => world.venue.find({ tradeOrderId, externalOrderId: null })

const legs = (world: World, leg: "TAKE_PROFIT" | "STOP_LOSS"): ReadonlyArray<TradeOrder> =>
  [...world.database.orders.values()].map(({ order }) => order).filter((it) => it.terms?.leg === leg)

const newest = (world: World, leg: "TAKE_PROFIT" | "STOP_LOSS"): TradeOrder => legs(world, leg).at(-1)!

const row = (order: TradeOrder): string =>
  `${order.terms?.leg} ${order.orderStatus} ${order.cancelReason ?? order.rejectReason ?? ""} ${order.executedQuantity}/${order.baseQuantity} holds ${order.held} ${order.terms?.trigger?.execution ?? "-"} ${order.terms?.pairedWith ? "paired" : "alone"}`

const rows = (world: World): ReadonlyArray<string> =>
  [...legs(world, "TAKE_PROFIT"), ...legs(world, "STOP_LOSS")].map(row)

const PAIRED = (quantity: string) => [
  `TAKE_PROFIT ACCEPTED  0/${quantity} holds ${quantity} - paired`,
  `STOP_LOSS ACCEPTED  0/${quantity} holds 0 NATIVE paired`,
]

const codes = (world: World): ReadonlyArray<string> =>
  world.published
    .map((it) => JSON.parse(it.json) as { kind: string; data: { code: string } })
    .filter((it) => it.kind === "TRADING_ACCOUNT.ALERT")
    .map(({ data }) => data.code)

/** Counts the requests with two orders. */
const counting = (world: World): { pairs: number } => {
  const count = { pairs: 0 }
  const { submit } = world.venue.fates
  world.venue.fates.submit = (order) => {
    if (order.pairedWith !== undefined) count.pairs++
    return submit(order)
  }
  return count
}

describe("the exits of an entry", () => {
  it("leave as the venue's own pair when the entry closes with its first fill", () => {
    const { world, buy } = entered()
    const count = counting(world)
    buy("5")
    world.advance(1_000)
    expect(rows(world)).toEqual(PAIRED("5"))
    expect(count.pairs).toBe(1)
    expect(world.venue.openOrders().map(({ partner }) => partner !== null)).toEqual([true, true])
    expect(codes(world)).toEqual([])
  })

  it("move there when the entry closes later: the resting one makes way, and each has a successor", () => {
    const { world, buy } = entered()
    buy("2")
    world.advance(1_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT ACCEPTED  0/2 holds 2 - alone",
      "STOP_LOSS ACCEPTED  0/2 holds 0 EMULATED alone",
    ])
    const [profit, stop] = [newest(world, "TAKE_PROFIT"), newest(world, "STOP_LOSS")]
    buy("3")
    world.advance(2_000)
    const [paired, watched] = PAIRED("5")
    expect(rows(world)).toEqual([
      "TAKE_PROFIT CANCELLED REPLACED 0/2 holds 0 - alone",
      paired,
      "STOP_LOSS REVOKED REPLACED 0/5 holds 0 EMULATED alone",
      watched,
    ])
    expect(newest(world, "TAKE_PROFIT").replacesTradeOrderId).toBe(profit.tradeOrderId)
    expect(newest(world, "STOP_LOSS").replacesTradeOrderId).toBe(stop.tradeOrderId)
    expect(codes(world)).toEqual([])
  })

  it("move when the entry is cancelled with a part filled, and when both are watched by the gateway", () => {
    const partly = entered()
    partly.buy("2")
    partly.world.advance(1_000)
    partly.world.cancel(partly.entry.tradeOrderId)
    partly.world.advance(2_000)
    expect(rows(partly.world).filter((it) => it.endsWith(" paired"))).toEqual(PAIRED("2"))
    const watched = entered({ takeProfitPrice: text("110"), takeProfitLimitPrice: null })
    watched.buy("2")
    watched.world.advance(500)
    watched.buy("3")
    watched.world.advance(1_000)
    expect(rows(watched.world)).toEqual([
      "TAKE_PROFIT REVOKED REPLACED 0/2 holds 0 EMULATED alone",
      "TAKE_PROFIT ACCEPTED  0/5 holds 5 NATIVE paired",
      "STOP_LOSS REVOKED REPLACED 0/2 holds 0 EMULATED alone",
      "STOP_LOSS ACCEPTED  0/5 holds 0 NATIVE paired",
    ])
    expect(watched.world.venue.cancels.size).toBe(0)
  })

  it("stay with the gateway where the venue keeps no lists, and where a leg ends by time", () => {
    const plain = entered({}, "EMULATED")
    plain.buy("5")
    const timed = entered({ stopLossTimeInForce: "DAY" })
    timed.buy("5")
    for (const { world } of [plain, timed]) {
      world.advance(2_000)
      expect(rows(world)).toEqual([
        "TAKE_PROFIT ACCEPTED  0/5 holds 5 - alone",
        "STOP_LOSS ACCEPTED  0/5 holds 0 EMULATED alone",
      ])
    }
  })

  it("end one by the other at the venue, without a cancel of ours", () => {
    const { world, buy } = entered()
    buy("5")
    world.advance(500)
    world.venue.fill(simOf(world, newest(world, "TAKE_PROFIT"))!, Decimal.of("5"))
    world.advance(10_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT FILLED  5/5 holds 0 - paired",
      "STOP_LOSS CANCELLED OCO_SIBLING 0/5 holds 0 NATIVE paired",
    ])
    expect(world.venue.cancels.size).toBe(0)
  })

  it("have a stop again at the gateway when the venue ends it at the first fill, and go there no second time", () => {
    const { world, buy } = entered()
    const count = counting(world)
    buy("5")
    world.advance(500)
    world.venue.fill(simOf(world, newest(world, "TAKE_PROFIT"))!, Decimal.of("1"))
    world.advance(200_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT PARTIALLY_FILLED  1/5 holds 4 - paired",
      "STOP_LOSS CANCELLED OCO_SIBLING 0/5 holds 0 NATIVE paired",
      "STOP_LOSS ACCEPTED  0/4 holds 0 EMULATED alone",
    ])
    expect(count.pairs).toBe(1)
    world.trade("89")
    world.advance(5_000)
    expect(row(newest(world, "STOP_LOSS"))).toBe("STOP_LOSS FILLED  4/4 holds 0 EMULATED alone")
  })

  it("are over when somebody ends them at the venue, and the account is told", () => {
    const { world, buy } = entered()
    buy("5")
    world.advance(500)
    world.venue.end(simOf(world, newest(world, "STOP_LOSS"))!, "CANCELLED")
    world.advance(60_000)
    expect(rows(world).map((it) => it.split(" ").slice(0, 2).join(" "))).toEqual([
      "TAKE_PROFIT CANCELLED",
      "STOP_LOSS CANCELLED",
    ])
    expect(codes(world)).toEqual(["UNPROTECTED_POSITION"])
  })
})

describe("a pair that no longer fits", () => {
  /** More was bought after the entry's cancel: the venue's list over 2 is being cancelled, to be placed over 3. */
  const outgrown = () => {
    const { world, entry, buy } = entered()
    buy("2")
    world.advance(1_000)
    world.cancel(entry.tradeOrderId)
    world.advance(2_000)
    expect(rows(world).filter((it) => it.includes(" ACCEPTED "))).toEqual(PAIRED("2"))
    const before = rows(world).length
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    world.venue.oddFill(simOf(world, entry)!, Decimal.ONE)
    world.advance(100)
    const profit = newest(world, "TAKE_PROFIT")
    expect(profit).toMatchObject({ orderStatus: "PENDING_CANCEL", cancelReason: "OCO_SIBLING" })
    return { world, profit, before }
  }
  it("begins again over what there is", () => {
    const { world, before } = outgrown()
    world.advance(60_000)
    expect(rows(world)).toHaveLength(before + 2)
    expect(row(newest(world, "STOP_LOSS"))).toBe("STOP_LOSS ACCEPTED  0/3 holds 0 EMULATED alone")
  })

  it.each([
    ["its take-profit", "the same", "OCO_SIBLING"],
    ["all orders", "the same", "USER_REQUEST"],
    ["its take-profit", "a later", "OCO_SIBLING"],
  ])("stays over once a client cancels %s: %s process", (what, life, reason) => {
    const { world, profit, before } = outgrown()
    if (what === "all orders")
      world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt: world.monotonic(), reply }))
    else world.cancel(profit.tradeOrderId)
    if (life === "a later") {
      world.advance(10)
      world.crash()
      world.start()
    }
    world.advance(60_000)
    expect(rows(world)).toHaveLength(before)
    expect([newest(world, "TAKE_PROFIT"), newest(world, "STOP_LOSS")].map(row)).toEqual([
      "TAKE_PROFIT CANCELLED USER_REQUEST 0/2 holds 0 - paired",
      `STOP_LOSS CANCELLED ${reason} 0/2 holds 0 NATIVE paired`,
    ])
    expect(world.venue.openOrders()).toEqual([])
  })
})

describe("on the way to the pair", () => {
  /** The take-profit rests over 2, its cancel is about to be sent for the pair over 5. */
  const moving = () => {
    const it = entered()
    it.buy("2")
    it.world.advance(1_000)
    return it
  }

  it("the gateway's stop fires until the take-profit is gone, and nothing else goes there", () => {
    const { world, buy } = moving()
    const count = counting(world)
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    buy("3")
    world.advance(100)
    expect(newest(world, "TAKE_PROFIT").orderStatus).toBe("PENDING_REPLACE")
    world.trade("89")
    world.advance(10_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT CANCELLED OCO_SIBLING 0/2 holds 0 - alone",
      "STOP_LOSS FILLED  5/5 holds 0 EMULATED alone",
    ])
    expect(count.pairs).toBe(0)
  })

  it("a client who cancels the take-profit after the stop has fired does not end the stop", () => {
    const { world, buy } = moving()
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    buy("3")
    world.advance(100)
    world.trade("89")
    world.advance(20)
    const profit = newest(world, "TAKE_PROFIT")
    expect(profit).toMatchObject({ orderStatus: "PENDING_CANCEL", cancelReason: "OCO_SIBLING" })
    world.cancel(profit.tradeOrderId)
    world.advance(10_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT CANCELLED OCO_SIBLING 0/2 holds 0 - alone",
      "STOP_LOSS FILLED  5/5 holds 0 EMULATED alone",
    ])
  })

  it("a cancel in doubt is asked for until the venue says it, then the pair is placed once", () => {
    const { world, buy } = moving()
    const count = counting(world)
    world.venue.fates.cancel = () => "lostAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    buy("3")
    world.advance(10_000)
    expect(rows(world).filter((it) => it.endsWith(" paired"))).toEqual(PAIRED("5"))
    expect(count.pairs).toBe(1)
  })

  it("a refused cancel leaves the exits as they are, and is tried again later", () => {
    const { world, buy } = moving()
    let refusals = 2
    world.venue.fates.cancel = () => (refusals-- > 0 ? "refuse" : "accept")
    buy("3")
    world.advance(1_000)
    expect(row(newest(world, "STOP_LOSS"))).toBe("STOP_LOSS ACCEPTED  0/5 holds 0 EMULATED alone")
    world.advance(60_000)
    expect(rows(world).filter((it) => it.endsWith(" paired"))).toEqual(PAIRED("5"))
  })

  it("a client who cancels the take-profit in that moment has cancelled both exits", () => {
    const { world, buy } = moving()
    const count = counting(world)
    world.venue.fates.latencyMillis = () => 200
    buy("3")
    world.advance(300)
    const profit = newest(world, "TAKE_PROFIT")
    expect(profit.orderStatus).toBe("PENDING_REPLACE")
    world.cancel(profit.tradeOrderId)
    world.advance(5_000)
    expect(rows(world)).toEqual([
      "TAKE_PROFIT CANCELLED USER_REQUEST 0/2 holds 0 - alone",
      "STOP_LOSS REVOKED OCO_SIBLING 0/5 holds 0 EMULATED alone",
    ])
    expect(count.pairs).toBe(0)
  })

  it("what the take-profit sells while it makes way is taken off the pair", () => {
    const { world, buy } = moving()
    const resting = simOf(world, newest(world, "TAKE_PROFIT"))!
    world.venue.fates.cancel = () => {
      if (resting.status === "OPEN") world.venue.fill(resting, Decimal.of("1"))
      return "accept"
    }
    buy("3")
    world.advance(10_000)
    expect(rows(world)[0]).toBe("TAKE_PROFIT CANCELLED REPLACED 1/2 holds 0 - alone")
    expect(rows(world).filter((it) => it.endsWith(" paired"))).toEqual(PAIRED("4"))
  })

  it.each(["refuse", "lostBefore"] as const)("a pair that meets %s is kept by the gateway, each leg anew", (fate) => {
    const { world, buy } = moving()
    world.venue.fates.submit = (order) => (order.pairedWith === undefined ? "accept" : fate)
    buy("3")
    world.advance(120_000)
    expect([row(newest(world, "TAKE_PROFIT")), row(newest(world, "STOP_LOSS"))]).toEqual([
      "TAKE_PROFIT ACCEPTED  0/5 holds 5 - alone",
      "STOP_LOSS ACCEPTED  0/5 holds 0 EMULATED alone",
    ])
    expect(codes(world)).toEqual([])
    expect(world.venue.openOrders()).toHaveLength(1)
  })

  it("a stop that the market has passed meanwhile fires at the gateway, since the venue refuses the pair", () => {
    const { world, buy } = moving()
    world.venue.price = Decimal.of("89")
    buy("3")
    world.advance(5_000)
    world.trade("89")
    world.advance(5_000)
    expect(row(newest(world, "STOP_LOSS"))).toBe("STOP_LOSS FILLED  5/5 holds 0 EMULATED alone")
    expect(world.venue.openOrders()).toEqual([])
  })

  it.each(["silentBefore", "silentAfter"] as const)(
    "a process that ends before the answer (%s) leaves no exit twice",
    (fate) => {
      const { world, buy } = moving()
      world.venue.fates.submit = (order) => (order.pairedWith === undefined ? "accept" : fate)
      world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
      buy("3")
      world.advance(2_000)
      world.crash()
      world.venue.fates.submit = () => "accept"
      world.start()
      world.advance(120_000)
      expect(rows(world).filter((it) => it.includes(" ACCEPTED "))).toEqual(PAIRED("5"))
      for (const count of world.venue.arrivals.values()) expect(count).toBe(1)
    },
  )

  it("a process that ends between the cancel and its answer goes on from there", () => {
    const { world, buy } = moving()
    world.venue.fates.cancel = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    buy("3")
    world.advance(50)
    expect(newest(world, "TAKE_PROFIT").orderStatus).toBe("PENDING_REPLACE")
    world.crash()
    world.start()
    world.advance(30_000)
    expect(rows(world).filter((it) => it.endsWith(" paired"))).toEqual(PAIRED("5"))
  })

  it("a commit that comes too late leaves the exits with the gateway, and they go a minute later", () => {
    const { world } = entered()
    const count = counting(world)
    world.memory.faults.delay(3_000)
    world.venue.fill(world.venue.openOrders()[0]!, Decimal.of("5"))
    world.advance(20_000)
    expect(count.pairs).toBe(0)
    expect(newest(world, "STOP_LOSS")).toMatchObject({ orderStatus: "ACCEPTED" })
    world.memory.faults.delay(0)
    world.advance(120_000)
    expect(rows(world).filter((it) => it.includes(" ACCEPTED "))).toEqual(PAIRED("5"))
    expect(count.pairs).toBe(1)
  })
})
