/** The private stream of Deribit, its keys, its limits and its clock: real ccxt in a real worker, its loopback exchange behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { DeribitExchange } from "../../../exchanges/deribit/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BTC,
  BUY,
  BY_LABEL,
  CANCEL,
  CHANNELS,
  DERIBIT_BTC,
  DERIBIT_SECRETS,
  DeribitSession,
  type DeribitUnderTest,
  deribitOrder,
  SUMMARIES,
  saying,
  startDeribit,
} from "./deribit-kit.ts"

describe("a session at DERIBIT", () => {
  let at: DeribitUnderTest
  let my: DeribitSession
  beforeAll(async () => {
    at = await startDeribit({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await DeribitSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "x".repeat(43) }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = [my.count(SUMMARIES), my.count("WS public/auth")]
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect([my.count(SUMMARIES), my.count("WS public/auth")]).toEqual(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = deribitOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it("is down and up again after its socket was cut, by another login, and hears of orders again", async () => {
    const logins = my.count("WS public/auth")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    expect(my.count("WS public/auth")).toBe(logins + 1)
    await hearsAgain()
  })

  it.each(CHANNELS)("is up only once the venue has taken the channel %s", async (channel) => {
    at.exchange.fault({ fault: "loseSubscribe", channel, count: 1 })
    const name = `WS subscribe ${channel}`
    const before = my.count(name)
    const later = await at.openSession(my.secrets)
    await until(() => my.count(name) === before + 1, "the subscription")
    expect(later.last("StreamUp")).toBeUndefined()
    await until(() => later.last("StreamUp") !== undefined, "the stream, once the subscription was sent again")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
    expect(my.count(name)).toBeGreaterThan(before + 1)
  })

  it("begins anew after a channel was left out of the answer", async () => {
    at.exchange.fault({ fault: "refuseSubscribe", channel: "user.trades", count: 1 })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")?.reason).toContain("ended the private stream")
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("answers when it is asked whether it is there, and stays up", async () => {
    const answers = my.count("WS public/test")
    for (let i = 1; i <= 2; i++) {
      at.exchange.fault({ fault: "testRequest" })
      await until(() => my.count("WS public/test") === answers + i, "its answer")
    }
    await hearsAgain()
    expect(my.open.last("StreamDown")).toBeUndefined()
  })

  it("tells the orders that are open when it is asked, and what is free and held of each currency", async () => {
    const order = await my.accepted(deribitOrder({ quantity: "0.1" }))
    const later = await at.openSession(my.secrets)
    const open = await at.run(later.session.fetchOpenOrders)
    expect(open.map(({ tradeOrderId }) => tradeOrderId)).toEqual([order.tradeOrderId])
    expect((await at.run(later.session.fetchBalances)).balances).toEqual([
      { asset: "USDC", available: "99750", locked: "250" },
      { asset: "BTC", available: "1", locked: "0" },
    ])
  })

  it("has the market's book, in the venue's digits and beside what the account does", async () => {
    at.source.open("book", DERIBIT_BTC)
    await until(() => at.sink.book.snapshots > 0, "the book")
    expect(at.sink.book.best("bids")?.[0]).toBe("59999.5")
    at.exchange.setLevel(BTC, "bids", "60000.1", "0.7")
    await until(() => at.sink.book.best("bids")?.[0] === "60000.1", "the change")
    expect(at.sink.book.best("bids")).toEqual(["60000.1", "0.7"])
    at.exchange.setLevel(BTC, "bids", "60000.1", "0")
    await until(() => at.sink.book.best("bids")?.[0] === "59999.5", "its end")
  })

  it.each([
    [10_028, "too_many_requests"],
    [10_047, "matching_engine_queue_full"],
  ])("waits with its orders while the venue counts them, and another account's go on: %i", async (code, message) => {
    const other = await DeribitSession.start(at)
    const resting = deribitOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: BUY, action: saying(code, message) })
    expect((await my.outcomeOf(deribitOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(deribitOrder({ notAfter: Date.now() + 50 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(deribitOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("sends its cancels before 30 orders, none of which the venue counts out", { timeout: 90_000 }, async () => {
    const first = deribitOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 30 }, () => deribitOrder({ notAfter: Date.now() + 60_000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(first, my.rows[0]?.order_id ?? ""))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
    const outcome = ({ tradeOrderId }: VenueOrder) =>
      my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
    await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
    expect(at.exchange.refusedCalls()).toBe(0)
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const order = deribitOrder()
    at.exchange.fault({ fault: "answer", match: BY_LABEL, action: { kind: "destroy" }, times: "always" })
    const failed = await at.run(my.open.session.fetchOrder(refOf(order))).catch((error: unknown) => error)
    const other = randomUUID() as TradeOrderId
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(order, "USDC-1"), tradeOrderId: other })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("a login at DERIBIT", () => {
  it("is renewed before it ends, on the same socket, and the stream goes on", async () => {
    const at = await startDeribit({ tokenSeconds: 2 })
    try {
      const my = await DeribitSession.start(at)
      const connects = my.count("WS connect")
      const logins = my.count("WS public/auth")
      // Two of its lives.
      await until(() => my.count("WS public/auth") >= logins + 3, "the renewals")
      const order = await my.accepted(deribitOrder())
      at.exchange.cancelAll(my.secrets.apiKey)
      expect(await my.ended(order)).toMatchObject({ status: "CANCELLED" })
      expect(my.count("WS connect")).toBe(connects)
      expect(my.open.last("StreamDown")).toBeUndefined()
    } finally {
      await at.stop()
    }
  })
})

describe("an account at DERIBIT that the venue lets do less than is thought", () => {
  it("has refused what the venue counted out, and sends nothing twice", { timeout: 60_000 }, async () => {
    const pace = { burst: 10_000, perSecond: 10_000 }
    const at = await startDeribit({}, { change: { privatePace: pace, waits: SOON_LATE } })
    try {
      const my = await DeribitSession.start(at)
      const orders = Array.from({ length: 40 }, () => deribitOrder({ notAfter: Date.now() + 15_000 }))
      for (const order of orders) my.open.session.submit(order)
      const outcome = ({ tradeOrderId }: VenueOrder) =>
        my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
      await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
      expect(at.exchange.refusedCalls()).toBeGreaterThan(0)
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })
})

describe("a key of DERIBIT", () => {
  let at: DeribitUnderTest
  beforeAll(async () => {
    at = await startDeribit()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by questions that change nothing, and names its account", async () => {
    expect(await at.run(at.venue.verify(DERIBIT_SECRETS))).toEqual({ externalAccountId: "96103" })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(43) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...DERIBIT_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    const action = saying(11_051, "system_maintenance", 503)
    at.exchange.fault({ fault: "answer", match: SUMMARIES, action, times: "always" })
    await expect(at.run(at.venue.verify(DERIBIT_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

const ANY: SessionAt<DeribitExchange> = {
  venue: "DERIBIT",
  start: startDeribit,
  enter: DeribitSession.start,
  order: deribitOrder,
  place: BUY,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => deribitOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
