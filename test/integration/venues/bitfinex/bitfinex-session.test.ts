/** The private stream of Bitfinex, its keys, its limits and its clock: real ccxt in a real worker, the loopback Bitfinex behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BitfinexExchange } from "../../../exchanges/bitfinex/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BITFINEX_SECRETS,
  BitfinexSession,
  type BitfinexUnderTest,
  BTC,
  bitfinexOrder,
  CANCEL,
  PLACE,
  saying,
  startBitfinex,
  USER,
  WALLETS,
  WORKING_BTC,
} from "./bitfinex-kit.ts"

describe("a session at BITFINEX", () => {
  let at: BitfinexUnderTest
  let my: BitfinexSession
  beforeAll(async () => {
    at = await startBitfinex({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await BitfinexSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "x".repeat(44) }],
    ["key", { apiKey: "nobody" }],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = my.count(WALLETS)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(WALLETS)).toBe(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = bitfinexOrder()
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

  it("is up only once the venue has taken the login", async () => {
    at.exchange.fault({ fault: "loseLogin", count: 1 })
    const before = my.count("WS auth")
    const later = await at.openSession(my.secrets)
    await until(() => my.count("WS auth") === before + 1, "the login")
    expect(later.last("StreamUp")).toBeUndefined()
    await until(() => later.last("StreamUp") !== undefined, "the stream, once the login was sent again")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
    expect(my.count("WS auth")).toBeGreaterThan(before + 1)
  })

  it.each([
    [10114, "nonce: small"],
    [11000, "ready: invalid"],
    [11010, "ratelimit: error"],
    [20060, "maintenance"],
    [10000, "unknown error"],
    // Of a key that is right: what is asked with it is answered.
    [10100, "apikey: digest invalid"],
  ])("keeps its key and begins anew when its login is refused with %i, %s", async (code, message) => {
    at.exchange.fault({ fault: "refuseLogin", count: 1, code, message })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("logs in under a nonce above those of its questions, however often another program has used the key", async () => {
    at.exchange.fault({ fault: "overtakeNonces", count: 1, byMillis: 30_000 })
    await at.run(my.open.session.fetchBalances)
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    await hearsAgain()
  })

  it("keeps its key while the venue is in maintenance, and begins anew when it is over", async () => {
    my.open.reports.length = 0
    at.exchange.fault({ fault: "maintenance", on: true })
    await until(() => my.open.last("StreamDown") !== undefined, "the end of the stream")
    await expect(at.run(my.open.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "maintenance", on: false })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.last("SessionRefused")).toBeUndefined()
    await hearsAgain()
  })

  it.each([20051, 20061])("begins anew when the venue asks for it (%i)", async (code) => {
    my.open.reports.length = 0
    my.push({ frame: { event: "info", code, msg: "please reconnect" } })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.last("StreamDown")).toBeDefined()
  })

  it("has the order of another program as one that is not ours", async () => {
    const row: Array<unknown> = Array.from({ length: 32 }, () => null)
    const cells = { 0: 4711, 2: 1_700_000_000_000, 3: BTC, 4: 1_700_000_000_000, 5: 1_700_000_000_001, 6: -1, 7: -1 }
    for (const [place, cell] of Object.entries(cells)) row[Number(place)] = cell
    row[8] = "EXCHANGE LIMIT"
    row[12] = 4096 + 64
    row[13] = "ACTIVE"
    row[16] = 70_000
    my.tell("on", row)
    await until(() => my.states.length > 0, "the order")
    expect(my.states).toMatchObject([
      {
        externalOrderId: "4711",
        tradeOrderId: null,
        clientId: "1700000000000",
        orderSide: "SELL",
        quantity: "1",
        limitPrice: "70000",
        orderType: "LIMIT_MAKER",
        timeInForce: "GTX",
        createdAt: 1_700_000_000_000,
        updatedAt: 1_700_000_000_001,
      },
    ])
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const order = bitfinexOrder()
    at.exchange.fault({ fault: "answer", match: WORKING_BTC, action: { kind: "destroy" }, times: "always" })
    const failed = await at.run(my.open.session.fetchOrder(refOf(order))).catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(order), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

const outcomeIn = (my: BitfinexSession, { tradeOrderId }: VenueOrder) =>
  my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")

describe("an account at BITFINEX whose requests are counted", () => {
  it("waits with its orders while the venue counts them, and another account's go on, as its own cancels do", async () => {
    const at = await startBitfinex({}, { change: { waits: { ...SOON_LATE, limitedMillis: 10_000 } } })
    try {
      const [my, other] = [await BitfinexSession.start(at), await BitfinexSession.start(at)]
      const resting = await my.accepted(bitfinexOrder())
      at.exchange.fault({ fault: "answer", match: PLACE, action: saying(11010, "ratelimit: error", 429) })
      expect(await my.outcomeOf(bitfinexOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
      expect(await my.outcomeOf(bitfinexOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
      expect((await other.outcomeOf(bitfinexOrder()))._tag).toBe("Accepted")
      my.open.session.cancel(refOf(resting))
      await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    } finally {
      await at.stop()
    }
  })

  it("sends its cancels before its orders, and has all of them in the end", { timeout: 90_000 }, async () => {
    // Less than the venue lets an address ask in a minute, and sooner over: 8 requests in 6 s.
    const at = await startBitfinex({}, { change: { privatePace: { burst: 24, perSecond: 4 } } })
    try {
      const my = await BitfinexSession.start(at)
      const first = await my.accepted(bitfinexOrder())
      const orders = Array.from({ length: 12 }, () => bitfinexOrder({ notAfter: Date.now() + 60_000 }))
      const sent = my.count(CANCEL)
      for (const order of orders) my.open.session.submit(order)
      my.open.session.cancel(refOf(first))
      await until(() => my.count(CANCEL) > sent, "the cancel")
      expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
      await until(() => orders.every((order) => outcomeIn(my, order) !== undefined), "an outcome of all of them")
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcomeIn(my, order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })

  it("has refused what the venue counted out, waits for a while, and sends nothing twice", {
    timeout: 60_000,
  }, async () => {
    const quota = { most: 10, withinMillis: 2000, closedMillis: 1000 }
    const at = await startBitfinex({ quota }, { change: { waits: SOON_LATE } })
    try {
      const my = await BitfinexSession.start(at)
      const orders = Array.from({ length: 30 }, () => bitfinexOrder({ notAfter: Date.now() + 15_000 }))
      for (const order of orders) my.open.session.submit(order)
      await until(() => orders.every((order) => outcomeIn(my, order) !== undefined), "an outcome of all of them")
      expect(at.exchange.refusedCalls()).toBeGreaterThan(0)
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcomeIn(my, order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })
})

describe("a key of BITFINEX", () => {
  let at: BitfinexUnderTest
  beforeAll(async () => {
    at = await startBitfinex()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing, and names its account", async () => {
    expect(await at.run(at.venue.verify(BITFINEX_SECRETS))).toEqual({ externalAccountId: "3159883" })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(44) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...BITFINEX_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it.each([WALLETS, USER])("is told from a venue that is down: %s", async (match) => {
    at.exchange.fault({ fault: "answer", match, action: saying(20060, "maintenance"), times: "always" })
    await expect(at.run(at.venue.verify(BITFINEX_SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it("that may not read its account is taken, and does not name it; one that may not read its wallets is not", async () => {
    const keys = () => ({ apiKey: randomUUID(), apiSecret: randomUUID(), apiPassphrase: null })
    const [silent, blind] = [keys(), keys()]
    at.exchange.addUser({ ...silent, balances: {}, mayNotRead: ["account"] })
    at.exchange.addUser({ ...blind, balances: {}, mayNotRead: ["wallets"] })
    expect(await at.run(at.venue.verify(silent))).toEqual({ externalAccountId: null })
    await expect(at.run(at.venue.verify(blind))).rejects.toThrow()
  })
})

const ANY: SessionAt<BitfinexExchange> = {
  venue: "BITFINEX",
  start: startBitfinex,
  enter: BitfinexSession.start,
  order: bitfinexOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeClocks(ANY, 90_000, () => bitfinexOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
