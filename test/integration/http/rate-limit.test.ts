/** Limits at the edge of HTTP, over real sockets: who is counted as whom, what is told, and what a refusal says. The clock stands still. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import { OrderRates } from "../../../src/domain/order/rates.ts"
import { RATE_LIMITS, type RateLimits } from "../../../src/domain/user/rate-limits.ts"
import { Ok } from "../../../src/http/edge/envelope.ts"
import { Access, Query } from "../../../src/http/edge/route.ts"
import { RequestLimiter } from "../../../src/http/limits/rate-limit.ts"
import { authenticate, keyOf, principal, raw, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

const Any = Ok(Schema.Unknown)
const Body = Schema.Struct({
  tradingAccountId: Schema.optional(Schema.String),
  dealerAccountId: Schema.optional(Schema.String),
})
const Depth = Query({ depth: Schema.optional(Schema.Int), instrumentIds: Schema.optional(Schema.Array(Schema.String)) })

const RootGroup = HttpApiGroup.make("root").add(
  HttpApiEndpoint.get("health", "/health").addSuccess(Any).annotate(Access, "none"),
)
const MarketGroup = HttpApiGroup.make("market")
  .add(HttpApiEndpoint.get("one", "/one").addSuccess(Any).annotate(Access, "read"))
  .add(HttpApiEndpoint.get("many", "/many/list").addSuccess(Any).annotate(Access, "read"))
  .add(HttpApiEndpoint.get("open", "/open").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("orderBookGet", "/book").setUrlParams(Depth).addSuccess(Any).annotate(Access, "read"))
  .add(HttpApiEndpoint.get("orderBookList", "/book/list").setUrlParams(Depth).addSuccess(Any).annotate(Access, "read"))
  .add(HttpApiEndpoint.post("instrumentSync", "/sync").setPayload(Body).addSuccess(Any).annotate(Access, "write"))
const OrderGroup = HttpApiGroup.make("tradeOrder")
  .add(HttpApiEndpoint.post("submit", "/submit").setPayload(Body).addSuccess(Any).annotate(Access, "write"))
  .add(HttpApiEndpoint.post("cancel", "/cancel").setPayload(Body).addSuccess(Any).annotate(Access, "write"))
const QuoteGroup = HttpApiGroup.make("quote").add(
  HttpApiEndpoint.post("request", "/quote").setPayload(Body).addSuccess(Any).annotate(Access, "write"),
)
const Api = HttpApi.make("test").add(RootGroup).add(MarketGroup).add(OrderGroup).add(QuoteGroup)

const ok = (_input: unknown, reply: { readonly ok: (answer: unknown) => void }): void => reply.ok("ok")
const ACCOUNT = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as TradingAccountId
const OTHERS = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e50" as TradingAccountId
const READER = { authorization: "Bearer reader" }
/** An API key with the scope read, of the user who is WRITER; and one with trade. */
const READ_KEY = { authorization: "Bearer read-key", "content-type": "application/json" }
const TRADE_KEY = { authorization: "Bearer trade-key", "content-type": "application/json" }
const WRITER = { authorization: "Bearer writer", "content-type": "application/json" }

let http: TestHttp | undefined
afterEach(() => http?.close())

const serve = async (changes: Partial<RateLimits> = {}, trustProxy: ReadonlyArray<string> = []) => {
  const limits = { ...RATE_LIMITS, ...changes }
  const orders = new OrderRates(limits)
  const clock = { monotonic: 1_000 }
  const monotonic = () => clock.monotonic
  const limiter = new RequestLimiter({
    limits,
    orders,
    now: () => 1_700_000_000_500,
    monotonic,
    venueWeight: (account) => (account === ACCOUNT ? { used: 37, limit: 1_200 } : null),
  })
  const handlers = {
    root: { health: ok },
    market: { one: ok, many: ok, open: ok, orderBookGet: ok, orderBookList: ok, instrumentSync: ok },
    tradeOrder: { submit: ok, cancel: ok },
    quote: { request: ok },
  }
  const served = await serveTest(Api, handlers, {
    limiter,
    monotonic,
    transport: { trustProxy },
    authenticate: (header, from) =>
      header === READ_KEY.authorization
        ? keyOf(["read"])
        : header === TRADE_KEY.authorization
          ? keyOf(["read", "write"])
          : authenticate(header, from),
  })
  http = served
  const call = async (path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
    const response = await fetch(`${served.url}${path}`, init)
    const named = (name: string) => response.headers.get(name)
    return {
      status: response.status,
      body: (await response.json()) as {
        readonly errno: number
        readonly details?: { readonly code: string; readonly metadata: unknown }
      },
      remaining: Number(named("x-ratelimit-remaining")),
      bucket: named("x-ratelimit-bucket"),
      limit: Number(named("x-ratelimit-limit")),
      reset: Number(named("x-ratelimit-reset")),
      named,
    }
  }
  return { call, clock, orders, port: served.port }
}

describe("a user's requests", () => {
  it("take what they cost, and each answer tells what is left", async () => {
    const { call } = await serve()
    const first = await call("/one", READER)
    expect(first).toMatchObject({ status: 200, limit: 20, remaining: 199, bucket: "http" })
    expect([first.named("x-ratelimit-window"), first.named("x-ratelimit-burst")]).toEqual(["1", "200"])
    // 1 of 20 a second is missing: the bucket is full again in 50 ms, and a header counts whole seconds.
    expect(first.reset).toBe(1_700_000_001)
    expect((await call("/many/list", READER)).remaining).toBe(197)
    expect((await call("/book", READER)).remaining).toBe(196)
    expect((await call("/book?depth=100", READER)).remaining).toBe(195)
    expect((await call("/book?depth=101", READER)).remaining).toBe(190)
    expect((await call("/book/list?depth=1000&instrumentIds=A,B,C", READER)).remaining).toBe(175)
  })

  it("are refused beyond that, with when to come back, and again served then", async () => {
    const { call, clock } = await serve({ http: { perSecond: 2, burst: 3 } })
    for (let n = 0; n < 3; n++) expect((await call("/one", READER)).status).toBe(200)
    const refused = await call("/one", READER)
    expect(refused.status).toBe(429)
    expect(refused.named("retry-after")).toBe("1")
    expect(refused.remaining).toBe(0)
    expect(refused.body.errno).toBe(-103_000)
    expect(refused.body.details).toMatchObject({
      code: "RATE_LIMITED",
      metadata: {
        bucket: "http",
        limit: 2,
        windowSeconds: 1,
        burst: 3,
        remaining: 0,
        resetMs: 1_500,
        retryAfterSeconds: 1,
      },
    })
    clock.monotonic += 500
    expect((await call("/one", READER)).status).toBe(200)
    expect((await call("/one", READER)).status).toBe(429)
  })

  it("of a refused permission and a bad query count as well", async () => {
    const { call } = await serve()
    expect(await call("/sync", { ...READER, "content-type": "application/json" }, {})).toMatchObject({
      status: 403,
      remaining: 199,
    })
    expect(await call("/book?depth=x", READER)).toMatchObject({ status: 400, remaining: 198 })
  })
})

describe("orders and quotes", () => {
  it("take nothing from the user's bucket and tell of their own, which others never see", async () => {
    const { call, orders } = await serve({ http: { perSecond: 1, burst: 1 } })
    expect((await call("/one", READER)).status).toBe(200)
    expect((await call("/one", READER)).status).toBe(429)
    const mine = orders.ofAccount(ACCOUNT, principal().userId, 1_000)
    mine.submits.take(1_000, 7)
    mine.cancels.take(1_000, 9)
    mine.count(1_000)
    mine.count(1_000)
    orders.ofAccount(OTHERS, "somebody else" as never, 1_000).submits.take(1_000, 50)
    const submit = await call("/submit", WRITER, { tradingAccountId: ACCOUNT.toUpperCase() })
    expect(submit).toMatchObject({ status: 200, bucket: "orderSubmit", limit: 50, remaining: 93 })
    expect(submit.named("x-order-count-1s")).toBe("2")
    expect(submit.named("x-venue-weight-used")).toBe("37")
    expect(submit.named("x-venue-weight-limit")).toBe("1200")
    const cancel = await call("/cancel", WRITER, { tradingAccountId: ACCOUNT })
    expect(cancel).toMatchObject({ status: 200, bucket: "orderCancel", limit: 100, remaining: 191 })
    expect(cancel.named("x-order-count-1s")).toBeNull()
    const foreign = await call("/submit", WRITER, { tradingAccountId: OTHERS })
    expect(foreign).toMatchObject({ bucket: "orderSubmit", remaining: 100 })
    expect(foreign.named("x-venue-weight-used")).toBeNull()
    orders.quotesOf(principal().userId, "dealer" as never, 1_000).take(1_000, 3)
    const quote = await call("/quote", WRITER, { dealerAccountId: "dealer" })
    expect(quote).toMatchObject({ status: 200, bucket: "quoteRequest", limit: 10, remaining: 17 })
  })
})

describe("API keys", () => {
  it("without the scope take nothing that orders need: the plain weight of a request, and no more of those than others", async () => {
    const one = { perSecond: 1, burst: 1 }
    const { call } = await serve({ orderCalls: one, cancelCalls: one, http: { perSecond: 1, burst: 4 } })
    const order = { tradingAccountId: ACCOUNT }
    expect(await call("/submit", READ_KEY, order)).toMatchObject({ status: 403, bucket: "http", remaining: 3 })
    expect(await call("/cancel", READ_KEY, order)).toMatchObject({ status: 403, bucket: "http", remaining: 2 })
    expect(await call("/quote", READ_KEY, {})).toMatchObject({ status: 403, bucket: "http", remaining: 1 })
    expect(await call("/sync", READ_KEY, {})).toMatchObject({ status: 403, bucket: "http", remaining: 0 })
    expect(await call("/submit", READ_KEY, order)).toMatchObject({ status: 429, bucket: "http" })
    for (const path of ["/submit", "/cancel"]) expect((await call(path, TRADE_KEY, order)).status).toBe(200)
  })

  it("have a share of their own: what they take keeps no session of their user from revoking them", async () => {
    const one = { perSecond: 1, burst: 1 }
    const { call } = await serve({ orderCalls: one, cancelCalls: one, http: one })
    const order = { tradingAccountId: ACCOUNT }
    for (const status of [200, 429]) {
      expect((await call("/book", TRADE_KEY)).status).toBe(status)
      for (const path of ["/submit", "/cancel"]) expect((await call(path, TRADE_KEY, order)).status).toBe(status)
    }
    expect((await call("/book", READ_KEY)).status, "all keys of a user have one share").toBe(429)
    expect((await call("/one", WRITER)).status).toBe(200)
    for (const path of ["/submit", "/cancel"]) expect((await call(path, WRITER, order)).status).toBe(200)
  })
})

describe("whoever has no good token", () => {
  it("is counted by address, over every path that there is and that there is not", async () => {
    const { call } = await serve({ httpAddress: { perSecond: 1, burst: 4 } })
    expect(await call("/open")).toMatchObject({ status: 200, bucket: "httpAddress", remaining: 3 })
    expect(await call("/one", { authorization: "Bearer forged" })).toMatchObject({ status: 401, remaining: 2 })
    expect(await call("/nothing")).toMatchObject({ status: 404, remaining: 1 })
    expect(await call("/submit", {})).toMatchObject({ status: 405, remaining: 0 })
    for (const path of ["/open", "/one", "/nothing"]) expect((await call(path)).status).toBe(429)
    // Health is asked for by what would take the gateway out of service, users by their own bucket.
    expect(await call("/health")).toMatchObject({ status: 200, bucket: "httpAddress", remaining: 0 })
    expect((await call("/one", READER)).status).toBe(200)
  })

  it("is not believed when it says where it comes from", async () => {
    const { call } = await serve({ httpAddress: { perSecond: 1, burst: 2 } })
    const from = (address: string) => call("/open", { "x-forwarded-for": address, forwarded: `for=${address}` })
    const statuses = [(await from("203.0.113.1")).status, (await from("203.0.113.2")).status]
    expect(statuses).toEqual([200, 200])
    expect((await from("203.0.113.3")).status).toBe(429)
  })

  it("is counted as a trusted proxy says, IPv6 by its /64, and never as what a client wrote before it", async () => {
    const { port } = await serve({ httpAddress: { perSecond: 1, burst: 1 } }, ["127.0.0.1", "10.0.0.0/8"])
    const from = async (forwarded: string) => {
      const request = `GET /open HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n${forwarded}\r\n\r\n`
      const [answer] = await raw(port, request)
      return answer?.status
    }
    expect(await from("X-Forwarded-For: 203.0.113.1")).toBe(200)
    expect(await from("X-Forwarded-For: 203.0.113.1")).toBe(429)
    expect(await from("X-Forwarded-For: 203.0.113.2, 10.1.2.3")).toBe(200)
    // The client wrote the first one.
    expect(await from("X-Forwarded-For: 198.51.100.9, 203.0.113.2")).toBe(429)
    expect(await from("X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-For: 203.0.113.2")).toBe(429)
    expect(await from("X-Forwarded-For: 2001:db8:1:2::1")).toBe(200)
    expect(await from("X-Forwarded-For: 2001:db8:1:2:ffff::9")).toBe(429)
    expect(await from("X-Forwarded-For: 2001:db8:1:3::1")).toBe(200)
  })
})
