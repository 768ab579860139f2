/** Orders, fills, positions and cancels of Kraken Futures: real ccxt in a real worker, judged by its loopback exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { connectKrakenFutures } from "../../../exchanges/ccxt-client.ts"
import { refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { until } from "../venue-kit.ts"
import {
  AMEND,
  BEST_BID,
  BTC,
  CANCEL,
  EXECUTIONS,
  FILLS,
  FUTURES_BTC,
  FUTURES_ETH,
  FuturesSession,
  type FuturesUnderTest,
  futuresOrder,
  HISTORY,
  idAt,
  ORDERS_FEED,
  PLACE,
  POSITIONS,
  STATUS,
  startFutures,
} from "./futures-kit.ts"

const QUESTIONS = [STATUS, HISTORY, FILLS, EXECUTIONS]
const MARKET = { orderType: "MARKET", limitPrice: null } as const

describe("an order at KRAKENFUTURES", () => {
  let at: FuturesUnderTest
  let my: FuturesSession
  beforeAll(async () => {
    // What the venue lets an account do in ten seconds is not what is looked at here.
    const change = { waits: { requestMillis: 5000 }, privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startFutures({ isLimited: false }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await FuturesSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(futuresOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)
  const asked = () => QUESTIONS.map((what) => my.count(what))
  const forget = () => at.exchange.fault({ fault: "forgetEnded" })

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any contract", async () => {
    const order = futuresOrder({ quantity: "0.1234", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([{ cliOrdId: idAt(order), limitPrice: "50000.1", size: "0.1234", type: "lmt" }])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.orderId })
    const other = await accepted({ instrumentId: FUTURES_ETH, limitPrice: "2000.1", quantity: "0.01" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50000.1", quantity: "0.1234", instrumentId: FUTURES_BTC }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "2000.1", quantity: "0.01", instrumentId: FUTURES_ETH }],
      ]),
    )
  })

  it("has every fill told with its own id and the fee that the venue says, and every state, by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.06" })
    const before = asked()
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.01")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.06", quantity: "0.06" })
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.fillIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: FUTURES_BTC, orderSide: "BUY" })
      expect(fill.fees).toEqual([{ asset: "USD", quantity: "0.1200002" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.01", "0.02", "0.03", "0.04", "0.05", "0.06"])
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.06" && limitPrice === BEST_BID)).toBe(true)
    expect(asked()).toEqual(before)
    // The list says no fee: the stream has.
    expect(await at.run(my.open.session.fetchFills(Date.now() - 600_000, [FUTURES_BTC]))).toEqual(my.fills)
    expect(my.count(EXECUTIONS)).toBe(before[3])
  })

  it("tells no fill again that a new stream begins with", async () => {
    await accepted({ ...MARKET, quantity: "0.01" })
    await filled(1)
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    const order = await accepted()
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
    expect(my.fills).toEqual([])
  })

  it("leaves its margin behind in the balances, by the stream's word", async () => {
    const usd = () => my.balances.flatMap(({ balances }) => balances.find(({ asset }) => asset === "USD") ?? []).at(-1)
    // A twentieth.
    const order = await accepted({ limitPrice: "50000", quantity: "0.1" })
    await until(() => usd()?.locked === "250", "the margin of the order")
    expect(usd()?.available).toBe("99750")
    my.open.session.cancel(refOf(order))
    await until(() => usd()?.available === "100000", "the margin given back")
    const all = await at.run(my.open.session.fetchBalances)
    expect(all.balances).toEqual([
      { asset: "USD", available: "100000", locked: "0" },
      { asset: "BTC", available: "1", locked: "0" },
    ])
    at.exchange.moveWallet(my.secrets.apiKey, "USD", "11")
    await until(() => usd()?.available === "100011", "what a transfer moved")
  })

  it.each<[VenueOrder["orderSide"], VenueOrder["orderSide"], string]>([
    ["BUY", "SELL", "0.25"],
    ["SELL", "BUY", "-0.25"],
  ])("has its position told, at the price of its entry, until it is closed: %s", async (opens, closes, quantity) => {
    const contracts = () => my.balances.findLast((it) => it.contracts !== undefined)?.contracts
    await accepted({ ...MARKET, quantity: "0.25", orderSide: opens })
    await until(() => contracts()?.length === 1, "the position")
    const { price, unrealizedPnl } = at.exchange.position(my.secrets.apiKey, BTC)!
    expect(contracts()).toEqual([
      {
        instrumentId: FUTURES_BTC,
        asset: "USD",
        quantity,
        entryPrice: String(price),
        unrealizedProfit: String(unrealizedPnl),
      },
    ])
    await accepted({ ...MARKET, quantity: "0.25", orderSide: closes })
    await until(() => contracts()?.length === 0, "its end")
  })

  it("says nothing of what is open where an answer leaves it out", async () => {
    at.exchange.fault({
      fault: "answer",
      match: POSITIONS,
      action: { kind: "status", status: 200, body: '{"result":"success"}' },
    })
    await expect(at.run(my.open.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect((await at.run(my.open.session.fetchBalances)).contracts).toEqual([])
  })

  it.each<[string, Partial<VenueOrder>]>([
    ["the rest of an IOC", { timeInForce: "IOC", limitPrice: "60005", quantity: "9" }],
    ["what a market order found no counterpart for within the venue's price", { ...MARKET, quantity: "90" }],
  ])("is accepted and says how the venue ended it: %s", async (_, change) => {
    at.exchange.moveWallet(my.secrets.apiKey, "USD", "9000000")
    const order = await accepted(change)
    const end = await ended(order)
    expect(end).toMatchObject({ status: "CANCELLED", ending: "REMAINDER", quantity: change.quantity })
    const [row] = my.rows
    expect(end?.executedQuantity).toBe(row?.filled)
    expect(Number(row?.filled)).toBeGreaterThan(0)
    const whole = { status: "CANCELLED", ending: "REMAINDER", executedQuantity: row?.filled, quantity: change.quantity }
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    forget()
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    // It took what was there.
    at.exchange.setLevel(BTC, "asks", "60000.5", "5")
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part and its whole quantity", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    at.exchange.trade(BTC, "SELL", "0.01")
    await filled(1)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const whole = { status: "CANCELLED", ending: null, executedQuantity: "0.01", quantity: "0.03" }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    forget()
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it.each([false, true])(
    "says what was executed before it says that the cancel was carried out, though no event has told it; its answer is bare: %s",
    async (on) => {
      at.exchange.fault({ fault: "bareCancels", on })
      const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
      at.exchange.fault({ fault: "suppressUserEvents", on: true })
      at.exchange.trade(BTC, "SELL", "0.01")
      my.open.session.cancel(refOf(order))
      await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
      expect(my.open.about(order.tradeOrderId).slice(-2)).toEqual(["OrderSeen", "CancelAccepted"])
      expect(my.states.at(-1)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.01", quantity: "0.03" })
    },
  )

  it.each<[string, object]>([
    ["cancelled_by_user", { ending: null }],
    ["liquidation", { ending: null }],
    ["contract_expired", { ending: null }],
    ["not_enough_margin", { ending: null }],
    ["dead_man_switch", { ending: null }],
    ["something_new", { ending: null }],
    ["would_not_reduce_position", { ending: null }],
    ["would_execute_self", { ending: "SELF_TRADE_PREVENTION" }],
    ["ioc_order_failed_because_it_would_not_be_executed", { ending: "REMAINDER" }],
  ])("has ended as the reason %s of its event says, which names it alone", async (reason, end) => {
    const order = await accepted()
    await until(() => my.states.length > 1, "its event")
    my.push({ feed: ORDERS_FEED, order_id: my.rows[0]?.orderId, is_cancel: true, reason })
    const whole = { status: "CANCELLED", executedQuantity: "0", quantity: "0.001", limitPrice: "50000" }
    expect(await ended(order)).toMatchObject({ ...whole, ...end })
  })

  it.each<[string, object]>([
    ["with what is left of it", { order: "row" }],
    ["by its number alone", {}],
  ])("is FILLED when its event says that it is full: %s", async (_, words) => {
    const order = await accepted()
    await until(() => my.states.length > 1, "its event")
    const [row] = my.rows
    const recorded = {
      ...{ instrument: BTC, time: 1_775_831_958_755, last_update_time: 1_775_831_973_330, qty: 0.0, filled: 0.001 },
      ...{ limit_price: 50_000.0, stop_price: 0.0, type: "limit", order_id: row?.orderId, cli_ord_id: row?.cliOrdId },
      ...{ direction: 0, reduce_only: false },
    }
    const order_ = "order" in words ? { order: recorded } : { order_id: row?.orderId }
    my.push({ feed: ORDERS_FEED, ...order_, is_cancel: true, reason: "full_fill" })
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.001", quantity: "0.001" })
  })

  it("is asked for when the stream ends it and has never spoken of it", async () => {
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    const order = await accepted()
    at.exchange.cancelAll(my.secrets.apiKey)
    at.exchange.fault({ fault: "suppressUserEvents", on: false })
    const before = my.count(STATUS)
    my.push({ feed: ORDERS_FEED, order_id: my.rows[0]?.orderId, is_cancel: true, reason: "cancelled_by_user" })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", quantity: "0.001" })
    expect(my.count(STATUS)).toBe(before + 1)
  })

  it("of a post-only kind that would match is refused, and never worked: in the stream, by our id, in the history", async () => {
    const order = futuresOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "WOULD_TAKE" })
    // Contract C1.
    const end = { status: "REJECTED", ending: "WOULD_TAKE", executedQuantity: "0" }
    expect(await ended(order)).toMatchObject(end)
    expect(await my.lookup(order)).toMatchObject({ state: end })
    forget()
    expect(await my.lookup(order)).toMatchObject({ state: { ...end, orderType: "LIMIT_MAKER", timeInForce: "GTX" } })
  })

  it("of a post-only kind that rested is CANCELLED when it is cancelled", async () => {
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(my.rows).toMatchObject([{ type: "post" }])
    my.open.session.cancel(refOf(order))
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it.each<VenueOrder["orderSide"]>(["BUY", "SELL"])("without a limit fills: %s", async (orderSide) => {
    const order = await accepted({ ...MARKET, orderSide, quantity: "0.002" })
    expect(await ended(order)).toMatchObject({
      ...MARKET,
      quantity: "0.002",
      status: "FILLED",
      executedQuantity: "0.002",
    })
    expect(my.rows).toMatchObject([{ type: "mkt", status: "FILLED", size: "0.002" }])
    await filled(1)
    expect(my.fills.map(({ externalTradeId }) => externalTradeId)).toEqual(my.fillIds)
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [futuresOrder(), futuresOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const [sent, before] = [my.count(CANCEL), asked()]
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect([my.count(CANCEL), asked()]).toEqual([sent + 2, before])
    expect(my.rows.map(({ status }) => status)).toEqual(["CANCELED", "CANCELED"])
    my.open.session.cancel(refOf(futuresOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "notFound" })
  })

  it.each([
    ["filled", "filled"],
    ["cancelled", "notFound"],
  ])("has a cancel refused as unknown to the venue where it was %s: its end is looked at", async (how, text) => {
    const order = await accepted({ limitPrice: BEST_BID })
    if (how === "filled") at.exchange.trade(BTC, "SELL", "0.001")
    else at.exchange.cancelAll(my.secrets.apiKey)
    await ended(order)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text })
  })

  it("is never placed as a trigger, with leverage, or to be filled or killed: nothing of it leaves", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    const changes = [{ orderSide: "SELL" as const, trigger }, { leverage: 5 }, { timeInForce: "FOK" as const }]
    for (const change of changes)
      expect(await my.outcomeOf(futuresOrder(change))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("that is reduce-only makes its position smaller and never opens or turns one", async () => {
    const refused = await my.outcomeOf(futuresOrder({ orderSide: "SELL", limitPrice: "70000", reduceOnly: true }))
    expect(refused).toMatchObject({ _tag: "Refused", code: "INVALID_ORDER", text: "wouldNotReducePosition" })
    await accepted({ ...MARKET, quantity: "0.01" })
    const order = await accepted({ orderSide: "SELL", limitPrice: "70000", quantity: "0.01", reduceOnly: true })
    expect(my.rows.at(-1)).toMatchObject({ cliOrdId: idAt(order), reduceOnly: true })
    const closing = await accepted({ ...MARKET, orderSide: "SELL", quantity: "0.01", reduceOnly: true })
    expect(await ended(closing)).toMatchObject({ status: "FILLED" })
    expect(at.exchange.position(my.secrets.apiKey, BTC)).toBeUndefined()
    // What is left to reduce nothing is ended by the venue.
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it("is shown as another program placed it, and its triggers are not taken for orders", async () => {
    const elsewhere = await connectKrakenFutures(at.exchange.routes, {
      apiKey: my.secrets.apiKey,
      secret: my.secrets.apiSecret,
    })
    const { id } = await elsewhere.createOrder("BTC/USD:USD", "limit", "sell", 0.002, 70_000, { cliOrdId: "theirs" })
    await elsewhere.close()
    const stop = {
      ...{ instrument: BTC, time: 1_612_275_024_153, last_update_time: 1_612_275_024_153, qty: 1000, filled: 0 },
      ...{ limit_price: 34_900, stop_price: 13_789, type: "stop", order_id: "723ba95f-13b7-418b-8fcf-ab7ba6620555" },
      ...{ direction: 1, reduce_only: false, triggerSignal: "last" },
    }
    my.push({ feed: ORDERS_FEED, order: stop, is_cancel: false, reason: "new_placed_order_by_user" })
    const behind = await accepted()
    await until(() => my.states.some(({ tradeOrderId }) => tradeOrderId === behind.tradeOrderId), "what came behind it")
    await until(() => my.states.some(({ externalOrderId }) => externalOrderId === id), "the foreign order")
    expect(my.states.find(({ externalOrderId }) => externalOrderId === id)).toMatchObject({
      tradeOrderId: null,
      clientId: "theirs",
      instrumentId: FUTURES_BTC,
      orderSide: "SELL",
      quantity: "0.002",
      limitPrice: "70000",
      status: "OPEN",
    })
    expect(my.states.some(({ externalOrderId }) => externalOrderId === stop.order_id)).toBe(false)
  })

  it("is amended where it stands to its whole quantity, of which a part is filled; by the venue's id and by ours", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const id = my.rows[0]?.orderId
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: id,
    })
    expect(my.rows).toMatchObject([{ orderId: id, limitPrice: "50000", size: "0.002", filled: "0.001" }])
    await until(() => my.states.at(-1)?.limitPrice === "50000", "its event")
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
    my.open.session.amend?.(refOf(order), { ...change("0.004", "51000"), askedAt: 2 })
    await until(() => my.rows[0]?.size === "0.004", "the change by our id")
    await until(() => my.open.last("AmendAccepted")?.askedAt === 2, "its answer")
  })

  it("that is post-only and amended into the market is looked at: the venue does not say what became of it", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await terms.amend(order, { ...change("0.001", "60500"), postOnly: true })).toMatchObject({
      _tag: "AmendInDoubt",
    })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN", limitPrice: "50000" } })
  })

  it("that has ended is not amended; an unanswered change is in doubt, and sent once", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const sent = my.count(AMEND)
    at.exchange.fault({ fault: "answer", match: AMEND, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(AMEND)).toBe(sent + 1)
    at.exchange.trade(BTC, "SELL", "0.002")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })
})
