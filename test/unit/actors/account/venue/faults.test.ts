/** An account under a store that refuses and a venue that says odd things: what must never be counted twice, dropped or believed. */
import { describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { CREDENTIAL, placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { ACCOUNT, errorOf, okOf, World } from "../../../../sim/world.ts"

const simOf = (world: World, order: TradeOrder) => world.venue.find(order)!
const executed = (world: World, order: TradeOrder) => world.read(order.tradeOrderId).executedQuantity.toString()
const restarts = (world: World) => world.accounts.stats().restarts

describe("a unit that the store refuses", () => {
  it("takes what was made on top of it along, and nothing is counted twice", () => {
    const world = readyWorld()
    const order = placed(world)
    const sim = simOf(world, order)
    world.memory.faults.hold()
    world.venue.fill(sim, Decimal.of("0.4"))
    world.advance(20)
    world.venue.fill(sim, Decimal.of("0.3"))
    world.advance(20)
    let isDone = false
    world.memory.faults.refuse(({ rows }) => {
      if (isDone || !rows.some((row) => row._tag === "Execution")) return undefined
      isDone = true
      return "22P05"
    })
    world.memory.faults.release()
    world.advance(5_000)
    world.venue.fill(sim, Decimal.of("0.3"))
    world.advance(5_000)
    const { executedQuantity, overfillQuantity, executions, orderStatus } = world.read(order.tradeOrderId)
    expect([orderStatus, `${executedQuantity}`, `${overfillQuantity}`, executions.length]).toEqual([
      "FILLED",
      "1",
      "0",
      3,
    ])
    expect(world.status()).toBe("ACTIVE")
  })

  it("again for the same report is not tried a third time soon: it is kept raw, and in the end its quantity counts", () => {
    const world = readyWorld()
    const order = placed(world)
    world.memory.faults.refuse(({ rows }) =>
      rows.some((row) => row._tag === "Execution" && row.execution.externalTradeId === "T-bad") ? "22P05" : undefined,
    )
    world.venue.fill(simOf(world, order), Decimal.of("0.5"), "90", "T-bad")
    world.advance(120_000)
    expect([world.status(), restarts(world), executed(world, order)]).toEqual(["ACTIVE", 3, "0.5"])
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "PARTIALLY_FILLED",
      executions: [{ inferred: true }],
    })
    expect(world.database.quarantined.size).toBeGreaterThan(0)
    expect(world.read(placed(world).tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it("is made again of what the venue says a minute later, when the store takes it (seed 4721)", () => {
    const world = readyWorld()
    const order = placed(world)
    let refusals = 2
    world.memory.faults.refuse(({ rows }) =>
      rows.some((row) => row._tag === "Execution") && refusals-- > 0 ? "22P05" : undefined,
    )
    world.venue.fill(simOf(world, order), Decimal.ONE, "90")
    world.advance(30_000)
    expect([executed(world, order), restarts(world)]).toEqual(["0", 2])
    world.advance(90_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "FILLED",
      doubt: null,
      executions: [{ inferred: false, executedPrice: Decimal.of("90") }],
    })
    expect(restarts(world)).toBe(2)
  })

  it("over a trade of an order that is over is made again, too", () => {
    const world = readyWorld()
    const order = placed(world)
    const sim = simOf(world, order)
    world.cancel(order.tradeOrderId)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
    let refusals = 3
    world.memory.faults.refuse(({ rows }) =>
      rows.some((row) => row._tag === "Execution") && refusals-- > 0 ? "22P05" : undefined,
    )
    world.venue.oddFill(sim, Decimal.of("0.4"))
    world.advance(30_000)
    expect(executed(world, order)).toBe("0")
    // The audits of the account's trades see it no more.
    world.advance(300_000)
    expect(executed(world, order)).toBe("0.4")
  })

  it("does not come of a trade that another order has: it is kept raw", () => {
    const world = readyWorld()
    const orders = [91, 92, 93, 94].map((limitPrice) => placed(world, { limitPrice: `${limitPrice}` as never }))
    // The venue numbers its trades badly: one id on every order of one side.
    for (const order of orders) {
      world.venue.fill(simOf(world, order), Decimal.of("0.5"), "90", "T-again")
      world.advance(3_000)
    }
    world.advance(120_000)
    expect([world.status(), restarts(world), world.database.quarantined.size]).toEqual(["ACTIVE", 0, 3])
    expect(orders.map((order) => executed(world, order))).toEqual(["0.5", "0.5", "0.5", "0.5"])
  })

  it("tells clients of what it could not apply that it is kept, never why", () => {
    const world = readyWorld()
    const order = placed(world)
    const fill = world.venue.fill(simOf(world, order), Decimal.of("0.1"))
    world.venue.tell({ _tag: "Filled", fill: { ...fill, price: "odd", externalTradeId: "odd" } })
    world.advance(1_000)
    const [kept] = [...world.database.quarantined.values()]
    expect(kept?.reason).toMatch(/./)
    const told = world.read(order.tradeOrderId).evidence.map(({ what }) => what)
    expect(told).toContain(`a report from the venue was not applied and is kept for operators under ${kept?.id}`)
    expect(told.filter((what) => what.includes(kept?.reason ?? "?"))).toEqual([])
  })

  it("is never one because of a venue's text", () => {
    const world = readyWorld()
    const nasty = "bad \u0000 \ud800 text"
    const order = placed(world)
    world.venue.fates.submit = () => "silentBefore"
    const other = placed(world)
    world.venue.tell({ _tag: "Refused", tradeOrderId: other.tradeOrderId, code: "X", text: nasty, at: world.time.now })
    const trade = { ...world.venue.fill(simOf(world, order), Decimal.of("0.1")), price: nasty, externalTradeId: nasty }
    world.venue.tell({ _tag: "Filled", fill: trade })
    world.venue.tell({ _tag: "Filled", fill: { ...trade, price: "100" } })
    world.venue.tell({ _tag: "CancelInDoubt", tradeOrderId: order.tradeOrderId, reason: nasty, at: world.time.now })
    world.advance(1_000)
    const texts = [
      world.read(other.tradeOrderId).rejectReason,
      ...[...world.database.quarantined.values()].flatMap(({ report, reason }) => [report, reason]),
      ...world.read(order.tradeOrderId).evidence.map(({ what }) => what),
      ...world.read(order.tradeOrderId).executions.map((it) => it.externalTradeId),
    ]
    expect(texts.length).toBeGreaterThan(4)
    // Either is refused by PostgreSQL.
    expect(texts.filter((text) => /\p{Cc}|\p{Surrogate}/u.test(text ?? ""))).toEqual([])
    expect(restarts(world)).toBe(0)
  })
})

describe("without its private stream an account", () => {
  const isNotReady = (world: World): void => {
    expect(world.status()).not.toBe("ACTIVE")
    expect(errorOf(world.submit())).toBe("AccountReconciling")
  }

  it("that loses it during the first look at the venue is not ready, is audited, and agrees again once it is back", () => {
    const world = readyWorld()
    const order = placed(world)
    world.crash()
    world.start()
    while (world.venue.session === null) world.advance(1)
    world.advance(6)
    world.venue.streamDown()
    world.advance(5_000)
    isNotReady(world)
    world.venue.fill(simOf(world, order), Decimal.of("0.4"))
    world.advance(20_000)
    isNotReady(world)
    expect(executed(world, order)).toBe("0.4")
    world.venue.streamUp()
    world.advance(1_000)
    expect(world.status()).toBe("ACTIVE")
    expect(world.read(placed(world).tradeOrderId).orderStatus).toBe("ACCEPTED")
  })

  it.each(["a restart", "a lost stream"])("that waits for the store after %s is not ready by any word", (why) => {
    const world = readyWorld()
    if (why === "a restart") {
      world.crash()
      world.start()
    } else {
      world.memory.faults.hold()
      world.venue.streamDown()
      world.advance(100)
    }
    isNotReady(world)
  })

  it("that never had it is not ready, however well questions are answered", () => {
    const world = new World()
    world.venue.opensDown = true
    world.start()
    world.advance(30_000)
    isNotReady(world)
    world.venue.streamUp()
    world.advance(1_000)
    expect(world.status()).toBe("ACTIVE")
  })

  it("that is told so while it is ready stays away until the stream is back, and audits go on", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.streamDown()
    world.venue.fill(simOf(world, order), Decimal.of("0.4"))
    world.advance(20_000)
    isNotReady(world)
    expect(executed(world, order)).toBe("0.4")
  })

  it("that got new credentials does not believe the session of the old ones", () => {
    const world = readyWorld({ account: { status: "CREATED" } })
    const { report } = world.venue.session!
    report({ _tag: "SessionRefused", reason: "an old credential" })
    world.advance(1_000)
    expect(world.status()).toBe("INACTIVE")
    const revived = world.ask<TradingAccount>((reply) => ({
      _tag: "UpdateAccount",
      nickname: null,
      attach: [CREDENTIAL],
      reply,
    }))
    world.advance(1_000)
    expect(okOf(revived).credentials.length).toBe(1)
    expect(world.status()).toBe("ACTIVE")
    report({ _tag: "SessionRefused", reason: "an old credential" })
    report({ _tag: "StreamDown", reason: "closed" })
    world.advance(1_000)
    expect(world.status()).toBe("ACTIVE")
  })
})

describe("a word of the venue that makes no sense", () => {
  it("about a partly filled order, REJECTED, is kept raw and asked about: said again, it is the end of the rest", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fill(simOf(world, order), Decimal.of("0.4"))
    world.advance(100)
    world.venue.end(simOf(world, order), "REJECTED")
    world.advance(10)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PARTIALLY_FILLED" })
    world.advance(2_000)
    expect([world.status(), restarts(world), world.database.quarantined.size]).toEqual(["ACTIVE", 0, 1])
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "VENUE" })
    const { questions } = world.venue
    world.advance(118_000)
    // Audits of open orders, fills and balances, and none for its sake.
    expect(world.venue.questions - questions).toBeLessThan(12 + 2 + 4)
  })

  it("in one row of the balances leaves the others as they are", () => {
    const world = new World()
    world.venue.oddBalances = [{ asset: "XX", available: "abc", locked: "0" }]
    world.start()
    world.advance(1_000)
    expect(world.status()).toBe("ACTIVE")
    expect(world.read(placed(world).tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(120_000)
    expect(world.portfolio("BTC")[0]!.available.toString()).toBe("1000")
    expect([world.status(), restarts(world), world.database.quarantined.size]).toEqual(["ACTIVE", 0, 1])
  })

  it.each(["a question", "an audit", "a restart", "a disconnect"])("in a trade that %s brings parks nothing", (way) => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    if (way !== "a question") world.venue.fates.stream = () => "drop"
    const sim = simOf(world, order)
    world.venue.fill(sim, Decimal.of("0.4"))
    sim.fills[0] = { ...sim.fills[0]!, price: "abc" }
    if (way === "a restart") {
      world.crash()
      world.start()
    }
    if (way === "a disconnect") {
      world.advance(1_000)
      world.ask<TradingAccount>((reply) => ({ _tag: "DisconnectAccount", force: false, act: DISCONNECTING, reply }))
    }
    world.advance(130_000)
    expect(restarts(world)).toBe(0)
    expect(world.status()).toBe(way === "a disconnect" ? "DISCONNECTED" : "ACTIVE")
    expect(world.database.quarantined.size).toBeGreaterThan(0)
    // An order that is over has no word of a quantity left to explain.
    const { executedQuantity } = world.database.orders.get(order.tradeOrderId)!.order
    expect(executedQuantity.toString()).toBe(way === "a disconnect" ? "0" : "0.4")
  })
})

describe("an answer", () => {
  it("to a read names the image that was durable, not what came meanwhile", () => {
    const world = readyWorld()
    const order = placed(world)
    const sim = simOf(world, order)
    world.memory.faults.hold()
    world.venue.fill(sim, Decimal.of("0.4"))
    world.advance(20)
    const read = world.ask<TradeOrder>((reply) => ({
      _tag: "ReadOrder",
      by: { tradeOrderId: order.tradeOrderId },
      reply,
    }))
    world.venue.fill(sim, Decimal.of("0.6"))
    world.advance(20)
    world.memory.faults.release()
    world.advance(20)
    expect(okOf(read).executedQuantity.toString()).toBe("0.4")
  })

  it("to a replay and to a cancel that waited does so too", () => {
    const world = readyWorld()
    world.venue.fates.cancel = () => "silentBefore"
    const order = placed(world, { idempotencyKey: "k" })
    const sim = simOf(world, order)
    const cancel = world.cancel(order.tradeOrderId)
    world.advance(500)
    world.memory.faults.hold()
    world.venue.fill(sim, Decimal.of("0.4"))
    world.advance(600)
    const replay = world.submit({ idempotencyKey: "k" })
    world.venue.fill(sim, Decimal.of("0.6"))
    world.advance(20)
    world.memory.faults.release()
    world.advance(20)
    expect(okOf(cancel).executedQuantity.toString()).toBe("0.4")
    expect(okOf(replay).order.executedQuantity.toString()).toBe("0.4")
  })
})

describe("a fill that the stream lost", () => {
  it("just before an audit that spares fresh orders is found by the next one", () => {
    const world = readyWorld()
    world.advance(60_000 - 1_000 - 5_000)
    const order = placed(world)
    world.venue.fates.stream = () => "drop"
    world.advance(2_900)
    world.venue.fill(simOf(world, order), Decimal.of("0.4"))
    world.cancel(order.tradeOrderId)
    world.advance(200)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
    world.advance(125_000)
    expect(executed(world, order)).toBe("0.4")
  })

  it.each([0, 600_000, -600_000])("is found when the gateway's clock is %i ms ahead of the venue's", (ahead) => {
    const world = new World()
    world.wallAheadMillis = ahead
    world.venue.gatewayNow = () => world.wall()
    world.start()
    world.advance(1_000)
    const order = placed(world)
    const other = placed(world)
    world.venue.fates.stream = () => "drop"
    // Just before an audit, which leaves it to the stream; and the next one comes after a newer trade.
    world.advance(55_900)
    world.venue.fill(simOf(world, order), Decimal.of("0.4"))
    world.cancel(order.tradeOrderId)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
    world.advance(61_000)
    world.venue.fates.stream = () => "deliver"
    world.venue.fill(simOf(world, other), Decimal.of("0.1"))
    world.advance(125_000)
    expect([executed(world, order), executed(world, other)]).toEqual(["0.4", "0.1"])
  })

  it("of an order that memory does not know is found by the audit", () => {
    const world = readyWorld()
    placed(world)
    world.venue.fates.stream = () => "drop"
    const foreign = { instrumentId: "SIM:BTC/USDT", orderSide: "BUY", orderType: "MARKET", timeInForce: "GTC" } as const
    world.venue.place(
      { ...foreign, instrumentId: foreign.instrumentId as never, quantity: "2", limitPrice: null },
      null,
    )
    world.advance(130_000)
    const imported = [...world.database.orders.values()].find(({ order }) => order.origin === "EXTERNAL")
    expect(imported?.order.executedQuantity.toString()).toBe("2")
  })

  it("is found for all orders by one question, however long the venue makes questions wait", () => {
    const world = readyWorld()
    const orders = [1, 2, 3, 4, 5, 6].map(() => placed(world))
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    for (const order of orders) world.venue.fill(simOf(world, order), Decimal.ONE)
    world.venue.fates.latencyMillis = () => 10_000
    world.advance(70_000)
    expect(orders.map((order) => executed(world, order))).toEqual(["1", "1", "1", "1", "1", "1"])
  })

  it("is looked for again when the venue could not say whose it is", () => {
    const world = readyWorld()
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "deliver" : "drop")
    world.venue.fates.query = () => false
    const foreign = { instrumentId: "SIM:BTC/USDT", orderSide: "BUY", orderType: "MARKET", timeInForce: "GTC" } as const
    world.venue.place(
      { ...foreign, instrumentId: foreign.instrumentId as never, quantity: "2", limitPrice: null },
      null,
    )
    world.advance(5_000)
    world.venue.fates.query = () => true
    world.advance(10_000)
    const imported = [...world.database.orders.values()].find(({ order }) => order.origin === "EXTERNAL")
    expect(imported?.order.executedQuantity.toString()).toBe("2")
  })
})

describe("a cancel", () => {
  const disconnect = (world: World) =>
    world.ask<TradingAccount>((reply) => ({ _tag: "DisconnectAccount", force: false, act: DISCONNECTING, reply }))

  it.each([
    ["silentBefore", 3],
    ["refuse", 5],
    ["lostBefore", 5],
  ] as const)("of a disconnect under way is not sent again while it waits (%s)", (fate, most) => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => fate
    disconnect(world)
    world.advance(29_000)
    const sent = world.venue.cancels.get(order.tradeOrderId)!
    expect(sent).toBeGreaterThan(1)
    expect(sent).toBeLessThanOrEqual(most)
    world.venue.fates.cancel = () => "accept"
    world.advance(120_000)
    expect(world.status()).toBe("DISCONNECTED")
  })

  it("that is asked for again is sent again only after an answer, or after ten seconds of silence", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.cancel = () => "silentBefore"
    for (let i = 0; i < 9; i++) {
      world.cancel(order.tradeOrderId)
      world.advance(1_000)
    }
    expect(world.venue.cancels.get(order.tradeOrderId)).toBe(1)
    world.cancel(order.tradeOrderId)
    world.advance(1_500)
    world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(world.venue.cancels.get(order.tradeOrderId)).toBe(2)
  })

  it("is not sent before it is stored, however often it is asked for", () => {
    const world = readyWorld()
    const order = placed(world)
    world.memory.faults.hold()
    world.cancel(order.tradeOrderId)
    world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(world.venue.cancels.size).toBe(0)
    world.memory.faults.release()
    world.advance(100)
    expect(world.venue.cancels.get(order.tradeOrderId)).toBe(1)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
  })
})

describe("the proof that an order was never placed", () => {
  it("is none while a trade of its instrument and side belongs to nobody", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostAfter"
    world.venue.fates.stream = () => "drop"
    // A venue that lists the trade at once, and cannot find the order of it for a while.
    let isFound = false
    world.venue.isKnown = () => isFound
    const order = placed(world, { orderType: "MARKET" })
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "UNKNOWN", rejectReason: null })
    isFound = true
    world.advance(120_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
  })

  it("is one view of the venue for all orders that wait for it", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const orders = Array.from({ length: 20 }, (_, index) => placed(world, { limitPrice: `${50 + index}` as never }))
    world.advance(8_000)
    expect(orders.map(({ tradeOrderId }) => world.read(tradeOrderId).orderStatus)).toEqual(orders.map(() => "UNKNOWN"))
    const before = world.venue.fillsAsked
    world.advance(120_000)
    expect(orders.map(({ tradeOrderId }) => world.read(tradeOrderId).orderStatus)).toEqual(orders.map(() => "REJECTED"))
    // Two audits, and views for those whose third answers came in between.
    expect(world.venue.fillsAsked - before).toBeLessThan(10)
  })

  it("takes its time by the process's own clock: a step of the wall clock proves nothing", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const order = placed(world)
    world.wallAheadMillis = 3_600_000
    world.advance(10_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("UNKNOWN")
    world.advance(60_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
  })
})

describe("an order whose commit came late", () => {
  it("is not sent, even when the wall clock was set back meanwhile", () => {
    const world = readyWorld()
    world.memory.faults.delay(2_500)
    const asked = world.submit()
    world.wallAheadMillis = -60_000
    world.advance(10_000)
    expect(okOf(asked).order).toMatchObject({ orderStatus: "REJECTED", rejectReason: "GATEWAY_LATE" })
    expect(world.venue.arrivals.size).toBe(0)
  })
})

describe("an inactive account", () => {
  it("tells its first subscriber after a restart where its channel stands", () => {
    const world = readyWorld()
    world.venue.session!.report({ _tag: "SessionRefused", reason: "revoked" })
    world.advance(100)
    expect(world.status()).toBe("INACTIVE")
    const sequence = world.database.events.get(ACCOUNT)!.length
    world.crash()
    world.start()
    expect(world.source!.position(`tradingAccount:${ACCOUNT}`)).toMatchObject({ epoch: "epoch", offset: sequence })
    world.advance(1_000)
    expect(world.status()).toBe("INACTIVE")
  })
})
