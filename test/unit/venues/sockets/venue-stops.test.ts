/** Whom a venue's answer stops, and for how long: the real instances of ccxt, handed the answers. */
import { describe, expect, it } from "vitest"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { Budgets } from "../../../../src/venues/worker/budget/budgets.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances, publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { doing } from "../../../../src/venues/worker/work.ts"

type Purpose = "submit" | "cancel" | "doubt" | "market"

const SECRETS = { apiKey: "key", apiSecret: "c2VjcmV0", apiPassphrase: "pass" }

const world = async (venue: string) => {
  const profile = PROFILES.find((it) => it.venue === venue) as VenueProfile
  const Exchange = await loadExchange(profile.exchange)
  const settings = { profile, routes: {}, proxy: null }
  const budgets = new Budgets(profile)
  const market = publicInstance(Exchange, settings, budgets)
  const instanceOf = privateInstances(Exchange, settings, budgets)
  const [one, other] = [instanceOf(SECRETS), instanceOf(SECRETS)]
  const as = <A>(purpose: Purpose, run: () => A): A => doing({ connector: venue, purpose, until: Date.now() + 20 }, run)
  const hear = (
    exchange: CcxtExchange,
    purpose: Purpose,
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ) => as(purpose, () => exchange.onRestResponse(status, "", "https://venue", "POST", headers, JSON.stringify(body)))
  /** A request of cost 1 leaves within 20 ms. */
  const mayAsk = (exchange: CcxtExchange, purpose: Purpose): Promise<boolean> =>
    as(purpose, () => exchange.throttle(0.001)).then(
      () => true,
      () => false,
    )
  const all = async () => ({
    submit: await mayAsk(one, "submit"),
    cancel: await mayAsk(one, "cancel"),
    question: await mayAsk(one, "doubt"),
    other: await mayAsk(other, "submit"),
    market: await mayAsk(market, "market"),
  })
  return { market, one, other, hear, all, budgets }
}

const ALL = { submit: true, cancel: true, question: true, other: true, market: true }
const NONE = { submit: false, cancel: false, question: false, other: false, market: false }

describe("a limit of one account", () => {
  it.each([
    ["BINANCE", 429, { code: -1015, msg: "Too many new orders; current limit is 100 orders per 10 SECOND." }],
    ["BINANCEUSDM", 429, { code: -1015, msg: "Too many new orders." }],
    ["BYBIT", 200, { retCode: 10006, retMsg: "Too many visits. Exceeded the API Rate Limit.", result: {} }],
    ["OKX", 429, { code: "50011", msg: "Rate limit reached." }],
    ["OKX", 200, { code: "50061", msg: "Order rate limit reached" }],
    ["GATE", 429, { label: "TOO_MANY_REQUESTS", message: "" }],
    ["BITSTAMP", 400, { status: "error", reason: "exceeded rate limit", response_code: "400.002" }],
    ["GEMINI", 429, { result: "error", reason: "RateLimit", message: "Requests were made too frequently" }],
    ["KUCOIN", 429, { code: "429000", msg: "Too many requests" }],
    ["COINBASE", 429, { error: "rate_limit_exceeded" }],
    // Of the address, but of one endpoint.
    ["BITFINEX", 429, ["error", 11010, "ratelimit: error"]],
    ["BITFINEX", 500, ["error", 11010, "ratelimit: error"]],
    ["BITFINEX", 429, { error: "ERR_RATE_LIMIT" }],
    ["DERIBIT", 400, { error: { code: 10028, message: "too_many_requests" } }],
    ["KRAKENFUTURES", 200, { result: "error", error: "apiLimitExceeded" }],
  ] as const)("of %s (%s) holds its kind of request, and nothing else: %o", async (venue, status, body) => {
    const { one, hear, all, budgets } = await world(venue)
    expect(await all()).toEqual(ALL)
    hear(one, "submit", status, body)
    expect(await all()).toEqual({ ...ALL, submit: false })
    expect(budgets.load().answers.limited).toBe(1)
    budgets.close()
  })
})

describe("a limit of the address", () => {
  it.each([
    ["BINANCE", 429, { code: -1003, msg: "Too much request weight used." }],
    ["BINANCE", 418, { code: -1003, msg: "Way too much request weight used; IP banned." }],
    ["BYBIT", 403, "access too frequent"],
    ["BITFINEX", 429, "<html>Too Many Requests</html>"],
    ["BITFINEX", 403, "<html>Access Denied</html>"],
    ["KUCOIN", 429, "error code: 1015"],
    ["KUCOIN", 403, "<html>Attention Required!</html>"],
    ["GATE", 429, "<html>Too Many Requests</html>"],
    ["GATE", 403, "<html>Access Denied</html>"],
    ["BITSTAMP", 403, "<html>Access Denied</html>"],
    ["GEMINI", 429, "<html>Too Many Requests</html>"],
  ] as const)("of %s (%s) holds everything", async (venue, status, body) => {
    const { one, hear, all, budgets } = await world(venue)
    hear(one, "submit", status, body, { "retry-after": "30" })
    expect(await all()).toEqual(NONE)
    budgets.close()
  })

  it("lasts as long as the venue says, and ten minutes after BYBIT's 403", async () => {
    const bybit = await world("BYBIT")
    bybit.hear(bybit.market, "market", 403, "access too frequent")
    expect(bybit.budgets.load().pausedMillis).toBeGreaterThan(590_000)
    bybit.budgets.close()
    const binance = await world("BINANCE")
    binance.hear(binance.market, "market", 418, {}, { "Retry-After": "77" })
    expect(binance.budgets.load().pausedMillis).toBeGreaterThan(76_000)
    binance.budgets.close()
  })

  it("is not taken out of an answer that only speaks of the number", async () => {
    const { one, hear, all, budgets } = await world("BYBIT")
    hear(one, "submit", 200, { retCode: 0, result: { orderId: "10006" } })
    expect(await all()).toEqual(ALL)
    budgets.close()
  })
})

describe("the weight that the venue has counted", () => {
  it.each([
    ["BINANCE", 6000],
    ["BINANCEUSDM", 2400],
  ])("of %s is a share of %d", async (venue, limit) => {
    const { market, hear, budgets } = await world(venue)
    hear(market, "market", 200, {}, { "X-MBX-USED-WEIGHT-1M": String(limit / 2) })
    expect(budgets.load().used).toBeCloseTo(0.5, 1)
    budgets.close()
  })

  it("of KUCOIN is what is gone of the pool that a request belongs to", async () => {
    const { market, hear, budgets } = await world("KUCOIN")
    const left = { "gw-ratelimit-limit": "2000", "gw-ratelimit-remaining": "500", "gw-ratelimit-reset": "12000" }
    hear(market, "market", 200, {}, left)
    expect(budgets.load().used).toBeCloseTo(0.75, 1)
    budgets.close()
  })
})
