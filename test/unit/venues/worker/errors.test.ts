/** What a venue's failure means: ccxt's own classes, and the codes whose class says something else. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { classify, cleanText, TooLate } from "../../../../src/venues/worker/exchange/errors.ts"

type ErrorClass = new (message: string) => Error
let classes: Readonly<Record<string, ErrorClass>>
beforeAll(async () => {
  const root = dirname(dirname(createRequire(import.meta.url).resolve("ccxt")))
  classes = await import(pathToFileURL(join(root, "js/src/base/errors.js")).href)
})

const made = (name: string, text: string): Error => {
  const Class = classes[name]
  if (Class === undefined) throw new Error(`ccxt has no ${name}`)
  return new Class(text)
}

describe("the verdict on a failed submit", () => {
  it.each([
    ["InsufficientFunds", "REFUSED", "INSUFFICIENT_BALANCE"],
    ["InvalidOrder", "REFUSED", "INVALID_ORDER"],
    ["OrderImmediatelyFillable", "REFUSED", "WOULD_TAKE"],
    ["OrderNotFillable", "REFUSED", "ORDER_NOT_FILLABLE"],
    ["DuplicateOrderId", "IN_DOUBT", "DUPLICATE_CLIENT_ORDER_ID"],
    ["BadSymbol", "REFUSED", "INSTRUMENT_NOT_FOUND"],
    ["BadRequest", "REFUSED", "INVALID_ARGUMENT"],
    ["ArgumentsRequired", "REFUSED", "INVALID_ARGUMENT"],
    ["AuthenticationError", "REFUSED", "VENUE_AUTHENTICATION"],
    ["PermissionDenied", "REFUSED", "PERMISSION_DENIED"],
    ["AccountSuspended", "REFUSED", "ACCOUNT_SUSPENDED"],
    ["NotSupported", "REFUSED", "NOT_SUPPORTED"],
    ["OperationRejected", "REFUSED", "REJECTED"],
    ["MarketClosed", "REFUSED", "MARKET_CLOSED"],
    ["RestrictedLocation", "REFUSED", "RESTRICTED_LOCATION"],
    ["RequestTimeout", "IN_DOUBT", "VENUE_TIMEOUT"],
    ["NetworkError", "IN_DOUBT", "VENUE_NETWORK"],
    ["ExchangeNotAvailable", "IN_DOUBT", "VENUE_UNAVAILABLE"],
    ["OnMaintenance", "IN_DOUBT", "VENUE_UNAVAILABLE"],
    ["BadResponse", "IN_DOUBT", "BAD_VENUE_RESPONSE"],
    ["NullResponse", "IN_DOUBT", "BAD_VENUE_RESPONSE"],
    ["OperationFailed", "IN_DOUBT", "VENUE_FAILED"],
    ["ExchangeError", "IN_DOUBT", "VENUE_FAILED"],
    ["InvalidNonce", "IN_DOUBT", "CLOCK_SKEW"],
    ["ChecksumError", "IN_DOUBT", "STREAM_GAP"],
    ["UnsubscribeError", "IN_DOUBT", "UNSUBSCRIBED"],
  ])("follows the class %s: %s", (name, verdict, category) => {
    expect(classify(made(name, "binance said so"))).toMatchObject({ verdict, category })
  })

  it.each([
    [
      "DDoSProtection",
      'binance {"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}',
      "REFUSED",
      "VENUE_AUTHENTICATION",
    ],
    ["BadRequest", 'binance {"code":-1013,"msg":"Filter failure: NOTIONAL"}', "REFUSED", "INVALID_ORDER"],
    ["InvalidOrder", "binance Duplicate order sent.", "IN_DOUBT", "DUPLICATE_CLIENT_ORDER_ID"],
    [
      "BadRequest",
      'binance {"code":-1006,"msg":"An unexpected response was received from the message bus."}',
      "IN_DOUBT",
      "VENUE_TIMEOUT",
    ],
    ["ExchangeError", 'binance {"code":-1001,"msg":"Internal error"}', "IN_DOUBT", "VENUE_FAILED"],
    ["InvalidNonce", 'binance {"code":-1021,"msg":"Timestamp outside of the recvWindow."}', "REFUSED", "CLOCK_SKEW"],
    [
      "DDoSProtection",
      'binance 429 Too Many Requests {"code":-1003,"msg":"Too many requests."}',
      "REFUSED",
      "RATE_LIMITED",
    ],
    ["DDoSProtection", "binance 418 I'm a teapot ", "REFUSED", "RATE_LIMITED"],
    ["DDoSProtection", "binance says nothing of a status", "IN_DOUBT", "RATE_LIMITED"],
    [
      "NetworkError",
      "binance POST https://api.binance.com fetch failed: never connected: api.binance.com:443 refused",
      "NOT_SENT",
      "VENUE_UNREACHABLE",
    ],
  ])("follows the venue's words where %s is wrong: %s", (name, text, verdict, category) => {
    expect(classify(made(name, text))).toMatchObject({ verdict, category })
  })

  it("takes an order that waited too long for not sent", () => {
    expect(classify(new TooLate("late"))).toMatchObject({ verdict: "NOT_SENT", category: "TOO_LATE" })
  })

  it.each([undefined, null, 7, "text", new TypeError("x is not a function"), { anything: 1 }, Object.create(null)])(
    "is in doubt about what nobody has listed: %s",
    (thrown) => {
      expect(classify(thrown).verdict).toBe("IN_DOUBT")
    },
  )

  it("reads a plain object that ccxt rejected with", () => {
    const failure = classify({
      id: "1",
      status: 400,
      error: { code: -1022, msg: "Signature for this request is not valid." },
    })
    expect(failure).toMatchObject({
      category: "VENUE_AUTHENTICATION",
      code: "-1022",
      text: "Signature for this request is not valid.",
    })
  })
})

describe("the text of a failure", () => {
  it("is the venue's message, with its code apart", () => {
    const failure = classify(
      made(
        "InsufficientFunds",
        'binance {"code":-2010,"msg":"Account has insufficient balance for requested action."}',
      ),
    )
    expect(failure).toMatchObject({ code: "-2010", text: "Account has insufficient balance for requested action." })
  })

  it("is nothing that a row of the database cannot hold: no control character, no half character", () => {
    const control = String.fromCharCode(...Array.from({ length: 32 }, (_, i) => i), 127, 128, 159)
    expect(cleanText(`a${control}b\u0000c`)).toBe("a b c")
    expect(cleanText(`${"no ".repeat(66)}x\u{1f600}`)).toBe(`${"no ".repeat(66)}x`)
    expect(cleanText("\u{1f600} \ud83d.")).toBe("\u{1f600} .")
    const failure = classify(made("ExchangeError", 'binance {"code":"-9\\u0000","msg":"no\\u0000\\u0007 way"}'))
    expect(failure).toMatchObject({ code: "-9", text: "no way" })
  })

  it("has no URL, no signature, no key, and 200 characters at most", () => {
    const key = "A1b2".repeat(16)
    const text = cleanText(
      `binance POST https://api.binance.com/api/v3/order?timestamp=1&signature=abcdef fetch failed apiKey=${key} "secret": "hush" token=${key} ${key} ${"long ".repeat(100)}`,
    )
    expect(text).not.toMatch(/https|abcdef|A1b2|hush/)
    expect(text).toContain("fetch failed")
    expect(text.length).toBeLessThanOrEqual(200)
  })
})
