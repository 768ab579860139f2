/** The private side of a connector: every outcome of a submit becomes the right report, judged by the loopback exchange. */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { type TradeOrderId, venueClientId } from "../../../src/domain/ids.ts"
import type { OrderLookup, SessionReport, VenueOrder, VenueOrderRef } from "../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../exchanges/binance/faults.ts"
import {
  BTC_USDT,
  type OpenSession,
  restingOrder,
  SOON_LATE,
  startVenue,
  until,
  type VenueUnderTest,
} from "./venue-kit.ts"

const OUTCOMES: ReadonlyArray<SessionReport["_tag"]> = ["Accepted", "Refused", "NotSent", "InDoubt"]

const refOf = (order: VenueOrder): VenueOrderRef => ({
  tradeOrderId: order.tradeOrderId,
  externalOrderId: null,
  instrumentId: order.instrumentId,
})

/** How orders leave, what that takes of the connector, and how the exchange counts it. */
const WAYS = [
  ["a request each", {}, "POST /api/v3/order", "DELETE /api/v3/order"],
  ["the venue's socket", { socketOrders: ["BINANCE"] }, "WS order.place", "WS order.cancel"],
] as const

describe.each(WAYS)("a connector's session whose orders go by %s", (_way, options, place, cancel) => {
  let at: VenueUnderTest
  let open: OpenSession
  let secrets: VenueSecrets
  beforeAll(async () => {
    at = await startVenue({ market: "still" }, { change: { waits: SOON_LATE }, ...options })
  })
  afterAll(() => at.stop())
  // One worker for all, a new user and a new session for each: what one test leaves behind is not the next one's.
  beforeEach(async () => {
    const apiKey = randomBytes(32).toString("hex")
    secrets = { apiKey, apiSecret: randomBytes(32).toString("hex"), apiPassphrase: null }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    open = await at.openSession(secrets)
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const outcomeOf = async (order: VenueOrder): Promise<SessionReport> => {
    const find = () =>
      open.reports.find(
        (report) =>
          OUTCOMES.includes(report._tag) && "tradeOrderId" in report && report.tradeOrderId === order.tradeOrderId,
      )
    open.session.submit(order)
    await until(() => find() !== undefined, "an outcome of the submit")
    return find() as SessionReport
  }

  const lookup = (order: VenueOrder): Promise<OrderLookup> => at.run(open.session.fetchOrder(refOf(order)))

  const timesPlaced = (order: VenueOrder): number =>
    at.exchange.orders(secrets.apiKey).filter((row) => row.clientOrderId === venueClientId(order.tradeOrderId)).length

  it("places a limit order under our own id with the digits it was given", async () => {
    const order = restingOrder({ quantity: "0.00123", limitPrice: "50000.01" })
    const before = at.exchange.counts()
    expect(await outcomeOf(order)).toMatchObject({ _tag: "Accepted" })
    const counted = WAYS.map(([, , door]) => (at.exchange.counts()[door] ?? 0) - (before[door] ?? 0))
    expect(counted).toEqual(WAYS.map(([, , door]) => (door === place ? 1 : 0)))
    const [row] = at.exchange.orders(secrets.apiKey)
    expect(row).toMatchObject({
      clientOrderId: venueClientId(order.tradeOrderId),
      price: "50000.01000000",
      origQty: "0.00123000",
    })
    await until(() => open.last("BalancesSeen") !== undefined, "the balances that changed")
    expect(open.last("BalancesSeen")?.balances.balances).toContainEqual({
      asset: "USDT",
      available: "99938.49998770",
      locked: "61.50001230",
    })
    expect(await at.run(open.session.fetchOpenOrders)).toMatchObject([
      { tradeOrderId: order.tradeOrderId, status: "OPEN" },
    ])
  })

  it("reports every fill with its own id and fee, and every state of the order, when fills come in a burst", async () => {
    // First in the queue: a tick better than anybody.
    const [best] = at.exchange.depth("BTCUSDT", 1).bids
    const limitPrice = Decimal.of(best?.[0] ?? "0")
      .add(Decimal.of("0.01"))
      .toString()
    const order = restingOrder({ limitPrice, quantity: "0.003" })
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    for (let i = 0; i < 6; i++) at.exchange.trade("BTCUSDT", "SELL", "0.0005")
    await until(
      () => open.reports.some((report) => report._tag === "OrderSeen" && report.state.status === "FILLED"),
      "the last fill",
    )
    const fills = open.reports.flatMap((report) => (report._tag === "Filled" ? [report.fill] : []))
    expect(fills.map((fill) => fill.externalTradeId)).toEqual(
      at.exchange.fills(secrets.apiKey).map((row) => String(row.id)),
    )
    for (const fill of fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: BTC_USDT, orderSide: "BUY" })
      expect(fill.fees).toEqual([{ asset: "BTC", quantity: expect.stringMatching(/^0\.\d{8}$/) }])
    }
    const states = open.reports.flatMap((report) =>
      report._tag === "OrderSeen" && report.state.executedQuantity !== "0.00000000"
        ? [report.state.executedQuantity]
        : [],
    )
    expect(new Set(states).size).toBe(fills.length)
    expect(await at.run(open.session.fetchFills(0, [BTC_USDT]))).toEqual(fills)
  })

  it("reports what each event of a burst says of the balances, and nothing else", async () => {
    const [best] = at.exchange.depth("BTCUSDT", 1).bids
    const limitPrice = Decimal.of(best?.[0] ?? "0")
      .add(Decimal.of("0.01"))
      .toString()
    expect((await outcomeOf(restingOrder({ limitPrice, quantity: "0.003" })))._tag).toBe("Accepted")
    for (let i = 0; i < 6; i++) at.exchange.trade("BTCUSDT", "SELL", "0.0005")
    const seen = () => open.reports.flatMap((report) => (report._tag === "BalancesSeen" ? [report.balances] : []))
    await until(() => seen().length >= 7, "the balances of one order and six fills")
    const last = at.exchange.balances(secrets.apiKey)
    expect(
      seen()
        .at(-1)
        ?.balances.toSorted((a, b) => (a.asset < b.asset ? -1 : 1)),
    ).toEqual(
      last
        .map(({ a, f, l }) => ({ asset: a, available: f, locked: l }))
        .toSorted((a, b) => (a.asset < b.asset ? -1 : 1)),
    )
    open.reports.length = 0
    const event = { e: "outboundAccountPosition", E: 1_700_000_000_123, u: 0, B: [{ a: "ETH", f: "1.50", l: "0.50" }] }
    at.exchange.fault({ fault: "pushUserEvent", apiKey: secrets.apiKey, event })
    await until(() => seen().length > 0, "the position of one asset")
    const balances = [{ asset: "ETH", available: "1.50", locked: "0.50" }]
    expect(seen()).toEqual([{ complete: false, at: event.E, balances }])
  })

  it("fetches all pages of fills", async () => {
    const [best] = at.exchange.depth("BTCUSDT", 1).bids
    const limitPrice = Decimal.of(best?.[0] ?? "0")
      .add(Decimal.of("0.01"))
      .toString()
    expect((await outcomeOf(restingOrder({ limitPrice, quantity: "0.01050" })))._tag).toBe("Accepted")
    for (let i = 0; i < 1050; i++) at.exchange.trade("BTCUSDT", "SELL", "0.00001")
    const fills = await at.run(open.session.fetchFills(0, [BTC_USDT]))
    expect(fills.map((fill) => fill.externalTradeId)).toEqual(
      at.exchange.fills(secrets.apiKey).map((row) => String(row.id)),
    )
    expect(fills.length).toBe(1050)
  })

  it("calls the rest of an IOC order cancelled, because only time expires", async () => {
    const order = restingOrder({ timeInForce: "IOC", limitPrice: "50000" })
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    await until(() => open.last("OrderSeen")?.state.status === "CANCELLED", "the end of the order")
    expect(open.last("OrderSeen")?.state).toMatchObject({
      status: "CANCELLED",
      ending: "REMAINDER",
      timeInForce: "IOC",
    })
  })

  it("fills a market order without ever sending a price", async () => {
    const order = restingOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    await until(() => open.about(order.tradeOrderId).includes("Filled"), "a fill")
    expect(at.exchange.orders(secrets.apiKey)).toMatchObject([
      { type: "MARKET", status: "FILLED", origQty: "0.00200000" },
    ])
  })

  it("cancels by our id and by the venue's, and says when the venue does not know the order", async () => {
    const [first, second] = [restingOrder(), restingOrder()]
    const accepted = [await outcomeOf(first), await outcomeOf(second)]
    open.session.cancel(refOf(first))
    const known = accepted[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    open.session.cancel({ ...refOf(second), externalOrderId: known.externalOrderId })
    await until(
      () => [first, second].every((order) => open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect((await lookup(first))._tag === "Found").toBe(true)
    expect(await lookup(second)).toMatchObject({ state: { status: "CANCELLED", tradeOrderId: second.tradeOrderId } })
    open.session.cancel(refOf(restingOrder()))
    await until(() => open.last("CancelRefused") !== undefined, "the refusal")
    expect(open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it("says what was executed before it says that the cancel was accepted", async () => {
    const [best] = at.exchange.depth("BTCUSDT", 1).bids
    const limitPrice = Decimal.of(best?.[0] ?? "0")
      .add(Decimal.of("0.01"))
      .toString()
    const order = restingOrder({ limitPrice, quantity: "0.003" })
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    await until(() => open.about(order.tradeOrderId).filter((tag) => tag === "OrderSeen").length === 2, "its event")
    open.reports.length = 0
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade("BTCUSDT", "SELL", "0.0005")
    open.session.cancel(refOf(order))
    await until(() => open.about(order.tradeOrderId).length === 2, "the answer to the cancel")
    // Balances of the placement may still be on their way.
    expect(open.reports.filter(({ _tag }) => _tag !== "BalancesSeen")).toMatchObject([
      { _tag: "OrderSeen", state: { status: "CANCELLED", executedQuantity: "0.00050000" } },
      { _tag: "CancelAccepted" },
    ])
  })

  it("says whose an order is that was asked for by the venue's id under somebody else's", async () => {
    const order = restingOrder()
    const accepted = await outcomeOf(order)
    if (accepted._tag !== "Accepted") throw new Error("the order was not accepted")
    // What an account makes of a fill whose order it does not know: an id of its own (contract C3, foreign orders).
    const stray = {
      ...refOf(order),
      tradeOrderId: randomUUID() as TradeOrderId,
      externalOrderId: accepted.externalOrderId,
    }
    // A session that has not seen the order before.
    const later = await at.openSession(secrets)
    const own = { tradeOrderId: order.tradeOrderId, clientId: venueClientId(order.tradeOrderId) }
    expect(await at.run(later.session.fetchOrder(stray))).toMatchObject({ _tag: "Found", state: own })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    later.session.cancel(stray)
    await until(() => later.last("OrderSeen") !== undefined, "the answer to the cancel")
    expect(later.last("OrderSeen")?.state).toMatchObject({ ...own, status: "CANCELLED" })
  })

  it("answers NotFound, never proof, for an order the venue does not know", async () => {
    expect(await lookup(restingOrder())).toEqual({ _tag: "NotFound", definite: false })
  })

  it.each<[string, Partial<VenueOrder>, string]>([
    ["too little money", { quantity: "4", limitPrice: "59000" }, "INSUFFICIENT_BALANCE"],
    ["a filter (ccxt says BadRequest)", { quantity: "0.00001" }, "INVALID_ORDER"],
    ["an instrument nobody lists", { instrumentId: "BINANCE:FOO/BAR" as typeof BTC_USDT }, "INSTRUMENT_NOT_FOUND"],
    [
      "a post-only order that would match",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      "WOULD_TAKE",
    ],
  ])("is refused definitely for %s", async (_, change, code) => {
    const order = restingOrder(change)
    const outcome = await outcomeOf(order)
    expect(outcome).toMatchObject({ _tag: "Refused", code })
    expect(timesPlaced(order)).toBe(0)
  })

  const answering = (status: number, body: string): AnswerFault => ({ kind: "status", status, body })

  it.each([
    [429, '{"code":-1003,"msg":"Too many requests."}'],
    [418, '{"code":-1003,"msg":"IP banned."}'],
  ])("is refused definitely by HTTP %s", async (status, body) => {
    // Without a pause, so that the venue is asked again in the next test.
    const action = { kind: "status", status, body, headers: { "retry-after": "0" } } as const
    at.exchange.fault({ fault: "answer", match: place, action })
    expect(await outcomeOf(restingOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
  })

  it.each<[string, AnswerFault, number]>([
    [
      "503 -1007, not placed",
      answering(503, '{"code":-1007,"msg":"Timeout waiting for response from backend server."}'),
      0,
    ],
    ["400 -1006, not placed", answering(400, '{"code":-1006,"msg":"An unexpected response was received."}'), 0],
    ["403 of a firewall", answering(403, "<html>WAF</html>"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: place, action })
    const order = restingOrder()
    expect((await outcomeOf(order))._tag).toBe("InDoubt")
    expect(timesPlaced(order)).toBe(placed)
    expect((await lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived", async () => {
    const order = restingOrder()
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    open.session.submit({ ...order, notAfter: Date.now() + 10_000 })
    await until(() => open.last("InDoubt") !== undefined, "the doubt")
    expect(open.last("InDoubt")?.reason).toMatch(/^DUPLICATE_CLIENT_ORDER_ID/)
    expect(timesPlaced(order)).toBe(1)
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = at.exchange.counts()[place]
    const order = restingOrder({ notAfter: Date.now() - 1 })
    expect(await outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(at.exchange.counts()[place]).toBe(before)
  })

  it("is not sent when nobody listens at the venue: no byte left this host", async () => {
    const gone = await startVenue({ market: "still" }, options)
    const there = await gone.openSession()
    await gone.exchange.stop()
    // Until then its socket looks open from here, and what is written to it is in doubt.
    await until(() => there.last("StreamDown") !== undefined, "the end of its sockets")
    const order = restingOrder()
    there.session.submit(order)
    await until(() => there.about(order.tradeOrderId).length > 0, "an outcome")
    expect(there.last("NotSent")?.reason).toContain("VENUE_UNREACHABLE")
    expect(there.about(order.tradeOrderId)).toEqual(["NotSent"])
    await gone.stop()
  })

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    const action = answering(400, '{"code":-1021,"msg":"Timestamp for this request is outside of the recvWindow."}')
    at.exchange.fault({ fault: "answer", match: place, action })
    const before = at.exchange.counts()["GET /api/v3/time"] ?? 0
    const order = restingOrder()
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    expect(at.exchange.counts()["GET /api/v3/time"]).toBe(before + 1)
    expect(timesPlaced(order)).toBe(1)
  })

  it("is refused for good when its key is revoked after it has worked", async () => {
    expect((await outcomeOf(restingOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(secrets.apiKey)
    expect(await outcomeOf(restingOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => open.last("SessionRefused") !== undefined, "the session's end")
    const requests = at.exchange.counts()[place]
    expect((await outcomeOf(restingOrder()))._tag).toBe("NotSent")
    expect(at.exchange.counts()[place]).toBe(requests)
  })

  it.each([
    ["a submit", place],
    ["a cancel", cancel],
  ])(
    "goes on after %s that is forbidden for its own sake, and asks once what is true of the account",
    async (_, match) => {
      const forbidden = '{"code":-2010,"msg":"This symbol is not permitted for this account."}'
      at.exchange.fault({ fault: "answer", match, times: 2, action: answering(400, forbidden) })
      const asked = () => at.exchange.counts()["GET /api/v3/account"] ?? 0
      const before = asked()
      for (const _ of [1, 2]) {
        const order = restingOrder()
        const outcome = await outcomeOf(order)
        open.session.cancel(refOf(order))
        if (match === place) expect(outcome).toMatchObject({ _tag: "Refused", code: "PERMISSION_DENIED" })
        await until(() => open.about(order.tradeOrderId).includes("CancelRefused"), "the refused cancel")
      }
      expect((await outcomeOf(restingOrder()))._tag).toBe("Accepted")
      expect(open.last("SessionRefused")).toBeUndefined()
      expect(asked()).toBe(before + 1)
    },
  )

  it("is refused for good when the account itself is forbidden what an order was", async () => {
    const action = answering(400, '{"code":-2010,"msg":"This account may not place or cancel orders."}')
    at.exchange.fault({ fault: "answer", match: place, action })
    const disabled = answering(401, '{"msg":"You are not authorized to execute this request."}')
    at.exchange.fault({ fault: "answer", match: "GET /api/v3/account", action: disabled })
    expect((await outcomeOf(restingOrder()))._tag).toBe("Refused")
    await until(() => open.last("SessionRefused") !== undefined, "the session's end")
    expect(open.last("SessionRefused")?.reason).toMatch(/^PERMISSION_DENIED/)
  })

  it("refuses a session whose key is wrong, and asks nothing with it", async () => {
    const wrong = await at.openSession({ ...secrets, apiSecret: "x".repeat(64) })
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.reports.some((report) => report._tag === "StreamUp")).toBe(false)
    const asked = at.exchange.counts()["GET /api/v3/account"] ?? 0
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(at.exchange.counts()["GET /api/v3/account"] ?? 0).toBe(asked)
  })

  it("says that the private stream is down and up again after its socket was cut", async () => {
    open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => open.reports.some((report) => report._tag === "StreamUp"), "the stream to come back")
    expect(open.reports.map((report) => report._tag)).toEqual(["StreamDown", "StreamUp"])
    const order = restingOrder()
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).filter((tag) => tag === "OrderSeen").length === 2, "its event")
  })

  it("notices that the venue ended the stream although its socket stays open", async () => {
    open.reports.length = 0
    const event = { e: "eventStreamTerminated", E: Date.now() }
    at.exchange.fault({ fault: "pushUserEvent", apiKey: secrets.apiKey, event })
    await until(() => open.reports.some((report) => report._tag === "StreamUp"), "the stream to come back")
    expect(open.reports.map((report) => report._tag)).toEqual(["StreamDown", "StreamUp"])
  })

  it("takes a deposit's difference for no balance", async () => {
    open.reports.length = 0
    const event = { e: "balanceUpdate", E: Date.now(), a: "ETH", d: "3.00000000", T: Date.now() }
    at.exchange.fault({ fault: "pushUserEvent", apiKey: secrets.apiKey, event })
    await outcomeOf(restingOrder())
    await until(() => open.last("BalancesSeen") !== undefined, "the balances after the order")
    expect(open.last("BalancesSeen")?.balances.balances.map(({ asset }) => asset)).not.toContain("ETH")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const tell = [open.reports, at.notices]
    at.exchange.fault({ fault: "answer", match: "GET /api/v3/order", action: { kind: "destroy" }, times: 4 })
    const failed = await at.run(open.session.fetchOrder(refOf(restingOrder()))).catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: cancel, action: { kind: "destroy" }, times: 4 })
    open.session.cancel({ ...refOf(restingOrder()), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([tell, failed, String(failed)])
    expect(said).not.toContain(secrets.apiKey)
    expect(said).not.toContain(secrets.apiSecret)
    expect(said).not.toMatch(/signature=|https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe.each([
  ["ahead of", 90_000],
  ["behind", -90_000],
])("a venue whose clock is %s ours", (_, clockAheadMillis) => {
  let at: VenueUnderTest
  beforeAll(async () => {
    at = await startVenue({ market: "still", clockAheadMillis })
  })
  afterAll(() => at.stop())

  it("has fills, balances and outcomes on one time line, its own", async () => {
    const open = await at.openSession()
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
    const began = Date.now() + clockAheadMillis
    const latest = () => Date.now() + clockAheadMillis
    const order = restingOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    open.session.submit(order)
    // The order's hold is told first, with balances of its own: those of the fill come after the fill.
    await until(() => open.last("Filled") !== undefined, "the fill")
    await until(() => {
      const fill = open.last("Filled")?.fill
      const balances = open.last("BalancesSeen")?.balances
      return fill !== undefined && balances !== undefined && balances.at >= fill.executedAt
    }, "the balances after the fill")
    const streamed = open.last("BalancesSeen")?.balances.at ?? 0
    const executedAt = open.last("Filled")?.fill.executedAt ?? 0
    expect(executedAt).toBeGreaterThanOrEqual(began)
    expect(streamed).toBeGreaterThanOrEqual(executedAt)
    expect(streamed).toBeLessThanOrEqual(latest())

    const resting = restingOrder()
    open.session.submit(resting)
    await until(() => open.about(resting.tradeOrderId).includes("Accepted"), "the acceptance")
    open.session.cancel(refOf(resting))
    open.session.submit(restingOrder({ quantity: "4000" }))
    await until(() => open.last("CancelAccepted") !== undefined && open.last("Refused") !== undefined, "the outcomes")
    const fetched = await at.run(open.session.fetchBalances)
    for (const instant of [open.last("CancelAccepted")?.at, open.last("Refused")?.at, fetched.at]) {
      // Late by the way of one answer at most, and nowhere near our clock.
      expect(instant).toBeGreaterThan(executedAt - 45_000)
      expect(instant).toBeLessThanOrEqual(latest())
    }
  })
})
