/** Triggers and exits of a submit (contract C4, C5): who watches, which orders they make, and what is refused; numbers of Vega's 0014-ORDT. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { reaches } from "../../../src/domain/order/trigger-prices.ts"
import { type Around, check, planOf, refusalOf } from "../../kit/records/order-check.ts"
import { START } from "../../sim/world.ts"

const d = (text: string): Decimal => Decimal.of(text)
const stop = (patch: object) => ({ orderType: "STOP", limitPrice: undefined, ...patch })
const trailing = (patch: object) => stop({ orderType: "TRAILING_STOP", orderSide: "SELL", ...patch })
const NATIVE: Around = {
  capabilities: { triggers: { stop: "NATIVE", takeProfit: "NATIVE", trailing: "NATIVE" } },
}
const triggerOf = (patch: object, around?: Around) => {
  const trigger = planOf(patch, around).terms?.trigger
  if (!trigger) throw new Error("no trigger")
  return trigger
}

describe("a trigger", () => {
  // 0014-ORDT-047 to 050: last trade at 50.
  it.each([
    ["ORDT-047", "STOP", "BUY", "75", "RISE", true],
    ["ORDT-048", "STOP", "BUY", "25", "RISE", false],
    ["ORDT-049", "STOP", "SELL", "25", "FALL", true],
    ["ORDT-050", "STOP", "SELL", "75", "FALL", false],
    ["at the price itself", "STOP", "BUY", "50", "RISE", false],
    ["mirrored", "TAKE_PROFIT", "BUY", "25", "FALL", true],
    ["mirrored, there already", "TAKE_PROFIT", "BUY", "75", "FALL", false],
    ["mirrored", "TAKE_PROFIT", "SELL", "75", "RISE", true],
    ["mirrored, there already", "TAKE_PROFIT", "SELL", "25", "RISE", false],
  ])("%s: %s %s at %s", (_name, orderType, orderSide, stopPrice, on, isTaken) => {
    const patch = stop({ orderType, orderSide, stopPrice })
    if (isTaken) expect(triggerOf(patch, { last: "50" })).toMatchObject({ on, source: "LAST_TRADE" })
    else expect(refusalOf(patch, { last: "50" })).toBe("WouldTriggerImmediately")
  })

  it("is taken while no price is known, and judged by the first one where the gateway watches it", () => {
    const patch = stop({ stopPrice: "75" })
    expect(triggerOf(patch, { mayWait: true })).toMatchObject({ isUnpriced: true, armedAt: START })
    expect(triggerOf(patch, { ...NATIVE, mayWait: true })).not.toHaveProperty("isUnpriced")
    expect(triggerOf(patch, { mayWait: true, last: "50" })).not.toHaveProperty("isUnpriced")
  })

  it("that trails or is one of a pair waits for a price that can be known", () => {
    const wanted = { wanted: { kind: "TICKER", instrumentId: "SIM:BTC/USDT" } }
    expect(check(trailing({ trailingDelta: 100 }), { mayWait: true })).toEqual(wanted)
    const pair = stop({ orderSide: "SELL", orderType: "TAKE_PROFIT", stopPrice: "110", stopLossPrice: "90" })
    expect(check(pair, { mayWait: true })).toEqual(wanted)
  })

  it("is the venue's where it can, and armed at the gateway elsewhere", () => {
    expect(triggerOf(stop({ stopPrice: "75" }))).toMatchObject({ execution: "EMULATED", armedAt: START })
    expect(triggerOf(stop({ stopPrice: "75" }), NATIVE)).toMatchObject({ execution: "NATIVE", armedAt: null })
  })

  // 0014-ORDT-059 to 064: how far a stop stays behind the best price.
  it.each([
    ["SELL", 500, "60", "57", "58"],
    ["BUY", 500, "40", "42", "41"],
    ["SELL", 2500, "60", "45", "46"],
  ])("%s trails by %i basis points of %s: there at %s, not at %s", (orderSide, trailingDelta, last, hit, miss) => {
    const { on, stopPrice, trailing: kept } = triggerOf(trailing({ orderSide, trailingDelta }), { last })
    expect(reaches(on, stopPrice, d(hit))).toBe(true)
    expect(reaches(on, stopPrice, d(miss))).toBe(false)
    expect(kept).toMatchObject({ delta: trailingDelta, amount: null, highWaterMark: d(last) })
  })

  it("takes its distance from the stop price at acceptance; a given one wins", () => {
    const derived = triggerOf(trailing({ stopPrice: "90" }), { last: "100" })
    expect(derived.trailing?.amount?.toString()).toBe("10")
    expect(derived.stopPrice.toString()).toBe("90")
    const bought = triggerOf(trailing({ orderSide: "BUY", stopPrice: "110" }), { last: "100" })
    expect(bought.trailing?.amount?.toString()).toBe("10")
    const given = triggerOf(trailing({ stopPrice: "90", trailingAmount: "5" }), { last: "100" })
    expect([given.trailing?.amount?.toString(), given.stopPrice.toString()]).toEqual(["5", "95"])
    const wide = triggerOf(trailing({ stopPrice: "90", trailingAmount: "50" }), { last: "100" })
    expect(wide.stopPrice.toString()).toBe("90")
  })

  it("keeps a limit's offset itself, whatever the venue can", () => {
    const { trailing: kept, execution } = triggerOf(trailing({ stopPrice: "90", limitPrice: "89" }), {
      ...NATIVE,
      last: "100",
    })
    expect([kept?.limitOffset?.toString(), execution]).toEqual(["-1", "EMULATED"])
    expect(triggerOf(trailing({ stopPrice: "90" }), { ...NATIVE, last: "100" }).execution).toBe("NATIVE")
  })

  it.each([
    ["no distance at all", {}, "InvalidTrailingDistance"],
    ["a distance of nothing", { trailingDelta: 0 }, "InvalidTrailingDistance"],
    ["more than half the price", { trailingDelta: 5001 }, "InvalidTrailingDistance"],
    ["an amount of nothing", { trailingAmount: "0" }, "InvalidTrailingDistance"],
    ["an amount above the price", { trailingAmount: "100" }, "InvalidTrailingDistance"],
    ["an amount off the tick", { trailingAmount: "1.005" }, "InvalidPricePrecision"],
    ["two distances", { trailingDelta: 1, trailingAmount: "1" }, "ConflictingParameters"],
    ["a stop above the market", { stopPrice: "101" }, "WouldTriggerImmediately"],
    ["exits of its own", { trailingDelta: 100, takeProfitPrice: "200" }, "ContingentUnsupported"],
  ])("is refused with %s", (_name, patch, error) => {
    expect(refusalOf(trailing(patch), { last: "100" })).toBe(error)
  })

  it("that trails cannot begin without a price", () => {
    expect(refusalOf(trailing({ trailingDelta: 100 }))).toBe("TickerUnavailable")
  })
})

const legsOf = (patch: object, around?: Around) =>
  planOf(patch, around).list?.legs.map(
    ({ leg, orderSide, orderType, limitPrice, trigger, timeInForce }) =>
      `${leg} ${orderSide} ${orderType} ${trigger?.stopPrice ?? "-"} ${limitPrice ?? "-"} ${timeInForce} ${trigger?.execution ?? "-"}`,
  )

describe("exits", () => {
  it.each([
    [{ takeProfitPrice: "110" }, ["TAKE_PROFIT SELL TAKE_PROFIT 110 - GTC EMULATED"]],
    [
      { takeProfitPrice: "110", takeProfitLimitPrice: "109" },
      ["TAKE_PROFIT SELL TAKE_PROFIT_LIMIT 110 109 GTC EMULATED"],
    ],
    [{ takeProfitPrice: "110", takeProfitLimitPrice: "110.0" }, ["TAKE_PROFIT SELL LIMIT - 110 GTC -"]],
    [{ takeProfitLimitPrice: "110", takeProfitTimeInForce: "GTX" }, ["TAKE_PROFIT SELL LIMIT - 110 GTX -"]],
    [{ stopLossPrice: "90" }, ["STOP_LOSS SELL STOP_LOSS 90 - GTC EMULATED"]],
    [
      { stopLossPrice: "90", stopLossLimitPrice: "89", stopLossTimeInForce: "DAY" },
      ["STOP_LOSS SELL STOP_LOSS_LIMIT 90 89 DAY EMULATED"],
    ],
  ])("of %j are %j, and OTO", (patch, legs) => {
    expect(legsOf(patch)).toEqual(legs)
    expect(planOf(patch).list?.contingencyType).toBe("OTO")
  })

  it("of both kinds are OTOCO, wait unarmed, and are told on the entry", () => {
    const plan = planOf({ takeProfitPrice: "110", stopLossPrice: "90" }, NATIVE)
    expect(plan.list?.contingencyType).toBe("OTOCO")
    expect(plan.list?.legs.map((it) => [it.trigger?.execution, it.trigger?.armedAt])).toEqual([
      ["EMULATED", null],
      ["EMULATED", null],
    ])
    expect(plan.terms).toMatchObject({ leg: null, trigger: null, exits: { stopLossLimitPrice: null } })
    expect(plan.terms?.exits?.takeProfitPrice?.toString()).toBe("110")
  })

  it("that are alone are the venue's where it can", () => {
    expect(legsOf({ stopLossPrice: "90" }, NATIVE)).toEqual(["STOP_LOSS SELL STOP_LOSS 90 - GTC NATIVE"])
  })

  it.each([
    ["a stop-loss at the entry", { stopLossPrice: "100" }, "InvalidPriceRelation"],
    ["a stop-loss above the entry", { stopLossPrice: "101" }, "InvalidPriceRelation"],
    ["a take-profit at the entry", { takeProfitPrice: "100" }, "InvalidPriceRelation"],
    ["a resting take-profit below", { takeProfitLimitPrice: "99" }, "InvalidPriceRelation"],
    ["a SELL with the stop-loss below", { orderSide: "SELL", stopLossPrice: "99" }, "InvalidPriceRelation"],
    ["a SELL with the take-profit above", { orderSide: "SELL", takeProfitPrice: "101" }, "InvalidPriceRelation"],
    ["a stop-loss limit alone", { stopLossLimitPrice: "90" }, "IncompleteExits"],
    ["a time alone", { takeProfitTimeInForce: "GTC" }, "IncompleteExits"],
    ["a negative price", { stopLossPrice: "-1" }, "InvalidParameter"],
    ["a price off the tick", { stopLossPrice: "90.005" }, "InvalidPricePrecision"],
    ["GTD", { stopLossPrice: "90", stopLossTimeInForce: "GTD" }, "ExpireAtRequired"],
    ["IOC", { stopLossPrice: "90", stopLossTimeInForce: "IOC" }, "TimeInForceNotAllowed"],
    ["GTX on a trigger", { takeProfitPrice: "110", takeProfitTimeInForce: "GTX" }, "TimeInForceNotAllowed"],
    ["GFA", { takeProfitPrice: "110", takeProfitTimeInForce: "GFA" }, "UnsupportedTimeInForce"],
    ["a limit far below its stop", { stopLossPrice: "90", stopLossLimitPrice: "44" }, "PriceOutsideCollar"],
    ["less than the venue takes", { quantity: "0.01", stopLossPrice: "90" }, "NotionalBelowMinimum"],
  ])("are refused with %s", (_name, patch, error) => {
    expect(refusalOf(patch)).toBe(error)
  })

  it("of a market order stand around the middle of the book", () => {
    const market = { orderType: "MARKET", limitPrice: undefined }
    const book: Around = { bids: [["99", "1"]], asks: [["101", "1"]] }
    expect(legsOf({ ...market, takeProfitPrice: "100.01", stopLossPrice: "99.99" }, book)).toHaveLength(2)
    expect(refusalOf({ ...market, takeProfitPrice: "100" }, book)).toBe("InvalidPriceRelation")
    expect(check({ ...market, takeProfitPrice: "100" }, { mayWait: true })).toMatchObject({ wanted: { kind: "BOOK" } })
    expect(refusalOf({ ...market, takeProfitPrice: "90", stopLossPrice: "95" })).toBe("InvalidPriceRelation")
  })

  it("of a stop order stand around its stop price", () => {
    expect(legsOf(stop({ stopPrice: "120", stopLossPrice: "119" }), { last: "100" })).toHaveLength(1)
    expect(refusalOf(stop({ stopPrice: "120", stopLossPrice: "120" }), { last: "100" })).toBe("InvalidPriceRelation")
  })
})

describe("a pair of exits", () => {
  const pair = (patch: object) =>
    stop({ orderType: "TAKE_PROFIT", orderSide: "SELL", stopPrice: "110", stopLossPrice: "90", ...patch })

  it("works at once, both legs on the same side and watched by the gateway", () => {
    const plan = planOf(pair({}), { ...NATIVE, last: "100" })
    expect(plan.list?.contingencyType).toBe("OCO")
    expect(plan.terms).toMatchObject({ leg: "TAKE_PROFIT", trigger: { execution: "EMULATED", armedAt: START } })
    expect(plan.list?.legs).toMatchObject([
      { leg: "STOP_LOSS", orderSide: "SELL", trigger: { execution: "EMULATED", armedAt: START } },
    ])
  })

  it("may be a stop-loss with a take-profit that rests", () => {
    const patch = { orderType: "STOP_LOSS", stopPrice: "90", stopLossPrice: undefined, takeProfitLimitPrice: "110" }
    expect(legsOf(pair(patch), { last: "100" })).toEqual(["TAKE_PROFIT SELL LIMIT - 110 GTC -"])
    expect(refusalOf(pair({ ...patch, takeProfitLimitPrice: "100" }), { last: "100" })).toBe("InvalidPriceRelation")
  })

  it.each([
    ["legs the wrong way round", { stopLossPrice: "111" }, "InvalidPriceRelation"],
    ["legs at one price", { stopLossPrice: "110" }, "InvalidPriceRelation"],
    ["a stop-loss that is there", { stopLossPrice: "100" }, "WouldTriggerImmediately"],
    ["a take-profit that is there", { stopPrice: "100" }, "WouldTriggerImmediately"],
    ["a second take-profit", { takeProfitPrice: "120" }, "ParameterNotAllowed"],
    ["a limit and no stop", { stopLossPrice: undefined, stopLossLimitPrice: "90" }, "IncompleteExits"],
  ])("is refused with %s", (_name, patch, error) => {
    expect(refusalOf(pair(patch), { last: "100" })).toBe(error)
  })
})
