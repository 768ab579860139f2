/** The order events of Gemini, its keys, its limits and its clock: real ccxt in a real worker, the loopback Gemini behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { GeminiExchange } from "../../../exchanges/gemini/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BALANCES,
  BEST_BID,
  BTC,
  CANCEL,
  DIAL,
  GEMINI_SECRETS,
  GeminiSession,
  type GeminiUnderTest,
  geminiOrder,
  HEARTBEAT,
  PLACE,
  SHOW,
  saying,
  startGemini,
} from "./gemini-kit.ts"

const outcome = (my: GeminiSession, { tradeOrderId }: VenueOrder) =>
  my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")

describe("a session at GEMINI", () => {
  let at: GeminiUnderTest
  let my: GeminiSession
  beforeAll(async () => {
    at = await startGemini({ beatMillis: 100 }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GeminiSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "x".repeat(28) }],
    ["key", { apiKey: "account-nobody" }],
    ["kind of key", { apiKey: "master-nobody" }],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = [BALANCES, DIAL].map((what) => my.count(what))
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect([BALANCES, DIAL].map((what) => my.count(what))).toEqual(asked)
  })

  const hearsAgain = async (): Promise<void> => {
    const order = geminiOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }
  const comesBack = () => until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")

  it.each<[string, (my: GeminiSession) => void]>([
    ["its socket was cut", () => at.exchange.fault({ fault: "closeSockets", kind: "user" })],
    ["the venue closed it", () => at.exchange.fault({ fault: "closeSockets", kind: "user", code: 1001 })],
    ["a number is missing between two messages", (it) => it.push({ type: "heartbeat", socket_sequence: 1_000_000 })],
  ])("is down and up again after %s, and hears of its orders", async (_, cut) => {
    const order = await my.accepted(geminiOrder({ limitPrice: BEST_BID }))
    my.open.reports.length = 0
    cut(my)
    await comesBack()
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    const asked = my.count(SHOW)
    at.exchange.trade(BTC, "SELL", "0.001")
    expect(await my.ended(order)).toMatchObject({ status: "FILLED" })
    await until(() => my.fills.length === 1, "the trade")
    expect(my.count(SHOW)).toBe(asked)
  })

  it("begins anew when a message of its orders was lost, which the next one shows", async () => {
    await my.accepted(geminiOrder({ limitPrice: BEST_BID }))
    my.open.reports.length = 0
    at.exchange.fault({ fault: "loseEvents", count: 2 })
    at.exchange.trade(BTC, "SELL", "0.001")
    await comesBack()
    expect(my.open.last("StreamDown")?.reason).toContain("STREAM_GAP")
    expect(my.fills).toEqual([])
  })

  it("is up only once the venue has acknowledged it, and begins anew where it does not, or says an error", async () => {
    for (const fault of [
      { fault: "loseSubscribe", count: 1 },
      { fault: "refuseSubscribe", count: 1, reason: "System" },
    ] as const) {
      at.exchange.fault(fault)
      my.open.reports.length = 0
      const dialled = my.count(DIAL)
      at.exchange.fault({ fault: "closeSockets", kind: "user" })
      await comesBack()
      expect(my.count(DIAL)).toBe(dialled + 2)
      expect(my.open.last("SessionRefused")).toBeUndefined()
    }
    await hearsAgain()
  })

  it("says of an order that the venue refused that it was, although no answer did", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-destroy" } })
    const order = geminiOrder({ quantity: "3" })
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(await my.ended(order)).toMatchObject({ status: "REJECTED", executedQuantity: "0" })
  })

  it("asks for an order whose event says too little, and hears of the order of another program", async () => {
    const other = await at.openSession(my.secrets)
    await until(() => other.last("StreamUp") !== undefined, "the stream")
    const order = await my.accepted(geminiOrder({ limitPrice: "49000", quantity: "0.002" }))
    const seen = () => other.reports.flatMap((it) => (it._tag === "OrderSeen" ? [it.state] : []))
    await until(() => seen().length > 0, "the order in the other session")
    expect(seen().at(-1)).toMatchObject({ quantity: "0.002", limitPrice: "49000", status: "OPEN", orderType: "LIMIT" })
    const asked = my.count(SHOW)
    my.open.reports.length = 0
    my.push({ type: "cancel_rejected", order_id: my.idOf(order), symbol: "btcusd", reason: "OrderNotFound" })
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "what became of it")
    expect(my.count(SHOW)).toBeGreaterThan(asked)
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN" })
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await GeminiSession.start(at)
    const resting = await other.accepted(geminiOrder())
    await my.accepted(geminiOrder())
    for (let i = 0; i < 2; i++) at.exchange.fault({ fault: "answer", match: PLACE, action: saying("RateLimit", 429) })
    expect((await my.outcomeOf(geminiOrder()))._tag).toBe("Refused")
    at.exchange.fault({ fault: "clear" })
    expect(await my.outcomeOf(geminiOrder({ notAfter: Date.now() + 50 }))).toMatchObject({ _tag: "NotSent" })
    await other.accepted(geminiOrder())
    other.open.session.cancel(refOf(resting, other.idOf(resting)))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    const order = geminiOrder()
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: "always" })
    const failed = await at.run(my.open.session.fetchOrder(refOf(order))).catch((error: unknown) => error)
    const other = randomUUID() as TradeOrderId
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(order, "1"), tradeOrderId: other })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("a key of GEMINI that requires heartbeat", () => {
  it("is used while its session is idle, and its orders are ended where that does not arrive", async () => {
    const options = { heartbeatMillis: 50 }
    const at = await startGemini({ silenceMillis: 1500 }, { change: { options, waits: SOON_LATE } })
    try {
      const my = await GeminiSession.start(at, { needsHeartbeat: true })
      const order = await my.accepted(geminiOrder())
      await until(() => my.count(HEARTBEAT) > 3, "heartbeats")
      at.exchange.fault({ fault: "answer", match: HEARTBEAT, action: { kind: "destroy" }, times: "always" })
      expect(await my.ended(order)).toMatchObject({ status: "CANCELLED", executedQuantity: "0" })
      await at.endSessions()
    } finally {
      await at.stop()
    }
  })
})

describe("an account at GEMINI, at its pace and at another", () => {
  it("sends its cancels before 20 orders, and has an outcome of each", { timeout: 90_000 }, async () => {
    const at = await startGemini({}, { change: { privatePace: { burst: 10, perSecond: 5 } } })
    try {
      const my = await GeminiSession.start(at)
      const resting = await my.accepted(geminiOrder())
      const orders = Array.from({ length: 20 }, () => geminiOrder({ quantity: "0.0003", notAfter: Date.now() + 2000 }))
      const sent = my.count(CANCEL)
      for (const order of orders) my.open.session.submit(order)
      my.open.session.cancel(refOf(resting, my.idOf(resting)))
      await until(() => my.count(CANCEL) > sent, "the cancel")
      expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
      await until(() => orders.every((order) => outcome(my, order) !== undefined), "an outcome of all of them")
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(my, order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })

  it("has refused what the venue counted out, and sends nothing twice", { timeout: 60_000 }, async () => {
    const quotas = [{ most: 8, withinMillis: 1000 }]
    const at = await startGemini({ quotas }, { change: { waits: SOON_LATE } })
    try {
      const my = await GeminiSession.start(at)
      const orders = Array.from({ length: 40 }, () => geminiOrder({ notAfter: Date.now() + 15_000 }))
      for (const order of orders) my.open.session.submit(order)
      await until(() => orders.every((order) => outcome(my, order) !== undefined), "an outcome of all of them")
      expect(at.exchange.refusedCalls()).toBeGreaterThan(0)
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(my, order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })
})

describe("a key of GEMINI", () => {
  let at: GeminiUnderTest
  beforeAll(async () => {
    at = await startGemini()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing; the account has no name at the venue", async () => {
    expect(await at.run(at.venue.verify(GEMINI_SECRETS))).toEqual({ externalAccountId: null })
  })

  it("is proved although its nonces go by time", async () => {
    const timed = { ...GEMINI_SECRETS, apiKey: "account-timed" }
    at.exchange.addUser({ ...timed, balances: {}, isTimed: true })
    expect(await at.run(at.venue.verify(timed))).toEqual({ externalAccountId: null })
  })

  it.each([
    ["an unknown key", { apiKey: "account-nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(28) }],
    ["a key of the whole group", { apiKey: "master-nobody" }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...GEMINI_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    at.exchange.fault({ fault: "answer", match: BALANCES, action: saying("System", 500), times: "always" })
    await expect(at.run(at.venue.verify(GEMINI_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

const ANY: SessionAt<GeminiExchange> = {
  venue: "GEMINI",
  start: startGemini,
  enter: GeminiSession.start,
  order: geminiOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeClocks(ANY, 90_000, () => geminiOrder({ timeInForce: "IOC", limitPrice: "61000", quantity: "0.002" }))
