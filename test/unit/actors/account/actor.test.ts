/** The account's actor with the real kernel, the memory store and a scripted venue: what each paragraph of order-path promises. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../src/domain/order/trade-order.ts"
import { placed, readyWorld } from "../../../kit/worlds/ready-world.ts"
import { ACCOUNT, errorOf, okOf, World } from "../../../sim/world.ts"

const stored = (world: World, order: TradeOrder) => world.database.orders.get(order.tradeOrderId)!.order

describe("submit", () => {
  it("goes to the venue, and every event comes in order", () => {
    const world = readyWorld()
    const order = placed(world, { idempotencyKey: "k1" })
    expect(order.orderStatus).toBe("CREATED")
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    const sim = world.venue.find(order)!
    world.venue.fill(sim, Decimal.of("0.4"))
    world.advance(100)
    world.venue.fill(sim, Decimal.of("0.6"))
    world.advance(100)
    const filled = world.read(order.tradeOrderId)
    expect(filled.orderStatus).toBe("FILLED")
    expect(filled.executedCost.toString()).toBe("100")
    expect(world.kinds()).toEqual([
      "TRADE_ORDER.CREATED",
      "TRADE_ORDER.SUBMITTED",
      "TRADE_ORDER.ACCEPTED",
      "PORTFOLIO.UPDATED",
      "EXECUTION.CREATED",
      "TRADE_ORDER.PARTIALLY_FILLED",
      "PORTFOLIO.UPDATED",
      "EXECUTION.CREATED",
      "TRADE_ORDER.FILLED",
      "PORTFOLIO.UPDATED",
    ])
    expect(world.published.map((it) => it.offset)).toEqual(
      world.published.map((_, index) => world.published[0]!.offset + index),
    )
  })

  it("answers nothing and sends nothing before the commit", () => {
    const world = readyWorld()
    world.memory.faults.hold()
    const asked = world.submit()
    world.advance(500)
    expect(asked.answer).toBeUndefined()
    expect(world.venue.arrivals.size).toBe(0)
    world.memory.faults.release()
    world.advance(100)
    expect(okOf(asked).order.orderStatus).toBe("CREATED")
    expect(world.venue.arrivals.size).toBe(1)
  })

  it("never sends an order whose commit came too late", () => {
    const world = readyWorld()
    world.memory.faults.delay(2_500)
    const asked = world.submit()
    world.advance(10_000)
    expect(okOf(asked).order).toMatchObject({ orderStatus: "REJECTED", rejectReason: "GATEWAY_LATE" })
    expect(world.venue.arrivals.size).toBe(0)
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("0")
  })

  it("answers the same key with the same order, and another order with 409", () => {
    const world = readyWorld()
    const order = placed(world, { idempotencyKey: "k1" })
    const again = world.submit({ idempotencyKey: "k1", quantity: "1.0" as never })
    const other = world.submit({ idempotencyKey: "k1", quantity: "2" as never })
    world.advance(50)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: order.tradeOrderId } })
    expect(errorOf(other)).toBe("IdempotencyConflict")
    expect(world.venue.arrivals.size).toBe(1)
  })

  it("lets the loser of two requests in one instant wait for the winner's row", () => {
    const world = readyWorld()
    const first = world.submit({ clientOrderId: "c1" })
    const second = world.submit({ clientOrderId: "c1" })
    const clash = world.submit({ clientOrderId: "c1", idempotencyKey: "other", quantity: "2" as never })
    expect(second.answer).toBeUndefined()
    world.advance(50)
    expect(okOf(second)).toMatchObject({ replayed: true, order: { tradeOrderId: okOf(first).order.tradeOrderId } })
    expect(errorOf(clash)).toBe("DuplicateClientOrderId")
  })

  // Middleware makes a key for each call: a bot that hears 409 of its own repeat takes its id for used up, and orders once more.
  it.each([
    ["a fresh key", "k1", "k2"],
    ["no key", "k1", null],
    ["its first key", null, "k2"],
    ["no key, where the key was the client order id", "c1", null],
    ["the client order id for a key", null, "c1"],
  ])("answers a repeat by client order id that comes with %s", (_name, firstKey, laterKey) => {
    const world = readyWorld()
    const first = { clientOrderId: "c1", idempotencyKey: firstKey }
    const order = placed(world, first)
    const again = world.submit({ clientOrderId: "c1", idempotencyKey: laterKey })
    const other = world.submit({ clientOrderId: "c1", idempotencyKey: laterKey, quantity: "2" as never })
    world.advance(50)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: order.tradeOrderId } })
    expect(okOf(again).order.idempotencyKey).toBe(firstKey)
    expect(errorOf(other)).toMatch(/^(DuplicateClientOrderId|IdempotencyConflict)$/)
    expect(world.venue.arrivals.size).toBe(1)
  })

  it("answers the loser of one instant by its client order id, whatever its key", () => {
    const world = readyWorld()
    const first = world.submit({ clientOrderId: "c1", idempotencyKey: "k1" })
    const second = world.submit({ clientOrderId: "c1", idempotencyKey: "k2" })
    world.advance(50)
    expect(okOf(second)).toMatchObject({ replayed: true, order: { tradeOrderId: okOf(first).order.tradeOrderId } })
    expect(world.venue.arrivals.size).toBe(1)
  })

  it("undoes just the unit whose key belongs to an order older than its memory", () => {
    const world = readyWorld()
    const order = placed(world, { idempotencyKey: "old" })
    world.cancel(order.tradeOrderId)
    world.advance(100)
    const old = stored(world, order)
    world.database.orders.set(old.tradeOrderId, { order: { ...old, idempotencyKey: "older" }, acceptedNumber: 1 })
    const again = world.submit({ idempotencyKey: "older" })
    world.advance(50)
    // The fingerprint is that of another key: 409 with the older order's id.
    expect(errorOf(again)).toBe("IdempotencyConflict")
    expect(world.database.orders.size).toBe(1)
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("0")
    expect(world.venue.arrivals.size).toBe(1)
  })

  it("answers a replay while the account is unavailable, and a new order with a refusal", () => {
    const world = readyWorld()
    const order = placed(world, { idempotencyKey: "k1" })
    world.venue.isUp = false
    world.venue.streamDown()
    world.advance(100)
    expect(world.status()).toBe("UNAVAILABLE")
    const replay = world.submit({ idempotencyKey: "k1" })
    const fresh = world.submit({ idempotencyKey: "k2" })
    world.advance(50)
    expect(okOf(replay).order.tradeOrderId).toBe(order.tradeOrderId)
    expect(errorOf(fresh)).toBe("AccountReconciling")
    expect(fresh.answer).toMatchObject({ error: { reason: "VENUE_UNREACHABLE" } })
  })

  it("refuses as busy under pressure, but not a replay", () => {
    const world = readyWorld()
    placed(world, { idempotencyKey: "k1" })
    world.pressure = "full"
    const replay = world.submit({ idempotencyKey: "k1" })
    const fresh = world.submit({ idempotencyKey: "k2" })
    world.advance(50)
    expect(okOf(replay).replayed).toBe(true)
    expect(errorOf(fresh)).toBe("Busy")
  })

  it("waits for the end with awaitClosed, at most a second", () => {
    const world = readyWorld()
    const market = world.submit({ orderType: "MARKET", awaitClosed: true })
    const resting = world.submit({ awaitClosed: true })
    world.advance(900)
    expect(okOf(market).order.orderStatus).toBe("FILLED")
    expect(resting.answer).toBeUndefined()
    world.advance(200)
    expect(okOf(resting).order.orderStatus).toBe("ACCEPTED")
  })

  it("ends the rest of a market order without liquidity, of IOC and of FOK in the contract's words", () => {
    const world = readyWorld()
    world.venue.fates.immediate = () => Decimal.ZERO
    const reasons = (["GTC", "IOC", "FOK"] as const).map((timeInForce) => {
      const orderType = timeInForce === "GTC" ? "MARKET" : "LIMIT"
      return world.read(placed(world, { orderType, timeInForce }).tradeOrderId).cancelReason
    })
    expect(reasons).toEqual(["NO_LIQUIDITY", "IOC_REMAINDER", "FOK_NOT_FILLED"])
  })
})

describe("holds", () => {
  it("refuse what the balance does not cover, to the digit", () => {
    const world = readyWorld()
    expect(errorOf(world.submit({ quantity: "999" as never, limitPrice: "100.2" as never }))).toBe(
      "InsufficientBalance",
    )
    placed(world, { quantity: "1000" as never, limitPrice: "100" as never })
    expect(errorOf(world.submit({ quantity: "0.01" as never, limitPrice: "100" as never }))).toBe("InsufficientBalance")
    expect(world.portfolio("USDT")[0]!.available.toString()).toBe("0")
  })

  it("take a market order's need from the book, with a margin that the balance limits", () => {
    const world = readyWorld({
      asks: [
        ["100", "1"],
        ["110", "10"],
      ],
    })
    world.memory.faults.hold()
    world.submit({ orderType: "MARKET", quantity: "2" as never })
    expect(world.memory.waiting()).toBe(1)
    world.memory.faults.release()
    world.venue.fates.latencyMillis = () => 400
    world.advance(20)
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("220.5")
  })

  /** What is locked for a market buy of 2 while the venue has not answered. */
  const lockedBy = (world: World): string => {
    world.venue.fates.latencyMillis = () => 400
    world.submit({ orderType: "MARKET", quantity: "2" as never })
    world.advance(200)
    return world.portfolio("USDT")[0]!.locked.toString()
  }

  it("take a market order's need without a book from the newest trade, with that margin", () => {
    const world = readyWorld({ asks: [] })
    world.lastPrice = "100"
    expect(lockedBy(world)).toBe("210")
    expect(placed(world, { quantity: "1" as never }).held.toString()).toBe("100")
  })

  it.each(["a book", "a fill"])(
    "take it from %s of the hour before, with a larger margin, where nothing is heard of the market",
    (from) => {
      const world = readyWorld({ asks: from === "a book" ? [["100", "5"]] : [] })
      placed(world, from === "a book" ? { orderType: "MARKET" } : { orderType: "LIMIT", timeInForce: "IOC" })
      world.asks = []
      world.advance(3_000_000)
      expect(lockedBy(world)).toBe("240")
    },
  )

  it("never refuse by such an estimate: the venue decides", () => {
    const world = readyWorld({ asks: [] })
    world.lastPrice = "100"
    const asked = world.submit({ orderType: "MARKET", quantity: "999.9" as never })
    world.advance(200)
    expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("FILLED")
  })

  it("take all that is free for a market order where no price is known, and let the venue decide on the next", () => {
    const world = readyWorld({ asks: [] })
    const orders = [
      world.submit({ orderType: "MARKET" }),
      world.submit({ orderType: "MARKET", quantity: "2" as never }),
    ]
    world.advance(200)
    for (const asked of orders) expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("FILLED")
  })

  it("give back the price improvement of a fill", () => {
    const world = readyWorld()
    const order = placed(world, { quantity: "2" as never })
    world.venue.fill(world.venue.find(order)!, Decimal.ONE, "90")
    world.advance(50)
    const position = world.portfolio("USDT")[0]!
    expect(position.locked.toString()).toBe("100")
    expect(position.available.toString()).toBe(Decimal.of("100000").subtract(Decimal.of("190.09")).toString())
  })
})

describe("cancel", () => {
  it("answers the cancelled record, again and again", () => {
    const world = readyWorld()
    const order = placed(world)
    const asked = world.cancel(order.tradeOrderId)
    const joined = world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(okOf(asked)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(okOf(joined).orderStatus).toBe("CANCELLED")
    const repeated = world.cancel(order.tradeOrderId)
    world.advance(50)
    expect(okOf(repeated).orderStatus).toBe("CANCELLED")
  })

  it("refuses an order that is filled", () => {
    const world = readyWorld()
    const order = placed(world, { orderType: "MARKET" })
    const asked = world.cancel(order.tradeOrderId)
    world.advance(50)
    expect(errorOf(asked)).toBe("OrderClosed")
  })

  it("that comes before the commit keeps the order from the venue", () => {
    const world = readyWorld()
    world.memory.faults.hold()
    const submitted = world.submit({ clientOrderId: "c1" })
    const asked = world.ask<TradeOrder>((reply) => ({
      _tag: "CancelOrder",
      by: { clientOrderId: "c1" },
      receivedAt: 0,
      reply,
    }))
    world.memory.faults.release()
    world.advance(100)
    expect(okOf(asked).orderStatus).toBe("CANCELLED")
    expect(okOf(submitted).order.orderStatus).toBe("CANCELLED")
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("that the venue refuses leaves the order working", () => {
    const world = readyWorld()
    world.venue.fates.cancel = () => "refuse"
    const order = placed(world)
    const asked = world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(errorOf(asked)).toBe("CancelRejected")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", cancelRequested: false })
  })

  it("is taken while the venue is away and sent when it is back", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.isUp = false
    world.venue.streamDown()
    world.venue.fates.cancel = () => "lostBefore"
    world.advance(100)
    const asked = world.cancel(order.tradeOrderId)
    world.advance(1_500)
    expect(okOf(asked)).toMatchObject({ orderStatus: "PENDING_CANCEL", doubt: { kind: "CANCEL" } })
    world.venue.isUp = true
    world.venue.fates.cancel = () => "accept"
    world.venue.streamUp()
    world.advance(20_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", doubt: null })
  })
})

describe("doubt", () => {
  it("ends when the venue shows the order, and the hold stays meanwhile", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostAfter"
    world.venue.fates.stream = () => "drop"
    const order = placed(world)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT" } })
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("100")
    world.advance(1_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED", doubt: null })
    expect(world.venue.arrivals.get(order.tradeOrderId)).toBe(1)
  })

  it("ends as never placed only with proof: three answers, and the deadline passed by 10 s", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const order = placed(world)
    world.advance(15_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("UNKNOWN")
    world.advance(60_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_PLACED: proven by expiry",
    })
    expect(stored(world, order).evidence.length).toBeGreaterThan(3)
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("ends at once where the venue is in this process", () => {
    const world = readyWorld({ venue: { inProcess: true } })
    world.venue.fates.submit = () => "lostBefore"
    const order = placed(world)
    world.advance(500)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
  })

  it("arises from silence", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "silentBefore"
    const order = placed(world)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("SUBMITTED")
    world.advance(16_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("UNKNOWN")
  })

  it("cancels an order that was never placed and appears all the same", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const order = placed(world)
    world.advance(75_000)
    const sim = world.venue.place(
      {
        instrumentId: order.instrumentId,
        orderSide: order.orderSide,
        orderType: "LIMIT",
        timeInForce: order.timeInForce,
        quantity: "1",
        limitPrice: "100",
      },
      order.tradeOrderId,
    )
    world.advance(1_000)
    expect(sim.status).toBe("CANCELLED")
    expect(world.kinds()).toContain("TRADING_ACCOUNT.ALERT")
    expect(world.read(order.tradeOrderId).orderStatus).toBe("REJECTED")
  })
})

describe("evidence", () => {
  it("that repeats changes nothing", () => {
    const world = readyWorld()
    world.venue.fates.stream = () => "twice"
    const order = placed(world)
    world.venue.fill(world.venue.find(order)!, Decimal.of("0.5"))
    world.advance(500)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PARTIALLY_FILLED" })
    expect(world.database.executions.size).toBe(1)
  })

  it("of both sides of a self trade, under one trade id, fills both orders", () => {
    const world = readyWorld()
    const orders = [placed(world, { orderSide: "BUY" }), placed(world, { orderSide: "SELL" })]
    for (const order of orders) {
      const { tradeOrderId } = order
      const { externalOrderId } = world.venue.find(order)!
      const fill = { tradeOrderId, externalOrderId, instrumentId: order.instrumentId, orderSide: order.orderSide }
      const trade = { externalTradeId: "T1", quantity: "1", price: "100", fees: [], executedAt: world.time.now }
      for (let i = 0; i < 2; i++) world.venue.tell({ _tag: "Filled", fill: { ...fill, ...trade } })
    }
    world.advance(500)
    expect(orders.map((order) => world.read(order.tradeOrderId).orderStatus)).toEqual(["FILLED", "FILLED"])
    expect(world.database.executions.size).toBe(2)
  })

  it("of a fill after the end grows the order and says LATE_FILL", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "delay" : "drop")
    const sim = world.venue.find(order)!
    world.venue.fill(sim, Decimal.of("0.5"))
    world.cancel(order.tradeOrderId)
    world.advance(1_000)
    expect(world.kinds()).toContain("TRADE_ORDER.LATE_FILL")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED" })
    expect(world.read(order.tradeOrderId).executedQuantity.toString()).toBe("0.5")
  })

  it("of FILLED waits five seconds for the trades, then fetches them", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    world.venue.fill(world.venue.find(order)!, Decimal.ONE)
    world.advance(4_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(2_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    expect(world.read(order.tradeOrderId).executions[0]!.inferred).toBe(false)
  })

  it.each([
    ["the newest trade", "101"],
    ["what the instrument cost before", null],
  ])("that no trade explains is closed at market by the price of %s, where there is no book", (_from, lastPrice) => {
    const world = readyWorld()
    placed(world, { orderType: "MARKET" })
    world.lastPrice = lastPrice
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    const order = placed(world, { orderSide: "SELL", orderType: "MARKET" })
    world.venue.find(order)!.fills.length = 0
    world.advance(6_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "FILLED",
      executions: [{ inferred: true, executedPrice: Decimal.of(lastPrice ?? "100") }],
    })
  })

  it("that no trade explains is closed by an inferred execution", () => {
    const world = readyWorld()
    const order = placed(world)
    const sim = world.venue.find(order)!
    world.venue.fates.stream = (report) => (report._tag === "Filled" ? "drop" : "deliver")
    world.venue.fill(sim, Decimal.ONE)
    sim.fills.length = 0
    world.advance(6_000)
    const filled = world.read(order.tradeOrderId)
    expect(filled.orderStatus).toBe("FILLED")
    expect(filled.executions.map((it) => [it.inferred, it.executedQuantity.toString()])).toEqual([[true, "1"]])
  })

  it("that contradicts the state machine is kept raw, and the order is asked for", () => {
    const world = readyWorld()
    const order = placed(world)
    world.venue.fill(world.venue.find(order)!, Decimal.of("0.5"))
    world.advance(50)
    world.venue.tell({ _tag: "Refused", tradeOrderId: order.tradeOrderId, code: "X", text: "no", at: world.time.now })
    world.advance(2_000)
    expect([...world.database.quarantined.values()]).toMatchObject([{ tradeOrderId: order.tradeOrderId }])
    expect(world.read(order.tradeOrderId).orderStatus).toBe("PARTIALLY_FILLED")
    expect(world.status()).toBe("ACTIVE")
  })

  it("of a foreign order imports it", () => {
    const world = readyWorld()
    world.venue.place(
      {
        instrumentId: "SIM:BTC/USDT" as never,
        orderSide: "BUY",
        orderType: "LIMIT",
        timeInForce: "GTC",
        quantity: "3",
        limitPrice: "50",
      },
      null,
    )
    world.advance(5_000)
    const [order] = [...world.database.orders.values()].map((it) => it.order)
    expect(order).toMatchObject({ origin: "EXTERNAL", orderStatus: "ACCEPTED" })
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("150")
  })

  it.each([
    ["with the fee where a buy pays it in quote", { feeInQuote: true }, "150.15"],
    ["nothing where the venue keeps positions", { features: ["PERPETUAL"] }, "0"],
  ])("of a foreign order holds %s", (_, venue, held) => {
    const world = readyWorld({ venue })
    const terms = { orderSide: "BUY", orderType: "LIMIT", timeInForce: "GTC", quantity: "3", limitPrice: "50" } as const
    world.venue.place({ ...terms, instrumentId: "SIM:BTC/USDT" as never }, null)
    world.advance(5_000)
    const [order] = [...world.database.orders.values()].map((it) => it.order)
    expect(order?.origin).toBe("EXTERNAL")
    expect(order?.held.toString()).toBe(held)
  })
})

describe("a restart", () => {
  it.each(["silentBefore", "silentAfter"] as const)("never sends again what may have left (%s)", (fate) => {
    const world = readyWorld()
    world.venue.fates.submit = () => fate
    world.venue.fates.stream = () => "drop"
    const order = placed(world)
    world.crash()
    expect(stored(world, order).orderStatus).toBe("CREATED")
    world.start()
    world.advance(100)
    expect(["UNKNOWN", "ACCEPTED"]).toContain(world.read(order.tradeOrderId).orderStatus)
    world.advance(120_000)
    const { orderStatus, rejectReason } = world.read(order.tradeOrderId)
    if (fate === "silentAfter") expect(orderStatus).toBe("ACCEPTED")
    else expect([orderStatus, rejectReason]).toEqual(["REJECTED", "GATEWAY_RESTART"])
    expect(world.venue.arrivals.get(order.tradeOrderId) ?? 0).toBe(fate === "silentAfter" ? 1 : 0)
  })

  it("agrees with the venue before it takes orders, and backfills what it missed", () => {
    const world = readyWorld()
    const order = placed(world)
    world.crash()
    world.venue.fill(world.venue.find(order)!, Decimal.ONE)
    world.published.length = 0
    world.start()
    const early = world.submit({ idempotencyKey: "early" })
    expect(errorOf(early)).toBe("AccountReconciling")
    expect(early.answer).toMatchObject({ error: { reason: "RECONCILING" } })
    world.advance(2_000)
    expect(world.status()).toBe("ACTIVE")
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    const reconciled = world.published.find((it) => it.json.includes("TRADING_ACCOUNT.RECONCILED"))!
    expect(JSON.parse(reconciled.json)).toMatchObject({ data: { backfilledExecutions: 1, correctedOrders: 1 } })
  })

  it("stands at the last committed sequence for a new subscriber", () => {
    const world = readyWorld()
    placed(world)
    const sequence = world.database.events.get(ACCOUNT)!.length
    world.crash()
    world.venue.isUp = false
    world.start()
    expect(world.source!.position(`tradingAccount:${ACCOUNT}`)).toMatchObject({ epoch: "epoch", offset: sequence })
  })

  it("keeps trying while the venue is away", () => {
    const world = new World()
    world.venue.isUp = false
    world.start()
    world.advance(120_000)
    expect(world.status()).toBe("CREATED")
    world.venue.isUp = true
    world.advance(35_000)
    expect(world.status()).toBe("ACTIVE")
  })
})

describe("an idle account of a venue in this process", () => {
  it("sleeps after five minutes and takes an order at once when it is woken", () => {
    const world = readyWorld({ venue: { inProcess: true } })
    world.advance(400_000)
    // Somebody listens.
    expect(world.accounts.stats().live).toBe(1)
    world.isHeard = false
    world.advance(60_000)
    expect(world.accounts.stats().live).toBe(0)
    const asked = world.submit()
    world.advance(1_000)
    expect(okOf(asked).order.orderStatus).toBe("CREATED")
    expect(world.status()).toBe("ACTIVE")
  })
})
