/** The private stream of Bybit, its keys, its limits and its clock: real ccxt in a real worker, the loopback Bybit behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BybitExchange } from "../../../exchanges/bybit/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BYBIT_SECRETS,
  BybitSession,
  type BybitUnderTest,
  bybitOrder,
  CANCEL,
  PLACE,
  SHOW,
  saying,
  startBybit,
} from "./bybit-kit.ts"

const WALLET = "GET /v5/account/wallet-balance"

describe("a session at BYBIT", () => {
  let at: BybitUnderTest
  let my: BybitSession
  beforeAll(async () => {
    at = await startBybit({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BybitSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "X".repeat(32) }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = my.count(WALLET)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(WALLET)).toBe(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = bybitOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it("is down and up again after its socket was cut, and hears of orders again", async () => {
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    await hearsAgain()
  })

  it.each(["order", "execution", "wallet"])("is up only once the venue has taken the topic %s", async (topic) => {
    at.exchange.fault({ fault: "loseSubscribe", topic, count: 1 })
    const name = `WS subscribe ${topic}`
    const before = my.count(name)
    const later = await at.openSession(my.secrets)
    await until(() => my.count(name) === before + 1, "the subscription")
    expect(later.last("StreamUp")).toBeUndefined()
    await until(() => later.last("StreamUp") !== undefined, "the stream, once the subscription was sent again")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
    expect(my.count(name)).toBeGreaterThan(before + 1)
  })

  it("begins anew after a topic was refused", async () => {
    at.exchange.fault({ fault: "refuseSubscribe", topic: "execution", count: 1, retMsg: "error:too many topics" })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
  })

  it("logs in again after a login that was never answered, and after one that the venue failed", async () => {
    at.exchange.fault({ fault: "answer", match: "WS auth", action: { kind: "hang" } })
    at.exchange.fault({ fault: "answer", match: "WS auth", action: answering(0, "error:system busy") })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("has the order of another program as one that is not ours", async () => {
    my.push({
      topic: "order",
      creationTime: Date.now(),
      data: [
        {
          category: "spot",
          symbol: "BTCUSDT",
          orderId: "4711",
          orderLinkId: "their-own",
          side: "Sell",
          orderType: "Limit",
          timeInForce: "GTC",
          price: "70000",
          qty: "1",
          cumExecQty: "0",
          cumExecValue: "0",
          leavesQty: "1",
          orderStatus: "New",
          cancelType: "UNKNOWN",
          rejectReason: "EC_NoError",
          createdTime: "1700000000000",
          updatedTime: "1700000000001",
        },
      ],
    })
    await until(() => my.states.length > 0, "the order")
    expect(my.states).toMatchObject([
      { externalOrderId: "4711", tradeOrderId: null, clientId: "their-own", quantity: "1" },
    ])
  })

  it("sends its cancels before 60 orders, and what the venue counted out of them it has refused, and nothing else", {
    timeout: 90_000,
  }, async () => {
    const first = bybitOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 60 }, () => bybitOrder({ notAfter: Date.now() + 60_000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(first))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
    const outcome = ({ tradeOrderId }: VenueOrder) =>
      my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
    await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await BybitSession.start(at)
    const resting = bybitOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    const body = JSON.stringify({ retCode: 10006, retMsg: "Too many visits. Exceeded the API Rate Limit." })
    const headers = { "X-Bapi-Limit-Reset-Timestamp": String(Date.now() + 60_000) }
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "status", status: 200, body, headers } })
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(bybitOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(bybitOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: 8 })
    const failed = await at.run(my.open.session.fetchOrder(refOf(bybitOrder()))).catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(bybitOrder()), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const origin = `error sign! origin_string[1672211918471${my.secrets.apiKey}5000{"symbol":"BTCUSDT"}]`
    at.exchange.fault({ fault: "answer", match: PLACE, action: saying(10004, origin) })
    expect(await my.outcomeOf(bybitOrder())).toMatchObject({ _tag: "Refused", text: "error sign!" })
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("a key of BYBIT", () => {
  let at: BybitUnderTest
  beforeAll(async () => {
    at = await startBybit()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing", async () => {
    expect(await at.run(at.venue.verify(BYBIT_SECRETS))).toEqual({
      externalAccountId: expect.stringMatching(/^246\d+$/),
    })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(32) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...BYBIT_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    at.exchange.fault({ fault: "answer", match: WALLET, action: saying(10016, "Server error."), times: "always" })
    await expect(at.run(at.venue.verify(BYBIT_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

const ANY: SessionAt<BybitExchange> = {
  venue: "BYBIT",
  start: startBybit,
  enter: BybitSession.start,
  order: bybitOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403, access too frequent", answering(403, "access too frequent")],
  ["10009 under HTTP 200", saying(10009, "IP has been banned.")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => bybitOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
