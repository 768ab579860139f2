/** A whole gateway with the limits that it ships with, but for a few small numbers: orders, calls over the socket, sockets by address. */
import { Centrifuge } from "centrifuge"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"

const SMALL = {
  orderSubmit: { perHour: 1, burst: 5 },
  orderSubmitUser: { perHour: 1, burst: 8 },
  orderCancel: { perHour: 1, burst: 3 },
  orderCalls: { perHour: 1, burst: 30 },
  instrumentSync: { perHour: 1, burst: 3 },
  instrumentSyncUser: { perHour: 1, burst: 2 },
  credentialProofs: { perHour: 1, burst: 3 },
  signup: { perHour: 1, burst: 1 },
  http: { perHour: 1, burst: 200 },
  socketsPerAddress: 3,
}

const ACCOUNTS_MAX = 4

let exchange: BinanceExchange
let gateway: Gateway
let calls: Api
let tradingAccountId: string

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  gateway = await startGateway({
    env: {
      RATE_LIMITS: JSON.stringify(SMALL),
      ACCOUNTS_MAX: String(ACCOUNTS_MAX),
      MOCK_TICK_MS: "0",
      VENUE_ROUTES: JSON.stringify(exchange.routes),
    },
  })
  const session = (await api(gateway).signup("trader@example.com")).record
  calls = api(gateway).as(session.accessToken)
  tradingAccountId = (await calls.connectMock()).record.tradingAccountId
  // Orders are judged by the market: it is there before the first.
  await until("a book", async () => (await calls.orderBook("MOCK:BTC/USDT", 10)).status === 200)
}, 120_000)
afterAll(async () => {
  await endGateways()
  await exchange?.stop()
})

const resting = () => ({
  tradingAccountId,
  instrumentId: "MOCK:BTC/USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.001",
  limitPrice: "20000",
})

const bucketOf = (headers: Headers) => ({
  name: headers.get("x-ratelimit-bucket"),
  limit: Number(headers.get("x-ratelimit-limit")),
  window: Number(headers.get("x-ratelimit-window")),
  burst: Number(headers.get("x-ratelimit-burst")),
  remaining: Number(headers.get("x-ratelimit-remaining")),
})

/** All of SMALL. */
const perHour = { limit: 1, window: 3_600 }

/** By each of these a proxy says that it is one. */
const PROXIED = [
  "x-forwarded-for",
  "forwarded",
  "via",
  "x-real-ip",
  "x-forwarded-proto",
  "x-forwarded-host",
  "cf-connecting-ip",
]

describe("sign-ups", () => {
  it("of the gateway's own machine have a bucket of their own, unless they come through a proxy on it", async () => {
    const signUp = async (n: number, headers: Record<string, string> = {}) => {
      const body = JSON.stringify({ email: `crowd-${n}@example.com`, password: "a good password" })
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body }
      const answer = await fetch(`${gateway.http}/api/v3/auth/signup`, init)
      return [answer.status, answer.headers.get("x-ratelimit-bucket")]
    }
    for (let n = 0; n < 5; n++) expect(await signUp(n)).toEqual([200, "signupLocal"])
    // All of these come from loopback: they share one bucket.
    expect(await signUp(5, { "x-forwarded-for": "203.0.113.7" })).toEqual([200, "signup"])
    for (const name of PROXIED)
      expect([name, ...(await signUp(6, { [name]: "203.0.113.7" }))]).toEqual([name, 429, "signup"])
  })
})

describe("orders", () => {
  it("tell of their own buckets, are refused past them before the venue hears of them, and never hold up cancels", async () => {
    const before = bucketOf((await calls.user()).headers)
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) {
      const { record, headers } = await calls.submit(resting())
      ids.push(record.tradeOrderId)
      expect(bucketOf(headers)).toEqual({ name: "orderSubmit", ...perHour, burst: 5, remaining: 4 - n })
      // Of the second in which it was counted, however long it took to be stored.
      expect(headers.get("x-order-count-1s")).toMatch(/^[1-5]$/)
    }
    const refused = await calls.submit(resting())
    expect([refused.status, refused.envelope.errno, refused.envelope.details?.code]).toEqual([
      429,
      -103_002,
      "ORDER_RATE_LIMITED",
    ])
    expect(refused.envelope.details?.metadata).toMatchObject({
      bucket: "orderSubmit",
      limit: 1,
      windowSeconds: 3_600,
      burst: 5,
      remaining: 0,
    })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60)
    expect((await calls.orders({ tradingAccountId })).record).toHaveLength(5)
    const cancel = await calls.cancel(tradingAccountId, ids[0]!)
    expect(cancel.status).toBe(200)
    expect(bucketOf(cancel.headers)).toEqual({ name: "orderCancel", ...perHour, burst: 3, remaining: 2 })
    // A list (2) and the reading itself (1) since then; six submits and a cancel took nothing.
    expect(bucketOf((await calls.user()).headers)).toMatchObject({ name: "http", remaining: before.remaining - 3 })
  })

  it("over the socket take from the same buckets, and so do reads", async () => {
    const client = new Centrifuge(gateway.ws, { token: calls.token ?? "", websocket: WebSocket })
    client.connect()
    await client.ready()
    const refused = await client.rpc("tradeOrder.submit", resting()).catch((error: { code: number }) => error)
    expect(refused).toMatchObject({ code: 1_029, message: "Order rate limit" })
    const before = bucketOf((await calls.user()).headers).remaining
    await client.rpc("auth.user", {})
    await client.rpc("tradingAccount.list", {})
    // 1 for the user, 2 for a list, 1 for asking.
    expect(bucketOf((await calls.user()).headers).remaining).toBe(before - 4)
    for (let left = before - 4; left > 0; left -= 1) await client.rpc("auth.user", {}).catch(() => undefined)
    expect((await calls.user()).status).toBe(429)
    await expect(client.rpc("auth.user", {})).rejects.toMatchObject({ code: 1_029, message: "Too many requests" })
    await api(gateway).serving()
    client.disconnect()
  })
})

const joined = async (name: string): Promise<Api> =>
  api(gateway).as((await api(gateway).signup(`${name}@example.com`)).record.accessToken)

const limitedBy = ({ status, headers, envelope }: Answer<unknown>) => [
  status,
  envelope.errno,
  envelope.details?.metadata["bucket"],
  Number(headers.get("retry-after")) >= 1,
]

describe("one user", () => {
  it("has so many accounts connected, and room for another when one is disconnected", async () => {
    const many = await joined("many")
    const connect = (n: number) => many.connectMock(`account-${n}`)
    const ids: Array<string> = []
    for (let n = 0; n < ACCOUNTS_MAX; n++) ids.push((await connect(n)).record.tradingAccountId)
    const internal = () => many.connect({ venue: "INTERNAL" })
    for (const refused of [await connect(ACCOUNTS_MAX), await internal()]) {
      expect([refused.status, refused.envelope.errno]).toEqual([400, -120_000])
      expect(refused.envelope.error).toContain("at most 4")
      expect(refused.envelope.details).toMatchObject({
        code: "TOO_MANY_ACCOUNTS",
        metadata: { max: ACCOUNTS_MAX, setting: "ACCOUNTS_MAX" },
      })
    }
    // The same account again is no other.
    expect((await connect(0)).record.tradingAccountId).toBe(ids[0])
    expect((await many.disconnect(ids[1]!)).status).toBe(200)
    expect((await internal()).status).toBe(200)
    expect((await connect(1)).status).toBe(400)
  })

  it("sends so many orders over all accounts, which takes nothing of anybody else's, and nothing of an account that is refused", async () => {
    const [one, other] = [await joined("one"), await joined("other")]
    const accounts: Array<string> = []
    for (const label of ["a", "b", "c"]) accounts.push((await one.connectMock(label)).record.tradingAccountId)
    const submit = (calls: Api, account: string) => calls.submit({ ...resting(), tradingAccountId: account })
    const answers: Array<Answer<TradeOrderRecord>> = []
    for (const account of accounts) for (let n = 0; n < 3; n++) answers.push(await submit(one, account))
    expect(answers.map(({ status }) => status)).toEqual([...Array(8).fill(200), 429])
    const refused = answers.at(-1)!
    expect(limitedBy(refused)).toEqual([429, -103_002, "orderSubmitUser", true])
    expect(bucketOf(refused.headers)).toEqual({ name: "orderSubmitUser", ...perHour, burst: 8, remaining: 0 })
    // Two of the account's five were taken: what its user's bucket refuses is not counted.
    expect(limitedBy(await submit(one, accounts[2]!))).toEqual([429, -103_002, "orderSubmitUser", true])
    expect((await one.cancel(accounts[0]!, answers[0]!.record.tradeOrderId)).status).toBe(200)
    const account = (await other.connectMock()).record.tradingAccountId
    expect((await submit(other, account)).status).toBe(200)
  })

  it("is heard so often about orders, whatever becomes of them, and cancels all the same", async () => {
    const flood = await joined("flood")
    const account = (await flood.connectMock()).record.tradingAccountId
    const { tradeOrderId } = (await flood.submit({ ...resting(), tradingAccountId: account, clientOrderId: "one" }))
      .record
    const again = { ...resting(), tradingAccountId: account, clientOrderId: "one" }
    for (let n = 0; n < 15; n++) expect((await flood.submit(again)).status).toBe(200)
    for (let n = 0; n < 14; n++) expect((await flood.submit({ ...resting(), quantity: "nothing" })).status).toBe(400)
    expect(limitedBy(await flood.submit(again))).toEqual([429, -103_000, "orderCalls", true])
    expect((await flood.cancel(account, tradeOrderId)).status).toBe(200)
  })

  it("leaves the others their share of what a venue is asked: instrument syncs and proofs of credentials", async () => {
    const [one, other] = [await joined("syncing"), await joined("waiting")]
    const sync = (calls: Api, venue = "PAPER") => calls.post("/market/instrument/sync", { venue })
    // What its own checks refuse is charged as any other call: 1, besides the reading itself.
    const before = bucketOf((await one.user()).headers).remaining
    expect((await sync(one, "NOPE")).envelope.errno).toBe(-130_002)
    expect(bucketOf((await one.user()).headers).remaining).toBe(before - 2)
    expect([(await sync(one)).status, (await sync(one)).status]).toEqual([200, 200])
    expect(limitedBy(await sync(one))).toEqual([429, -103_000, "instrumentSyncUser", true])
    expect((await sync(other)).status).toBe(200)
    expect(limitedBy(await sync(other))).toEqual([429, -103_000, "instrumentSync", true])

    const wrong = { venue: "BINANCE", apiKey: "k".repeat(40), apiSecret: "s".repeat(40) }
    for (let n = 0; n < 3; n++) expect((await one.createCredential(wrong)).envelope.errno).toBe(-121_002)
    expect(limitedBy(await one.createCredential(wrong))).toEqual([429, -103_000, "credentialProofs", true])
    expect((await other.createCredential(wrong)).envelope.errno).toBe(-121_002)
  })
})

describe("orders at a venue that counts requests", () => {
  it("tell how much of its budget is used, and reach it no more often than their bucket allows", async () => {
    const keys = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }
    exchange.addUser({ ...keys, balances: { USDT: "1000000" } })
    const other = api(gateway).as((await api(gateway).signup("binance@example.com")).record.accessToken)
    const { credentialId } = (await other.createCredential({ venue: "BINANCE", ...keys })).record
    const account = (await other.connect({ venue: "BINANCE", credentialIds: [credentialId] })).record.tradingAccountId
    const order = { ...resting(), tradingAccountId: account, instrumentId: "BINANCE:BTC/USDT" }
    const answers: Array<Answer<TradeOrderRecord>> = []
    for (let n = 0; n < 7; n++) answers.push(await other.submit(order))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429])
    const [first] = answers
    expect(Number(first?.headers.get("x-venue-weight-limit"))).toBeGreaterThan(100)
    expect(Number(first?.headers.get("x-venue-weight-used"))).toBeGreaterThanOrEqual(0)
    expect(answers.at(-1)?.headers.get("x-venue-weight-used")).toBeNull()
    await until("the orders at the venue", () => exchange.placements().length >= 5)
    // What would have been on its way is there now: cancels were answered after it.
    for (const { record } of answers.slice(0, 3))
      expect((await other.cancel(account, record.tradeOrderId)).status).toBe(200)
    expect(exchange.placements()).toHaveLength(5)
  })
})

describe("sockets of one address", () => {
  it("are refused past their number in the envelope, with when to come back", async () => {
    const clients: Array<WebSocket> = []
    // Sockets of the test before may still be on their way out.
    await until("three sockets", async () => {
      const client = new WebSocket(gateway.ws)
      const isOpen = new Promise<boolean>((resolve) => {
        client.once("open", () => resolve(true))
        client.once("error", () => resolve(false))
      })
      if (await isOpen) clients.push(client)
      return clients.length === 3
    })
    const refusal = await new Promise<{ status: number; retryAfter: string; body: string }>((resolve, reject) => {
      const socket = new WebSocket(gateway.ws)
      socket.on("open", () => reject(new Error("it opened")))
      socket.on("error", () => undefined)
      socket.on("unexpected-response", (_request, response) => {
        let body = ""
        response.on("data", (chunk: Buffer) => {
          body += chunk.toString()
        })
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: String(response.headers["retry-after"]), body }),
        )
      })
    })
    expect(refusal).toMatchObject({ status: 429, retryAfter: "1" })
    expect(JSON.parse(refusal.body)).toMatchObject({
      success: false,
      errno: -103_006,
      details: { code: "TOO_MANY_CONNECTIONS", metadata: { limit: 3 } },
    })
    for (const client of clients) client.terminate()
  })
})
