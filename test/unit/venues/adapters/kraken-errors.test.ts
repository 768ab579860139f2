/** What Kraken's error texts mean, whatever class ccxt gave them. */
import { describe, expect, it } from "vitest"
import { classify } from "../../../../src/venues/worker/exchange/errors.ts"

/** As ccxt words it: its own name and the venue's whole answer. */
const said = (text: string): Error => new Error(`kraken {"error":["${text}"]}`)

describe("Kraken's word on a submit", () => {
  it.each([
    ["EOrder:Insufficient funds", "REFUSED", "INSUFFICIENT_BALANCE"],
    ["EGeneral:Invalid arguments:volume minimum not met", "REFUSED", "INVALID_ORDER"],
    ["EOrder:Cost minimum not met", "REFUSED", "INVALID_ORDER"],
    ["EOrder:Tick size check failed", "REFUSED", "INVALID_ORDER"],
    ["EOrder:Invalid price:XBTUSD price can only be specified up to 1 decimals.", "REFUSED", "INVALID_ORDER"],
    ["EOrder:Rate limit exceeded", "REFUSED", "RATE_LIMITED"],
    ["EAPI:Rate limit exceeded", "REFUSED", "RATE_LIMITED"],
    ["EGeneral:Temporary lockout", "REFUSED", "RATE_LIMITED"],
    ["EQuery:Unknown asset pair", "REFUSED", "INSTRUMENT_NOT_FOUND"],
    ["EAPI:Invalid key", "REFUSED", "VENUE_AUTHENTICATION"],
    ["EAPI:Invalid signature", "REFUSED", "VENUE_AUTHENTICATION"],
    ["EAPI:Invalid nonce", "REFUSED", "CLOCK_SKEW"],
    ["EGeneral:Permission denied", "REFUSED", "PERMISSION_DENIED"],
    ["EService:Market in cancel_only mode", "REFUSED", "MARKET_CLOSED"],
    ["EOrder:Unknown order", "REFUSED", "ORDER_NOT_FOUND"],
    ["EOrder:Invalid order", "REFUSED", "ORDER_NOT_FOUND"],
    ["EGeneral:Invalid arguments:cl_ord_id not unique", "IN_DOUBT", "DUPLICATE_CLIENT_ORDER_ID"],
    ["EService:Unavailable", "IN_DOUBT", "VENUE_UNAVAILABLE"],
    ["EService:Busy", "IN_DOUBT", "VENUE_UNAVAILABLE"],
    ["EService:Deadline elapsed", "IN_DOUBT", "VENUE_TIMEOUT"],
    // The session's token has expired, the key has not.
    ["ESession:Invalid session", "IN_DOUBT", "VENUE_UNAVAILABLE"],
  ])("%s: %s, %s", (text, verdict, category) => {
    expect(classify(said(text))).toEqual({ verdict, category, code: text.slice(0, 40), text })
  })

  it.each(["EGeneral:Internal error", "EGeneral:Something new"])("leaves an order in doubt after %s", (text) => {
    expect(classify(said(text))).toMatchObject({ verdict: "IN_DOUBT", code: text, text })
  })

  it("is read where a socket says it, too", () => {
    expect(classify(new Error("ESession:Invalid session")).category).toBe("VENUE_UNAVAILABLE")
  })

  it("is nothing that other venues say", () => {
    const binance = new Error('binance {"code":-2010,"msg":"Account has insufficient balance for requested action."}')
    expect(classify(binance).code).toBe("-2010")
  })
})
