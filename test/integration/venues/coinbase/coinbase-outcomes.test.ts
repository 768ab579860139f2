/** Every way in which a submit to Coinbase can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  CANCEL,
  CoinbaseSession,
  type CoinbaseUnderTest,
  coinbaseOrder,
  failing,
  PLACE,
  refusing,
  startCoinbase,
  TIME,
} from "./coinbase-kit.ts"

describe("a submit to COINBASE", () => {
  let at: CoinbaseUnderTest
  let my: CoinbaseSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startCoinbase({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await CoinbaseSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    [
      "too little money, fee and all",
      { quantity: "2", limitPrice: "49900" },
      "INSUFFICIENT_BALANCE",
      "Insufficient balance in source account",
    ],
    ["a size below the smallest", { quantity: "0.00001" }, "INVALID_ORDER", "INVALID_BASE_SIZE_TOO_SMALL"],
    ["a price off the increment", { limitPrice: "50000.001" }, "INVALID_ORDER", "Too many decimals in order price"],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = coinbaseOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused definitely for an instrument nobody lists", async () => {
    const order = coinbaseOrder({ instrumentId: "COINBASE:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
  })

  it.each<[string, AnswerFault, string]>([
    ["429 in the venue's words", failing(429, "rate_limit_exceeded"), "RATE_LIMITED"],
    ["429 of what stands before it", answering(429, "<html>429</html>"), "RATE_LIMITED"],
    ["funds under another name", refusing("INSUFFICIENT_FUNDS"), "INSUFFICIENT_BALANCE"],
    ["a preview that says more", refusing("UNKNOWN_FAILURE_REASON", "PREVIEW_INVALID_LIMIT_PRICE"), "INVALID_ORDER"],
    ["a product that takes no orders", refusing("ORDER_ENTRY_DISABLED"), "MARKET_CLOSED"],
    ["a pair that is not for sale", refusing("INELIGIBLE_PAIR"), "MARKET_CLOSED"],
    ["the law", refusing("GEOFENCING_RESTRICTION"), "RESTRICTED_LOCATION"],
    ["the engine", refusing("COMMANDER_REJECTED_NEW_ORDER"), "REJECTED"],
    ["an argument that is wrong", failing(400, "INVALID_ARGUMENT"), "INVALID_ARGUMENT"],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(coinbaseOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["a failure without a reason", refusing("UNKNOWN_FAILURE_REASON"), 0],
    ["a reason nobody has heard of", refusing("SOMETHING_NEW"), 0],
    ["500 in the venue's words", failing(500, "INTERNAL", "internal"), 0],
    ["internal_server_error", failing(500, "internal_server_error"), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, '{"success":true}'), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a deadline that is said after the order was taken",
      { kind: "apply-then-status", status: 504, body: '{"error":"DEADLINE_EXCEEDED","message":"deadline exceeded"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    const order = coinbaseOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("makes no second order when the venue knows our id already: it names the one that has it", async () => {
    const order = coinbaseOrder()
    const first = await my.outcomeOf(order)
    my.open.reports.length = 0
    const again = await my.outcomeOf({ ...order, notAfter: Date.now() + 10_000 })
    expect(again).toMatchObject({ _tag: "Accepted" })
    expect({ ...again, at: 0 }).toEqual({ ...first, at: 0 })
    expect(my.timesPlaced(order)).toBe(1)
    expect(my.judged(order)).toMatchObject({ count: 2, created: 1 })
  })

  it("measures the venue's clock again before it believes that its key is wrong, and sends once more", async () => {
    for (const moved of [600_000, 0]) {
      ahead = moved
      const before = my.count(TIME)
      const order = coinbaseOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.count(TIME)).toBe(before + 2)
      expect(my.timesPlaced(order)).toBe(1)
    }
  })

  it("keeps its key when several requests of a wrong clock are refused, and one of them late", async () => {
    // Behind the question for the time; a busy machine has the rest of the 2 s that an answer may take.
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 300 } })
    ahead = 600_000
    const orders = Array.from({ length: 5 }, () => coinbaseOrder())
    for (const order of orders) my.open.session.submit(order)
    const outcome = ({ tradeOrderId }: VenueOrder) => my.open.about(tradeOrderId)
    const isKnown = (tag: string): boolean => tag !== "OrderSeen"
    await until(() => orders.every((order) => outcome(order).some(isKnown)), "an outcome of all")
    expect(orders.map((order) => outcome(order).find(isKnown))).toEqual(orders.map(() => "Accepted"))
    expect(my.open.last("SessionRefused")).toBeUndefined()
    expect(orders.map((order) => my.timesPlaced(order))).toEqual([1, 1, 1, 1, 1])
    ahead = 0
    expect(await my.outcomeOf(coinbaseOrder())).toMatchObject({ _tag: "Accepted" })
  })

  it("keeps its key when the venue does not tell whether the clock is wrong", async () => {
    for (const action of [failing(429, "rate_limit_exceeded"), answering(503, "<html>maintenance</html>")]) {
      ahead = 600_000 - ahead
      at.exchange.fault({ fault: "answer", match: TIME, action })
      expect(await my.outcomeOf(coinbaseOrder())).toMatchObject({ _tag: "Accepted" })
      expect(my.open.last("SessionRefused")).toBeUndefined()
    }
  })

  it("is placed by nobody once its token has expired on the way", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 3000 } })
    const order = coinbaseOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 130_000
    expect((await my.lookup(order))._tag).toBe("NotFound")
    await until(() => my.judged(order)?.count === 1, "the request")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
    ahead = 0
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(PLACE)
    const order = coinbaseOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(PLACE)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(coinbaseOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(coinbaseOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(PLACE)
    expect((await my.outcomeOf(coinbaseOrder()))._tag).toBe("NotSent")
    expect(my.count(PLACE)).toBe(requests)
  })

  const cancelSaying = (failure_reason: string): AnswerFault =>
    answering(200, JSON.stringify({ results: [{ success: false, failure_reason, order_id: my.rows[0]?.order_id }] }))

  it.each<[string, () => AnswerFault]>([
    ["a cancel that is under way", () => cancelSaying("DUPLICATE_CANCEL_REQUEST")],
    ["a change that is under way", () => cancelSaying("ORDER_IS_BEING_REPLACED")],
    ["a refusal of the engine", () => cancelSaying("COMMANDER_REJECTED_CANCEL_ORDER")],
    ["a failure without a reason", () => cancelSaying("UNKNOWN_CANCEL_FAILURE_REASON")],
    ["an answer about nothing", () => answering(200, '{"results":[]}')],
    ["no answer after it was taken", () => ({ kind: "apply-then-hang" })],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = coinbaseOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: CANCEL, action: action() })
    my.open.session.cancel(refOf(order, my.rows[0]?.order_id))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
