/** Bitfinex's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Bitfinex. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { answering, refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  AMEND,
  BEST_BID,
  BITFINEX_BTC,
  BITFINEX_DOGE,
  BitfinexSession,
  type BitfinexUnderTest,
  BTC,
  bitfinexOrder,
  CANCEL,
  cidOf,
  ENDED,
  ENDED_BTC,
  FILLS,
  PLACE,
  type BitfinexSession as Session,
  startBitfinex,
  WORKING,
  WORKING_BTC,
} from "./bitfinex-kit.ts"

const AT = Date.now()
const NOTHING_THERE = answering(200, "[]")

describe("an order at BITFINEX", () => {
  let at: BitfinexUnderTest
  let my: Session
  beforeAll(async () => {
    at = await startBitfinex({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitfinexSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(bitfinexOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any pair", async () => {
    const order = bitfinexOrder({ quantity: "0.00123457", limitPrice: "50001" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { cid: cidOf(order), price: "50001", amount: "0.00123457", kind: "EXCHANGE LIMIT", flags: 0 },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.id })
    const other = await accepted({ instrumentId: BITFINEX_DOGE, limitPrice: "0.09", quantity: "100.5" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50001", quantity: "0.00123457" }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "0.09", quantity: "100.5", instrumentId: BITFINEX_DOGE }],
      ]),
    )
  })

  it("has every fill told with its own id, digit by digit, and fee, and its states, by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = [WORKING, ENDED, FILLS].map((what) => my.count(what))
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003", quantity: "0.003" })
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: BITFINEX_BTC, orderSide: "BUY" })
      // 0.1 % of what is received, which the venue writes as 5e-7.
      expect(fill.fees).toEqual([{ asset: "BTC", quantity: "0.0000005" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(new Set(executed)).toEqual(new Set(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"]))
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    expect([WORKING, ENDED, FILLS].map((what) => my.count(what))).toEqual(asked)
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [BITFINEX_BTC]))).toEqual(my.fills)
  })

  it("that sells has its fee in the quote asset", async () => {
    await accepted({ orderSide: "SELL", orderType: "MARKET", limitPrice: null, quantity: "0.001" })
    await filled(1)
    const [fill] = my.fills
    expect(fill).toMatchObject({ orderSide: "SELL", quantity: "0.001" })
    expect(fill?.fees.map(({ asset }) => asset)).toEqual(["USDT"])
    expect(Number(fill?.fees[0]?.quantity)).toBeCloseTo(Number(fill?.price) * 0.000001, 6)
  })

  it.each([
    ["its fee in LEO where the user pays so", "LEO", "LEO", "0.0060001"],
    ["a fee below zero where it is paid for what it makes", "REBATE", "BTC", "-0.000001"],
  ] as const)("has %s, in the stream and in the list", async (_, fees, asset, quantity) => {
    const other = await BitfinexSession.start(at, { fees, balances: { USDT: "1000", LEO: "100" } })
    await other.accepted(bitfinexOrder({ limitPrice: BEST_BID, quantity: "0.001" }))
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => other.fills.length === 1, "the trade")
    expect(other.fills[0]?.fees).toEqual([{ asset, quantity }])
    expect(await at.run(other.open.session.fetchFills(AT - 600_000, [BITFINEX_BTC]))).toEqual(other.fills)
  })

  it("asks for what is free and held when its balances move, and believes an event that says it", async () => {
    await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    const usdt = { asset: "USDT", available: "99819.997", locked: "120.002" }
    await until(
      () =>
        my.balances.some(
          ({ complete, balances }) => complete && JSON.stringify(balances).includes(JSON.stringify(usdt)),
        ),
      `the balance after the fill: ${JSON.stringify(my.balances.at(-1))}`,
    )
    my.open.reports.length = 0
    my.tell("wu", ["margin", "DOGE", 7, 0, 7, null, null])
    my.tell("wu", ["exchange", "DOGE", 1.5, 0, 0.5, null, null])
    await until(() => my.balances.some(({ complete }) => !complete), "the balance of one asset")
    expect(my.balances.filter(({ complete }) => !complete)).toMatchObject([
      { balances: [{ asset: "DOGE", available: "0.5", locked: "1" }] },
    ])
  })

  it("has what the venue has not calculated for held, and nothing of other wallets", async () => {
    const wallets = [
      ["exchange", "BTC", 1.25, 0, null, null, null],
      ["exchange", "UST", 0, 0, null, null, null],
      ["margin", "ETH", 3, 0, 3, null, null],
    ]
    at.exchange.fault({
      fault: "answer",
      match: "POST /v2/auth/r/wallets",
      action: answering(200, JSON.stringify(wallets)),
    })
    const { balances } = await at.run(my.open.session.fetchBalances)
    expect(balances).toEqual([{ asset: "BTC", available: "0", locked: "1.25" }])
  })

  it.each<[string, Partial<VenueOrder>, string, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, "IOC CANCELED", { ending: "REMAINDER", timeInForce: "IOC" }],
    [
      "a FOK that cannot be filled",
      { timeInForce: "FOK" },
      "FILLORKILL CANCELED",
      { ending: "REMAINDER", timeInForce: "FOK" },
    ],
    ["what cancels it", {}, "CANCELED", { ending: null, timeInForce: "GTC" }],
  ])("is accepted and ends CANCELLED with %s, as the venue says of it", async (_, change, word, end) => {
    const order = await accepted(change)
    at.exchange.cancelAll(my.secrets.apiKey)
    const whole = { status: "CANCELLED", executedQuantity: "0", quantity: "0.001", ...end }
    expect(await ended(order)).toMatchObject(whole)
    expect(my.rows.at(-1)?.status).toBe(word)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("that is an IOC and takes a part ends CANCELLED with it, and its trade", async () => {
    const order = await accepted({ timeInForce: "IOC", limitPrice: "60005", quantity: "1" })
    const end = await ended(order)
    expect(my.rows.at(-1)?.status).toMatch(/^IOC CANCELED was: PARTIALLY FILLED @ 60005\(0\.\d+\)$/)
    expect(end).toMatchObject({ status: "CANCELLED", ending: "REMAINDER", executedQuantity: my.rows.at(-1)?.executed })
    await filled(1)
    expect(my.fills[0]?.quantity).toBe(end?.executedQuantity)
  })

  it.each<[string, "on" | "ou" | "oc", number, object]>([
    ["ACTIVE", "on", 0.001, { status: "OPEN" }],
    ["PARTIALLY FILLED @ 60001(0.0004)", "ou", 0.0006, { status: "OPEN", executedQuantity: "0.0004" }],
    ["PARTIALLY FILLED @ 60001(0.0004)", "oc", 0.0006, { status: "CANCELLED", executedQuantity: "0.0004" }],
    [
      "EXECUTED @ 60001(0.0006): was PARTIALLY FILLED @ 60001(0.0004)",
      "oc",
      0,
      { status: "FILLED", executedQuantity: "0.001" },
    ],
    ["CANCELED", "oc", 0.001, { status: "CANCELLED", ending: null }],
    ["CANCELED was: PARTIALLY FILLED @ 60001(0.0004)", "oc", 0.0006, { status: "CANCELLED", ending: null }],
    [
      "INSUFFICIENT BALANCE (G1) was: PARTIALLY FILLED @ 60001(0.0004)",
      "oc",
      0.0006,
      { status: "CANCELLED", ending: "REMAINDER" },
    ],
    ["INSUFFICIENT BALANCE (U1)", "oc", 0.001, { status: "CANCELLED", ending: "REMAINDER" }],
    ["RSN_BOOK_SLIP was: PARTIALLY FILLED @ 60001(0.0004)", "oc", 0.0006, { status: "CANCELLED", ending: "REMAINDER" }],
    ["RSN_PAUSE", "oc", 0.001, { status: "CANCELLED", ending: null }],
    ["SOMETHING NEW", "oc", 0.001, { status: "CANCELLED", ending: null }],
    ["SOMETHING NEW", "ou", 0.001, { status: "OPEN" }],
  ])("that is called %s is what that says, in the stream (%s) and in the list", async (word, type, left, end) => {
    const order = await accepted()
    const cells = my.cells(order, { 6: left, 13: word })
    my.open.reports.length = 0
    my.tell(type, cells)
    await until(() => my.states.length > 0, "the event")
    expect(my.states).toMatchObject([{ tradeOrderId: order.tradeOrderId, quantity: "0.001", ...end }])
    const listed = answering(200, JSON.stringify([cells]))
    at.exchange.fault({ fault: "answer", match: WORKING_BTC, action: type === "oc" ? NOTHING_THERE : listed })
    at.exchange.fault({ fault: "answer", match: ENDED_BTC, action: listed })
    const found = await at.run(my.open.session.fetchOrder(refOf(order, String(cells[0]))))
    expect(found).toMatchObject({ _tag: "Found", state: { quantity: "0.001", ...end } })
  })

  it("of a post-only kind that would match is accepted and REJECTED, by the stream and when it is asked for: it never worked", async () => {
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    // Contract C1.
    const end = { status: "REJECTED", ending: "WOULD_TAKE", orderType: "LIMIT_MAKER", timeInForce: "GTX" }
    expect(await ended(order)).toMatchObject({ executedQuantity: "0", ...end })
    expect(my.rows).toMatchObject([{ status: "POSTONLY CANCELED", flags: 4096 }])
    expect(await my.lookup(order)).toMatchObject({ state: end })
  })

  it("of a post-only kind that rested ends CANCELLED, also where a change of its price ends it", async () => {
    const maker = { orderType: "LIMIT_MAKER", timeInForce: "GTX" } as const
    const [first, second] = [await accepted(maker), await accepted(maker)]
    my.open.session.cancel(refOf(first))
    expect(await ended(first)).toMatchObject({ status: "CANCELLED", ending: null })
    // The look at it has its answer: a change that another request overtakes is refused for its nonce, and in doubt.
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const terms = new TermsSession(at, my.open)
    expect(await terms.amend(second, { ...change("0.001", "60500"), postOnly: true })).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
    expect(await ended(second)).toMatchObject({ status: "CANCELLED", ending: null, orderType: "LIMIT_MAKER" })
    expect(my.rows[1]?.status).toBe("POSTONLY CANCELED")
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

  it("never takes the acknowledgement of a cancel for its end: it may fill behind it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    at.exchange.trade(BTC, "SELL", "0.001")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.001" })
  })

  it("whose cancel is answered without a word on it, and not carried out, is in doubt", async () => {
    const order = await accepted()
    const answer = [Date.now(), "oc-req", null, null, null, null, "SUCCESS", "Submitted for cancellation."]
    at.exchange.fault({ fault: "answer", match: CANCEL, action: answering(200, JSON.stringify(answer)) })
    my.open.session.cancel(refOf(order))
    const said = () => my.open.last("CancelInDoubt") ?? my.open.last("CancelAccepted")
    await until(() => said() !== undefined, "what became of the cancel")
    expect(said()?._tag).toBe("CancelInDoubt")
  })

  it.each(["BUY", "SELL"] as const)("at the market is of the base asset and fills: %s", async (orderSide) => {
    const order = await accepted({ orderSide, orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    const whole = { orderType: "MARKET", limitPrice: null, quantity: "0.002", status: "FILLED", orderSide }
    expect(await ended(order)).toMatchObject(whole)
    expect(my.rows).toMatchObject([{ kind: "EXCHANGE MARKET", amount: "0.002" }])
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("never leaves by cost, which the venue has no word for, and never with a trigger: the gateway watches it", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    for (const order of [
      bitfinexOrder({ orderSide: "SELL", trigger }),
      bitfinexOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" }),
    ])
      expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [bitfinexOrder(), bitfinexOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const sent = my.count(CANCEL)
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.count(CANCEL)).toBe(sent + 2)
    expect(my.rows.map(({ status }) => status)).toEqual(["CANCELED", "CANCELED"])
    my.open.session.cancel(refOf(bitfinexOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it.each(["filled", "cancelled"])(
    "has a cancel refused as unknown to the venue where it was %s: its end is looked at",
    async (how) => {
      const order = await accepted({ limitPrice: BEST_BID })
      if (how === "filled") at.exchange.trade(BTC, "SELL", "0.001")
      else at.exchange.cancelAll(my.secrets.apiKey)
      await ended(order)
      my.open.session.cancel(refOf(order, my.rows[0]?.id))
      await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
      expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "Order not found." })
    },
  )

  it("is found by our id and by the venue's: working, cancelled, filled", async () => {
    const [working, cancelled, done] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    // Its look at the order is over.
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    for (const [order, status, histories] of [
      [working, "OPEN", 0],
      [cancelled, "CANCELLED", 1],
      [done, "FILLED", 1],
    ] as const)
      for (const ref of [refOf(order), refOf(order, my.rows.find(({ cid }) => cid === cidOf(order))?.id)]) {
        const asked = my.count(ENDED)
        expect(await at.run(my.open.session.fetchOrder(ref))).toMatchObject({
          _tag: "Found",
          state: { status, tradeOrderId: order.tradeOrderId },
        })
        expect(my.count(ENDED)).toBe(asked + histories)
      }
  })

  it("answers NotFound, never proof, for an order that the venue does not know, or that its history is late with", async () => {
    const nothing = { _tag: "NotFound", definite: false }
    expect(await my.lookup(bitfinexOrder())).toEqual(nothing)
    expect(await at.run(my.open.session.fetchOrder(refOf(bitfinexOrder(), "95412999999")))).toEqual(nothing)
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    at.exchange.fault({ fault: "holdEnded", on: true })
    expect(await my.lookup(order)).toEqual(nothing)
  })

  it("is amended where it stands: the same order, its new price and total, whatever is executed of it", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const id = my.rows[0]?.id
    for (const [quantity, price] of [
      ["0.002", "50000"],
      ["0.004", "50010"],
    ] as const)
      expect(await terms.amend(order, change(quantity, price))).toMatchObject({
        _tag: "AmendAccepted",
        externalOrderId: id,
      })
    expect(my.rows).toMatchObject([{ id, cid: cidOf(order), price: "50010", amount: "0.004", executed: "0.001" }])
    await until(() => my.states.at(-1)?.limitPrice === "50010", "its event")
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.004", executedQuantity: "0.001" })
  })

  it("that sells is amended by our id where the venue's is not known", async () => {
    const order = await accepted({ orderSide: "SELL", limitPrice: "70000" })
    my.open.session.amend?.(refOf(order), change("0.002", "71000"))
    await until(() => my.open.last("AmendAccepted") !== undefined, "the change")
    expect(my.open.last("AmendAccepted")).toMatchObject({ externalOrderId: my.rows[0]?.id })
    expect(my.rows).toMatchObject([{ amount: "0.002", price: "71000" }])
  })

  it("that has ended is not amended: look before believing anything; an unanswered change is in doubt", async () => {
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

  it("is of the exchange wallet alone: what other wallets do in the same pair is none of it", async () => {
    const ours = await accepted()
    const margin = my.cells(ours, { 0: 777, 2: 777, 8: "LIMIT" })
    const unlisted = my.cells(ours, { 0: 778, 2: 778, 3: "tNOBODY:KNOWS" })
    my.open.reports.length = 0
    for (const row of [margin, unlisted]) for (const type of ["on", "ou", "oc"]) my.tell(type, row)
    my.tell("os", [margin, unlisted])
    my.tell("tu", [1, BTC, AT, 777, 1, 60_000, "LIMIT", 60_000, 1, -0.001, "BTC", 777])
    // What comes behind them has been heard when this has.
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(ours)).toMatchObject({ status: "CANCELLED" })
    expect(my.states.filter(({ tradeOrderId }) => tradeOrderId === null)).toEqual([])
    expect(my.fills).toEqual([])
    at.exchange.fault({
      fault: "answer",
      match: "POST /v2/auth/r/orders",
      action: answering(200, JSON.stringify([margin, unlisted])),
    })
    expect(await at.run(my.open.session.fetchOpenOrders)).toEqual([])
    const rows = [1, 2].map((id) => [
      id,
      BTC,
      AT,
      777,
      1,
      60_000,
      id === 1 ? "LIMIT" : "EXCHANGE LIMIT",
      60_000,
      1,
      -0.001,
      "BTC",
      777,
    ])
    at.exchange.fault({ fault: "answer", match: FILLS, action: answering(200, JSON.stringify(rows)) })
    const fills = await at.run(my.open.session.fetchFills(AT - 1000, [BITFINEX_BTC]))
    expect(fills.map(({ externalTradeId }) => externalTradeId)).toEqual(["2"])
  })
})
