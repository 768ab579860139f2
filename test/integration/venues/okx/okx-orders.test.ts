/** OKX's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback OKX. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { laterInstant, profileOf, until } from "../venue-kit.ts"
import { BTC, OKX_BTC, OkxSession, type OkxUnderTest, okxOrder, refOf, SHOW, startOkx, WAYS } from "./okx-kit.ts"

/** Above every bid of the still market, below every ask. */
const BEST_BID = "60000.1"

describe.each(WAYS)("an order at OKX by %s", (_way, options, { cancel }) => {
  let at: OkxUnderTest
  let my: OkxSession
  beforeAll(async () => {
    at = await startOkx({}, options)
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await OkxSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it("places a limit order under our own id with the digits it was given", async () => {
    const order = okxOrder({ quantity: "0.00123456", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { clOrdId: venueClientId(order.tradeOrderId), px: "50000.1", sz: "0.00123456", ordType: "limit", tdMode: "cash" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.ordId })
    await until(
      () => my.balances.some(({ balances }) => balances.some(({ locked }) => locked === "61.72812345")),
      "what the order holds",
    )
    expect(await at.run(my.open.session.fetchOpenOrders)).toMatchObject([
      { tradeOrderId: order.tradeOrderId, status: "OPEN", limitPrice: "50000.1", quantity: "0.00123456" },
    ])
  })

  it("reports every fill with its own id and fee, and every state of the order, when fills come in a burst", async () => {
    const order = okxOrder({ limitPrice: BEST_BID, quantity: "0.003" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    await until(() => my.states.some((state) => state.status === "FILLED"), "the last fill")
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => row.tradeId))
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: OKX_BTC, orderSide: "BUY" })
      // Charged, so positive: OKX writes "-0.0000005".
      expect(fill.fees).toEqual([{ asset: "BTC", quantity: "0.0000005" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"])
    expect(await at.run(my.open.session.fetchFills(0, [OKX_BTC]))).toEqual(my.fills)
  })

  it("reports what each event says of the balances, by what is free and what is held", async () => {
    expect((await my.outcomeOf(okxOrder({ limitPrice: BEST_BID, quantity: "0.003" })))._tag).toBe("Accepted")
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    const shown = () =>
      at.exchange.balances(my.secrets.apiKey).map(({ ccy, availBal, frozenBal }) => [ccy, availBal, frozenBal])
    await until(() => {
      const last = my.balances.at(-1)?.balances.map(({ asset, available, locked }) => [asset, available, locked])
      return JSON.stringify(last?.toSorted()) === JSON.stringify(shown().toSorted())
    }, "the balances after the last fill")
    const fetched = await at.run(my.open.session.fetchBalances)
    expect(fetched.balances.map(({ asset, available, locked }) => [asset, available, locked]).toSorted()).toEqual(
      shown().toSorted(),
    )
    my.open.reports.length = 0
    const details = [{ ccy: "ETH", availBal: "1.50", frozenBal: "0.50", eq: "7", availEq: "6" }]
    const event = {
      arg: { channel: "account" },
      eventType: "event_update",
      data: [{ uTime: "1700000000123", details }],
    }
    my.push(event)
    await until(() => my.balances.length > 0, "the balance of one asset")
    const balances = [{ asset: "ETH", available: "1.50", locked: "0.50" }]
    expect(my.balances).toEqual([{ complete: false, at: 1_700_000_000_123, balances }])
  })

  it("counts fills from the instant it was asked for", async () => {
    expect((await my.outcomeOf(okxOrder({ limitPrice: BEST_BID, quantity: "0.002" })))._tag).toBe("Accepted")
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 1, "the first fill")
    const since = (my.fills[0]?.executedAt ?? 0) + 1
    await until(() => Date.now() > since, "a later instant")
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 2, "the second fill")
    expect(await at.run(my.open.session.fetchFills(since, [OKX_BTC]))).toEqual([my.fills[1]])
  })

  it.each<[string, Partial<VenueOrder>, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, { ending: "REMAINDER", timeInForce: "IOC" }],
    ["a FOK that cannot be filled", { timeInForce: "FOK" }, { ending: "REMAINDER", timeInForce: "FOK" }],
    [
      "a post-only order that would match",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      // Contract C1: it never worked.
      { status: "REJECTED", ending: "WOULD_TAKE", orderType: "LIMIT_MAKER", timeInForce: "GTX" },
    ],
  ])("accepts %s and says how the venue ended it", async (_, change, end) => {
    expect((await my.outcomeOf(okxOrder(change)))._tag).toBe("Accepted")
    await until(() => (my.states.at(-1)?.status ?? "OPEN") !== "OPEN", "the end of the order")
    expect(my.states.at(-1)).toMatchObject({ status: "CANCELLED", executedQuantity: "0", ...end })
  })

  it("says that a resting order ended to prevent a self trade", async () => {
    const resting = okxOrder({ limitPrice: BEST_BID })
    expect((await my.outcomeOf(resting))._tag).toBe("Accepted")
    expect((await my.outcomeOf(okxOrder({ orderSide: "SELL", limitPrice: BEST_BID, timeInForce: "IOC" })))._tag).toBe(
      "Accepted",
    )
    const ended = () =>
      my.states.find((state) => state.tradeOrderId === resting.tradeOrderId && state.status !== "OPEN")
    await until(() => ended() !== undefined, "the end of the resting order")
    expect(ended()).toMatchObject({ status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" })
  })

  it("fills a market order in base without ever sending a price", async () => {
    const order = okxOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    await until(() => my.open.about(order.tradeOrderId).includes("Filled"), "a fill")
    expect(my.rows).toMatchObject([{ ordType: "market", state: "filled", sz: "0.002", tgtCcy: "base_ccy", px: "" }])
    expect(my.states.at(-1)).toMatchObject({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
    })
  })

  it("cancels by our id and by the venue's, and says when the venue does not know the order", async () => {
    const [first, second] = [okxOrder(), okxOrder()]
    const accepted = [await my.outcomeOf(first), await my.outcomeOf(second)]
    await laterInstant()
    my.open.session.cancel(refOf(first))
    const known = accepted[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.rows.map(({ state, cancelSource }) => [state, cancelSource])).toEqual([
      ["canceled", "1"],
      ["canceled", "1"],
    ])
    const [created, changed] = [Number(my.rows[1]?.cTime), Number(my.rows[1]?.uTime)]
    expect(changed).toBeGreaterThan(created)
    expect(await my.lookup(second)).toMatchObject({
      state: { status: "CANCELLED", tradeOrderId: second.tradeOrderId, createdAt: created, updatedAt: changed },
    })
    my.open.session.cancel(refOf(okxOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({
      unknownOrder: true,
      text: expect.stringContaining("does not exist"),
    })
  })

  it("never takes the acknowledgement of a cancel for the end of the order", async () => {
    const order = okxOrder({ limitPrice: BEST_BID, quantity: "0.003" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.count(cancel)).toBeGreaterThan(0)
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    // It fills although its cancel was acknowledged.
    at.exchange.trade(BTC, "SELL", "0.003")
    await until(() => my.states.at(-1)?.status === "FILLED", "the end of the order")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
  })

  it("says that an order was filled although its cancel was acknowledged", async () => {
    const order = okxOrder({ limitPrice: BEST_BID, quantity: "0.003" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.fault({ fault: "holdCancels", on: true })
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "delay", millis: 200 } })
    const looks = () => my.count(SHOW)
    const before = looks()
    my.open.session.cancel(refOf(order))
    await until(() => looks() > before, "the look")
    at.exchange.trade(BTC, "SELL", "0.003")
    await until(() => my.open.last("CancelRefused") !== undefined, "the outcome of the cancel")
    expect(my.states.at(-1)).toMatchObject({ status: "FILLED", executedQuantity: "0.003" })
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it("says what was executed before it says that the cancel was accepted", async () => {
    const order = okxOrder({ limitPrice: BEST_BID, quantity: "0.003" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    await until(() => my.states.length === 1, "its event")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.0005")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.about(order.tradeOrderId).length === 2, "the answer to the cancel")
    // Balances of the placement may still be on their way.
    expect(my.open.reports.filter(({ _tag }) => _tag !== "BalancesSeen")).toMatchObject([
      { _tag: "OrderSeen", state: { status: "CANCELLED", executedQuantity: "0.0005" } },
      { _tag: "CancelAccepted" },
    ])
  })

  it("answers NotFound, never proof, for an order the venue does not know, and for one it has forgotten", async () => {
    expect(await my.lookup(okxOrder())).toEqual({ _tag: "NotFound", definite: false })
    const order = okxOrder()
    await my.outcomeOf(order)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    at.exchange.fault({ fault: "forgetCancelled" })
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })
})

describe("a list of OKX", () => {
  let at: OkxUnderTest
  let my: OkxSession
  beforeAll(async () => {
    const { endedOrders } = profileOf("OKX")
    if (endedOrders?.paging.way !== "BEFORE_ID") throw new Error("OKX's orders that ended go by their ids")
    const change = { endedOrders: { ...endedOrders, paging: { ...endedOrders.paging, size: 3 } } }
    at = await startOkx({ isLimited: false }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await OkxSession.start(at)
  })
  afterEach(() => at.endSessions())

  it("has all pages of fills and of open orders", async () => {
    await my.accepted(okxOrder({ limitPrice: BEST_BID, quantity: "0.00250" }))
    for (let i = 0; i < 250; i++) at.exchange.trade(BTC, "SELL", "0.00001")
    const all = await at.run(my.open.session.fetchFills(0, [OKX_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => row.tradeId))
    expect(all.length).toBe(250)
    const resting = Array.from({ length: 105 }, (_, i) => okxOrder({ limitPrice: `${40_000 + i}`, quantity: "0.0001" }))
    // No more at a time than the venue's limit lets out before they are late.
    const live = (): number => my.rows.filter((row) => row.state === "live").length
    for (let sent = 0; sent < resting.length; ) {
      for (const order of resting.slice(sent, sent + 15))
        my.open.session.submit({ ...order, notAfter: Date.now() + 60_000 })
      sent += 15
      await until(() => live() === sent, `${sent} orders`)
    }
    const found = await at.run(my.open.session.fetchOpenOrders)
    expect(new Set(found.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
      new Set(resting.map(({ tradeOrderId }) => tradeOrderId)),
    )
  })

  it.each([
    ["cancelled", { timeInForce: "IOC" }],
    ["filled", { timeInForce: "IOC", limitPrice: "61000" }],
  ] as const)("has what ended %s, whichever page it is on", async (_, terms) => {
    const orders = Array.from({ length: 7 }, () => okxOrder({ ...terms, notAfter: Date.now() + 60_000 }))
    for (const order of orders) await my.accepted(order)
    const found = await my.endedSince({ instrumentId: OKX_BTC, since: Date.now() - 60_000, oldestId: null })
    expect(found.map(({ tradeOrderId }) => tradeOrderId).sort()).toEqual(
      orders.map(({ tradeOrderId }) => tradeOrderId).sort(),
    )
  })
})
