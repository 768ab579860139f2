/** The private stream of Gate, its keys, its limits and its clock: real ccxt in a real worker, the loopback Gate behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { GateExchange } from "../../../exchanges/gate/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  ACCOUNTS,
  CANCEL,
  CHANNELS,
  GATE_SECRETS,
  GateSession,
  type GateUnderTest,
  gateOrder,
  PLACE,
  SHOW,
  saying,
  startGate,
  TIME,
  textOf,
} from "./gate-kit.ts"

describe("a session at GATE", () => {
  let at: GateUnderTest
  let my: GateSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startGate({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await GateSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "x".repeat(64) }],
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
    const order = gateOrder()
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

  it("begins anew after a channel was refused", async () => {
    const fault = { fault: "refuseSubscribe", channel: "spot.usertrades", count: 1 } as const
    at.exchange.fault({ ...fault, code: 3, message: "Server side error happened" })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("measures the venue's clock again when a subscription is refused for its time, and keeps its key", async () => {
    const before = my.count(TIME)
    ahead = 90_000
    try {
      my.open.reports.length = 0
      at.exchange.fault({ fault: "closeSockets", kind: "user" })
      await until(() => my.open.last("StreamUp") !== undefined, "the stream, by the venue's clock")
      expect(my.count(TIME)).toBeGreaterThan(before)
      expect(my.open.last("SessionRefused")).toBeUndefined()
      await hearsAgain()
    } finally {
      ahead = 0
    }
  })

  it("has the order of another program as one that is not ours", async () => {
    const row = {
      ...{ id: "4711", text: "apiv4", currency_pair: "BTC_USDT", type: "limit", account: "spot", side: "sell" },
      ...{ amount: "1", price: "70000", time_in_force: "poc", left: "1", filled_amount: "0", filled_total: "0" },
      ...{ avg_deal_price: "0", fee: "0", fee_currency: "USDT", point_fee: "0", gt_fee: "0", finish_as: "open" },
      ...{ create_time_ms: "1700000000000", update_time_ms: "1700000000001", event: "put" },
    }
    my.push({ channel: "spot.orders", event: "update", result: [row] })
    await until(() => my.states.length > 0, "the order")
    expect(my.states).toMatchObject([
      {
        externalOrderId: "4711",
        tradeOrderId: null,
        clientId: "apiv4",
        quantity: "1",
        orderType: "LIMIT_MAKER",
        timeInForce: "GTX",
        createdAt: 1_700_000_000_000,
        updatedAt: 1_700_000_000_001,
      },
    ])
  })

  it("waits with its orders while the venue counts them, for as long as it says, and another account's go on", async () => {
    const other = await GateSession.start(at)
    const resting = gateOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    const body = JSON.stringify({ label: "TOO_MANY_REQUESTS", message: "Request Rate Limit Exceeded" })
    const reset = String(Math.ceil((Date.now() + 8000) / 1000))
    const headers = { "X-Gate-RateLimit-Limit": "10", "X-Gate-RateLimit-Reset-Timestamp": reset }
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "status", status: 429, body, headers } })
    expect((await my.outcomeOf(gateOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(gateOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(gateOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("sends its cancels before 60 orders, and what the venue counted out of them it has refused, and nothing else", {
    timeout: 90_000,
  }, async () => {
    const first = gateOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 60 }, () => gateOrder({ notAfter: Date.now() + 60_000 }))
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

  it("says nothing secret, whatever goes wrong", async () => {
    const order = gateOrder()
    at.exchange.fault({
      fault: "answer",
      match: `${SHOW}${textOf(order)}`,
      action: { kind: "destroy" },
      times: "always",
    })
    const failed = await at.run(my.open.session.fetchOrder(refOf(order))).catch((error: unknown) => error)
    const other = randomUUID() as TradeOrderId
    at.exchange.fault({
      fault: "answer",
      match: `${CANCEL}${textOf({ tradeOrderId: other })}`,
      action: { kind: "destroy" },
    })
    my.open.session.cancel({ ...refOf(order), tradeOrderId: other })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret]) expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("an account at GATE that the venue lets do less than is thought", () => {
  it("has refused what the venue counted out, waits for as long as it says, and sends nothing twice", {
    timeout: 60_000,
  }, async () => {
    const at = await startGate(
      {},
      { change: { orderLimits: [{ most: 40, withinMillis: 1000, of: "INSTRUMENT" }], waits: SOON_LATE } },
    )
    try {
      const my = await GateSession.start(at)
      const orders = Array.from({ length: 40 }, () => gateOrder({ notAfter: Date.now() + 15_000 }))
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

describe("a key of GATE", () => {
  let at: GateUnderTest
  beforeAll(async () => {
    at = await startGate()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing, and names its account", async () => {
    expect(await at.run(at.venue.verify(GATE_SECRETS))).toEqual({ externalAccountId: "10406147" })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(64) }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...GATE_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it.each([ACCOUNTS, "GET /api/v4/account/detail"])("is told from a venue that is down: %s", async (match) => {
    at.exchange.fault({ fault: "answer", match, action: saying("SERVER_ERROR", "down", 500), times: "always" })
    await expect(at.run(at.venue.verify(GATE_SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it.each([
    ["of a unified account", "a unified account", { kind: "UNIFIED" }],
    ["that may not read its account", "may not read its account", { hidesAccount: true }],
  ] as const)("%s is not taken, and it is said why", async (_, words, change) => {
    const secrets = { apiKey: randomUUID(), apiSecret: randomUUID(), apiPassphrase: null }
    at.exchange.addUser({ ...secrets, ...change, balances: {} })
    const refused = await at.run(at.venue.verify(secrets)).catch((error: unknown) => error)
    expect(JSON.stringify(refused) + String(refused)).toContain(words)
  })
})

const ANY: SessionAt<GateExchange> = {
  venue: "GATE",
  start: startGate,
  enter: GateSession.start,
  order: gateOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["403 with a page", answering(403, "<html>Access Denied</html>")],
  ["429 with a page", answering(429, "<html>Too Many Requests</html>")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => gateOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" }))
