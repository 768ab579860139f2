/** The four quantity types of contract C7: what so much quote, or such a share of what there is, comes to in base. */
import { describe, expect, it } from "vitest"
import { type Around, check, planOf, refusalOf } from "../../kit/records/order-check.ts"

const market = { orderType: "MARKET", limitPrice: undefined }
const quote = (quantity: string, patch: object = {}) => ({ quantity, quantityType: "QUOTE", ...patch })
const book: Around = {
  asks: [
    ["100", "1"],
    ["110", "1"],
  ],
  bids: [
    ["99", "1"],
    ["90", "1"],
  ],
}
const base = (patch: object, around?: Around): string => planOf(patch, around).baseQuantity.toString()

describe("a quantity in quote", () => {
  it.each([
    ["at its limit, down to the lot", quote("250.19"), "2.501"],
    ["at its limit, up where asked", quote("250.11", { quantityRounding: "UP" }), "2.502"],
    ["at a stop's price", quote("250", { orderType: "STOP", limitPrice: undefined, stopPrice: "125" }), "2"],
    ["walking the asks", quote("155", market), "1.5"],
    ["walking the asks, down to the lot", quote("155.1", market), "1.5"],
    ["beyond what is shown, at its last price", quote("320", market), "3"],
    ["walking the bids", quote("144", { ...market, orderSide: "SELL" }), "1.5"],
  ])("is resolved %s", (_name, patch, resolved) => {
    const plan = planOf(patch, book)
    expect(plan.baseQuantity.toString()).toBe(resolved)
    expect(plan).toMatchObject({ orderQuantityType: "QUOTE", terms: plan.terms?.trigger ? {} : null })
    expect(plan.quantity.toString()).toBe((patch as { quantity: string }).quantity)
  })

  it("is a budget where the venue buys by cost, and only for a buy at market", () => {
    const byCost: Around = { ...book, capabilities: { marketBuyByCost: true } }
    const plan = planOf(quote("155.1", market), byCost)
    expect(plan.terms?.budget?.amount.toString()).toBe("155.1")
    expect(plan.terms?.budget?.lot.toString()).toBe("0.001")
    expect(plan.baseQuantity.toString()).toBe("1.5")
    expect(planOf(quote("144", { ...market, orderSide: "SELL" }), byCost).terms).toBeNull()
    expect(planOf(quote("250"), byCost).terms).toBeNull()
  })

  it("uses the last price without a book, waits for one where it may, and is refused without any", () => {
    expect(base(quote("100", market), { last: "50" })).toBe("2")
    expect(check(quote("100", market), { mayWait: true })).toMatchObject({ wanted: { kind: "BOOK" } })
    expect(refusalOf(quote("100", market))).toBe("OrderBookUnavailable")
  })

  it("is refused below the smallest order", () => {
    expect(refusalOf(quote("0.5", market), book)).toBe("NotionalBelowMinimum")
    expect(refusalOf(quote("1", { limitPrice: "2000" }))).toBe("QuantityBelowMinimum")
  })
})

describe("a share", () => {
  const ratio = (quantity: string, patch: object = {}) => ({ quantity, quantityType: "POSITION_RATIO", ...patch })
  const funds: Around = { ...book, funds: { BTC: "5", USDT: "1005" } }

  it.each([
    ["of the base asset", ratio("0.5", { orderSide: "SELL" }), "2.5"],
    ["all of it", ratio("1", { orderSide: "SELL" }), "5"],
    ["in percent", { quantity: "30", quantityType: "POSITION_PERCENTAGE", orderSide: "SELL" }, "1.5"],
    ["of the quote asset at the limit", ratio("0.5"), "5.025"],
    ["of the quote asset, half a percent above the ask", ratio("1", market), "10"],
  ])("is %s", (_name, patch, resolved) => {
    expect(base(patch, funds)).toBe(resolved)
  })

  it("leaves room for a fee that the venue takes in quote", () => {
    expect(base(ratio("1", { limitPrice: "100" }), { ...funds, venue: { feeInQuote: true } })).toBe("10.039")
  })

  // Vega 0080: half of 5 in whole lots.
  it("rounds half up only where asked", () => {
    const whole: Around = { ...funds, instrument: { lotSize: planOf({}).baseQuantity } }
    expect(base(ratio("0.5", { orderSide: "SELL", quantityRounding: "HALF_UP" }), whole)).toBe("3")
    expect(base(ratio("0.5", { orderSide: "SELL" }), whole)).toBe("2")
  })

  it.each([
    ["a ratio above 1", ratio("1.01", { orderSide: "SELL" }), "InvalidQuantityRatio"],
    [
      "more than all of it in percent",
      { quantity: "100.1", quantityType: "POSITION_PERCENTAGE" },
      "InvalidQuantityRatio",
    ],
    ["a ratio of nothing", ratio("0"), "InvalidParameter"],
    ["a share of too little", ratio("0.0001", { orderSide: "SELL" }), "QuantityBelowMinimum"],
  ])("is refused with %s", (_name, patch, error) => {
    expect(refusalOf(patch, funds)).toBe(error)
  })

  it("is refused where positions are the venue's", () => {
    expect(refusalOf(ratio("0.5"), { ...funds, venue: { features: ["PERPETUAL"] } })).toBe("NotSupportedByVenue")
  })

  it.each([
    ["half of a short", "0.5", "-5", "BUY", "2.5"],
    ["all of a long, in whole lots", "1", "0.0015", "SELL", "0.001"],
  ])("is one of a position that is named: %s", (_, share, open, orderSide, resolved) => {
    const perpetual: Around = { ...funds, venue: { features: ["PERPETUAL"] }, open }
    const { positionId } = planOf({}, perpetual)
    expect(base(ratio(share, { orderSide, positionId }), perpetual)).toBe(resolved)
    expect(refusalOf(ratio(share, { orderSide, positionId }), { ...perpetual, open: "0" })).toBe("PositionNotFound")
  })
})
