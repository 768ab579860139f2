/** Every way in which a submit to OKX can fail becomes the one right report: refused, not sent, or in doubt (contract C3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  answering,
  OkxSession,
  type OkxUnderTest,
  okxOrder,
  operation,
  PLACE,
  startOkx,
  TIME,
  WAYS,
} from "./okx-kit.ts"

describe.each(WAYS)("a submit to OKX by %s", (_way, options, { place }) => {
  let at: OkxUnderTest
  let my: OkxSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startOkx({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE }, ...options })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await OkxSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  it.each<[string, Partial<VenueOrder>, string]>([
    ["too little money", { quantity: "4", limitPrice: "59000" }, "INSUFFICIENT_BALANCE"],
    ["a size below the smallest", { quantity: "0.000001" }, "INVALID_ORDER"],
    ["a price off the tick, of which ccxt knows nothing", { limitPrice: "50000.01" }, "INVALID_ORDER"],
    ["an instrument nobody lists", { instrumentId: "OKX:FOO/BAR" as InstrumentId }, "INSTRUMENT_NOT_FOUND"],
  ])("is refused definitely for %s", async (_, change, code) => {
    const order = okxOrder(change)
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code })
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("gives the venue's own words and code of a refused operation", async () => {
    const order = okxOrder({ quantity: "4", limitPrice: "59000" })
    expect(await my.outcomeOf(order)).toMatchObject({ text: "Order failed. Insufficient USDT balance in account." })
  })

  it.each<[string, AnswerFault, string]>([
    ["HTTP 429 in the venue's words", answering(429, '{"msg":"Too Many Requests","code":"50011"}'), "RATE_LIMITED"],
    ["HTTP 429 of a gateway", answering(429, "<html>429</html>"), "RATE_LIMITED"],
    [
      "the account's order limit",
      operation("50061", "You've reached the maximum order rate limit for this account."),
      "RATE_LIMITED",
    ],
    ["a suspended instrument", operation("51022", "Instrument suspended."), "MARKET_CLOSED"],
    [
      "the law",
      operation("50052", "Due to local laws and regulations, you cannot trade with your chosen crypto."),
      "RESTRICTED_LOCATION",
    ],
  ])("is refused definitely by %s", async (_, action, code) => {
    at.exchange.fault({ fault: "answer", match: place, action })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code })
  })

  it.each<[string, AnswerFault, number]>([
    [
      "50004: no word on success or failure",
      answering(400, '{"code":"50004","data":[],"msg":"API endpoint request timeout."}'),
      0,
    ],
    ["51149 of the operation", operation("51149", "Order timed out. Please try again later."), 0],
    ["50026 under HTTP 500", answering(500, '{"code":"50026","data":[],"msg":"System error. Try again later"}'), 0],
    [
      "50013 under HTTP 429: busy, not limited",
      answering(429, '{"code":"50013","data":[],"msg":"Systems are busy."}'),
      0,
    ],
    ["a code nobody has heard of", operation("51999", "Something new."), 0],
    ["an answer without an order", answering(200, '{"code":"0","data":[],"msg":""}'), 0],
    ["403 of a firewall", answering(403, "<html>WAF</html>"), 0],
    ["a connection cut before the order was taken", { kind: "destroy" }, 0],
    ["a connection cut after the order was taken", { kind: "apply-then-destroy" }, 1],
    ["502 after the order was taken", { kind: "apply-then-status", status: 502 }, 1],
    [
      "50004 after the order was taken",
      { kind: "apply-then-status", status: 400, body: '{"code":"50004","data":[],"msg":"timeout"}' },
      1,
    ],
    ["no answer after the order was taken", { kind: "apply-then-hang" }, 1],
  ])("is in doubt after %s, and only the venue can tell", async (_, action, placed) => {
    at.exchange.fault({ fault: "answer", match: place, action })
    const order = okxOrder()
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(my.timesPlaced(order)).toBe(placed)
    expect((await my.lookup(order))._tag).toBe(placed === 1 ? "Found" : "NotFound")
    // Never sent twice, whatever the answer.
    expect(my.judged(order)?.count).toBe(1)
  })

  it("is in doubt when the venue knows our id already: an earlier attempt arrived", async () => {
    const order = okxOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    my.open.session.submit({ ...order, notAfter: Date.now() + 10_000 })
    await until(() => my.open.last("InDoubt") !== undefined, "the doubt")
    expect(my.open.last("InDoubt")?.reason).toMatch(/^DUPLICATE_CLIENT_ORDER_ID/)
    expect(my.timesPlaced(order)).toBe(1)
  })

  it("is placed by nobody once its expiry has passed on the way", async () => {
    // Its sender has given up before it arrives, and by the venue's clock it was under way for longer than it may be.
    at.exchange.fault({ fault: "answer", match: place, action: { kind: "delay", millis: 3000 } })
    const order = okxOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt", reason: "VENUE_TIMEOUT" })
    ahead = 6000
    await until(() => my.judged(order)?.refusals.length === 1, "the venue's look at its clock")
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0, refusals: [50036] })
    expect((await my.lookup(order))._tag).toBe("NotFound")
  })

  it("is not sent once its time has passed, although the session is idle", async () => {
    const before = my.count(place)
    const order = okxOrder({ notAfter: Date.now() - 1 })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("TOO_LATE") })
    expect(my.count(place)).toBe(before)
  })

  it("is not sent when nobody listens at the venue: no byte left this host", async () => {
    const gone = await startOkx({}, options)
    const there = await gone.openSession()
    await gone.exchange.stop()
    // Until then its socket looks open from here, and what is written to it is in doubt.
    await until(() => there.last("StreamDown") !== undefined, "the end of its sockets")
    const order = okxOrder()
    there.session.submit(order)
    await until(() => there.about(order.tradeOrderId).length > 0, "an outcome")
    expect(there.last("NotSent")?.reason).toContain("VENUE_UNREACHABLE")
    expect(there.about(order.tradeOrderId)).toEqual(["NotSent"])
    await gone.stop()
  })

  it("measures the venue's clock again when it is told that its own is wrong, and sends once more", async () => {
    const action = answering(401, '{"msg":"Timestamp request expired.","code":"50102"}')
    at.exchange.fault({ fault: "answer", match: place, action })
    const before = my.count(TIME)
    const order = okxOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(my.count(TIME)).toBe(before + 1)
    expect(my.timesPlaced(order)).toBe(1)
  })

  it("is refused for good when its key is deleted after it has worked", async () => {
    expect((await my.outcomeOf(okxOrder()))._tag).toBe("Accepted")
    at.exchange.removeUser(my.secrets.apiKey)
    // The socket says that it has no login; the next one says why.
    const said = place === PLACE ? { _tag: "Refused", code: "VENUE_AUTHENTICATION" } : { _tag: "InDoubt" }
    expect(await my.outcomeOf(okxOrder())).toMatchObject(said)
    await until(() => my.open.last("SessionRefused") !== undefined, "the session's end")
    const requests = my.count(place)
    expect((await my.outcomeOf(okxOrder()))._tag).toBe("NotSent")
    expect(my.count(place)).toBe(requests)
  })

  it("goes on after an order that is forbidden for its own sake", async () => {
    at.exchange.fault({ fault: "answer", match: place, action: operation("50030", "You don't have permission") })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code: "PERMISSION_DENIED" })
    expect((await my.outcomeOf(okxOrder()))._tag).toBe("Accepted")
    expect(my.open.last("SessionRefused")).toBeUndefined()
  })
})
