/** Every way in which a submit to Binance USDⓈ-M can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { CANCEL, PLACE, saying, startUsdm, TIME, UsdmSession, type UsdmUnderTest, usdmOrder } from "./usdm-kit.ts"

describe("a submit to BINANCEUSDM", () => {
  let at: UsdmUnderTest
  let my: UsdmSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startUsdm({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await UsdmSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    ["too little margin", { quantity: "41" }, "INSUFFICIENT_BALANCE", "Margin is insufficient."],
    ["a quantity off the step", { quantity: "0.0015" }, "INVALID_ARGUMENT", "Qty not increased by step size."],
    ["a price off the tick", { limitPrice: "50000.01" }, "INVALID_ARGUMENT", "Price not increased by tick size."],
    [
      "a post-only order that would take",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      "WOULD_TAKE",
      "",
    ],
    ["a FOK that cannot be filled", { timeInForce: "FOK", limitPrice: "60000" }, "ORDER_NOT_FILLABLE", ""],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = usdmOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text: expect.stringContaining(text) })
    expect(my.timesPlaced(order)).toBe(0)
    expect((await my.lookup(order))._tag).toBe("NotFound")
  })

  it("is refused definitely for an instrument nobody lists", async () => {
    const order = usdmOrder({ instrumentId: "BINANCEUSDM:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it("is refused definitely by an account that keeps long and short apart, in the venue's words", async () => {
    at.exchange.setDualSide(my.secrets.apiKey, true)
    expect(await my.outcomeOf(usdmOrder())).toMatchObject({
      _tag: "Refused",
      text: "Order's position side does not match user's setting.",
    })
  })

  it.each<[string, AnswerFault, string]>([
    [
      "-1015, too many orders",
      saying(429, -1015, "Too many new orders; current limit is 300 orders per 10 SECOND."),
      "RATE_LIMITED",
    ],
    [
      "-1003, too much weight",
      saying(429, -1003, "Too many requests; current limit of IP is 2400 requests per minute."),
      "RATE_LIMITED",
    ],
    ["HTTP 429 without words", answering(429, "<html>429</html>"), "RATE_LIMITED"],
    ["-2020: unable to fill", saying(400, -2020, "Unable to fill."), "ORDER_NOT_FILLABLE"],
    ["-2022: reduce-only", saying(400, -2022, "ReduceOnly Order is rejected."), "INVALID_ORDER"],
    ["-2023: the account is being liquidated", saying(400, -2023, "User in liquidation mode now."), "REJECTED"],
    [
      "-2027: the largest position at this leverage",
      saying(400, -2027, "Exceeded the maximum allowable position at current leverage."),
      "REJECTED",
    ],
    [
      "-4131: the price of the counterparty",
      saying(400, -4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit"),
      "REJECTED",
    ],
    [
      "-4140: a symbol that opens no positions",
      saying(400, -4140, "Invalid symbol status for opening position."),
      "MARKET_CLOSED",
    ],
    ["-4141: a symbol that is closed", saying(400, -4141, "Symbol is closed."), "MARKET_CLOSED"],
    [
      "-4192: a time to cool off",
      saying(400, -4192, "Trade forbidden due to Cooling-off Period."),
      "PERMISSION_DENIED",
    ],
    [
      "-4402: the law",
      saying(400, -4402, "this feature is currently not available in your region."),
      "RESTRICTED_LOCATION",
    ],
    [
      "-5028: it reached the engine too late",
      saying(400, -5028, "Timestamp for this request is outside of the ME recvWindow."),
      "VENUE_TIMEOUT",
    ],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(usdmOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["-1000: unknown", saying(400, -1000, "An unknown error occurred while processing the request."), 0],
    ["-1001: disconnected", saying(400, -1001, "Internal error; unable to process your request. Please try again."), 0],
    [
      "-1006: an unexpected response",
      saying(400, -1006, "An unexpected response was received from the message bus. Execution status unknown."),
      0,
    ],
    [
      "-1007: timeout of the backend",
      saying(
        408,
        -1007,
        "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
      ),
      0,
    ],
    ["503: unknown error", saying(503, -1000, "Unknown error, please check your request or try again later."), 0],
    ["503 without words", answering(503, "<html>maintenance</html>"), 0],
    ["a code nobody has heard of", saying(400, -9999, "Something new."), 0],
    ["an answer without an order", answering(200, "{}"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a timeout that is said after the order was taken",
      {
        kind: "apply-then-status",
        status: 408,
        body: '{"code":-1007,"msg":"Timeout waiting for response from backend server."}',
      },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = usdmOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived", async () => {
    const order = usdmOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    my.open.reports.length = 0
    expect(await my.outcomeOf({ ...order, notAfter: Date.now() + 10_000 })).toMatchObject({ _tag: "InDoubt" })
    expect(my.judged(order)).toMatchObject({ created: 1, refusals: [-4116] })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN" } })
  })

  it("is sent once more, by the venue's clock, when it was refused for ours alone", async () => {
    ahead = 90_000
    const [before, read] = [my.count(PLACE), my.count(TIME)]
    expect((await my.outcomeOf(usdmOrder()))._tag).toBe("Accepted")
    expect([my.count(PLACE), my.count(TIME)]).toEqual([before + 2, read + 1])
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = usdmOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(usdmOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(usdmOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(usdmOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["-1007: timeout of the backend", saying(408, -1007, "Timeout waiting for response from backend server.")],
    ["503", answering(503, "<html>maintenance</html>")],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = usdmOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
