/** The private stream of Binance USDⓈ-M, its listen keys, its limits and its clock: real ccxt in a real worker, the loopback exchange behind it. */
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { UsdmExchange } from "../../../exchanges/binance-usdm/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { profileOf, SOON_LATE, until } from "../venue-kit.ts"
import {
  ACCOUNT,
  CANCEL,
  KEEP_KEY,
  NEW_KEY,
  PLACE,
  SHOW,
  saying,
  startUsdm,
  USDM_SECRETS,
  UsdmSession,
  type UsdmUnderTest,
  usdmOrder,
} from "./usdm-kit.ts"

const LIST = "GET /fapi/v1/openOrders"

describe("a session at BINANCEUSDM", () => {
  let at: UsdmUnderTest
  let my: UsdmSession
  beforeAll(async () => {
    at = await startUsdm({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await UsdmSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "X".repeat(64) }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s with the first question, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    const asked = my.count(ACCOUNT)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(ACCOUNT)).toBe(asked)
  })

  const streamTags = () => my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))

  const hearsAgain = async (): Promise<void> => {
    const order = usdmOrder()
    my.open.session.submit(order)
    const states = () => my.states.filter(({ tradeOrderId }) => tradeOrderId === order.tradeOrderId)
    // The answer to the order is one; the stream tells the other.
    await until(() => states().length > 1, "its event")
  }

  it("is down and up again after its socket was cut, and hears of orders again", async () => {
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(streamTags()).toEqual(["StreamDown", "StreamUp"])
    await hearsAgain()
  })

  it("is up only when the socket of its listen key is there", async () => {
    at.exchange.fault({ fault: "refuseWebSockets", on: true })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamDown") !== undefined, "the dial that was refused")
    expect(later.last("StreamUp")).toBeUndefined()
    at.exchange.fault({ fault: "refuseWebSockets", on: false })
    await until(() => later.last("StreamUp") !== undefined, "the stream")
  })

  it("begins anew with another listen key when its own has expired, and hears of orders again", async () => {
    my.open.reports.length = 0
    const asked = my.count(NEW_KEY)
    at.exchange.fault({ fault: "expireListenKey", apiKey: my.secrets.apiKey, isTold: true })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(streamTags()).toEqual(["StreamDown", "StreamUp"])
    expect(my.count(NEW_KEY)).toBe(asked + 1)
    await hearsAgain()
  })

  it("asks for another listen key when it gets none", async () => {
    at.exchange.fault({ fault: "answer", match: NEW_KEY, action: answering(200, "{}") })
    at.exchange.fault({ fault: "answer", match: NEW_KEY, action: { kind: "hang" } })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await UsdmSession.start(at)
    const resting = usdmOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    const body = JSON.stringify({ code: -1015, msg: "Too many new orders; current limit is 300 orders per 10 SECOND." })
    const headers = { "Retry-After": "60" }
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "status", status: 429, body, headers } })
    expect((await my.outcomeOf(usdmOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(usdmOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(usdmOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: 8 })
    const failed = await at.run(my.open.session.fetchOrder(refOf(usdmOrder()))).catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel(refOf(usdmOrder()))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:|listenKey=/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("many orders at once at BINANCEUSDM", () => {
  let at: UsdmUnderTest
  let my: UsdmSession
  beforeAll(async () => {
    // On a busy machine the last of hundreds is answered seconds later: none is to be in doubt for that.
    at = await startUsdm({}, { change: { waits: { requestMillis: 30_000 } } })
  })
  afterAll(() => at.stop())
  // Orders are counted by account.
  beforeEach(async () => {
    my = await UsdmSession.start(at)
  })

  it("sends its cancels before 60 orders", { timeout: 90_000 }, async () => {
    const first = usdmOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 60 }, () => usdmOrder({ notAfter: Date.now() + 60_000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(first))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    await until(
      () => orders.every(({ tradeOrderId }) => my.open.about(tradeOrderId).includes("Accepted")),
      "an outcome of all of them",
    )
    for (const order of orders) expect(my.timesPlaced(order)).toBe(1)
  })

  it("sends no more orders than the venue takes of an account: what must wait too long is not sent", {
    timeout: 90_000,
  }, async () => {
    const refused = at.exchange.refusedCalls()
    const orders = Array.from({ length: 320 }, () => usdmOrder({ notAfter: Date.now() + 60_000 }))
    for (const order of orders) my.open.session.submit(order)
    const outcome = ({ tradeOrderId }: VenueOrder) =>
      my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
    await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
    const sent = orders.filter((order) => outcome(order) === "Accepted")
    expect(sent.length).toBeGreaterThan(250)
    expect(orders.filter((order) => outcome(order) === "NotSent")).toHaveLength(orders.length - sent.length)
    expect([my.rows.length, at.exchange.refusedCalls()]).toEqual([sent.length, refused])
    // Cancels are not counted.
    const [first] = sent
    my.open.session.cancel(refOf(first!))
    await until(() => my.open.last("CancelAccepted") !== undefined, "a cancel")
  })
})

describe("a listen key of BINANCEUSDM", () => {
  let at: UsdmUnderTest
  beforeAll(async () => {
    const { options } = profileOf("BINANCEUSDM")
    at = await startUsdm({}, { change: { waits: SOON_LATE, options: { ...options, listenKeyRefreshRate: 100 } } })
  })
  afterAll(() => at.stop())
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it("is kept alive, and by one timer however often the stream began anew", async () => {
    const my = await UsdmSession.start(at)
    for (let n = 0; n < 3; n++) {
      my.open.reports.length = 0
      at.exchange.fault({ fault: "closeSockets", kind: "user" })
      await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    }
    const before = my.count(KEEP_KEY)
    const began = performance.now()
    await until(() => my.count(KEEP_KEY) >= before + 10, "ten times")
    // Four timers would have needed a quarter of it.
    expect(performance.now() - began).toBeGreaterThan(800)
    expect(my.open.last("StreamDown")).toBeDefined()
  })

  it("that the venue has forgotten is replaced, and the account keeps its session", async () => {
    const my = await UsdmSession.start(at)
    my.open.reports.length = 0
    at.exchange.fault({ fault: "expireListenKey", apiKey: my.secrets.apiKey, isTold: false })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.last("SessionRefused")).toBeUndefined()
    expect((await my.outcomeOf(usdmOrder()))._tag).toBe("Accepted")
  })

  it("that could not be kept once is kept the next time, and its stream stays", async () => {
    const my = await UsdmSession.start(at)
    my.open.reports.length = 0
    at.exchange.fault({ fault: "answer", match: KEEP_KEY, action: answering(503, "<html>503</html>"), times: 2 })
    const before = my.count(KEEP_KEY)
    await until(() => my.count(KEEP_KEY) >= before + 5, "five times")
    expect(my.open.reports).toEqual([])
  })

  it("is left alone once the session is closed", async () => {
    const my = await UsdmSession.start(at)
    await until(() => my.count(KEEP_KEY) > 0, "the first time")
    await at.endSessions()
    const other = await UsdmSession.start(at)
    const before = my.count(KEEP_KEY)
    const began = performance.now()
    await until(() => other.count(KEEP_KEY) >= before + 10, "ten times of the other")
    expect(performance.now() - began).toBeGreaterThan(800)
  })
})

describe("a key of BINANCEUSDM", () => {
  let at: UsdmUnderTest
  beforeAll(async () => {
    at = await startUsdm()
  })
  afterAll(() => at.stop())
  afterEach(() => {
    at.exchange.setDualSide(USDM_SECRETS.apiKey, false)
    at.exchange.fault({ fault: "clear" })
  })

  it("is proved by questions that change nothing, and names the account", async () => {
    expect(await at.run(at.venue.verify(USDM_SECRETS))).toEqual({ externalAccountId: expect.stringMatching(/^\w+$/) })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(64) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...USDM_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    at.exchange.fault({ fault: "answer", match: ACCOUNT, action: saying(503, -1000, "Unknown error"), times: "always" })
    await expect(at.run(at.venue.verify(USDM_SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it("of an account that keeps long and short apart is not taken, and says why", async () => {
    at.exchange.setDualSide(USDM_SECRETS.apiKey, true)
    expect(await at.run(Effect.flip(at.venue.verify(USDM_SECRETS)))).toMatchObject({
      _tag: "NotSupportedByVenue",
      feature: expect.stringMatching(/hedge mode/),
    })
  })
})

describe("the requests of one address to BINANCEUSDM", () => {
  it("weigh what they weigh there, and stay below its limit; a cancel goes all the same", async () => {
    const at = await startUsdm({}, { change: { waits: SOON_LATE } })
    try {
      const my = await UsdmSession.start(at)
      const order = usdmOrder()
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      const lists = Array.from({ length: 80 }, () => at.run(Effect.either(my.open.session.forProof!.fetchOpenOrders)))
      // 40 of 2,400 each.
      await until(() => my.count(LIST) > 50, "what has room")
      my.open.session.cancel(refOf(order))
      await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
      expect(my.count(LIST)).toBeLessThanOrEqual(60)
      expect(at.exchange.refusedCalls()).toBe(0)
      void Promise.all(lists)
    } finally {
      await at.stop()
    }
  })
})

const ANY: SessionAt<UsdmExchange> = {
  venue: "BINANCEUSDM",
  start: startUsdm,
  enter: UsdmSession.start,
  order: usdmOrder,
  place: PLACE,
}

describeBans(ANY, [["418 in the venue's words", saying(418, -1003, "Way too much request weight used; IP banned.")]])
describeDeath(ANY)
describeClocks(ANY, 90_000, () => usdmOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
