/** Every way in which a submit to Gemini can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  CANCEL,
  GeminiSession,
  type GeminiUnderTest,
  geminiOrder,
  PLACE,
  saying,
  startGemini,
  TIME,
} from "./gemini-kit.ts"

const OUT_OF_SEQUENCE = "Out-of-sequence nonce <1234> precedes previously used nonce <2345>"

describe("a submit to GEMINI", () => {
  let at: GeminiUnderTest
  let my: GeminiSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startGemini({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GeminiSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, RegExp]>([
    ["too little money", { quantity: "3" }, "INSUFFICIENT_BALANCE", /insufficient funds/],
    ["an amount off the precision", { quantity: "0.0010000001" }, "INVALID_ORDER", /^Invalid quantity/],
    ["a price off the precision", { limitPrice: "50000.005" }, "INVALID_ORDER", /^Invalid price/],
    ["an amount below the smallest", { quantity: "0.000001" }, "INVALID_ORDER", /^Invalid quantity/],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = geminiOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text: expect.stringMatching(text) })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument that is not listed", async () => {
    const order = geminiOrder({ instrumentId: "GEMINI:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["RateLimit", saying("RateLimit", 429), "RATE_LIMITED"],
    ["Too Many Requests", saying("Too Many Requests", 429), "RATE_LIMITED"],
    ["MarketNotOpen", saying("MarketNotOpen"), "MARKET_CLOSED"],
    ["InvalidSymbol", saying("InvalidSymbol"), "INSTRUMENT_NOT_FOUND"],
    ["UnsupportedOption", saying("UnsupportedOption"), "INVALID_ORDER"],
    ["EndpointMismatch", saying("EndpointMismatch"), "INVALID_ARGUMENT"],
    ["MissingRole", saying("MissingRole", 403), "PERMISSION_DENIED"],
    ["an address that is not let in", saying("RemoteAddressForbidden", 403), "PERMISSION_DENIED"],
    ["an account that is closed", saying("AccountClosed", 403), "ACCOUNT_SUSPENDED"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(geminiOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["System, a failure of the venue", saying("System", 500, "We are experiencing technical issues."), 0],
    ["Internal Server Error", saying("Internal Server Error", 500), 0],
    ["maintenance in its words", saying("Maintenance", 503), 0],
    ["maintenance with a page", answering(503, "<html>maintenance</html>"), 0],
    ["a reason that is on no list", saying("SomethingNew"), 0],
    ["a page that says that something was not found", answering(404, "<html>Not Found</html>"), 0],
    ["a page that says that the request was wrong", answering(400, "<html>Bad Request</html>"), 0],
    ["a page that says that something is not acceptable", answering(406, "<html>Not Acceptable</html>"), 0],
    ["an answer without an order", answering(200, "{}"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = geminiOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: saying("DuplicateOrder") })
    const order = geminiOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when its nonce is refused, where nothing of ours overtook it: that may be the answer to a copy", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: saying("InvalidNonce", 400, OUT_OF_SEQUENCE) })
    const order = geminiOrder()
    expect((await my.outcomeOf(order))._tag).toMatch(/^(InDoubt|Accepted)$/)
    expect(my.judged(order)?.created).toBe(my.timesPlaced(order))
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it("is sent once where a copy of it is refused for its nonce, and its own answer is lost", async () => {
    const body = JSON.stringify({ result: "error", reason: "InvalidNonce", message: OUT_OF_SEQUENCE })
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-status", status: 400, body } })
    const order = geminiOrder()
    // A question of the session's own may have been signed meanwhile: then the order is looked for at once.
    expect((await my.outcomeOf(order))._tag).toMatch(/^(InDoubt|Accepted)$/)
    expect((await my.lookup(order))._tag).toBe("Found")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
  })

  it("leaves beside others of the same key, of which none is lost to a nonce", async () => {
    const orders = Array.from({ length: 30 }, () => geminiOrder({ notAfter: Date.now() + 30_000 }))
    for (const order of orders) my.open.session.submit(order)
    for (let i = 0; i < 10; i++) void at.run(my.open.session.fetchOpenOrders).catch(() => undefined)
    await until(() => orders.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")), "all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(1)
  })

  it("cannot arrive any more once a later question of the same key was answered", async () => {
    const order = geminiOrder()
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    expect((await my.lookup(order))._tag).toBe("NotFound")
    await until(() => (my.judged(order)?.refusals.length ?? 0) > 0, "the late request")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0, refusals: ["InvalidNonce"] })
  })

  it("with a key whose nonces go by time is signed so, again when the venue's clock was set, and is placed once each", async () => {
    const timed = await GeminiSession.start(at, { isTimed: true })
    try {
      for (const moved of [0, 200_000, 0]) {
        ahead = moved
        const before = timed.count(TIME)
        const order = geminiOrder()
        expect((await timed.outcomeOf(order))._tag).toBe("Accepted")
        if (moved > 0) expect(timed.count(TIME)).toBeGreaterThan(before)
        expect(timed.judged(order)).toMatchObject({ created: 1 })
      }
      expect(timed.open.last("SessionRefused")).toBeUndefined()
      // Two of one second are no repetition.
      const [one, two] = [geminiOrder(), geminiOrder()]
      timed.open.session.submit(one)
      expect((await timed.outcomeOf(two))._tag).toBe("Accepted")
      await until(() => timed.open.about(one.tradeOrderId).includes("Accepted"), "the other")
    } finally {
      ahead = 0
    }
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = geminiOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(geminiOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(geminiOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(geminiOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["System", saying("System", 500)],
    ["a page that says that something was not found", answering(404, "<html>Not Found</html>")],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = geminiOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order, my.idOf(order)))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })

  it("has its cancel refused as unknown to the venue by OrderNotFound", async () => {
    const order = geminiOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action: saying("OrderNotFound", 404) })
    my.open.session.cancel(refOf(order, my.idOf(order)))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })
})
