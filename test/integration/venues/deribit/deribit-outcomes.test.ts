/** Every way in which a submit to Deribit can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { connectDeribit } from "../../../exchanges/ccxt-client.ts"
import { answering, refOf } from "../loopback-session.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BUY,
  BY_LABEL,
  CANCEL,
  DeribitSession,
  type DeribitUnderTest,
  deribitOrder,
  INVERSE_BTC,
  labelOf,
  SELL,
  saying,
  startDeribit,
  TIME,
} from "./deribit-kit.ts"

describe("a submit to DERIBIT", () => {
  let at: DeribitUnderTest
  let my: DeribitSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    const change = { waits: SOON_LATE, privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startDeribit({ clockAheadMillis: () => ahead, isLimited: false }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await DeribitSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  it.each<[string, Partial<VenueOrder>, string, string]>([
    ["too little margin", { quantity: "41" }, "INSUFFICIENT_BALANCE", "not_enough_funds"],
    ["a quantity off the step", { quantity: "0.00015" }, "INVALID_ORDER", "invalid_amount"],
    ["a quantity below the least", { quantity: "0.00001" }, "INVALID_ORDER", "qty_too_low"],
    ["a price off the tick", { limitPrice: "50000.01" }, "INVALID_ORDER", "price_wrong_tick"],
    [
      "a post-only order that would take",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      "WOULD_TAKE",
      "post_only_reject",
    ],
    [
      "a reduce-only order of nothing",
      { orderSide: "SELL", limitPrice: "70000", reduceOnly: true },
      "REJECTED",
      "other_reject",
    ],
  ])("is refused definitely for %s, in the venue's words", async (_, change, code, text) => {
    const order = deribitOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code, text })
    expect(my.timesPlaced(order)).toBe(0)
    // It is no order: nobody finds it by its label.
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })

  it("is refused definitely where it would meet another of its account", async () => {
    await my.accepted(deribitOrder({ limitPrice: "60000.2" }))
    const order = deribitOrder({ orderSide: "SELL", limitPrice: "60000.1" })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "REJECTED", text: "order_overlap" })
  })

  it("is refused definitely for an instrument nobody lists; of an inverse contract nothing leaves", async () => {
    const order = deribitOrder({ instrumentId: "DERIBIT:FOO/BAR" as InstrumentId })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "INSTRUMENT_NOT_FOUND" })
    const sent = [my.count(BUY), my.count(SELL)]
    for (const orderSide of ["BUY", "SELL"] as const) {
      const inverse = deribitOrder({ instrumentId: INVERSE_BTC, orderSide, quantity: "10" })
      expect(await my.outcomeOf(inverse)).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    }
    expect([my.count(BUY), my.count(SELL)]).toEqual(sent)
  })

  it.each<[number, string, string]>([
    [10_002, "qty_too_low", "INVALID_ORDER"],
    [10_003, "order_overlap", "REJECTED"],
    [10_005, "price_too_low 100", "INVALID_ORDER"],
    [10_012, "book_closed", "MARKET_CLOSED"],
    [10_018, "non_pme_max_future_position_size", "REJECTED"],
    [10_019, "locked_by_admin", "MARKET_CLOSED"],
    [10_020, "invalid_or_unsupported_instrument", "INSTRUMENT_NOT_FOUND"],
    [10_028, "too_many_requests", "RATE_LIMITED"],
    [10_031, "invalid_args_for_instrument", "INVALID_ARGUMENT"],
    [10_039, "not_enough_funds_in_currency", "INSUFFICIENT_BALANCE"],
    [10_043, "price_wrong_tick", "INVALID_ORDER"],
    [10_047, "matching_engine_queue_full", "RATE_LIMITED"],
    [11_030, "other_reject", "REJECTED"],
    [11_050, "bad_request", "INVALID_ARGUMENT"],
    [11_054, "post_only_reject", "WOULD_TAKE"],
    [11_055, "post_only_not_allowed", "INVALID_ORDER"],
    [13_012, "unavailable_in_subaccount", "PERMISSION_DENIED"],
    [13_019, "orderbook_closed", "MARKET_CLOSED"],
    [13_020, "instrument_not_found", "INSTRUMENT_NOT_FOUND"],
    [13_025, "method_switched_off_by_admin", "MARKET_CLOSED"],
    [-32_602, "Invalid params", "INVALID_ARGUMENT"],
  ])("is refused definitely by %i %s", async (number, message, code) => {
    at.exchange.fault({ fault: "answer", match: BUY, action: saying(number, message) })
    expect(await my.outcomeOf(deribitOrder())).toMatchObject({ _tag: "Refused", code })
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it.each<[string, AnswerFault, number]>([
    ["10001 error", saying(10_001, "error"), 0],
    ["10040 retry", saying(10_040, "retry"), 0],
    ["10041 settlement_in_progress", saying(10_041, "settlement_in_progress"), 0],
    ["11031 other_error", saying(11_031, "other_error"), 0],
    ["11051 system_maintenance", saying(11_051, "system_maintenance", 503), 0],
    ["11094 internal_server_error", saying(11_094, "internal_server_error", 500), 0],
    ["13028 temporarily_unavailable", saying(13_028, "temporarily_unavailable"), 0],
    ["13503 unavailable", saying(13_503, "unavailable"), 0],
    ["13888 timed_out", saying(13_888, "timed_out"), 0],
    ["a code nobody has heard of", saying(19_999, "something_new"), 0],
    ["maintenance under HTTP 503", answering(503, "<html>maintenance</html>"), 0],
    ["an answer without an order", answering(200, '{"jsonrpc":"2.0","result":{"trades":[]}}'), 0],
    ["an answer without a result", answering(200, '{"jsonrpc":"2.0"}'), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "a failure that is said after the order was taken",
      { kind: "apply-then-status", status: 400, body: '{"jsonrpc":"2.0","error":{"code":10040,"message":"retry"}}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell, by its label", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: BUY, action })
    const order = deribitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    const before = my.count(BY_LABEL)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    expect(my.count(BY_LABEL)).toBe(before + 1)
    // Never sent twice, whatever the answer: nothing at the venue keeps a label from naming two orders.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is found by its label though another program's order has the same: the first of them is it", async () => {
    const order = await my.accepted(deribitOrder())
    const elsewhere = await connectDeribit(at.exchange.routes, {
      apiKey: my.secrets.apiKey,
      secret: my.secrets.apiSecret,
    })
    await elsewhere.createOrder("BTC/USDC:USDC", "limit", "sell", 0.002, 70_000, { label: labelOf(order) })
    await elsewhere.close()
    expect(my.rows.map(({ label }) => label)).toEqual([labelOf(order), labelOf(order)])
    expect(await my.lookup(order)).toMatchObject({ state: { externalOrderId: my.rows[0]?.order_id, orderSide: "BUY" } })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    // The other's stands.
    expect(my.rows.map(({ order_state }) => order_state)).toEqual(["cancelled", "open"])
  })

  it("is not placed once its window has passed on the way", async () => {
    at.exchange.fault({ fault: "answer", match: BUY, action: { kind: "delay", millis: 3000 } })
    const order = deribitOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    await until(() => my.judged(order)?.refusals.length === 1, "its arrival")
    expect(my.judged(order)).toMatchObject({ created: 0, refusals: [13_888] })
    expect((await my.lookup(order))._tag).toBe("NotFound")
  })

  it.each([
    ["a window that had passed when it came", 20_000],
    ["a signature that was too old", 90_000],
    ["one of the future", -90_000],
  ])("is sent once more, by the venue's clock, when it was refused for ours alone: %s", async (_, millis) => {
    ahead = millis
    const [before, read] = [my.count(BUY), my.count(TIME)]
    const order = deribitOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect([my.count(BUY), my.count(TIME)]).toEqual([before + 2, read + 1])
    expect(my.timesPlaced(order)).toBe(1)
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(BUY)
    const order = deribitOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(BUY)).toBe(before)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(deribitOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    expect(await my.outcomeOf(deribitOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(BUY)
    expect((await my.outcomeOf(deribitOrder()))._tag).toBe("NotSent")
    expect(my.count(BUY)).toBe(requests)
  })

  it.each<[string, AnswerFault]>([
    ["retry", saying(10_040, "retry")],
    ["settlement_in_progress", saying(10_041, "settlement_in_progress")],
    ["503", answering(503, "<html>maintenance</html>")],
    ["no answer after it was taken", { kind: "apply-then-hang" }],
  ])("leaves its cancel in doubt after %s", async (_, action) => {
    const order = await my.accepted(deribitOrder())
    at.exchange.fault({ fault: "answer", match: CANCEL, action })
    my.open.session.cancel(refOf(order, my.rows[0]?.order_id ?? ""))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelRefused")).toBeUndefined()
  })
})
