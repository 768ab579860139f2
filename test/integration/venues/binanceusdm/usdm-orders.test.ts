/** Orders, fills, balances and cancels of Binance USDⓈ-M: real ccxt in a real worker, judged by its loopback exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { connectUsdm } from "../../../exchanges/ccxt-client.ts"
import { openedSession, refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { until } from "../venue-kit.ts"
import {
  ACCOUNT,
  BEST_BID,
  BTC,
  CANCEL,
  PLACE,
  SHOW,
  startUsdm,
  USDM_BTC,
  UsdmSession,
  type UsdmUnderTest,
  usdmOrder,
} from "./usdm-kit.ts"

const AMEND = "PUT /fapi/v1/order"

describe("an order at BINANCEUSDM", () => {
  let at: UsdmUnderTest
  let my: UsdmSession
  beforeAll(async () => {
    at = await startUsdm({}, { change: { waits: { requestMillis: 30_000 } } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await UsdmSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(usdmOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)

  it("is placed under our own id with the digits it was given, and is in the list of open orders", async () => {
    const order = usdmOrder({ quantity: "0.123", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { clientOrderId: venueClientId(order.tradeOrderId), price: "50000.1", origQty: "0.123", timeInForce: "GTC" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: String(my.rows[0]?.orderId) })
    expect(await at.run(my.open.session.fetchOpenOrders)).toMatchObject([
      {
        tradeOrderId: order.tradeOrderId,
        instrumentId: USDM_BTC,
        status: "OPEN",
        limitPrice: "50000.1",
        quantity: "0.123",
      },
    ])
  })

  it("has every fill told with its own id and fee, and every state, when fills come in a burst: nothing is asked for", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.06" })
    const asked = my.count(SHOW)
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.01")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.06" })
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => String(row.id)))
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: USDM_BTC, orderSide: "BUY" })
      expect(fill.fees).toEqual([{ asset: "USDT", quantity: "0.12000020" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.01", "0.02", "0.03", "0.04", "0.05", "0.06"])
    expect(await at.run(my.open.session.fetchFills(Date.now() - 600_000, [USDM_BTC]))).toEqual(my.fills)
    expect(my.count(SHOW)).toBe(asked)
  })

  it("has the fee of a fill in the asset that the venue says, also a third one", async () => {
    const order = await accepted()
    const [row] = my.rows
    const o = {
      ...{ s: BTC, c: venueClientId(order.tradeOrderId), S: "BUY", o: "LIMIT", f: "GTC", q: "0.001", p: "50000" },
      ...{ ap: "50000", sp: "0", x: "TRADE", X: "FILLED", i: row?.orderId, l: "0.001", z: "0.001", L: "50000" },
      ...{ n: "0.00004", N: "BNB", T: 1_700_000_000_000, t: 77, m: true, R: false, ps: "BOTH", rp: "0", er: "0" },
    }
    my.push({ e: "ORDER_TRADE_UPDATE", E: 1_700_000_000_001, T: 1_700_000_000_000, o })
    await until(() => my.fills.length > 0, "the fill")
    expect(my.fills[0]).toMatchObject({ externalTradeId: "77", fees: [{ asset: "BNB", quantity: "0.00004" }] })
  })

  it("leaves its margin behind in the balances, after its placement, its fill and its cancel", async () => {
    const usdt = () => my.balances.at(-1)?.balances.find(({ asset }) => asset === "USDT")
    const shows = (locked: string) => until(() => usdt()?.locked === locked, `${locked} of margin`)
    // A twentieth: nobody has set another leverage.
    const order = await accepted({ limitPrice: "50000", quantity: "0.1" })
    await shows("250.00000000")
    expect(usdt()?.available).toBe("99750.00000000")
    my.open.session.cancel(refOf(order))
    await until(() => my.balances.at(-1)?.balances[0]?.available === "100000.00000000", "the margin given back")
    await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.01" })
    await until(() => usdt() !== undefined && usdt()?.available !== "100000.00000000", "the margin of the position")
    expect(at.exchange.position(my.secrets.apiKey, BTC)).toMatchObject({ positionAmt: "0.01" })
  })

  it.each<[VenueOrder["orderSide"], VenueOrder["orderSide"], string]>([
    ["BUY", "SELL", "0.25"],
    ["SELL", "BUY", "-0.25"],
  ])(
    "has its position told with the balances, at the price of its entry, until it is closed: %s",
    async (opens, closes, quantity) => {
      const market = { orderType: "MARKET" as const, limitPrice: null, quantity: "0.25" }
      const contracts = () => my.balances.at(-1)?.contracts
      await accepted({ ...market, orderSide: opens })
      await until(() => contracts()?.length === 1, "the position")
      const { entryPrice, unRealizedProfit } = at.exchange.position(my.secrets.apiKey, BTC)!
      expect(contracts()).toEqual([
        {
          instrumentId: USDM_BTC,
          asset: "USDT",
          quantity,
          entryPrice: expect.any(String),
          unrealizedProfit: unRealizedProfit,
        },
      ])
      // The venue's own is rounded down.
      expect(Number(contracts()?.[0]?.entryPrice)).toBeCloseTo(Number(entryPrice), 6)
      await accepted({ ...market, orderSide: closes })
      await until(() => contracts()?.length === 0, "its end")
    },
  )

  it("has what a transfer moved asked for, as the stream does not say what is available", async () => {
    const asked = my.count(ACCOUNT)
    at.exchange.moveWallet(my.secrets.apiKey, "USDT", "11", "DEPOSIT")
    await until(() => my.balances.at(-1)?.balances[0]?.available === "100011.00000000", "the new balance")
    expect(my.count(ACCOUNT)).toBeGreaterThan(asked)
  })

  it.each<[string, Partial<VenueOrder>, object]>([
    ["the rest of an IOC", { timeInForce: "IOC", limitPrice: "60000" }, { ending: "REMAINDER", timeInForce: "IOC" }],
    [
      "what a market order found no counterpart for",
      { orderType: "MARKET", limitPrice: null, quantity: "99" },
      { ending: "REMAINDER", orderType: "MARKET" },
    ],
  ])("is accepted and says how the venue ended it: %s", async (_, change, end) => {
    if (change.quantity !== undefined) at.exchange.moveWallet(my.secrets.apiKey, "USDT", "9000000", "DEPOSIT")
    const order = await accepted(change)
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ...end })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "CANCELLED", ...end } })
    // It took all that was there.
    if (change.quantity !== undefined) at.exchange.setLevel(BTC, "asks", "60020", "50")
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part, and says it before its end", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    at.exchange.trade(BTC, "SELL", "0.01")
    await until(() => my.fills.length === 1, "the fill")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    expect(my.rows).toMatchObject([{ status: "CANCELED", executedQty: "0.01" }])
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, executedQuantity: "0.01" })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "CANCELLED", executedQuantity: "0.01" } })
  })

  it("says what was executed before it says that it is cancelled, when no event told of the fill", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.01")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const told = my.open.reports.flatMap((it) => (it._tag === "OrderSeen" ? [it.state.executedQuantity] : [it._tag]))
    expect(told.lastIndexOf("0.01")).toBeLessThan(told.indexOf("CancelAccepted"))
    expect(told).toContain("0.01")
  })

  it.each<[string, string, object]>([
    ["1", "a self trade", { ending: "SELF_TRADE_PREVENTION" }],
    ["3", "a self trade of an IOC", { ending: "SELF_TRADE_PREVENTION" }],
    ["4", "a reduce-only order that went first", { ending: null }],
    ["5", "a liquidation", { ending: null }],
    ["7", "the symbol's end", { ending: null }],
    ["9", "no counterpart at market", { ending: "REMAINDER" }],
    ["10", "a FOK", { ending: "REMAINDER" }],
  ])("has ended as the reason %s of its event says: %s", async (er, _, end) => {
    const order = await accepted()
    const o = {
      ...{ s: BTC, c: venueClientId(order.tradeOrderId), S: "BUY", o: "LIMIT", f: "GTC", q: "0.001", p: "50000" },
      ...{ ap: "0", sp: "0", x: "EXPIRED", X: "EXPIRED", i: my.rows[0]?.orderId, l: "0", z: "0", L: "0" },
      ...{ T: Date.now(), t: 0, m: false, R: false, ps: "BOTH", rp: "0", er },
    }
    my.push({ e: "ORDER_TRADE_UPDATE", E: Date.now(), T: Date.now(), o })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", executedQuantity: "0", ...end })
  })

  it("says that it ended to prevent a self trade", async () => {
    const resting = await accepted({ limitPrice: BEST_BID })
    await accepted({ orderSide: "SELL", limitPrice: BEST_BID, timeInForce: "IOC" })
    expect(await ended(resting)).toMatchObject({ status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" })
  })

  it.each<VenueOrder["orderSide"]>(["BUY", "SELL"])("without a limit fills: %s", async (orderSide) => {
    const order = await accepted({ orderSide, orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect(await ended(order)).toMatchObject({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
    })
    expect(my.rows).toMatchObject([{ type: "MARKET", status: "FILLED", origQty: "0.002" }])
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [usdmOrder(), usdmOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const [asked, sent] = [my.count(SHOW), my.count(CANCEL)]
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect([my.count(CANCEL), my.count(SHOW)]).toEqual([sent + 2, asked])
    expect(my.rows.map(({ status }) => status)).toEqual(["CANCELED", "CANCELED"])
    my.open.session.cancel(refOf(usdmOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "Unknown order sent." })
  })

  it("has a cancel refused as unknown to the venue where it had ended: its end is looked at", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it("is found by our id, working and ended, and in the list of what has ended", async () => {
    const [working, cancelled, filled] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(filled)
    for (const [order, status] of [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [filled, "FILLED"],
    ] as const)
      expect(await my.lookup(order)).toMatchObject({
        _tag: "Found",
        state: { status, tradeOrderId: order.tradeOrderId },
      })
    const since = { instrumentId: USDM_BTC, since: Date.now() - 60_000, oldestId: String(my.rows[0]?.orderId) }
    const page = await at.run(my.open.session.fetchEnded!([since], null))
    expect(page.orders.map(({ tradeOrderId, status }) => [tradeOrderId, status])).toEqual([
      [working.tradeOrderId, "OPEN"],
      [cancelled.tradeOrderId, "CANCELLED"],
      [filled.tradeOrderId, "FILLED"],
    ])
  })

  it("answers NotFound, never proof, for an order that the venue does not know, and for one that it has forgotten", async () => {
    expect(await my.lookup(usdmOrder())).toEqual({ _tag: "NotFound", definite: false })
    const order = await accepted()
    my.open.session.cancel(refOf(order))
    await ended(order)
    at.exchange.fault({ fault: "forgetCancelled" })
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })

  it("is never placed as a trigger or with leverage: nothing of it leaves", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    for (const change of [{ orderSide: "SELL" as const, trigger }, { leverage: 5 }])
      expect(await my.outcomeOf(usdmOrder(change))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("that is reduce-only makes its position smaller and never opens or turns one", async () => {
    const refused = await my.outcomeOf(usdmOrder({ orderSide: "SELL", limitPrice: "70000", reduceOnly: true }))
    expect(refused).toMatchObject({ _tag: "Refused", text: "ReduceOnly Order is rejected." })
    await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.01" })
    const order = await accepted({ orderSide: "SELL", limitPrice: "70000", quantity: "0.01", reduceOnly: true })
    expect(my.rows.at(-1)).toMatchObject({ clientOrderId: venueClientId(order.tradeOrderId), reduceOnly: true })
    const close = {
      orderSide: "SELL" as const,
      orderType: "MARKET" as const,
      limitPrice: null,
      reduceOnly: true as const,
    }
    const closing = await accepted({ ...close, quantity: "0.01" })
    expect(await ended(closing)).toMatchObject({ status: "FILLED" })
    expect(at.exchange.position(my.secrets.apiKey, BTC)).toMatchObject({ positionAmt: "0" })
    // What is left to reduce nothing is ended by the venue.
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it("is shown as the venue's own program placed it, reduce-only and all", async () => {
    await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    const { apiKey, apiSecret } = my.secrets
    const elsewhere = await connectUsdm(at.exchange.routes, { apiKey, secret: apiSecret })
    const params = { reduceOnly: true, newClientOrderId: "theirs" }
    const { id } = await elsewhere.createOrder("BTC/USDT:USDT", "limit", "sell", 0.002, 70_000, params)
    await elsewhere.close()
    await until(() => my.states.some(({ externalOrderId }) => externalOrderId === id), "the foreign order")
    expect(my.states.find(({ externalOrderId }) => externalOrderId === id)).toMatchObject({
      tradeOrderId: null,
      clientId: "theirs",
      instrumentId: USDM_BTC,
      quantity: "0.002",
      limitPrice: "70000",
      status: "OPEN",
    })
  })

  it("is told apart from conditional orders of another program, which have numbers of their own", async () => {
    await accepted()
    await until(() => my.states.length > 0, "its own state")
    my.open.reports.length = 0
    const o = {
      ...{ caid: "theirs", aid: 2148719, at: "CONDITIONAL", o: "STOP_MARKET", s: BTC, S: "SELL", ps: "BOTH", f: "GTC" },
      ...{ q: "0.01", X: "NEW", ai: "", ap: "0", aq: "0", act: "0", tp: "50000", p: "0", V: "EXPIRE_MAKER", R: false },
    }
    my.push({ e: "ALGO_UPDATE", E: Date.now(), T: Date.now(), o })
    const behind = await accepted()
    await until(() => my.states.length > 0, "what came behind it")
    expect(new Set(my.states.map(({ tradeOrderId }) => tradeOrderId))).toEqual(new Set([behind.tradeOrderId]))
  })

  it("is amended where it stands: the same order, its new price and total, seen before it is told", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.fills.length === 1, "the fill")
    const id = my.rows[0]?.orderId
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: String(id),
    })
    expect(my.rows).toMatchObject([{ orderId: id, price: "50000", origQty: "0.002", executedQty: "0.001" }])
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
  })

  it("is amended without a question while its stream knows it, and with one behind a new stream", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ orderSide: "SELL", limitPrice: "70000", quantity: "0.002" })
    await until(() => my.states.length > 1, "its event")
    const asked = my.count(SHOW)
    expect(await terms.amend(order, change("0.003", "71000"))).toMatchObject({ _tag: "AmendAccepted" })
    // The look at the changed order.
    expect(my.count(SHOW)).toBe(asked + 1)
    const later = new UsdmSession(at, my.secrets, await openedSession(at, my.secrets))
    const ref = refOf(order, String(my.rows[0]?.orderId))
    const to = { ...change("0.004", "72000"), askedAt: 2 }
    later.open.session.amend?.(ref, to)
    await until(() => later.open.last("AmendAccepted") !== undefined, "the change")
    expect(my.rows).toMatchObject([{ side: "SELL", price: "72000", origQty: "0.004" }])
  })

  it("that is post-only and amended into the market is cancelled by the venue, and never told as amended", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await terms.amend(order, { ...change("0.001", "60500"), postOnly: true })).toMatchObject({
      _tag: "AmendRefused",
    })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", executedQuantity: "0" })
  })

  it("that has ended is not amended; an unanswered change is in doubt, and sent once", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const asked = my.count(AMEND)
    at.exchange.fault({ fault: "answer", match: AMEND, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(AMEND)).toBe(asked + 1)
    at.exchange.trade(BTC, "SELL", "0.002")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })
})
