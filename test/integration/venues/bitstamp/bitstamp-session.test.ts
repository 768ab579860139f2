/** The private stream of Bitstamp, its keys, its limits and its clock: real ccxt in a real worker, the loopback Bitstamp behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BitstampExchange } from "../../../exchanges/bitstamp/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BALANCES,
  BEST_BID,
  BITSTAMP_ETH,
  BITSTAMP_SECRETS,
  BitstampSession,
  type BitstampUnderTest,
  BTC,
  bitstampOrder,
  CANCEL,
  LIST,
  PLACE,
  SHOW,
  saying,
  startBitstamp,
  TOKEN,
} from "./bitstamp-kit.ts"

const outcome = (my: BitstampSession, { tradeOrderId }: VenueOrder) =>
  my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")

describe("a session at BITSTAMP", () => {
  let at: BitstampUnderTest
  let my: BitstampSession
  beforeAll(async () => {
    at = await startBitstamp({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitstampSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "x".repeat(32) }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = my.count(BALANCES)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(BALANCES)).toBe(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = bitstampOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it.each<[string, (my: BitstampSession) => void]>([
    ["its socket was cut", () => at.exchange.fault({ fault: "closeSockets", kind: "user" })],
    ["the venue wished it", (it) => it.push({ event: "bts:request_reconnect", channel: "", data: "" })],
  ])("is down and up again after %s, and hears of the orders of all its markets", async (_, cut) => {
    const btc = await my.accepted(bitstampOrder({ limitPrice: BEST_BID }))
    await my.accepted(bitstampOrder({ instrumentId: BITSTAMP_ETH, limitPrice: "2000", quantity: "0.01" }))
    my.open.reports.length = 0
    cut(my)
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    const asked = my.count(SHOW)
    at.exchange.trade(BTC, "SELL", "0.001")
    expect(await my.ended(btc)).toMatchObject({ status: "FILLED" })
    await until(() => my.fills.length === 1, "the trade")
    expect(my.count(SHOW)).toBe(asked)
  })

  it("is up only once the venue has answered behind all of its channels, and asks for another token", async () => {
    await my.accepted(bitstampOrder())
    for (const channel of ["private-my_orders", "private-my_trades", "bts:heartbeat"]) {
      at.exchange.fault({ fault: "loseSubscribe", channel, count: 1 })
      my.open.reports.length = 0
      const tokens = my.count(TOKEN)
      at.exchange.fault({ fault: "closeSockets", kind: "user" })
      await until(() => my.open.last("StreamUp") !== undefined, `the stream without ${channel} at first`)
      expect(my.count(TOKEN)).toBeGreaterThan(tokens + 1)
    }
    await hearsAgain()
  })

  it("keeps its key when a token is refused, and begins anew", async () => {
    await my.accepted(bitstampOrder())
    const refusal = { code: 4009, message: "Connection is unauthorized." }
    at.exchange.fault({ fault: "refuseSubscribe", channel: "private-my_trades", count: 1, ...refusal })
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream")
    expect(my.open.last("SessionRefused")).toBeUndefined()
    await hearsAgain()
  })

  it("begins anew when the channels of a new market are not acknowledged, and sends the order meanwhile", async () => {
    at.exchange.fault({ fault: "loseSubscribe", channel: "private-my_orders", count: 1 })
    my.open.reports.length = 0
    const order = bitstampOrder()
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    await until(() => my.open.last("StreamUp") !== undefined, "the stream with the market")
    await hearsAgain()
  })

  it("hears of the order of another program in a market that it trades in, as one that is not ours", async () => {
    await my.accepted(bitstampOrder())
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    await at.run(later.session.fetchOpenOrders)
    const order = bitstampOrder({ limitPrice: "49000", quantity: "0.002" })
    await my.accepted(order)
    await until(() => later.about(order.tradeOrderId).includes("OrderSeen"), "the order in the other session")
    const seen = later.reports.flatMap((it) => (it._tag === "OrderSeen" ? [it.state] : [])).at(-1)
    expect(seen).toMatchObject({ quantity: "0.002", limitPrice: "49000", status: "OPEN", orderType: "LIMIT" })
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await BitstampSession.start(at)
    const resting = bitstampOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    await my.accepted(bitstampOrder())
    const action = saying("400.067", "Request rejected due to exceeded client rate limit.")
    for (let i = 0; i < 2; i++) at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect((await my.outcomeOf(bitstampOrder()))._tag).toBe("Refused")
    at.exchange.fault({ fault: "clear" })
    expect(await my.outcomeOf(bitstampOrder({ notAfter: Date.now() + 50 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(bitstampOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("sends its cancels before 60 orders, and has an outcome of each", { timeout: 90_000 }, async () => {
    const resting = await my.accepted(bitstampOrder())
    const orders = Array.from({ length: 60 }, () => bitstampOrder({ quantity: "0.0003", notAfter: Date.now() + 3000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(resting))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
    await until(() => orders.every((order) => outcome(my, order) !== undefined), "an outcome of all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(my, order) === "Accepted" ? 1 : 0)
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const order = bitstampOrder()
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: "always" })
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

describe("an account at BITSTAMP that the venue lets do less than is thought", () => {
  it("has refused what the venue counted out, and sends nothing twice", { timeout: 60_000 }, async () => {
    const quotas = [{ most: 8, withinMillis: 1000 }]
    const at = await startBitstamp({ quotas }, { change: { waits: SOON_LATE } })
    try {
      const my = await BitstampSession.start(at)
      const orders = Array.from({ length: 40 }, () => bitstampOrder({ notAfter: Date.now() + 15_000 }))
      for (const order of orders) my.open.session.submit(order)
      await until(() => orders.every((order) => outcome(my, order) !== undefined), "an outcome of all of them")
      expect(at.exchange.refusedCalls()).toBeGreaterThan(0)
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(my, order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })

  it("has lists of open orders that are as old as the venue's, and an order that they lack is found by our id", async () => {
    const at = await startBitstamp({ cachedMillis: 600_000 })
    try {
      const my = await BitstampSession.start(at)
      expect(await at.run(my.open.session.fetchOpenOrders)).toEqual([])
      const order = await my.accepted(bitstampOrder())
      expect(await at.run(my.open.session.fetchOpenOrders)).toEqual([])
      expect(my.count(LIST)).toBe(2)
      expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
    } finally {
      await at.stop()
    }
  })
})

describe("a key of BITSTAMP", () => {
  let at: BitstampUnderTest
  beforeAll(async () => {
    at = await startBitstamp()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing, and names its account", async () => {
    expect(await at.run(at.venue.verify(BITSTAMP_SECRETS))).toEqual({ externalAccountId: "4848701" })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(32) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...BITSTAMP_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it.each([BALANCES, TOKEN])("is told from a venue that is down: %s", async (match) => {
    at.exchange.fault({
      fault: "answer",
      match,
      action: saying("500.001", "Unknown server error.", 500),
      times: "always",
    })
    await expect(at.run(at.venue.verify(BITSTAMP_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

const ANY: SessionAt<BitstampExchange> = {
  venue: "BITSTAMP",
  start: startBitstamp,
  enter: BitstampSession.start,
  order: bitstampOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => bitstampOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
