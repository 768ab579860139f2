/** Bitstamp's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Bitstamp. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { refOf } from "../loopback-session.ts"
import { stopAt } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BALANCES,
  BEST_BID,
  BITSTAMP_BTC,
  BITSTAMP_ETH,
  BitstampSession,
  type BitstampUnderTest,
  BTC,
  bitstampOrder,
  CANCEL,
  FILLS,
  LIST,
  PLACE,
  SHOW,
  startBitstamp,
} from "./bitstamp-kit.ts"

const AT = Date.now()

describe("an order at BITSTAMP", () => {
  let at: BitstampUnderTest
  let my: BitstampSession
  beforeAll(async () => {
    at = await startBitstamp({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitstampSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(bitstampOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)
  const idOf = (order: VenueOrder): string =>
    String(my.rows.find(({ client_order_id: id }) => id === venueClientId(order.tradeOrderId))?.id)

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any market", async () => {
    const order = bitstampOrder({ quantity: "0.00123456", limitPrice: "50001" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { client_order_id: venueClientId(order.tradeOrderId), price: "50001", amount: "0.00123456", subtype: "LIMIT" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: idOf(order) })
    const other = await accepted({ instrumentId: BITSTAMP_ETH, limitPrice: "2000.1", quantity: "0.0101" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50001", quantity: "0.00123456", orderType: "LIMIT" }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "2000.1", quantity: "0.0101" }],
      ]),
    )
  })

  it("has every fill told with its own id and fee, and its states, by the stream alone, and the same by the list", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = [SHOW, LIST, FILLS].map((what) => my.count(what))
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    const end = { status: "FILLED", executedQuantity: "0.003", quantity: "0.003" }
    expect(await ended(order)).toMatchObject(end)
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: BITSTAMP_BTC, orderSide: "BUY" })
      // 0.3 % of 30.0005, in the quote asset.
      expect(fill.fees).toEqual([{ asset: "USD", quantity: "0.0900015" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"])
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    expect([SHOW, LIST, FILLS].map((what) => my.count(what))).toEqual(asked)
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [BITSTAMP_BTC]))).toEqual(my.fills)
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { ...end, limitPrice: BEST_BID } })
  })

  it("that sells has its fee in the quote asset, too", async () => {
    await accepted({ orderSide: "SELL", orderType: "MARKET", limitPrice: null, quantity: "0.001" })
    await filled(1)
    const [fill] = my.fills
    expect(fill).toMatchObject({ orderSide: "SELL", quantity: "0.001" })
    expect(fill?.fees).toEqual([
      { asset: "USD", quantity: String(Number((Number(fill?.price) * 0.000004).toFixed(8))) },
    ])
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [BITSTAMP_BTC]))).toEqual(my.fills)
  })

  it("has its balances asked for when an order or a trade moved them", async () => {
    const asked = my.count(BALANCES)
    await accepted({ limitPrice: "50000", quantity: "0.01" })
    await until(() => my.balances.length > 0, "the balances")
    // 500, and 0.4 % for the fee.
    expect(my.balances.at(-1)?.balances).toContainEqual({ asset: "USD", available: "99498", locked: "502" })
    expect(my.balances.at(-1)?.complete).toBe(true)
    expect(my.count(BALANCES)).toBeGreaterThan(asked)
  })

  it.each<[string, Partial<VenueOrder>, string, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, "IOC", { timeInForce: "IOC" }],
    ["a FOK that cannot be filled", { timeInForce: "FOK" }, "FOK", { timeInForce: "FOK" }],
  ])(
    "is accepted and ends CANCELLED as %s, in the stream and where it is asked for",
    async (_, change, subtype, end) => {
      const order = await accepted(change)
      const whole = { status: "CANCELLED", ending: "REMAINDER", executedQuantity: "0", quantity: "0.001", ...end }
      expect(await ended(order)).toMatchObject(whole)
      expect(my.rows).toMatchObject([{ subtype, status: "Canceled" }])
      expect(await my.lookup(order)).toMatchObject({ state: whole })
    },
  )

  it("that another hand cancels ends CANCELLED, and says no more of it", async () => {
    const order = await accepted()
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, executedQuantity: "0" })
  })

  it("of a post-only kind that would match never worked, in the stream and where it is asked for", async () => {
    const order = bitstampOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    // Contract C1.
    const end = { status: "REJECTED", ending: "WOULD_TAKE", executedQuantity: "0" }
    expect(await ended(order)).toMatchObject({ ...end, orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await my.lookup(order)).toMatchObject({ state: end })
    expect(my.rows).toMatchObject([{ subtype: "MOC" }])
  })

  it("of a post-only kind that rested ends CANCELLED, also where it is cancelled at once", async () => {
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    my.open.session.cancel(refOf(order))
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, orderType: "LIMIT_MAKER" })
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

  it("never takes the acknowledgement of a cancel for its end: what fills behind it is FILLED", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.count(CANCEL) > 0, "the cancel at the venue")
    at.exchange.trade(BTC, "SELL", "0.001")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.001" })
    await until(() => my.open.last("CancelRefused") !== undefined, "what became of the cancel")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it("says what was executed before it says that a cancel was carried out, also when no event told of it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.001")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    expect(my.open.about(order.tradeOrderId).slice(-2)).toEqual(["OrderSeen", "CancelAccepted"])
    expect(my.states.at(-1)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.001", quantity: "0.003" })
  })

  it.each(["BUY", "SELL"] as const)("at the market fills in base: %s", async (orderSide) => {
    const order = await accepted({ orderSide, orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    const whole = {
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
      executedQuantity: "0.002",
    }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [await accepted(), await accepted()]
    const sent = my.count(CANCEL)
    my.open.session.cancel(refOf(first))
    my.open.session.cancel(refOf(second, idOf(second)))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.count(CANCEL)).toBe(sent + 2)
    expect(my.rows.map(({ status }) => status)).toEqual(["Canceled", "Canceled"])
    my.open.session.cancel(refOf(bitstampOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "Order not found" })
  })

  it("is found by our id, and by the venue's: working, cancelled, filled", async () => {
    const [working, cancelled, done] = [await accepted(), await accepted(), await accepted({ limitPrice: BEST_BID })]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    for (const [order, status] of [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [done, "FILLED"],
    ] as const) {
      expect(await my.lookup(order)).toMatchObject({ state: { status, tradeOrderId: order.tradeOrderId } })
      const byVenue = await at.run(my.open.session.fetchOrder(refOf(order, idOf(order))))
      expect(byVenue).toMatchObject({ state: { status, tradeOrderId: order.tradeOrderId } })
    }
  })

  it("is found by a session that has not placed it, with what was ordered", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const later = await at.openSession(my.secrets)
    expect(await at.run(later.session.fetchOrder(refOf(order)))).toMatchObject({
      state: { status: "OPEN", quantity: "0.003", executedQuantity: "0.001" },
    })
    at.exchange.trade(BTC, "SELL", "0.002")
    await until(() => later.reports.some((it) => it._tag === "Filled"), "the trade, told to the later session")
    const seen = later.reports.flatMap((it) => (it._tag === "OrderSeen" ? [it.state] : []))
    expect(seen.at(-1)).toMatchObject({ tradeOrderId: order.tradeOrderId, quantity: "0.003" })
  })

  it("answers NotFound, never proof, for an order that the venue does not know", async () => {
    expect(await my.lookup(bitstampOrder())).toEqual({ _tag: "NotFound", definite: false })
    const byVenue = refOf(bitstampOrder(), "2046839999999999")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
  })

  it("never leaves with a trigger or as an amount of the quote asset: the gateway watches it, or it is refused", async () => {
    const sent = my.count(PLACE)
    for (const change of [
      { orderSide: "SELL", trigger: stopAt("STOP", "FALL", "51000") } as const,
      { orderType: "MARKET", limitPrice: null, cost: "100" } as const,
    ])
      expect(await my.outcomeOf(bitstampOrder(change))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("has all pages of its fills, newest first and counted by offset, and no row that is no trade", {
    timeout: 120_000,
  }, async () => {
    const began = Date.now() - 1000
    await accepted({ limitPrice: BEST_BID, quantity: "0.3" })
    for (let i = 0; i < 1020; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const asked = my.count(FILLS)
    const all = await at.run(my.open.session.fetchFills(began, [BITSTAMP_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    expect(all).toHaveLength(1020)
    // The third says that there is nothing more.
    expect(my.count(FILLS)).toBe(asked + 3)
    // Of those since a moment ago one page does, although the account has more.
    const again = my.count(FILLS)
    await at.run(my.open.session.fetchFills(Date.now() + 60_000, [BITSTAMP_BTC]))
    expect(my.count(FILLS)).toBe(again + 1)
  })

  it("of another account of the same user is none of the session's, although the streams tell of it", async () => {
    const ours = await accepted()
    const [row] = my.rows
    const data = {
      ...{ id: 1, id_str: "1", order_type: 0, order_subtype: 0, datetime: "1700000000", amount_str: "1" },
      ...{ microtimestamp: "1700000000123000", amount_traded: "0", amount_at_create: "1", price_str: "50000" },
    }
    my.open.reports.length = 0
    const asked = my.count(SHOW)
    my.push({ event: "order_created", channel: my.channel("orders"), data: { ...data, trade_account_id: 7 } })
    const trade = { id: 2, order_id: "1", amount: "1", price: "50000", fee: "1", side: "buy" }
    my.push({ event: "trade", channel: my.channel("trades"), data: { ...trade, microtimestamp: "1700000000123000" } })
    await until(() => my.count(SHOW) === asked + 1, "the question about it")
    // What comes behind them has been heard when this has.
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(ours)).toMatchObject({ status: "CANCELLED", externalOrderId: String(row?.id) })
    expect(my.states.filter(({ externalOrderId }) => externalOrderId === "1")).toEqual([])
    expect(my.fills).toEqual([])
  })
})
