/** Every way in which a submit to Bitstamp can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BitstampSession,
  type BitstampUnderTest,
  bitstampOrder,
  CANCEL,
  PLACE,
  saying,
  startBitstamp,
  TIME,
} from "./bitstamp-kit.ts"

const all = (text: string) => ({ __all__: [text] })

describe("a submit to BITSTAMP", () => {
  let at: BitstampUnderTest
  let my: BitstampSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startBitstamp({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitstampSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, RegExp]>([
    ["too little money", { quantity: "3" }, "INSUFFICIENT_BALANCE", /^You have only .* available/],
    ["an amount off the precision", { quantity: "0.0010000001" }, "INVALID_ORDER", /no more than 8 decimal places/],
    ["a price off the precision", { limitPrice: "50000.5" }, "INVALID_ORDER", /no more than 0 decimal places/],
    ["a value below the smallest", { quantity: "0.0001" }, "INVALID_ORDER", /^Minimum order size is 10.00 USD/],
    ["a price too far above the market", { limitPrice: "80000" }, "INVALID_ORDER", /^Price is more than 20% above/],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    at.exchange.trade("BTC-USD", "BUY", "0.001")
    const order = bitstampOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text: expect.stringMatching(text) })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument that is not listed", async () => {
    const order = bitstampOrder({ instrumentId: "BITSTAMP:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["400.002", saying("400.002", "Request rejected due to exceeded rate limit."), "RATE_LIMITED"],
    ["400.067", saying("400.067", "Request rejected due to exceeded client rate limit."), "RATE_LIMITED"],
    ["400.003", saying("400.003", all("Trading for provided market is disabled.")), "MARKET_CLOSED"],
    ["400.037", saying("400.037", all("Provided order size is too large.")), "INVALID_ORDER"],
    ["a form without a number", answering(200, '{"status":"error","reason":{"price":["Wrong."]}}'), "INVALID_ORDER"],
    ["403.004", saying("403.004", all("Trading is blocked for user."), 403), "ACCOUNT_SUSPENDED"],
    ["404.007", saying("404.007", "Market not found.", 404), "INSTRUMENT_NOT_FOUND"],
    ["500.005", saying("500.005", all("No buy orders for provided market.")), "ORDER_NOT_FILLABLE"],
    ["500.017", saying("500.017", all("Order rejected by matching engine.")), "REJECTED"],
    ["API0003", saying("API0003", "No permission found", 403), "PERMISSION_DENIED"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(bitstampOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["500.016, a time-out of the matching engine", saying("500.016", all("Your request timed out.")), 0],
    ["500.001, a failure of the venue", saying("500.001", "Unknown server error.", 500), 0],
    ["an order that could not be placed", saying("500.003", all("Order could not be placed.")), 0],
    ["a number that is on no list", saying("499.999", "something new"), 0],
    [
      "maintenance in its words",
      answering(503, '{"error":"Bitstamp.net is under scheduled maintenance. We\'ll be back soon."}'),
      0,
    ],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, "{}"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = bitstampOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it.each([
    ["400.019", saying("400.019", all("Provided client_order_id already exists."))],
    ["API0004", saying("API0004", "Invalid nonce", 403)],
  ])(
    "is in doubt when the venue knows our id already, or our request, by %s: an earlier attempt arrived",
    async (_, action) => {
      at.exchange.fault({ fault: "answer", match: PLACE, action })
      const order = bitstampOrder()
      expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
      // Nothing keeps an id unique there: what may have arrived is not sent again, and is asked for.
      expect(my.judged(order)?.count).toBe(1)
    },
  )

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    for (const moved of [200_000, 0]) {
      ahead = moved
      const before = my.count(TIME)
      const order = bitstampOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.count(TIME)).toBeGreaterThan(before)
      expect(my.timesPlaced(order)).toBe(1)
      expect(my.open.last("SessionRefused")).toBeUndefined()
    }
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = bitstampOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(bitstampOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(bitstampOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(bitstampOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    [
      "a failure that is said",
      answering(200, '{"error":"Order cancellation failed due to internal error. Please try again."}'),
    ],
    ["500.019", saying("500.019", all("Error at canceling orders"))],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = bitstampOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })

  it.each(["Order not found", "Order not found."])(
    "has its cancel refused as unknown to the venue by %s",
    async (error) => {
      const order = bitstampOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      at.exchange.fault({ fault: "answer", match: CANCEL, action: answering(200, JSON.stringify({ error })) })
      my.open.session.cancel(refOf(order))
      await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
      expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
    },
  )
})
