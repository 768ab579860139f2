/** Every way in which a submit to Gate can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { change, TermsSession } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  AMEND,
  CANCEL,
  GateSession,
  type GateUnderTest,
  gateOrder,
  PLACE,
  saying,
  startGate,
  TIME,
  textOf,
} from "./gate-kit.ts"

describe("a submit to GATE", () => {
  let at: GateUnderTest
  let my: GateSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startGate({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GateSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    ["too little money", { quantity: "3", limitPrice: "49995" }, "INSUFFICIENT_BALANCE", "Not enough balance"],
    ["an amount off the precision", { quantity: "0.0010001" }, "INVALID_ORDER", "Invalid precision of amount"],
    ["a price off the precision", { limitPrice: "50000.01" }, "INVALID_ORDER", "Invalid precision of price"],
    [
      "a value below the smallest",
      { quantity: "0.00001" },
      "INVALID_ARGUMENT",
      "Your order size is too small. The minimum is 3 USDT",
    ],
    [
      "a FOK that cannot be filled",
      { timeInForce: "FOK" },
      "ORDER_NOT_FILLABLE",
      "FOK order cannot be filled completely",
    ],
    [
      "a market buy without a cost, which the venue has no word for",
      { orderType: "MARKET", limitPrice: null },
      "INVALID_ORDER",
      "refused",
    ],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = gateOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument that is not listed", async () => {
    const order = gateOrder({ instrumentId: "GATE:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["TOO_MANY_REQUESTS", saying("TOO_MANY_REQUESTS", "Request Rate Limit Exceeded", 429), "RATE_LIMITED"],
    ["TOO_FAST", saying("TOO_FAST", "Request frequency is too high"), "RATE_LIMITED"],
    ["INVALID_CURRENCY_PAIR", saying("INVALID_CURRENCY_PAIR", "Invalid currency pair"), "INSTRUMENT_NOT_FOUND"],
    ["AMOUNT_TOO_LITTLE", saying("AMOUNT_TOO_LITTLE", "too little"), "INVALID_ORDER"],
    ["QUANTITY_NOT_ENOUGH", saying("QUANTITY_NOT_ENOUGH", "not enough"), "INVALID_ORDER"],
    ["INVALID_CLIENT_ORDER_ID", saying("INVALID_CLIENT_ORDER_ID", "invalid"), "INVALID_ORDER"],
    ["ORDER_BOOK_NOT_FOUND", saying("ORDER_BOOK_NOT_FOUND", "Insufficient liquidity"), "ORDER_NOT_FILLABLE"],
    ["TRADE_RESTRICTED", saying("TRADE_RESTRICTED", "Trading is restricted", 403), "PERMISSION_DENIED"],
    ["READ_ONLY", saying("READ_ONLY", "API key is read-only", 403), "PERMISSION_DENIED"],
    ["FORBIDDEN", saying("FORBIDDEN", "Request API key does not have spot permission", 403), "PERMISSION_DENIED"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(gateOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["INTERNAL, a failure of the venue", saying("INTERNAL", "Internal server error", 500), 0],
    ["SERVER_ERROR", saying("SERVER_ERROR", "Internal server error", 500), 0],
    ["TOO_BUSY", saying("TOO_BUSY", "Server is too busy at the moment", 503), 0],
    ["a label that is on no list", saying("SOMETHING_NEW", "something new"), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(201, "{}"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a failure that is said after the order was taken",
      { kind: "apply-then-status", status: 500, body: '{"label":"SERVER_ERROR","message":"timeout"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = gateOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it.each(["REPEATED_CREATION", "ORDER_EXISTS", "DUPLICATE_REQUEST"])(
    "is in doubt when the venue knows our id already, by %s: an earlier attempt arrived",
    async (label) => {
      at.exchange.fault({ fault: "answer", match: PLACE, action: saying(label, "do not resubmit") })
      const order = gateOrder()
      const outcome = await my.outcomeOf(order)
      expect(outcome).toMatchObject({ _tag: "InDoubt" })
      expect(JSON.stringify(outcome)).toContain("DUPLICATE_CLIENT_ORDER_ID")
      // Nothing keeps an id unique there: what may have arrived is not sent again, and is asked for.
      expect(my.judged(order)?.count).toBe(1)
    },
  )

  it("leaves under an id of the venue's rules, which says all of ours", async () => {
    const order = gateOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(textOf(order)).toMatch(/^t-[0-9A-Za-z_.-]{1,28}$/)
    expect(my.states.at(-1)?.tradeOrderId).toBe(order.tradeOrderId)
  })

  it("is not placed once its window has passed on the way, which is shorter than the venue's own", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    const order = gateOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    expect((await my.lookup(order))._tag).toBe("NotFound")
    await until(() => my.judged(order)?.refusals.length === 0 && my.count(PLACE) > 0, "the request")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
    ahead = 0
  })

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    for (const moved of [90_000, 0]) {
      ahead = moved
      const before = my.count(TIME)
      const order = gateOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.count(TIME)).toBe(before + 1)
      expect(my.timesPlaced(order)).toBe(1)
      expect(my.open.last("SessionRefused")).toBeUndefined()
    }
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = gateOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(gateOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(gateOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(gateOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["CANCEL_FAIL", saying("CANCEL_FAIL", "Order cancel failed")],
    ["SERVER_ERROR", saying("SERVER_ERROR", "Internal server error", 500)],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = gateOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: `${CANCEL}${textOf(order)}`, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })

  it.each<[string, string, object]>([
    ["NO_CHANGE", "No change is made", { _tag: "AmendRefused", unknownOrder: false }],
    ["POC_FILL_IMMEDIATELY", "Order would match and take", { _tag: "AmendRefused", unknownOrder: false }],
    ["ORDER_CLOSED", "Order already closed", { _tag: "AmendRefused", unknownOrder: true }],
    ["SERVER_ERROR", "Internal server error", { _tag: "AmendInDoubt" }],
  ])("has its change answered by %s as what that says", async (label, message, report) => {
    const order = gateOrder()
    const outcome = await my.outcomeOf(order)
    if (outcome._tag !== "Accepted") throw new Error("the order was not accepted")
    at.exchange.fault({ fault: "answer", match: `${AMEND}${outcome.externalOrderId}`, action: saying(label, message) })
    expect(await new TermsSession(at, my.open).amend(order, change("0.002", "50000"))).toMatchObject(report)
  })
})
