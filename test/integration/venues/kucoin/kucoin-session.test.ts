/** The private stream of KuCoin, its keys, its limits and its clock: real ccxt in a real worker, the loopback KuCoin behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { KucoinExchange } from "../../../exchanges/kucoin/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  ACCOUNTS,
  BALANCE_TOPIC,
  BY_OUR_ID,
  CANCEL,
  KUCOIN_SECRETS,
  KucoinSession,
  type KucoinUnderTest,
  kucoinOrder,
  ORDER_TOPIC,
  PLACE,
  SHOW,
  saying,
  startKucoin,
  TOKEN,
} from "./kucoin-kit.ts"

describe("a session at KUCOIN", () => {
  let at: KucoinUnderTest
  let my: KucoinSession
  beforeAll(async () => {
    at = await startKucoin({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await KucoinSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["secret", { apiSecret: "X".repeat(32) }],
    ["key", { apiKey: "nobody" }],
    ["passphrase", { apiPassphrase: "wrong" }],
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
    const order = kucoinOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it("is down and up again after its socket was cut, with another token, and hears of orders again", async () => {
    my.open.reports.length = 0
    const tokens = my.count(TOKEN)
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    expect(my.count(TOKEN)).toBe(tokens + 1)
    await hearsAgain()
  })

  it.each([ORDER_TOPIC, BALANCE_TOPIC])("is up only once the venue has taken the topic %s", async (topic) => {
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
    at.exchange.fault({ fault: "refuseSubscribe", topic: BALANCE_TOPIC, count: 1, data: "system error" })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
  })

  it("asks for another token after one that never came, and after one that the venue failed", async () => {
    at.exchange.fault({ fault: "answer", match: TOKEN, action: { kind: "hang" } })
    at.exchange.fault({ fault: "answer", match: TOKEN, action: saying("500000", "Internal Server Error", 500) })
    at.exchange.fault({ fault: "answer", match: TOKEN, action: saying("200000", "") })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("has the order of another program as one that is not ours, as the venue lists it", async () => {
    const elsewhere = await KucoinSession.start(at)
    const order = kucoinOrder()
    expect((await elsewhere.outcomeOf(order))._tag).toBe("Accepted")
    const [row] = elsewhere.rows
    const theirs = { ...row, clientOid: "their-own", timeInForce: "GTT", cancelAfter: 60 }
    const body = JSON.stringify({ code: "200000", data: theirs })
    at.exchange.fault({ fault: "answer", match: `${SHOW}${row?.id}`, action: answering(200, body) })
    const named = { symbol: row?.symbol, orderId: row?.id, clientOid: "their-own", side: "buy", orderType: "limit" }
    const data = { ...named, type: "open", status: "open", originSize: "0.001", size: "0.001", filledSize: "0" }
    const event = { ...data, price: "50000", ts: Date.now() * 1e6, orderTime: Date.now() }
    my.push({ topic: ORDER_TOPIC, type: "message", subject: "orderChange", channelType: "private", data: event })
    await until(() => my.states.length > 0, "the order")
    expect(my.states).toMatchObject([
      {
        externalOrderId: row?.id,
        tradeOrderId: null,
        clientId: "their-own",
        quantity: "0.001",
        timeInForce: "GTD",
      },
    ])
  })

  it("waits with its orders while the venue counts them, for as long as it says, and another account's go on", async () => {
    const other = await KucoinSession.start(at)
    const resting = kucoinOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    const body = JSON.stringify({ code: "429000", msg: "Too Many Requests" })
    const headers = { "gw-ratelimit-limit": "4000", "gw-ratelimit-remaining": "0", "gw-ratelimit-reset": "60000" }
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "status", status: 429, body, headers } })
    expect((await my.outcomeOf(kucoinOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(kucoinOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(kucoinOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    at.exchange.fault({ fault: "answer", match: BY_OUR_ID, action: { kind: "destroy" }, times: "always" })
    const failed = await at.run(my.open.session.fetchOrder(refOf(kucoinOrder()))).catch((error: unknown) => error)
    my.open.session.cancel({ ...refOf(kucoinOrder()), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret, String(my.secrets.apiPassphrase)])
      expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("an account at KUCOIN that weighs more than its pool", () => {
  it("sends its cancels before 60 orders, and what the venue counted out of them it has refused, and nothing else", {
    timeout: 90_000,
  }, async () => {
    // A pool of 40, of which half a minute's worth is thought to be ours.
    const quotas = { spot: 40, management: 2000, public: 2000 }
    const at = await startKucoin({ quotas }, { change: { privatePace: { burst: 30, perSecond: 1 }, waits: SOON_LATE } })
    try {
      const my = await KucoinSession.start(at)
      const first = kucoinOrder()
      const known = await my.outcomeOf(first)
      const orders = Array.from({ length: 60 }, () => kucoinOrder({ notAfter: Date.now() + 15_000 }))
      const sent = my.count(CANCEL)
      for (const order of orders) my.open.session.submit(order)
      my.open.session.cancel(refOf(first, known._tag === "Accepted" ? known.externalOrderId : null))
      await until(() => my.count(CANCEL) > sent, "the cancel")
      expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
      const outcome = ({ tradeOrderId }: VenueOrder) =>
        my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
      await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
      for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
    } finally {
      await at.stop()
    }
  })
})

describe("a key of KUCOIN", () => {
  let at: KucoinUnderTest
  beforeAll(async () => {
    at = await startKucoin()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing", async () => {
    expect(await at.run(at.venue.verify(KUCOIN_SECRETS))).toEqual({
      externalAccountId: expect.stringMatching(/^1651\d+$/),
    })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(32) }],
    ["a wrong passphrase", { apiPassphrase: "wrong" }],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...KUCOIN_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    const action = saying("500000", "Internal Server Error", 500)
    at.exchange.fault({ fault: "answer", match: ACCOUNTS, action, times: "always" })
    await expect(at.run(at.venue.verify(KUCOIN_SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it.each([
    ["a unified account", "UNIFIED"],
    ["a low-frequency spot account", "LOW_FREQUENCY"],
  ] as const)("of %s is not taken, and it is said why", async (words, kind) => {
    const secrets = { apiKey: randomUUID(), apiSecret: randomUUID(), apiPassphrase: "of-a-test" }
    at.exchange.addUser({ ...secrets, kind, balances: {} })
    const refused = await at.run(at.venue.verify(secrets)).catch((error: unknown) => error)
    expect(JSON.stringify(refused) + String(refused)).toContain(words)
  })
})

const ANY: SessionAt<KucoinExchange> = {
  venue: "KUCOIN",
  start: startKucoin,
  enter: KucoinSession.start,
  order: kucoinOrder,
  place: PLACE,
}

describeBans(ANY, [
  ["1015, of its address", answering(429, "error code: 1015")],
  ["403 with a page", answering(403, "<html>Attention Required!</html>")],
])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 90_000, () => kucoinOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
