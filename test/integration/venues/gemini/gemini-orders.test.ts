/** Gemini's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Gemini. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { answering, refOf } from "../loopback-session.ts"
import { stopAt } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BALANCES,
  BEST_BID,
  BTC,
  CANCEL,
  FILLS,
  GEMINI_BTC,
  GEMINI_ETH,
  GeminiSession,
  type GeminiUnderTest,
  geminiOrder,
  LIST,
  PLACE,
  SHOW,
  startGemini,
} from "./gemini-kit.ts"

const AT = Date.now()

/** Of the list of trades. */
const tradeRow = (tid: number, timestampms: number, more: object = {}) => ({
  ...{ price: "1", amount: "1", type: "Buy", fee_currency: "USD", fee_amount: "0", order_id: "1", exchange: "gemini" },
  ...{ tid, timestamp: Math.floor(timestampms / 1000), timestampms, symbol: "BTCUSD", ...more },
})

describe("an order at GEMINI", () => {
  let at: GeminiUnderTest
  let my: GeminiSession
  beforeAll(async () => {
    at = await startGemini({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GeminiSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(geminiOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const answerFills = (...rows: ReadonlyArray<object>) =>
    at.exchange.fault({ fault: "answer", match: FILLS, action: answering(200, JSON.stringify(rows)) })
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any market", async () => {
    const order = geminiOrder({ quantity: "0.00123456", limitPrice: "50001.25" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { client_order_id: venueClientId(order.tradeOrderId), price: "50001.25", original_amount: "0.00123456" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.idOf(order) })
    const other = await accepted({ instrumentId: GEMINI_ETH, limitPrice: "2000.1", quantity: "0.0101" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50001.25", quantity: "0.00123456", orderType: "LIMIT" }],
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
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: GEMINI_BTC, orderSide: "BUY" })
      // 0.2 % of 30.000005, in the quote asset.
      expect(fill.fees).toEqual([{ asset: "USD", quantity: "0.06000001" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"])
    expect(my.states.map(({ status }) => status).slice(-2)).toEqual(["OPEN", "FILLED"])
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    expect([SHOW, LIST, FILLS].map((what) => my.count(what))).toEqual(asked)
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [GEMINI_BTC]))).toEqual(my.fills)
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { ...end, limitPrice: BEST_BID } })
  })

  it("that sells at once has its fee in the quote asset, too, and its trade although the answer has none", async () => {
    await accepted({ orderSide: "SELL", limitPrice: "59000", quantity: "0.001" })
    await filled(1)
    const [fill] = my.fills
    expect(fill).toMatchObject({ orderSide: "SELL", quantity: "0.001" })
    expect(fill?.fees).toEqual([
      { asset: "USD", quantity: String(Number((Number(fill?.price) * 0.000004).toFixed(8))) },
    ])
    expect(await at.run(my.open.session.fetchFills(AT - 600_000, [GEMINI_BTC]))).toEqual(my.fills)
  })

  it("has its balances asked for when an order moved them", async () => {
    const asked = my.count(BALANCES)
    await accepted({ limitPrice: "50000", quantity: "0.01" })
    await until(() => my.balances.length > 0, "the balances")
    // 500, and 0.4 % for the fee.
    expect(my.balances.at(-1)?.balances).toContainEqual({ asset: "USD", available: "99498", locked: "502" })
    expect(my.balances.at(-1)?.complete).toBe(true)
    expect(my.count(BALANCES)).toBeGreaterThan(asked)
  })

  it.each<[string, Partial<VenueOrder>, string]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, "immediate-or-cancel"],
    ["a FOK that cannot be filled", { timeInForce: "FOK" }, "fill-or-kill"],
  ])("is accepted and ends CANCELLED as %s, in the stream and where it is asked for", async (_, change, option) => {
    const order = await accepted(change)
    const end = { status: "CANCELLED", ending: "REMAINDER", executedQuantity: "0", quantity: "0.001", ...change }
    expect(await ended(order)).toMatchObject(end)
    expect(my.rows).toMatchObject([{ options: [option], is_cancelled: true }])
    expect(await my.lookup(order)).toMatchObject({ state: end })
  })

  it("that has to be filled at once has what was filled of it, and the rest ends", async () => {
    at.exchange.setLevel(BTC, "asks", "60000.02", "0.001")
    const order = await accepted({ timeInForce: "IOC", limitPrice: "60000.02", quantity: "0.003" })
    const end = { status: "CANCELLED", ending: "REMAINDER", executedQuantity: "0.001", quantity: "0.003" }
    expect(await ended(order)).toMatchObject(end)
    await filled(1)
    expect(await my.lookup(order)).toMatchObject({ state: end })
  })

  it("that another hand cancels ends CANCELLED, and says no more of it", async () => {
    const order = await accepted()
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, executedQuantity: "0" })
  })

  it("of a post-only kind that would match never worked, in the stream and where it is asked for", async () => {
    const order = geminiOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    // Contract C1.
    const end = { status: "REJECTED", ending: "WOULD_TAKE", executedQuantity: "0" }
    expect(await ended(order)).toMatchObject({ ...end, orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await my.lookup(order)).toMatchObject({ state: end })
    expect(my.rows).toMatchObject([{ options: ["maker-or-cancel"] }])
  })

  it("of a post-only kind that rested ends CANCELLED, also where it is cancelled at once", async () => {
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    my.open.session.cancel(refOf(order))
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, orderType: "LIMIT_MAKER" })
  })

  it("that would meet another of the account's ends for that", async () => {
    await accepted({ limitPrice: BEST_BID })
    const order = await accepted({ orderSide: "SELL", limitPrice: BEST_BID })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" })
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part and its whole quantity", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const end = { status: "CANCELLED", ending: null, executedQuantity: "0.001", quantity: "0.003" }
    expect(await ended(order)).toMatchObject(end)
    expect(await my.lookup(order)).toMatchObject({ state: end })
  })

  it("never takes the answer to a cancel for its end: what fills behind it is FILLED", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order, my.idOf(order)))
    await until(() => my.count(CANCEL) > 0, "the cancel at the venue")
    at.exchange.trade(BTC, "SELL", "0.001")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.001" })
    await until(() => my.open.last("CancelRefused") !== undefined, "what became of the cancel")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
    // Of the cancel that came too late the stream tells, which says nothing against the order.
    at.exchange.fault({ fault: "holdCancels", on: false })
    const other = await accepted()
    await until(() => my.open.about(other.tradeOrderId).includes("OrderSeen"), "what came behind it")
    expect(my.states.filter(({ tradeOrderId }) => tradeOrderId === order.tradeOrderId).at(-1)?.status).toBe("FILLED")
  })

  it("that was filled before its cancel came is FILLED, and its cancel was none", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.001")
    my.open.session.cancel(refOf(order, my.idOf(order)))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    expect(my.states.at(-1)).toMatchObject({ status: "FILLED", executedQuantity: "0.001" })
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

  it("is cancelled by the venue's id in one request, and by ours once it is found; what the venue does not know is said", async () => {
    const [first, second] = [await accepted(), await accepted()]
    const before = [CANCEL, SHOW].map((what) => my.count(what))
    my.open.session.cancel(refOf(first))
    my.open.session.cancel(refOf(second, my.idOf(second)))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect([CANCEL, SHOW].map((what, i) => my.count(what) - (before[i] ?? 0))).toEqual([2, 1])
    expect(my.rows.map((row) => row.is_cancelled)).toEqual([true, true])
    my.open.session.cancel(refOf(geminiOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({
      unknownOrder: true,
      text: expect.stringMatching(/not found/),
    })
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
      const byVenue = await at.run(my.open.session.fetchOrder(refOf(order, my.idOf(order))))
      expect(byVenue).toMatchObject({ state: { status, tradeOrderId: order.tradeOrderId } })
    }
  })

  it("is found where our id has a list for an answer, and where the market's name is in capitals", async () => {
    const order = await accepted()
    const row = { ...my.rows[0], symbol: "BTCUSD" }
    at.exchange.fault({ fault: "answer", match: SHOW, action: answering(200, JSON.stringify([row])) })
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
    at.exchange.fault({ fault: "answer", match: SHOW, action: answering(200, "[]") })
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })

  it("that is neither live nor cancelled, and not filled, is not said to be filled", async () => {
    const order = await accepted()
    const row = { ...my.rows[0], is_live: false }
    at.exchange.fault({ fault: "answer", match: SHOW, action: answering(200, JSON.stringify(row)) })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "UNKNOWN" } })
  })

  it("answers NotFound, never proof, for an order that the venue does not know", async () => {
    expect(await my.lookup(geminiOrder())).toEqual({ _tag: "NotFound", definite: false })
    const byVenue = refOf(geminiOrder(), "73751560172999999")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
  })

  it.each([
    ["a page in place of an answer", answering(404, "<html>Not Found</html>")],
    ["an answer of another kind", answering(404, "{}")],
  ])("is not said to be unknown for %s", async (_, action) => {
    const order = await accepted()
    at.exchange.fault({ fault: "answer", match: SHOW, action })
    await expect(my.lookup(order)).rejects.toThrow("Venue unavailable")
  })

  it("never leaves with a trigger, at the market or as an amount of the quote asset: it is refused", async () => {
    const sent = my.count(PLACE)
    for (const change of [
      { orderSide: "SELL", trigger: stopAt("STOP", "FALL", "51000") } as const,
      { orderType: "MARKET", limitPrice: null } as const,
      { orderType: "MARKET", limitPrice: null, cost: "100" } as const,
    ])
      expect(await my.outcomeOf(geminiOrder(change))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("has all pages of its fills, oldest first and from time to time, with ids that no float holds", {
    timeout: 120_000,
  }, async () => {
    const began = Date.now() - 1000
    await accepted({ limitPrice: BEST_BID, quantity: "0.3" })
    for (let i = 0; i < 1020; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const asked = my.count(FILLS)
    const all = await at.run(my.open.session.fetchFills(began, [GEMINI_BTC]))
    const ids = new Set(my.tradeIds)
    expect(ids.size).toBe(1020)
    expect(new Set(all.map((fill) => fill.externalTradeId))).toEqual(ids)
    // The first full page is proved by one more, and the last says that there is nothing more.
    expect(my.count(FILLS)).toBeLessThanOrEqual(asked + 6)
    const again = my.count(FILLS)
    await at.run(my.open.session.fetchFills(Date.now() + 60_000, [GEMINI_BTC]))
    expect(my.count(FILLS)).toBe(again + 1)
  })

  it("has no fill of a trade that was broken, and goes on behind a page of which one was taken out", async () => {
    const since = Date.now() - 60_000
    answerFills(tradeRow(2, since + 2000, { break: "manual" }), tradeRow(1, since + 1000, { break: "full" }))
    const fills = await at.run(my.open.session.fetchFills(since, [GEMINI_BTC]))
    expect(fills.map((fill) => fill.externalTradeId)).toEqual(["2"])
    const page = Array.from({ length: 500 }, (_, i) =>
      tradeRow(1000 + i, since + 1000 + i, i === 7 ? { break: "full" } : {}),
    )
    answerFills(...page)
    // Which end it begins at.
    answerFills(...page.slice(0, 1))
    answerFills(...page.slice(-1), tradeRow(1500, since + 2000))
    const all = await at.run(my.open.session.fetchFills(since + 1, [GEMINI_BTC]))
    const ids = Array.from({ length: 501 }, (_, i) => String(1000 + i)).filter((id) => id !== "1007")
    expect(new Set(all.map((fill) => fill.externalTradeId))).toEqual(new Set(ids))
  })

  it("has a list of fills that begins with the newest not taken for the whole", async () => {
    const since = Date.now() - 60_000
    const newest = Array.from({ length: 500 }, (_, i) => tradeRow(1000 - i, since + 10_000 - i))
    answerFills(...newest)
    answerFills(...newest.slice(0, 1))
    const read = at.run(my.open.session.fetchFills(since, [GEMINI_BTC]))
    await expect(read).rejects.toThrow("Venue unavailable")
  })
})
