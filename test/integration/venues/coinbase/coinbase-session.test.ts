/** The private stream of Coinbase, its keys, its limits and its clock: real ccxt in a real worker, the loopback Coinbase behind it. */
import { generateKeyPairSync, randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { CoinbaseExchange } from "../../../exchanges/coinbase/exchange.ts"
import { answering, refOf } from "../loopback-session.ts"
import { describeAhead, describeBans, describeClocks, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  CANCEL,
  COINBASE_SECRETS,
  CoinbaseSession,
  type CoinbaseUnderTest,
  coinbaseKey,
  coinbaseOrder,
  failing,
  PLACE,
  SHOW,
  startCoinbase,
  WALLETS,
} from "./coinbase-kit.ts"

describe("a session at COINBASE", () => {
  let at: CoinbaseUnderTest
  let my: CoinbaseSession
  beforeAll(async () => {
    at = await startCoinbase({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await CoinbaseSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each<[string, () => Partial<VenueSecrets>]>([
    ["secret", () => ({ apiSecret: coinbaseKey().apiSecret })],
    ["key", () => ({ apiKey: "organizations/nobody/apiKeys/none" })],
  ])("is refused for a wrong %s with the first question, is never up, and asks nothing more", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change() })
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.last("StreamUp")).toBeUndefined()
    const asked = my.count(WALLETS)
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(my.count(WALLETS)).toBe(asked)
  })

  it.each<[string, () => Partial<VenueSecrets>]>([
    ["a secret as the venue's file writes it", () => ({ apiSecret: coinbaseKey().apiSecret.replaceAll("\n", "\\n") })],
    [
      "a secret of Ed25519",
      () => {
        const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
        const bytes = [d, x].map((half) => Buffer.from(half, "base64url"))
        return { apiKey: randomUUID(), apiSecret: Buffer.concat(bytes).toString("base64") }
      },
    ],
    ["an old key with a shared secret", () => ({ apiKey: "oldKeyOfATest001", apiSecret: "old-secret-of-a-test-0123" })],
  ])("comes up, trades and hears of it with %s", async (_, change) => {
    const secrets = { ...coinbaseKey(), ...change() }
    // The venue has the key itself.
    at.exchange.addUser({
      ...secrets,
      apiSecret: secrets.apiSecret.replaceAll("\\n", "\n"),
      balances: { USD: "1000", BTC: "1" },
    })
    const open = await at.openSession(secrets)
    await until(() => open.last("StreamUp") !== undefined, "the stream")
    const order = coinbaseOrder()
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
    await until(() => open.about(order.tradeOrderId).includes("Accepted"), "its acceptance")
  })

  const hearsAgain = async (): Promise<void> => {
    const order = coinbaseOrder()
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

  it("begins anew when a message of its stream was lost, and has what that said", async () => {
    const order = coinbaseOrder({ limitPrice: BEST_BID, quantity: "0.002" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    await until(() => my.states.length > 0, "its event")
    at.exchange.fault({ fault: "dropUserMessages", count: 1 })
    my.open.reports.length = 0
    at.exchange.trade(BTC, "SELL", "0.001")
    // The next heartbeat tells.
    await until(() => my.open.last("StreamUp") !== undefined, "the next stream")
    expect(my.open.last("StreamDown")?.reason).toContain("jumped")
    await until(() => my.states.some(({ executedQuantity }) => executedQuantity === "0.001"), "the snapshot")
    await until(() => my.fills.length === 1, "its trade")
  })

  it.each(["user", "heartbeats"])("is up only once the venue has taken the channel %s", async (channel) => {
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
    at.exchange.fault({ fault: "refuseSubscribe", channel: "user", count: 1, message: "authentication failure" })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")).toBeDefined()
    expect(later.last("SessionRefused")).toBeUndefined()
  })

  it("has the order of another program as one that is not ours", async () => {
    const id = at.exchange.placeElsewhere(my.secrets.apiKey, {
      product: BTC,
      side: "SELL",
      size: "0.5",
      price: "70000",
    })
    await until(() => my.states.length > 0, "the order")
    expect(my.states).toMatchObject([
      { externalOrderId: id, tradeOrderId: expect.anything(), quantity: "0.5", limitPrice: "70000" },
    ])
  })

  it("sends its cancels before 60 orders, and what the venue counted out of them it has refused, and nothing else", {
    timeout: 90_000,
  }, async () => {
    const first = coinbaseOrder()
    await my.outcomeOf(first)
    const orders = Array.from({ length: 60 }, () => coinbaseOrder({ notAfter: Date.now() + 60_000 }))
    const sent = my.count(CANCEL)
    for (const order of orders) my.open.session.submit(order)
    my.open.session.cancel(refOf(first, my.rows[0]?.order_id))
    await until(() => my.count(CANCEL) > sent, "the cancel")
    expect(orders.filter((order) => my.timesPlaced(order) === 0)).not.toEqual([])
    const outcome = ({ tradeOrderId }: VenueOrder) =>
      my.open.about(tradeOrderId).find((tag) => tag === "Accepted" || tag === "Refused" || tag === "NotSent")
    await until(() => orders.every((order) => outcome(order) !== undefined), "an outcome of all of them")
    for (const order of orders) expect(my.timesPlaced(order)).toBe(outcome(order) === "Accepted" ? 1 : 0)
  })

  it("waits with its orders while the venue counts them, and another account's go on", async () => {
    const other = await CoinbaseSession.start(at)
    const resting = coinbaseOrder()
    expect((await other.outcomeOf(resting))._tag).toBe("Accepted")
    const body = '{"error":"rate_limit_exceeded","error_details":"Rate limit exceeded","message":"Rate limit exceeded"}'
    const headers = { "Retry-After": "60" }
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "status", status: 429, body, headers } })
    expect((await my.outcomeOf(coinbaseOrder()))._tag).toBe("Refused")
    expect(await my.outcomeOf(coinbaseOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(coinbaseOrder()))._tag).toBe("Accepted")
    other.open.session.cancel(refOf(resting))
    await until(() => other.open.last("CancelAccepted") !== undefined, "the other's cancel")
  })

  it("says nothing secret, whatever goes wrong", async () => {
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: 8 })
    const failed = await at
      .run(my.open.session.fetchOrder(refOf(coinbaseOrder(), randomUUID())))
      .catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(coinbaseOrder(), randomUUID()), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const jwt = `eyJ${"aGVhZA".repeat(8)}.eyJ${"Ym9keQ".repeat(20)}.${"c2lnbg".repeat(14)}`
    at.exchange.fault({ fault: "answer", match: PLACE, action: failing(401, "unauthorized", `bad token ${jwt}`) })
    expect(await my.outcomeOf(coinbaseOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of [my.secrets.apiKey, my.secrets.apiSecret, jwt.split(".")[1] ?? ""])
      expect(said).not.toContain(secret)
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("a key of COINBASE", () => {
  let at: CoinbaseUnderTest
  beforeAll(async () => {
    at = await startCoinbase()
  })
  afterAll(() => at.stop())
  afterEach(() => at.exchange.fault({ fault: "clear" }))

  it("is proved by a question that changes nothing, and named by its portfolio", async () => {
    expect(await at.run(at.venue.verify(COINBASE_SECRETS))).toEqual({
      externalAccountId: expect.stringMatching(/^f0110000-/),
    })
  })

  it.each<[string, () => Partial<VenueSecrets>]>([
    ["an unknown key", () => ({ apiKey: "organizations/nobody/apiKeys/none" })],
    ["another's secret", () => ({ apiSecret: coinbaseKey().apiSecret })],
    ["a secret that is no key", () => ({ apiSecret: `${coinbaseKey().apiSecret.slice(0, 40)}no` })],
  ])("is invalid credentials with %s", async (_, change) => {
    await expect(at.run(at.venue.verify({ ...COINBASE_SECRETS, ...change() }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    at.exchange.fault({ fault: "answer", match: WALLETS, action: failing(500, "INTERNAL"), times: "always" })
    await expect(at.run(at.venue.verify(COINBASE_SECRETS))).rejects.toThrow("Venue unavailable")
  })
})

describe("COINBASE with a clock that is set", () => {
  it("takes the login of a session that has measured another one", async () => {
    let ahead = 0
    const at = await startCoinbase({ clockAheadMillis: () => ahead })
    try {
      await CoinbaseSession.start(at)
      for (const moved of [-300_000, 300_000]) {
        ahead = moved
        await CoinbaseSession.start(at)
      }
    } finally {
      await at.stop()
    }
  })
})

const ANY: SessionAt<CoinbaseExchange> = {
  venue: "COINBASE",
  start: startCoinbase,
  enter: CoinbaseSession.start,
  order: coinbaseOrder,
  place: PLACE,
}

describeBans(ANY, [["403 with a page", answering(403, "<html>error code: 1020</html>")]])
describeDeath(ANY)
describeAhead(ANY)
describeClocks(ANY, 300_000, () =>
  coinbaseOrder({ orderType: "MARKET", orderSide: "SELL", limitPrice: null, quantity: "0.002" }),
)
