/** Every way in which a submit to Kraken Futures can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  CANCEL,
  FuturesSession,
  type FuturesUnderTest,
  futuresOrder,
  PLACE,
  saying,
  sending,
  startFutures,
  TIME,
} from "./futures-kit.ts"

describe("a submit to KRAKENFUTURES", () => {
  let at: FuturesUnderTest
  let my: FuturesSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startFutures({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await FuturesSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    ["too little margin", { quantity: "41" }, "INSUFFICIENT_BALANCE", "insufficientAvailableFunds"],
    ["a quantity off the step", { quantity: "0.00015" }, "INVALID_ORDER", "invalidSize"],
    ["a price off the tick", { limitPrice: "50000.01" }, "INVALID_ORDER", "invalidPrice"],
    [
      "a post-only order that would take",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      "WOULD_TAKE",
      "postWouldExecute",
    ],
    ["an IOC that finds nothing", { timeInForce: "IOC" }, "ORDER_NOT_FILLABLE", "iocWouldNotExecute"],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = futuresOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely where it would meet another of its account", async () => {
    await my.accepted(futuresOrder({ limitPrice: "60000.2" }))
    const order = futuresOrder({ orderSide: "SELL", limitPrice: "60000.1" })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "REJECTED", text: "selfFill" })
  })

  it("is refused definitely for an instrument nobody lists, and for an inverse contract", async () => {
    const order = futuresOrder({ instrumentId: "KRAKENFUTURES:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["apiLimitExceeded", saying("apiLimitExceeded"), "RATE_LIMITED"],
    ["apiLimitExceeded under 429", saying("apiLimitExceeded", 429), "RATE_LIMITED"],
    ["invalidArgument: size", saying("invalidArgument: size"), "INVALID_ARGUMENT"],
    ["requiredArgumentMissing", saying("requiredArgumentMissing"), "INVALID_ARGUMENT"],
    ["contractNotFound", saying("contractNotFound"), "INSTRUMENT_NOT_FOUND"],
    ["marketUnavailable", saying("marketUnavailable"), "MARKET_CLOSED"],
    ["accountInactive", saying("accountInactive"), "PERMISSION_DENIED"],
    [
      "INSUFFICIENT_MARGIN under HTTP 500",
      answering(500, '{"errors":[{"code":92,"message":"INSUFFICIENT_MARGIN"}]}'),
      "INSUFFICIENT_BALANCE",
    ],
    ["invalidOrderType", sending("invalidOrderType"), "INVALID_ORDER"],
    ["invalidSide", sending("invalidSide"), "INVALID_ORDER"],
    ["tooManySmallOrders", sending("tooManySmallOrders"), "REJECTED"],
    ["tooManyOrders", sending("tooManyOrders"), "REJECTED"],
    ["maxOrdersLimit", sending("maxOrdersLimit"), "REJECTED"],
    ["maxPositionViolation", sending("maxPositionViolation"), "REJECTED"],
    ["fixedLeverageTooHigh", sending("fixedLeverageTooHigh"), "REJECTED"],
    ["marketSuspended", sending("marketSuspended"), "MARKET_CLOSED"],
    ["marketInactive", sending("marketInactive"), "MARKET_CLOSED"],
    ["marketIsPostOnly", sending("marketIsPostOnly"), "MARKET_CLOSED"],
    ["clientOrderIdTooLong", sending("clientOrderIdTooLong"), "INVALID_ORDER"],
    ["clientOrderIdTooBig", sending("clientOrderIdTooBig"), "INVALID_ORDER"],
    ["clientOrderIdInvalid", sending("clientOrderIdInvalid"), "INVALID_ORDER"],
    ["outsidePriceCollar", sending("outsidePriceCollar"), "INVALID_ORDER"],
    ["wouldIncreasePriceDislocation", sending("wouldIncreasePriceDislocation"), "REJECTED"],
    ["wouldCauseLiquidation", sending("wouldCauseLiquidation"), "INSUFFICIENT_BALANCE"],
    ["wouldNotReducePosition", sending("wouldNotReducePosition"), "INVALID_ORDER"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(futuresOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["Server Error", saying("Server Error", 500), 0],
    ["unknownError", saying("unknownError"), 0],
    ["Unavailable", saying("Unavailable", 503), 0],
    ["nonceDuplicate: the same request came before", saying("nonceDuplicate"), 0],
    ["nonceBelowThreshold", saying("nonceBelowThreshold"), 0],
    ["attempted: it was not seen to be placed", sending("attempted"), 0],
    ["a status nobody has heard of", sending("somethingNew"), 0],
    ["an error nobody has heard of", saying("something new"), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, '{"result":"success"}'), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a failure that is said after the order was taken",
      { kind: "apply-then-status", status: 500, body: '{"result":"error","error":"Server Error"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = futuresOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived, and an id is never taken twice", async () => {
    const order = futuresOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    my.open.reports.length = 0
    const again = { ...order, notAfter: Date.now() + 10_000 }
    const outcome = await my.outcomeOf(again)
    expect(outcome).toMatchObject({ _tag: "InDoubt" })
    expect(JSON.stringify(outcome)).toContain("DUPLICATE_CLIENT_ORDER_ID")
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN" } })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "its end")
    my.open.reports.length = 0
    expect(await my.outcomeOf({ ...order, notAfter: Date.now() + 10_000 })).toMatchObject({ _tag: "InDoubt" })
    const said = "clientOrderIdAlreadyExist"
    expect(my.judged(order)).toMatchObject({ created: 1, refusals: [said, said] })
  })

  it("is not placed once its window has passed on the way", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    const order = futuresOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    await until(() => my.judged(order)?.refusals.length === 1, "its arrival")
    expect(my.judged(order)).toMatchObject({ created: 0, refusals: ["wouldProcessAfterSpecifiedTime"] })
    expect((await my.lookup(order))._tag).toBe("NotFound")
  })

  it("is sent once more, by the venue's clock, when it was refused for ours alone", async () => {
    ahead = 90_000
    const [before, read] = [my.count(PLACE), my.count(TIME)]
    expect((await my.outcomeOf(futuresOrder()))._tag).toBe("Accepted")
    expect([my.count(PLACE), my.count(TIME)]).toEqual([before + 2, read + 1])
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = futuresOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(futuresOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(futuresOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(futuresOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["Server Error", saying("Server Error", 500)],
    ["503", answering(503, "<html>maintenance</html>")],
    ["a status nobody has heard of", answering(200, '{"result":"success","cancelStatus":{"status":"new"}}')],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = futuresOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
