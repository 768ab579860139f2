/** Every way in which a submit to KuCoin can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BY_OUR_ID,
  KucoinSession,
  type KucoinUnderTest,
  kucoinOrder,
  PLACE,
  saying,
  startKucoin,
  TIME,
} from "./kucoin-kit.ts"

describe("a submit to KUCOIN", () => {
  let at: KucoinUnderTest
  let my: KucoinSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startKucoin({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await KucoinSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    // 99,990 and its fee.
    [
      "too little money, fee and all",
      { quantity: "2", limitPrice: "49995" },
      "INSUFFICIENT_BALANCE",
      "Balance insufficient!",
    ],
    [
      "a size below the smallest",
      { quantity: "0.000001" },
      "INVALID_ORDER",
      "Order size below the minimum requirement.",
    ],
    ["a price off the increment", { limitPrice: "50000.01" }, "INVALID_ORDER", "Order price increment invalid."],
    ["funds below the smallest", { limitPrice: "0.1" }, "INVALID_ORDER", "The order funds should more then 0.1 USDT."],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = kucoinOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument nobody lists", async () => {
    const order = kucoinOrder({ instrumentId: "KUCOIN:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["429000", saying("429000", "Too Many Requests", 429), "RATE_LIMITED"],
    ["400100 that speaks of money", saying("400100", "account.available.amount"), "INSUFFICIENT_BALANCE"],
    ["400100 of a parameter", saying("400100", "size is illegal"), "INVALID_ARGUMENT"],
    ["600100 of an increment", saying("600100", "Order size increment invalid."), "INVALID_ORDER"],
    [
      "200001, a pair that takes no orders",
      saying("200001", "Order creation for this pair suspended"),
      "MARKET_CLOSED",
    ],
    ["200003, too many that work", saying("200003", "Number of orders breached the limit"), "REJECTED"],
    ["400600", saying("400600", "validation.createOrder.symbolNotAvailable"), "MARKET_CLOSED"],
    [
      "400007, a key that may not trade",
      saying("400007", "Access denied, requires more permission."),
      "PERMISSION_DENIED",
    ],
    [
      "400500, the law",
      saying("400500", "Your located country/region is currently not supported"),
      "RESTRICTED_LOCATION",
    ],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(kucoinOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["500000, a failure of the venue", saying("500000", "Internal Server Error", 500), 0],
    ["408000, a timeout inside", saying("408000", "Network timeout, please try again later"), 0],
    ["a code nobody has heard of", saying("999999", "something new"), 0],
    ["200002, which has two meanings", saying("200002", "Too many requests in a short period of time"), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, '{"code":"200000","data":{}}'), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a timeout that is said after the order was taken",
      { kind: "apply-then-status", status: 200, body: '{"code":"408000","msg":"Network timeout"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = kucoinOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it.each([
    ["in the words of the order's check", undefined],
    ["126044", saying("126044", "clientOid duplicate")],
    ["126033", saying("126033", "Duplicate order")],
  ])("is in doubt when the venue knows our id already, %s: an earlier attempt arrived", async (_, action) => {
    const order = kucoinOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    if (action !== undefined) at.exchange.fault({ fault: "answer", match: PLACE, action })
    my.open.session.submit({ ...order, notAfter: Date.now() + 10_000 })
    await until(() => my.open.last("InDoubt") !== undefined, "the doubt")
    expect(my.open.last("InDoubt")?.reason).toMatch(/^DUPLICATE_CLIENT_ORDER_ID/)
    expect(my.timesPlaced(order)).toBe(1)
  })

  it("is placed by nobody once its window has passed on the way", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    const order = kucoinOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    expect((await my.lookup(order))._tag).toBe("NotFound")
    await until(() => my.judged(order)?.refusals.length === 0 && my.count(PLACE) > 0, "the request")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
    ahead = 0
  })

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    for (const moved of [60_000, 0]) {
      ahead = moved
      const before = my.count(TIME)
      const order = kucoinOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.count(TIME)).toBe(before + 1)
      expect(my.timesPlaced(order)).toBe(1)
    }
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = kucoinOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(kucoinOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(kucoinOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(kucoinOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["200002: its pair takes no cancels", saying("200002", "Order cancel for this pair suspended")],
    ["408000: a timeout inside", saying("408000", "Network timeout, please try again later")],
    ["500000: a failure of the venue", saying("500000", "Internal Server Error", 500)],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = kucoinOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: BY_OUR_ID, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
