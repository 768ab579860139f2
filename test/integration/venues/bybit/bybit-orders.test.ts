/** Bybit's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Bybit. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { profileOf, SOON_LATE, until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  BYBIT_BTC,
  BybitSession,
  type BybitUnderTest,
  bybitOrder,
  SHOW,
  saying,
  startBybit,
  WAYS,
} from "./bybit-kit.ts"

const LIST = "GET /v5/execution/list"
const DAY_MILLIS = 86_400_000

describe.each(WAYS)("an order at BYBIT by %s", (_way, options, ways) => {
  const { place, cancel, amend } = ways
  let at: BybitUnderTest
  let my: BybitSession
  beforeAll(async () => {
    at = await startBybit({}, { change: { waits: SOON_LATE }, ...options })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BybitSession.startBy(at, ways)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(bybitOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)

  it("is placed under our own id with the digits it was given, and is in the list of open orders", async () => {
    const order = bybitOrder({ quantity: "0.001234", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { orderLinkId: venueClientId(order.tradeOrderId), price: "50000.1", qty: "0.001234", timeInForce: "GTC" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.orderId })
    expect(await at.run(my.open.session.fetchOpenOrders)).toMatchObject([
      { tradeOrderId: order.tradeOrderId, status: "OPEN", limitPrice: "50000.1", quantity: "0.001234" },
    ])
  })

  it("has every fill told with its own id and fee, and every state, when fills come in a burst: nothing is asked for", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = my.count(SHOW)
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003" })
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => row.execId))
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: BYBIT_BTC, orderSide: "BUY" })
      expect(fill.fees).toEqual([{ asset: "BTC", quantity: "0.0000005" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"])
    expect(await at.run(my.open.session.fetchFills(Date.now() - 600_000, [BYBIT_BTC]))).toEqual(my.fills)
    expect(my.count(SHOW)).toBe(asked)
  })

  it("says what is free and what is held with each event of the wallet, and of nothing that the event does not name", async () => {
    await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    const shown = ["119.960002", "99819.9997"]
    await until(() => {
      const usdt = my.balances.at(-1)?.balances.find(({ asset }) => asset === "USDT")
      return usdt?.locked === "120.0002" && usdt.available === "99819.9997"
    }, `the balances after the fill, ${shown}`)
    const fetched = await at.run(my.open.session.fetchBalances)
    expect(fetched.balances.find(({ asset }) => asset === "USDT")).toEqual({
      asset: "USDT",
      available: "99819.9997",
      locked: "120.0002",
    })
    my.open.reports.length = 0
    const coin = [
      { coin: "ETH", walletBalance: "2", locked: "0.5", equity: "7", totalOrderIM: "", totalPositionIM: "" },
    ]
    my.push({ topic: "wallet", creationTime: 1_700_000_000_123, data: [{ accountType: "UNIFIED", coin }] })
    await until(() => my.balances.length > 0, "the balance of one asset")
    const balances = [{ asset: "ETH", available: "1.5", locked: "0.5" }]
    expect(my.balances).toEqual([{ complete: false, at: 1_700_000_000_123, balances }])
  })

  it("has the fee of a fill in the asset that the venue says, also a third one", async () => {
    const order = await accepted()
    const data = [
      {
        category: "spot",
        symbol: BTC,
        orderId: my.rows[0]?.orderId,
        orderLinkId: venueClientId(order.tradeOrderId),
        side: "Buy",
        execId: "77",
        execType: "Trade",
        execPrice: "50000",
        execQty: "0.001",
        execValue: "50",
        execFee: "0.04",
        feeCurrency: "MNT",
        execTime: "1700000000000",
        isMaker: true,
      },
    ]
    my.push({ topic: "execution", creationTime: 1_700_000_000_000, data })
    await until(() => my.fills.length > 0, "the fill")
    expect(my.fills[0]?.fees).toEqual([{ asset: "MNT", quantity: "0.04" }])
  })

  it("is not mixed up with contracts of the same account, whose orders and fills share its stream and its symbols", async () => {
    const order = await accepted()
    await until(() => my.states.length > 0, "its own event")
    const [row] = my.rows
    my.open.reports.length = 0
    const contract = { ...row, category: "linear", orderId: "9", orderLinkId: "", tpslMode: "Full" }
    my.push({ topic: "order", creationTime: 1, data: [contract, { ...row, category: "spot" }] })
    const execution = { category: "linear", symbol: BTC, orderId: "9", orderLinkId: "", side: "Buy" }
    const trade = { execId: "9", execType: "Trade", execPrice: "1", execQty: "5", execFee: "0", execTime: "1" }
    my.push({ topic: "execution", creationTime: 1, data: [{ ...execution, ...trade }] })
    my.push({ topic: "wallet", creationTime: 5, data: [{ accountType: "UNIFIED", coin: [] }] })
    at.exchange.setLevel(BTC, "asks", "50000", "0.002")
    await ended(order)
    expect(new Set(my.states.map(({ externalOrderId }) => externalOrderId))).toEqual(new Set([row?.orderId]))
    expect(new Set(my.fills.map(({ externalOrderId }) => externalOrderId))).toEqual(new Set([row?.orderId]))
    at.exchange.setLevel(BTC, "asks", "50000", "0")
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
  ])("is accepted as %s and says how the venue ended it", async (_, change, end) => {
    const order = await accepted(change)
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", executedQuantity: "0", ...end })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "CANCELLED", executedQuantity: "0", ...end } })
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part, and never FILLED", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 1, "the fill")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    expect(my.rows).toMatchObject([{ orderStatus: "PartiallyFilledCanceled" }])
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, executedQuantity: "0.001" })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "CANCELLED", executedQuantity: "0.001" } })
  })

  it("that the venue rejects after a part of it was filled keeps that part", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 1, "the fill")
    const row = { ...my.rows[0], category: "spot", orderStatus: "Rejected", rejectReason: "EC_Others" }
    my.push({ topic: "order", creationTime: Date.now(), data: [row] })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.001" })
  })

  it("says that it ended to prevent a self trade", async () => {
    const resting = await accepted({ limitPrice: BEST_BID })
    await accepted({ orderSide: "SELL", limitPrice: BEST_BID, timeInForce: "IOC" })
    expect(await ended(resting)).toMatchObject({ status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" })
  })

  it.each<[VenueOrder["orderSide"], object]>([
    ["BUY", { qty: "0.002", marketUnit: "baseCoin" }],
    ["SELL", { qty: "0.002", marketUnit: "baseCoin" }],
  ])("without a limit is sized in base and fills: %s", async (orderSide, row) => {
    const order = await accepted({ orderSide, orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect(await ended(order)).toMatchObject({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
    })
    expect(my.rows).toMatchObject([{ orderType: "Market", orderStatus: "Filled", ...row }])
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [bybitOrder(), bybitOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const [asked, sent] = [my.count(SHOW), my.count(cancel)]
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.count(cancel)).toBe(sent + 2)
    // Nothing stands before a cancel, and behind it at most the look at its end.
    expect(my.count(SHOW)).toBeLessThanOrEqual(asked + 2)
    expect(my.rows.map(({ orderStatus, cancelType }) => [orderStatus, cancelType])).toEqual([
      ["Cancelled", "CancelByUser"],
      ["Cancelled", "CancelByUser"],
    ])
    my.open.session.cancel(refOf(bybitOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "Order does not exist." })
  })

  it("has a cancel refused as unknown to the venue where it had ended: its end is looked at", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "Order has been filled." })
  })

  it("never takes the acknowledgement of a cancel for the end of the order, and tells a fill that comes after it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    at.exchange.trade(BTC, "SELL", "0.003")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003" })
    my.open.reports.length = 0
    at.exchange.fault({ fault: "holdCancels", on: false })
    // The venue tells the end of the order once more, now with its cancel.
    await until(() => my.states.length > 0, "the second word on the end")
    expect(my.states).toMatchObject([{ status: "FILLED", executedQuantity: "0.003" }])
  })

  it("is found by our id: working, ended, and ended before a release of the venue", async () => {
    const [working, cancelled, filled] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(filled)
    at.exchange.fault({ fault: "release" })
    for (const [order, status] of [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [filled, "FILLED"],
    ] as const)
      expect(await my.lookup(order)).toMatchObject({
        _tag: "Found",
        state: { status, tradeOrderId: order.tradeOrderId },
      })
    const byVenue = { ...refOf(filled, my.rows[2]?.orderId ?? "") }
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
  })

  it("answers NotFound, never proof, for an order that the venue does not know, and for one that it has forgotten", async () => {
    expect(await my.lookup(bybitOrder())).toEqual({ _tag: "NotFound", definite: false })
    const order = await accepted()
    my.open.session.cancel(refOf(order))
    await ended(order)
    at.exchange.fault({ fault: "forgetCancelled" })
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })

  it("is amended where it stands: the same order, its new price and total, seen before it is told", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 1, "the fill")
    const id = my.rows[0]?.orderId
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: id,
    })
    expect(my.rows).toMatchObject([{ orderId: id, price: "50000", qty: "0.002", cumExecQty: "0.001" }])
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
  })

  it("whose change was answered and not carried out is in doubt, and never told as changed", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "answer", match: amend, action: saying(0, "OK") })
    expect(await new TermsSession(at, my.open).amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendInDoubt",
    })
  })

  it("that has ended is not amended: look before believing anything; an unanswered change is in doubt", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const asked = my.count(amend)
    at.exchange.fault({ fault: "answer", match: amend, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(amend)).toBe(asked + 1)
    at.exchange.trade(BTC, "SELL", "0.002")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })

  it("by cost spends what it was given: its quantity is what it bought", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" })
    const end = await ended(order)
    expect(my.rows).toMatchObject([{ orderType: "Market", qty: "120", marketUnit: "" }])
    expect(end).toMatchObject({ status: "FILLED", orderType: "MARKET", quantity: end?.executedQuantity })
    expect(Number(end?.executedQuantity)).toBeGreaterThan(0)
  })

  it("never leaves with a trigger: the gateway watches it", async () => {
    const sent = my.count(place)
    const trigger = stopAt("STOP", "FALL", "51000")
    expect(await my.outcomeOf(bybitOrder({ orderSide: "SELL", trigger }))).toMatchObject({
      _tag: "Refused",
      code: "NOT_SUPPORTED",
    })
    expect(my.count(place)).toBe(sent)
  })
})

describe("a list of BYBIT", () => {
  let at: BybitUnderTest
  let my: BybitSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    const { endedOrders } = profileOf("BYBIT")
    if (endedOrders?.paging.way !== "CURSOR") throw new Error("Bybit's orders that ended go by a cursor")
    const change = { endedOrders: { ...endedOrders, paging: { ...endedOrders.paging, size: 3 } } }
    at = await startBybit({ clockAheadMillis: () => ahead }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BybitSession.start(at)
  })
  afterEach(() => at.endSessions())

  it("has all pages of its fills and of the open orders", { timeout: 120_000 }, async () => {
    const filling = await my.accepted(bybitOrder({ limitPrice: BEST_BID, quantity: "0.03" }))
    for (let i = 0; i < 260; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const all = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [BYBIT_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => row.execId))
    expect(all.length).toBeGreaterThan(200)
    const resting = Array.from({ length: 60 }, (_, i) => bybitOrder({ limitPrice: `${40_000 + i}`, quantity: "0.001" }))
    // One after the other: the venue counts them by the second.
    for (const order of resting)
      expect((await my.outcomeOf({ ...order, notAfter: Date.now() + 60_000 }))._tag).toBe("Accepted")
    const found = await at.run(my.open.session.fetchOpenOrders)
    expect(new Set(found.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
      new Set([filling, ...resting].map(({ tradeOrderId }) => tradeOrderId)),
    )
    expect(my.count(LIST)).toBeGreaterThan(2)
    at.exchange.cancelAll(my.secrets.apiKey)
  })

  it("has what ended, whichever page it is on, and what ended and filled weeks ago: the venue answers for seven days", async () => {
    const began = Date.now() - 20 * DAY_MILLIS
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    for (const day of [-19, -12, -4, 0, 0, 0, 0, 0]) {
      // The session goes by the venue's clock, wherever that is.
      ahead = day * DAY_MILLIS
      await my.accepted(bybitOrder({ limitPrice: BEST_BID, notAfter: Date.now() + 60_000 }))
      at.exchange.trade(BTC, "SELL", "0.001")
    }
    const ended = await my.endedSince({ instrumentId: BYBIT_BTC, since: began, oldestId: null })
    expect(new Set(ended.map(({ externalOrderId }) => externalOrderId))).toEqual(
      new Set(my.rows.map(({ orderId }) => orderId)),
    )
    const fills = await at.run(my.open.session.fetchFills(began, [BYBIT_BTC]))
    expect(new Set(fills.map(({ externalTradeId }) => externalTradeId))).toEqual(
      new Set(my.fillRows.map(({ execId }) => execId)),
    )
    at.exchange.fault({ fault: "clear" })
  })
})
