/** What a refused hedge means for the next one, by the words in which venues and the gateway refuse. */
import { describe, expect, it } from "vitest"
import { refusalOfOrder, refusalOfSubmit } from "../../../src/domain/dealer/hedging/hedge-order.ts"
import { NotionalBelowMinimum, QuantityBelowMinimum } from "../../../src/domain/errors/order-parameters.ts"
import { InsufficientBalance } from "../../../src/domain/errors/risk.ts"
import { AccountReconciling } from "../../../src/domain/errors/trading-account.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"

const meaningOf = (rejectReason: string | null, orderStatus = "REJECTED") =>
  refusalOfOrder({ orderStatus, rejectReason } as TradeOrder)

describe("a refused hedge", () => {
  it.each([
    "INVALID_ORDER: Filter failure: NOTIONAL",
    "INVALID_ORDER: Filter failure: MIN_NOTIONAL",
    "INVALID_ORDER: EGeneral:Invalid arguments:volume minimum not met",
    "INVALID_ORDER: Your order should meet or exceed the minimum order amount.",
    "INVALID_ORDER: Order value exceeded lower limit.",
    "INVALID_ORDER: Invalid order: minimum size for BTC/USD is 0.00006",
    "INVALID_ORDER: PREVIEW_INVALID_BASE_SIZE_TOO_SMALL",
    "QUANTITY_BELOW_MINIMUM: quantity below 0.001",
    "NOTIONAL_BELOW_MINIMUM: price × quantity below 5",
  ])("is too small by its venue's words: %s", (reason) => {
    expect(meaningOf(reason)).toBe("TOO_SMALL")
  })

  it.each([
    "INSUFFICIENT_BALANCE: Account has insufficient balance for requested action.",
    "INVALID_ORDER: Filter failure: PERCENT_PRICE_BY_SIDE",
    "INSTRUMENT_NOT_FOUND: This symbol is not permitted for this account.",
    null,
  ])("is refused for good: %s", (reason) => {
    expect(meaningOf(reason)).toBe("FOR_GOOD")
  })

  it.each(["GATEWAY_LATE", "GATEWAY_RESTART", "NOT_PLACED: proven by expiry", "NOT_SENT: the venue session is gone"])(
    "never reached its venue: %s",
    (reason) => {
      expect(meaningOf(reason)).toBe("PASSING")
    },
  )

  it.each([
    "MARKET_CLOSED: Market is closed.",
    "MARKET_CLOSED: EService:Market in cancel_only mode",
    "MARKET_CLOSED: Instrument suspended.",
    "MARKET_CLOSED",
  ])("found its market closed, which passes: %s", (reason) => {
    expect(meaningOf(reason)).toBe("CLOSED")
  })

  it("is judged by its failure where it was never stored, and is none where it only missed", () => {
    expect(refusalOfSubmit(new QuantityBelowMinimum({ minQuantity: "1" }))).toBe("TOO_SMALL")
    expect(refusalOfSubmit(new NotionalBelowMinimum({ minNotional: "5" }))).toBe("TOO_SMALL")
    expect(refusalOfSubmit(new AccountReconciling({ reason: "RECONCILING" }))).toBe("PASSING")
    expect(refusalOfSubmit(new InsufficientBalance({ asset: "USDT", required: "1", available: "0" }))).toBe("FOR_GOOD")
    expect(meaningOf(null, "CANCELLED")).toBeNull()
  })
})
