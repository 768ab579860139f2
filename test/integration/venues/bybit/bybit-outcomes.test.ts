/** Every way in which a submit to Bybit can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { BybitSession, type BybitUnderTest, bybitOrder, PLACE, saying, startBybit, TIME, WAYS } from "./bybit-kit.ts"

describe.each(WAYS)("a submit to BYBIT by %s", (_way, options, ways) => {
  const { place, cancel } = ways
  let at: BybitUnderTest
  let my: BybitSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startBybit({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE }, ...options })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BybitSession.startBy(at, ways)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    ["too little money", { quantity: "4", limitPrice: "59000" }, "INSUFFICIENT_BALANCE", "Insufficient balance."],
    ["a size below the smallest", { quantity: "0.000001" }, "INVALID_ORDER", "Order quantity exceeded lower limit."],
    ["a price off the tick", { limitPrice: "50000.01" }, "INVALID_ORDER", "Order price has too many decimals."],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = bybitOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument nobody lists", async () => {
    const order = bybitOrder({ instrumentId: "BYBIT:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["10006 under HTTP 200", saying(10006, "Too many visits. Exceeded the API Rate Limit."), "RATE_LIMITED"],
    ["170222, too many in this time frame", saying(170222, "Too many requests in this time frame."), "RATE_LIMITED"],
    ["HTTP 429", answering(429, "<html>429</html>"), "RATE_LIMITED"],
    ["a pair that is not open yet", saying(170151, "The trading pair is not open yet."), "MARKET_CLOSED"],
    ["the law", saying(170209, "This trading pair is only available to the region."), "RESTRICTED_LOCATION"],
    ["the rules of compliance", saying(10024, "Compliance rules triggered"), "RESTRICTED_LOCATION"],
    ["110007 of the unified account", saying(110007, "Available balance is insufficient"), "INSUFFICIENT_BALANCE"],
    ["a limit maker that would take", saying(170218, "The LIMIT-MAKER order is rejected."), "WOULD_TAKE"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: place, action })
    expect(await my.outcomeOf(bybitOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["10000: server timeout", saying(10000, "Server Timeout"), 0],
    ["10016: server error", saying(10016, "Server error."), 0],
    ["170007: the backend gave no answer", saying(170007, "Timeout waiting for response from backend server."), 0],
    ["170146: order creation timeout", saying(170146, "Order creation timeout"), 0],
    ["170032: network error", saying(170032, "Network error. Please try again later"), 0],
    ["170035: it is being processed", saying(170035, "Submitted to the system for processing!"), 0],
    ["10014: a duplicate request", saying(10014, "Invalid duplicate request."), 0],
    ["a code nobody has heard of", saying(179_999, "Something new."), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", saying(0, "OK"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a timeout that is said after the order was taken",
      { kind: "apply-then-status", status: 200, body: '{"retCode":170146,"retMsg":"Order creation timeout"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: place, action })
    const order = bybitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it.each([
    ["170141 of spot", undefined],
    ["110072 of the unified account", saying(110072, "OrderLinkedID is duplicate")],
  ])("is in doubt when the venue knows our id already, %s: an earlier attempt arrived", async (_, action) => {
    const order = bybitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    if (action !== undefined) at.exchange.fault({ fault: "answer", match: place, action })
    my.open.session.submit({ ...order, notAfter: Date.now() + 10_000 })
    await until(() => my.open.last("InDoubt") !== undefined, "the doubt")
    expect(my.open.last("InDoubt")?.reason).toMatch(/^DUPLICATE_CLIENT_ORDER_ID/)
    expect(my.timesPlaced(order)).toBe(1)
  })

  it("is placed by nobody once its window has passed on the way", async () => {
    at.exchange.fault({ fault: "answer", match: place, action: { kind: "delay", millis: 3000 } })
    const order = bybitOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    await until(() => my.judged(order) !== undefined && my.count(place) > 0, "the request")
    ahead = 6000
    expect((await my.lookup(order))._tag).toBe("NotFound")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
  })

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    const before = my.count(TIME)
    ahead = 60_000
    const order = bybitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(my.count(TIME)).toBe(before + 1)
    expect(my.timesPlaced(order)).toBe(1)
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(place)
    const order = bybitOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(place)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    // On the trade socket the code means another thing, too: the next order goes by request.
    if (place !== PLACE) expect(await my.outcomeOf(bybitOrder())).toMatchObject({ _tag: "InDoubt" })
    expect(await my.outcomeOf(bybitOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(place)
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("NotSent")
    expect(my.count(place)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["170147: order cancellation timeout", saying(170147, "Order cancellation timeout")],
    ["170191: try again later", saying(170191, "Can not cancel order, please try again later")],
    ["170212: it is being processed", saying(170212, "Cancel order request processing")],
    ["170150: cancel failed", saying(170150, "Cancel order failed")],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = bybitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: cancel, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
