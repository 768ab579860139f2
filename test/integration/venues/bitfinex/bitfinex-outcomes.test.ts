/** Every way in which a submit to Bitfinex can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { change, TermsSession } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  AMEND,
  BitfinexSession,
  type BitfinexUnderTest,
  bitfinexOrder,
  CANCEL,
  cidOf,
  PLACE,
  saying,
  startBitfinex,
} from "./bitfinex-kit.ts"

/** An answer 200 whose notification is no success. */
const notified = (status: string, text: string): AnswerFault =>
  answering(200, JSON.stringify([1_700_000_000, "on-req", null, null, [[null]], null, status, text]))

describe("a submit to BITFINEX", () => {
  let at: BitfinexUnderTest
  let my: BitfinexSession
  beforeAll(async () => {
    at = await startBitfinex({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitfinexSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    [
      "too little money",
      { quantity: "3", limitPrice: "49995" },
      "INSUFFICIENT_BALANCE",
      "Invalid order: not enough exchange balance for 3 BTCUST at 49995",
    ],
    [
      "a quantity below the smallest",
      { quantity: "0.00001" },
      "INVALID_ORDER",
      "Invalid order: minimum size for BTCUST is 0.00004",
    ],
    [
      "a quantity above the largest",
      { quantity: "9001" },
      "INVALID_ORDER",
      "Invalid order: maximum size for BTCUST is 9000",
    ],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = bitfinexOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument that is not listed", async () => {
    const order = bitfinexOrder({ instrumentId: "BITFINEX:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["11010", saying(11010, "ratelimit: error", 429), "RATE_LIMITED"],
    ["11010 under another status", saying(11010, "ratelimit: error"), "RATE_LIMITED"],
    ["ERR_RATE_LIMIT", answering(429, '{"error":"ERR_RATE_LIMIT"}'), "RATE_LIMITED"],
    ["429 without a word", answering(429, ""), "RATE_LIMITED"],
    ["10020 of the symbol", saying(10020, "symbol: invalid"), "INSTRUMENT_NOT_FOUND"],
    ["10020 of the id", saying(10020, "cid: invalid"), "INVALID_ARGUMENT"],
    ["10001 of the balance", saying(10001, "Invalid order: not enough tradable balance"), "INSUFFICIENT_BALANCE"],
    ["10001 of the order", saying(10001, "Invalid order: something new"), "INVALID_ORDER"],
    ["10001 of the permission", saying(10001, "api_key: permission invalid"), "PERMISSION_DENIED"],
    ["a notification of an error", notified("ERROR", "Invalid order: minimum size for BTC/UST is 1"), "INVALID_ORDER"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(bitfinexOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["10000, an unknown error", saying(10000, "unknown error"), 0],
    ["10001 that says nothing of the order", saying(10001, "ERR_GENERIC"), 0],
    ["10008, concurrency", saying(10008, "concurrency error"), 0],
    ["11000, not ready", saying(11000, "ready: invalid"), 0],
    ["20060, maintenance", saying(20060, "maintenance"), 0],
    [
      "maintenance in another form",
      answering(503, '{"code":503,"error":"temporarily_unavailable","error_description":"Sorry"}'),
      0,
    ],
    ["a code that is on no list", saying(12345, "something new"), 0],
    ["a page under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, "[]"), 0],
    ["a notification of a failure that says nothing", notified("FAILURE", "try again"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a failure that is said after the order was taken",
      { kind: "apply-then-status", status: 500, body: '["error",10000,"unknown error"]' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = bitfinexOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: saying(10001, "Invalid order: cid duplicate") })
    const order = bitfinexOrder()
    const outcome = await my.outcomeOf(order)
    expect(outcome).toMatchObject({ _tag: "InDoubt" })
    expect(JSON.stringify(outcome)).toContain("DUPLICATE_CLIENT_ORDER_ID")
    // Nothing is known to keep an id unique there: what may have arrived is not sent again, and is asked for.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("leaves under an id of the venue's rules", async () => {
    const order = bitfinexOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(Number(cidOf(order))).toBeLessThan(2 ** 45)
    expect(my.states.at(-1)?.tradeOrderId).toBe(order.tradeOrderId)
  })

  it("is over by what its answer says of it, where the answer says it", async () => {
    const kinds = [
      ["POSTONLY CANCELED", 4096, { status: "REJECTED", ending: "WOULD_TAKE" }],
      ["INSUFFICIENT BALANCE (U1)", 0, { status: "CANCELLED" }],
    ] as const
    for (const [word, flags, end] of kinds) {
      const known = bitfinexOrder()
      expect((await my.outcomeOf(known))._tag).toBe("Accepted")
      const order = bitfinexOrder()
      const row = my.cells(known, { 0: 4711 + flags, 2: Number(cidOf(order)), 12: flags, 13: word })
      const body = JSON.stringify([1, "on-req", null, null, [row], null, "SUCCESS", "Submitting 1 orders."])
      at.exchange.fault({ fault: "answer", match: PLACE, action: answering(200, body) })
      expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Accepted", externalOrderId: String(4711 + flags) })
      expect(await my.ended(order)).toMatchObject(end)
    }
  })

  it("is in doubt when its nonce is refused, where nothing of ours overtook it: that may be the answer to a copy", async () => {
    at.exchange.fault({ fault: "overtakeNonces", count: 1, byMillis: 30_000 })
    const order = bitfinexOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "CLOCK_SKEW" })
    expect((await my.lookup(order))._tag).toBe("NotFound")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
    expect(my.open.last("SessionRefused")).toBeUndefined()
    // The look's nonces are above what another program used, and so are those of orders behind it.
    const next = my.count(PLACE)
    expect((await my.outcomeOf(bitfinexOrder()))._tag).toBe("Accepted")
    expect(my.count(PLACE)).toBe(next + 1)
  })

  it("is sent once where a copy of it is refused for its nonce, and its own answer is lost", async () => {
    const action = { kind: "apply-then-status", status: 500, body: '["error",10114,"nonce: small"]' } as const
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = bitfinexOrder()
    // A question of the session's own may have been signed meanwhile: then the order is looked for at once.
    expect((await my.outcomeOf(order))._tag).toMatch(/^(InDoubt|Accepted)$/)
    expect((await my.lookup(order))._tag).toBe("Found")
    expect(my.timesPlaced(order)).toBe(1)
    expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
  })

  it("leaves beside others of the same key, of which none is lost to a nonce", async () => {
    const orders = Array.from({ length: 30 }, () =>
      bitfinexOrder({ quantity: "0.0001", notAfter: Date.now() + 30_000 }),
    )
    for (const order of orders) my.open.session.submit(order)
    for (let i = 0; i < 10; i++) void at.run(my.open.session.fetchOpenOrders).catch(() => undefined)
    await until(() => orders.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")), "all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(1)
  })

  it("cannot arrive any more once a later question of the same key was answered", async () => {
    const order = bitfinexOrder()
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    expect((await my.lookup(order))._tag).toBe("NotFound")
    await until(
      () => (my.judged(order)?.refusals.length ?? 0) > 0 || my.timesPlaced(order) > 0,
      "the late request",
      5000,
    ).catch(() => undefined)
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = bitfinexOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(bitfinexOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(bitfinexOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(bitfinexOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["an unknown error", saying(10000, "unknown error")],
    ["maintenance", saying(20060, "maintenance")],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = bitfinexOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, object]>([
    [
      "the balance",
      saying(10001, "Invalid order: not enough exchange balance"),
      { _tag: "AmendRefused", unknownOrder: false },
    ],
    ["the order that is gone", saying(10001, "Order not found."), { _tag: "AmendRefused", unknownOrder: true }],
    [
      "a notification of an error",
      notified("ERROR", "Invalid order: minimum size"),
      { _tag: "AmendRefused", unknownOrder: false },
    ],
    ["an unknown error", saying(10000, "unknown error"), { _tag: "AmendInDoubt" }],
  ])("has its change answered by %s as what that says", async (_, action, report) => {
    const order = bitfinexOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: AMEND, action })
    expect(await new TermsSession(at, my.open).amend(order, change("0.002", "50000"))).toMatchObject(report)
  })
})
