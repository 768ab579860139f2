/** The private stream of Kraken Futures, its keys, its limits and its clock: real ccxt in a real worker, its loopback exchange behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { KrakenFuturesExchange } from "../../../exchanges/kraken-futures/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  ACCOUNTS,
  BTC,
  CANCEL,
  EXECUTIONS,
  FEEDS,
  FUTURES_BTC,
  FUTURES_SECRETS,
  FuturesSession,
  type FuturesUnderTest,
  futuresOrder,
  PLACE,
  STATUS,
  saying,
  startFutures,
} from "./futures-kit.ts"

describe("a session at KRAKENFUTURES", () => {
  let at: FuturesUnderTest
  let my: FuturesSession
  beforeAll(async () => {
    at = await startFutures({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await FuturesSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: Buffer.from("x".repeat(48)).toString("base64") }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = my.count(ACCOUNTS)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(ACCOUNTS)).toBe(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = futuresOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it("is down and up again after its socket was cut, by another challenge, and hears of orders again", async () => {
    const challenges = my.count("WS challenge")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    expect(my.count("WS challenge")).toBe(challenges + 1)
    await hearsAgain()
  })

  it.each(FEEDS)("is up only once the venue has taken the feed %s", async (feed) => {
    at.exchange.fault({ fault: "loseSubscribe", feed, count: 1 })
    const name = `WS subscribe ${feed}`
    const before = my.count(name)
    const later = await at.openSession(my.secrets)
    await until(() => my.count(name) === before + 1, "the subscription")
    expect(later.last("StreamUp")).toBeUndefined()
    await until(() => later.last("StreamUp") !== undefined, "the stream, once the subscription was sent again")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
    expect(my.count(name)).toBeGreaterThan(before + 1)
  })

  it("begins anew after a feed was refused", async () => {
    at.exchange.fault({ fault: "refuseSubscribe", feed: "fills", count: 1 })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("begins with the orders that are open, and with what is free and held of each currency", async () => {
    const order = await my.accepted(futuresOrder({ quantity: "0.1" }))
    const later = await at.openSession(my.secrets)
    await until(() => later.about(order.tradeOrderId).includes("OrderSeen"), "the open order")
    await until(() => later.last("BalancesSeen") !== undefined, "the balances")
    expect(later.last("BalancesSeen")?.balances).toMatchObject({
      complete: false,
      balances: [
        { asset: "USD", available: "99750", locked: "250" },
        { asset: "BTC", available: "1", locked: "0" },
      ],
    })
  })

  it("has the market's book, in the venue's digits and beside what the account does", async () => {
    at.source.open("book", FUTURES_BTC)
    await until(() => at.sink.book.snapshots > 0, "the book")
    expect(at.sink.book.best("bids")?.[0]).toBe("59999.5")
    at.exchange.setLevel(BTC, "bids", "60000.1", "0.7")
    await until(() => at.sink.book.best("bids")?.[0] === "60000.1", "the change")
    expect(at.sink.book.best("bids")).toEqual(["60000.1", "0.7"])
    at.exchange.setLevel(BTC, "bids", "60000.1", "0")
    await until(() => at.sink.book.best("bids")?.[0] === "59999.5", "its end")
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await FuturesSession.start(at)
    const resting = futuresOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    at.exchange.fault({ fault: "answer", match: PLACE, action: saying("apiLimitExceeded") })
    expect((await my.outcomeOf(futuresOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(futuresOrder({ notAfter: Date.now() + 50 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(futuresOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("sends its cancels before 60 orders, and what the venue counted out of them it has refused, and nothing else", {
    timeout: 90_000,
  }, async () => {
    const first = futuresOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 60 }, () => futuresOrder({ notAfter: Date.now() + 60_000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(first))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
    const outcome = ({ tradeOrderId }: VenueOrder) =>
      my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
    await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
    expect(at.exchange.refusedCalls()).toBe(0)
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const order = futuresOrder()
    at.exchange.fault({ fault: "answer", match: STATUS, action: { kind: "destroy" }, times: "always" })
    const failed = await at.run(my.open.session.fetchOrder(refOf(order))).catch((error: unknown) => error)
    const other = randomUUID() as TradeOrderId
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(order), tradeOrderId: other })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("an account at KRAKENFUTURES that the venue lets do less than is thought", () => {
  it("has refused what the venue counted out, and sends nothing twice", { timeout: 60_000 }, async () => {
    const pace = { burst: 10_000, perSecond: 10_000 }
    const at = await startFutures({}, { change: { privatePace: pace, waits: SOON_LATE } })
    try {
      const my = await FuturesSession.start(at)
      const orders = Array.from({ length: 60 }, () => futuresOrder({ notAfter: Date.now() + 15_000 }))
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

describe("a key of KRAKENFUTURES", () => {
  let at: FuturesUnderTest
  beforeAll(async () => {
    at = await startFutures()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by questions that change nothing, and names its account", async () => {
    expect(await at.run(at.venue.verify(FUTURES_SECRETS))).toEqual({
      externalAccountId: "acc00000-0000-4000-8000-000000000000",
    })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: Buffer.from("x".repeat(48)).toString("base64") }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...FUTURES_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it.each([ACCOUNTS, EXECUTIONS])("is told from a venue that is down: %s", async (match) => {
    at.exchange.fault({ fault: "answer", match, action: saying("Server Error", 500), times: "always" })
    await expect(at.run(at.venue.verify(FUTURES_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

const ANY: SessionAt<KrakenFuturesExchange> = {
  venue: "KRAKENFUTURES",
  start: startFutures,
  enter: FuturesSession.start,
  order: futuresOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => futuresOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
