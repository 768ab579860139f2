/** What OKX's failures mean: ccxt's own class and text for each, and what is made of them. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { classify } from "../../../../src/venues/worker/exchange/errors.ts"

/** The parts of ccxt's OKX that make an error of an answer. */
interface Okx {
  handleErrors(
    status: number,
    reason: string,
    url: string,
    method: string,
    headers: object,
    body: string,
    response: unknown,
  ): unknown
}

let okx: Okx
beforeAll(async () => {
  const root = dirname(dirname(createRequire(import.meta.url).resolve("ccxt")))
  const module: { readonly default: new () => Okx } = await import(pathToFileURL(join(root, "js/src/pro/okx.js")).href)
  okx = new module.default()
})

/** As ccxt throws it for an answer of the venue. */
const thrownFor = (answer: object): unknown => {
  const body = JSON.stringify(answer)
  try {
    okx.handleErrors(200, "OK", "https://www.okx.com/api/v5/trade/order", "POST", {}, body, answer)
  } catch (error) {
    return error
  }
  throw new Error("ccxt sees no error in it")
}

const operation = (sCode: string, sMsg: string) => ({
  code: "1",
  data: [{ clOrdId: "", ordId: "", sCode, sMsg }],
  msg: "All operations failed",
})

describe("a failure at OKX", () => {
  it.each([
    ["51008", "INSUFFICIENT_BALANCE", "REFUSED"],
    ["51016", "DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"],
    ["50071", "DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"],
    ["51020", "INVALID_ORDER", "REFUSED"],
    ["51121", "INVALID_ORDER", "REFUSED"],
    ["51150", "INVALID_ORDER", "REFUSED"],
    ["51000", "INVALID_ARGUMENT", "REFUSED"],
    ["51001", "INSTRUMENT_NOT_FOUND", "REFUSED"],
    ["51022", "MARKET_CLOSED", "REFUSED"],
    ["51155", "RESTRICTED_LOCATION", "REFUSED"],
    ["50061", "RATE_LIMITED", "REFUSED"],
    ["50030", "PERMISSION_DENIED", "REFUSED"],
    ["50036", "CLOCK_SKEW", "REFUSED"],
    ["51400", "ORDER_NOT_FOUND", "REFUSED"],
    ["51410", "CANCEL_PENDING", "IN_DOUBT"],
    ["51149", "VENUE_TIMEOUT", "IN_DOUBT"],
    ["51054", "VENUE_TIMEOUT", "IN_DOUBT"],
    ["51999", "VENUE_FAILED", "IN_DOUBT"],
  ])("of one operation, %s, is %s: %s", (sCode, category, verdict) => {
    expect(classify(thrownFor(operation(sCode, "so it is")))).toEqual({
      code: sCode,
      text: "so it is",
      category,
      verdict,
    })
  })

  it.each([
    ["50001", "VENUE_UNAVAILABLE", "IN_DOUBT"],
    ["50004", "VENUE_TIMEOUT", "IN_DOUBT"],
    ["50011", "RATE_LIMITED", "REFUSED"],
    ["50013", "VENUE_UNAVAILABLE", "IN_DOUBT"],
    ["50026", "VENUE_UNAVAILABLE", "IN_DOUBT"],
    ["50102", "CLOCK_SKEW", "REFUSED"],
    ["50105", "VENUE_AUTHENTICATION", "REFUSED"],
    ["50110", "PERMISSION_DENIED", "REFUSED"],
    ["50111", "VENUE_AUTHENTICATION", "REFUSED"],
    ["50113", "VENUE_AUTHENTICATION", "REFUSED"],
    ["50119", "VENUE_AUTHENTICATION", "REFUSED"],
    ["50120", "PERMISSION_DENIED", "REFUSED"],
    ["51603", "ORDER_NOT_FOUND", "REFUSED"],
  ])("of a whole request, %s, is %s: %s", (code, category, verdict) => {
    expect(classify(thrownFor({ code, data: [], msg: "so it is" }))).toEqual({
      code,
      text: "so it is",
      category,
      verdict,
    })
  })

  it("without the venue's words is a definite no only under HTTP 429", () => {
    const url = "https://www.okx.com/api/v5/trade/order"
    expect(classify(new Error(`okx POST ${url} 429 Too Many Requests <html></html>`))).toMatchObject({
      category: "RATE_LIMITED",
      verdict: "REFUSED",
    })
    expect(classify(new Error(`okx POST ${url} 502 Bad Gateway <html>429</html>`)).verdict).toBe("IN_DOUBT")
  })

  it("of a book whose sequence has a hole is a gap, and not our clock", () => {
    expect(classify(new Error("okx watchOrderBook received invalid nonce")).category).toBe("STREAM_GAP")
  })

  it("means nothing to another venue: codes are the venue's own", () => {
    expect(classify(new Error('binance {"code":"50011","msg":"?"}')).category).toBe("INTERNAL")
  })

  it("of a login says nothing of the keys it repeats", () => {
    const login = {
      op: "login",
      args: [{ apiKey: "key-1", passphrase: "pass word", sign: "c2lnbg==", timestamp: "1" }],
    }
    const event = { event: "error", code: "60012", msg: `Invalid request: ${JSON.stringify(login)}` }
    const { text } = classify(new Error(`okx ${JSON.stringify(event)}`))
    for (const secret of ["key-1", "pass"]) expect(text.replace("passphrase", "")).not.toContain(secret)
  })
})
