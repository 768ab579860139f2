/** Gate's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Gate. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  AMEND,
  BEST_BID,
  BTC,
  CANCEL,
  FILLS,
  GATE_BTC,
  GATE_ETH,
  GateSession,
  type GateUnderTest,
  gateOrder,
  LIST,
  PLACE,
  SHOW,
  startGate,
  textOf,
} from "./gate-kit.ts"

const AT = Date.now()

describe("an order at GATE", () => {
  let at: GateUnderTest
  let my: GateSession
  beforeAll(async () => {
    at = await startGate({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GateSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(gateOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)

  /** A row of the list, or of one order. */
  const listed = (order: VenueOrder, words: object) => {
    const row = my.rows.find(({ text }) => text === textOf(order))
    if (row === undefined) throw new Error("the venue has no such order")
    return { ...row, ...words }
  }
  /** Asked for by the venue's id it is as a test wants it. */
  const shown = async (order: VenueOrder, words: object) => {
    const row = listed(order, words)
    const action = { kind: "status", status: 200, body: JSON.stringify(row) } as const
    at.exchange.fault({ fault: "answer", match: `${SHOW}${row.id}`, action })
    return at.run(my.open.session.fetchOrder(refOf(order, row.id)))
  }

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any pair", async () => {
    const order = gateOrder({ quantity: "0.001235", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { text: textOf(order), price: "50000.1", amount: "0.001235", time_in_force: "gtc", account: "spot" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.id })
    const other = await accepted({ instrumentId: GATE_ETH, limitPrice: "2000.01", quantity: "0.0101" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50000.1", quantity: "0.001235" }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "2000.01", quantity: "0.0101" }],
      ]),
    )
  })

  it("has every fill told with its own id, digit by digit, and fee, and its states, by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = [SHOW, LIST, FILLS].map((what) => my.count(what))
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003", quantity: "0.003" })
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: GATE_BTC, orderSide: "BUY" })
      // 0.1 % of what is received, of which the stream does not name the asset.
      expect(fill.fees).toEqual([{ asset: "BTC", quantity: "0.0000005" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(new Set(executed)).toEqual(new Set(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"]))
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    expect([SHOW, LIST, FILLS].map((what) => my.count(what))).toEqual(asked)
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [GATE_BTC]))).toEqual(my.fills)
  })

  it("that is cancelled while it waits for its turn is not sent, nor is its cancel", async () => {
    // Ten in a second, of which 95 % are for orders: from the tenth on they wait.
    const orders = Array.from({ length: 12 }, () => gateOrder({ quantity: "0.0001" }))
    const asked = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    const last = orders.slice(9)
    for (const order of last) my.open.session.cancel(refOf(order))
    const told = (tag: string) => my.open.reports.filter(({ _tag }) => _tag === tag)
    await until(() => told("Accepted").length === 9 && told("NotSent").length === 3, "all outcomes")
    expect(told("NotSent")).toMatchObject(last.map(({ tradeOrderId }) => ({ tradeOrderId })))
    expect([my.rows.length, my.count(CANCEL), told("CancelRefused"), told("CancelInDoubt")]).toEqual([9, asked, [], []])
  })

  it("that sells has its fee in the quote asset", async () => {
    await accepted({ orderSide: "SELL", orderType: "MARKET", limitPrice: null, quantity: "0.001" })
    await filled(1)
    const [fill] = my.fills
    expect(fill?.fees.map(({ asset }) => asset)).toEqual(["USDT"])
    expect(Number(fill?.fees[0]?.quantity)).toBeCloseTo(Number(fill?.price) * 0.000001, 6)
  })

  it.each([
    ["GT", "GT", "0.00600001"],
    ["POINT", "GATEPOINT", "0.0600001"],
  ] as const)("has its fee in %s where the user pays so", async (paysIn, asset, quantity) => {
    const other = await GateSession.start(at, { paysIn, balances: { USDT: "1000", [paysIn]: "100" } })
    await other.accepted(gateOrder({ limitPrice: BEST_BID, quantity: "0.001" }))
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => other.fills.length === 1, "the trade")
    expect(other.fills[0]?.fees).toEqual([{ asset, quantity }])
    const balances = await at.run(other.open.session.fetchBalances)
    expect(balances.balances.find((it) => it.asset === asset)).toEqual({
      asset,
      available: String(Number((100 - Number(quantity)).toFixed(8))),
      locked: "0",
    })
  })

  it("says what is free and what is held with each event of its balances, and asks where one does not say what is held", async () => {
    await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    const usdt = { asset: "USDT", available: "99819.9997", locked: "120.0002" }
    await until(
      () => my.balances.some(({ balances }) => JSON.stringify(balances).includes(JSON.stringify(usdt))),
      `the balance after the fill: ${JSON.stringify(my.balances.at(-1))}`,
    )
    const fetched = await at.run(my.open.session.fetchBalances)
    expect(fetched.balances.find(({ asset }) => asset === "USDT")).toEqual(usdt)
    my.open.reports.length = 0
    const eth = {
      timestamp: "1700000000",
      timestamp_ms: "1700000000123",
      currency: "ETH",
      available: "1.5",
      freeze: "0.5",
    }
    const event = { time: 1_700_000_000, channel: "spot.balances", event: "update" }
    my.push({ ...event, result: [eth] })
    await until(() => my.balances.length > 0, "the balance of one asset")
    const balances = [{ asset: "ETH", available: "1.5", locked: "0.5" }]
    expect(my.balances).toEqual([{ complete: false, at: 1_700_000_000_123, balances }])
    const { freeze: _, ...unsaid } = eth
    my.push({ ...event, result: [unsaid] })
    await until(() => my.balances.some(({ complete }) => complete), "all balances, asked for")
  })

  it.each<[string, Partial<VenueOrder>, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, { ending: "REMAINDER", timeInForce: "IOC" }],
    ["what cancels it", {}, { ending: null, timeInForce: "GTC" }],
  ])("is accepted and ends CANCELLED with %s, as the venue says of it", async (_, change, end) => {
    const order = await accepted(change)
    at.exchange.cancelAll(my.secrets.apiKey)
    const whole = { status: "CANCELLED", executedQuantity: "0", quantity: "0.001", ...end }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it.each<[string, string, object]>([
    ["filled", "closed", { status: "FILLED", ending: null }],
    ["cancelled", "cancelled", { status: "CANCELLED", ending: null }],
    ["liquidate_cancelled", "cancelled", { status: "CANCELLED", ending: null }],
    ["ioc", "cancelled", { status: "CANCELLED", ending: "REMAINDER" }],
    ["fok", "cancelled", { status: "CANCELLED", ending: "REMAINDER" }],
    ["depth_not_enough", "cancelled", { status: "CANCELLED", ending: "REMAINDER" }],
    ["trader_not_enough", "cancelled", { status: "CANCELLED", ending: "REMAINDER" }],
    ["small", "cancelled", { status: "CANCELLED", ending: "REMAINDER" }],
    ["stp", "cancelled", { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }],
    ["unknown", "cancelled", { status: "CANCELLED", ending: null }],
    ["something new", "cancelled", { status: "CANCELLED", ending: null }],
    ["open", "open", { status: "OPEN" }],
  ])("that finished as %s is %s, in the list and in the stream", async (finish, status, end) => {
    const order = await accepted()
    const left = status === "closed" ? "0" : "0.001"
    const words = { status, finish_as: finish, left, filled_amount: status === "closed" ? "0.001" : "0" }
    expect(await shown(order, words)).toMatchObject({ state: { quantity: "0.001", ...end } })
    const { status: _, ...row } = listed(order, words)
    my.open.reports.length = 0
    const event = status === "open" ? "update" : "finish"
    my.push({ channel: "spot.orders", event: "update", result: [{ ...row, event }] })
    await until(() => my.states.length > 0, "the event")
    expect(my.states).toMatchObject([{ tradeOrderId: order.tradeOrderId, quantity: "0.001", ...end }])
  })

  it("of a post-only kind that would match is refused, and the stream says the same of it: it never worked", async () => {
    const order = gateOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "WOULD_TAKE" })
    // Contract C1.
    const end = { status: "REJECTED", ending: "WOULD_TAKE", orderType: "LIMIT_MAKER", timeInForce: "GTX" }
    expect(await ended(order)).toMatchObject({ executedQuantity: "0", ...end })
  })

  it("of a post-only kind that rested ends CANCELLED, also where a change of its price ends it", async () => {
    const maker = { orderType: "LIMIT_MAKER", timeInForce: "GTX" } as const
    const [first, second] = [await accepted(maker), await accepted(maker)]
    my.open.session.cancel(refOf(first))
    expect(await ended(first)).toMatchObject({ status: "CANCELLED", ending: null })
    const terms = new TermsSession(at, my.open)
    expect(await terms.amend(second, change("0.001", "60500"))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
    expect(await ended(second)).toMatchObject({ status: "CANCELLED", ending: null, orderType: "LIMIT_MAKER" })
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part and its whole quantity", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const whole = { status: "CANCELLED", ending: null, executedQuantity: "0.001", quantity: "0.003" }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("says what was executed before it says that the cancel was carried out, though no event has told it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.001")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    expect(my.open.about(order.tradeOrderId).slice(-2)).toEqual(["OrderSeen", "CancelAccepted"])
    expect(my.states.at(-1)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.001" })
  })

  it("at the market sells in base and fills", async () => {
    const order = await accepted({ orderSide: "SELL", orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect(await ended(order)).toMatchObject({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
    })
    expect(my.rows).toMatchObject([{ type: "market", amount: "0.002", time_in_force: "ioc" }])
  })

  it("by cost spends what it was given: FILLED with what it bought, although the venue calls its crumbs cancelled", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120.123456" })
    const end = await ended(order)
    expect(my.rows).toMatchObject([{ type: "market", amount: "120.123456", status: "cancelled", finish_as: "ioc" }])
    expect(Number(my.rows[0]?.left)).toBeGreaterThan(0)
    const whole = { orderType: "MARKET", status: "FILLED", quantity: my.rows[0]?.filled_amount }
    expect(end).toMatchObject({ ...whole, executedQuantity: end?.quantity })
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    await filled(1)
    const bought = my.fills.reduce((sum, { quantity }) => sum + Number(quantity), 0)
    expect(bought).toBeCloseTo(Number(end?.executedQuantity), 12)
    expect(Number(my.rows[0]?.filled_total)).toBeLessThanOrEqual(120.123456)
  })

  it("by cost ends CANCELLED where there was no other side to spend the rest with", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" })
    await ended(order)
    const words = {
      left: "60",
      filled_amount: "0.001",
      filled_total: "60",
      avg_deal_price: "60000",
      finish_as: "depth_not_enough",
    }
    expect(await shown(order, words)).toMatchObject({
      state: { status: "CANCELLED", ending: "REMAINDER", executedQuantity: "0.001" },
    })
  })

  it("by cost whose event does not say what was bought is asked for", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" })
    await ended(order)
    my.open.reports.length = 0
    const { status: _, filled_amount: bought, ...row } = listed(order, {})
    const asked = my.count(SHOW)
    my.push({ channel: "spot.orders", event: "update", result: [{ ...row, event: "finish" }] })
    await until(() => my.states.length > 0, "the order")
    expect(my.count(SHOW)).toBe(asked + 1)
    expect(my.states).toMatchObject([{ status: "FILLED", executedQuantity: bought }])
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [gateOrder(), gateOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const sent = my.count(CANCEL)
    const asked = [SHOW, LIST].map((what) => my.count(what))
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.count(CANCEL)).toBe(sent + 2)
    expect([SHOW, LIST].map((what) => my.count(what))).toEqual(asked)
    expect(my.rows.map(({ status }) => status)).toEqual(["cancelled", "cancelled"])
    my.open.session.cancel(refOf(gateOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({
      unknownOrder: true,
      text: expect.stringMatching(/not found$/),
    })
  })

  it.each([
    ["filled", "Order already closed"],
    ["cancelled", "Order already cancelled"],
  ])("has a cancel refused as unknown to the venue where it was %s: its end is looked at", async (how, text) => {
    const order = await accepted({ limitPrice: BEST_BID })
    if (how === "filled") at.exchange.trade(BTC, "SELL", "0.001")
    else at.exchange.cancelAll(my.secrets.apiKey)
    await ended(order)
    my.open.session.cancel(refOf(order, my.rows[0]?.id))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text })
  })

  it("is found by our id: working, cancelled, filled; the venue knows by it what works alone", async () => {
    const [working, cancelled, done] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    for (const [order, status, lists] of [
      [working, "OPEN", 0],
      [cancelled, "CANCELLED", 1],
      [done, "FILLED", 1],
    ] as const) {
      const asked = my.count(LIST)
      expect(await my.lookup(order)).toMatchObject({
        _tag: "Found",
        state: { status, tradeOrderId: order.tradeOrderId },
      })
      expect(my.count(LIST)).toBe(asked + lists)
    }
    const byVenue = refOf(done, my.rows[2]?.id ?? "")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
  })

  it("answers NotFound, never proof, for an order that the venue does not know, or that its list is late with", async () => {
    expect(await my.lookup(gateOrder())).toEqual({ _tag: "NotFound", definite: false })
    const byVenue = refOf(gateOrder(), "1036717999999")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
    at.exchange.fault({
      fault: "answer",
      match: `${SHOW}1036717999999`,
      action: { kind: "status", status: 200, body: "{}" },
    })
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    at.exchange.fault({ fault: "holdEnded", on: true })
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
    // Its trade names it meanwhile, also to a session that has never heard of it.
    const later = await at.openSession(my.secrets)
    const [fill] = await at.run(later.session.fetchFills(AT - 600_000, [GATE_BTC]))
    expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, externalOrderId: my.rows[0]?.id })
  })

  it("is amended where it stands: the same order, its new price and total", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const id = my.rows[0]?.id
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: id,
    })
    expect(my.rows).toMatchObject([
      { id, text: textOf(order), price: "50000", amount: "0.002", filled_amount: "0.001" },
    ])
    await until(() => my.states.at(-1)?.limitPrice === "50000", "its event")
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
  })

  it("is amended by our id where the venue's is not known", async () => {
    const order = await accepted()
    my.open.session.amend?.(refOf(order), change("0.002", "50000"))
    await until(() => my.open.last("AmendAccepted") !== undefined, "the change")
    expect(my.open.last("AmendAccepted")).toMatchObject({ externalOrderId: my.rows[0]?.id })
    expect(my.rows).toMatchObject([{ amount: "0.002" }])
  })

  it("that has ended is not amended: look before believing anything; an unanswered change is in doubt", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const asked = my.count(AMEND)
    at.exchange.fault({ fault: "answer", match: `${AMEND}${my.rows[0]?.id}`, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(AMEND)).toBe(asked + 1)
    at.exchange.trade(BTC, "SELL", "0.002")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })

  it("never leaves with a trigger: the gateway watches it", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    expect(await my.outcomeOf(gateOrder({ orderSide: "SELL", trigger }))).toMatchObject({
      _tag: "Refused",
      code: "NOT_SUPPORTED",
    })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("is of spot alone: what the margin account does in the same streams is none of it", async () => {
    const ours = await accepted()
    const row = { ...listed(ours, {}), id: "777", text: "apiv4", account: "margin", event: "update" }
    const trade = { id: 1, order_id: "777", currency_pair: BTC, create_time_ms: String(AT), side: "buy", amount: "1" }
    my.open.reports.length = 0
    my.push({ channel: "spot.orders", event: "update", result: [row] })
    my.push({
      channel: "spot.usertrades",
      event: "update",
      result: [{ ...trade, price: "60000", fee: "0", text: "apiv4" }],
    })
    // What comes behind them has been heard when this has.
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(ours)).toMatchObject({ status: "CANCELLED" })
    expect(my.states.filter(({ externalOrderId }) => externalOrderId === "777")).toEqual([])
    expect(my.fills).toEqual([])
  })
})
