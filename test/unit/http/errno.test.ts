/** The table of failures against contract C12: numbers, statuses, and what becomes of an error's fields. */
import { describe, expect, it } from "vitest"
import { AdminRequired } from "../../../src/domain/errors/authorisation.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import { RateLimited } from "../../../src/domain/errors/limits.ts"
import { OrderBookUnavailable, TickerUnavailable } from "../../../src/domain/errors/market.ts"
import { DealerCannotQuote } from "../../../src/domain/errors/quote.ts"
import { InsufficientBalance } from "../../../src/domain/errors/risk.ts"
import { Busy } from "../../../src/domain/errors/service.ts"
import { OrderNotFound } from "../../../src/domain/errors/trade-order.ts"
import { AccountReconciling } from "../../../src/domain/errors/trading-account.ts"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import { failureText, retryAfterSeconds } from "../../../src/http/edge/envelope.ts"
import { ERRNO } from "../../../src/http/edge/errno.ts"

const operation = { resource: "tradeOrder", action: "submit" }
const parsed = (error: DomainError, extra?: Record<string, unknown>) =>
  JSON.parse(failureText(error, operation, "r-1", extra)) as Record<string, unknown>

describe("the errno table", () => {
  it("gives every failure its own number and its own code", () => {
    const rows = Object.values(ERRNO)
    expect(new Set(rows.map((row) => row.errno)).size).toBe(rows.length)
    expect(new Set(rows.map((row) => row.code)).size).toBe(rows.length)
  })

  it("has the form -1DDNNN and codes in capitals", () => {
    for (const { errno, code } of Object.values(ERRNO)) {
      expect(`${errno}`).toMatch(/^-1\d{5}$/)
      expect(code).toMatch(/^[A-Z][A-Z_]*[A-Z]$/)
    }
  })

  it("has the numbers and statuses that the specification shows", () => {
    expect(ERRNO.InvalidLoginCredentials).toEqual({ status: 400, errno: -100001, code: "INVALID_CREDENTIALS" })
    expect(ERRNO.InsufficientBalance).toEqual({ status: 400, errno: -111000, code: "INSUFFICIENT_BALANCE" })
    expect(ERRNO.TradingAccountNotFound).toEqual({ status: 404, errno: -120002, code: "TRADING_ACCOUNT_NOT_FOUND" })
    expect(ERRNO.ExternalAccountTaken.status).toBe(409)
    expect(ERRNO.RateLimited.status).toBe(429)
  })
})

describe("a failure's text", () => {
  it("puts the error's own fields into details.metadata", () => {
    const error = new InsufficientBalance({ asset: "USDT", required: "10", available: "9" })
    expect(parsed(error)).toEqual({
      success: false,
      errno: -111000,
      error: "Insufficient balance",
      data: null,
      details: {
        code: "INSUFFICIENT_BALANCE",
        resource: "tradeOrder",
        action: "submit",
        request_id: "r-1",
        metadata: { asset: "USDT", required: "10", available: "9" },
      },
    })
  })

  it("puts permissions beside the metadata", () => {
    const details = parsed(new AdminRequired({ required: ["admin"], provided: ["read"] }))["details"]
    expect(details).toMatchObject({ metadata: {}, required: ["admin"], provided: ["read"] })
  })

  it("puts why a dealer cannot quote beside the metadata, and in it", () => {
    const details = parsed(new DealerCannotQuote({ reason: "OWN_ACCOUNT" }))["details"]
    expect(details).toMatchObject({ reason: "OWN_ACCOUNT", metadata: { reason: "OWN_ACCOUNT" } })
  })

  it("says beside the metadata why an account takes no orders yet", () => {
    const error = new AccountReconciling({ reason: "VENUE_UNREACHABLE" })
    expect(parsed(error)["details"]).toMatchObject({ reason: "VENUE_UNREACHABLE" })
  })

  it("puts no reason in words there", () => {
    expect(parsed(new VenueUnavailable({ reason: "away" }))["details"]).not.toHaveProperty("reason")
  })

  it("adds what the handler gives", () => {
    const details = parsed(new Busy({ retryAfterSeconds: 1 }), { health: { status: "unhealthy" } })["details"]
    expect(details).toMatchObject({ metadata: { retryAfterSeconds: 1, health: { status: "unhealthy" } } })
  })

  it("says when to come back exactly for what passes by itself", () => {
    expect(retryAfterSeconds(new Busy({ retryAfterSeconds: 0 }))).toBe(1)
    expect(retryAfterSeconds(new RateLimited({ retryAfterSeconds: 7 }))).toBe(7)
    const passing = [
      new AccountReconciling({ reason: "RECONCILING" }),
      new AccountReconciling({ reason: "VENUE_UNREACHABLE" }),
      new AccountReconciling({ reason: "STOPPED" }),
      new OrderBookUnavailable({ instrumentId: "MOCK:BTC/USDT" }),
      new TickerUnavailable({ instrumentId: "MOCK:BTC/USDT" }),
      new VenueUnavailable({ reason: "away" }),
    ]
    for (const error of passing) expect(retryAfterSeconds(error)).toBeGreaterThanOrEqual(1)
    expect(retryAfterSeconds(new OrderNotFound())).toBeUndefined()
  })
})
