/** What orders hold by their terms alone (contract C10): what the actors keep step by step is compared with it in the simulation. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { holdChanged, holdDue, legsHoldDue } from "../../../src/domain/order/hold.ts"
import { triggerAt } from "../../../src/domain/order/rules/trigger.ts"
import { NO_TERMS, type OrderTerms, type RequestedChange } from "../../../src/domain/order/terms.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { someOrder } from "../../kit/records/some-order.ts"

const d = Decimal.of
const spot = { features: ["SPOT"], feeInQuote: false }
const feeing = { features: ["SPOT"], feeInQuote: true }
const market = { lot: d("0.1"), minQuantity: d("0.5"), minNotional: null }

const due = (patch: Partial<TradeOrder>, venue = spot): string => {
  const { least, most } = holdDue(someOrder(patch), venue)
  return `${least} to ${most ?? "any"}`
}
const terms = (patch: Partial<OrderTerms>): OrderTerms => ({ ...NO_TERMS, ...patch })
const change = (patch: Partial<RequestedChange>): RequestedChange => ({
  how: "RENEW",
  baseQuantity: null,
  limitPrice: null,
  stopPrice: null,
  askedAt: 0,
  executedBefore: Decimal.ZERO,
  heldBefore: d("1000"),
  held: d("1000"),
  ...patch,
})

describe("what is due to be held", () => {
  it.each<[string, Partial<TradeOrder>, typeof spot, string]>([
    ["a buy holds what its limit makes of the rest", { executedQuantity: d("3") }, spot, "700 to 700"],
    ["and the fee where it is paid in quote", { executedQuantity: d("3") }, feeing, "700.7 to 700.7"],
    ["a sell holds the rest", { orderSide: "SELL", executedQuantity: d("3") }, feeing, "7 to 7"],
    ["what was executed too much takes nothing back", { executedQuantity: d("11") }, spot, "0 to 0"],
    ["a buy at market holds by the market", { orderType: "MARKET", limitPrice: null }, spot, "0 to any"],
    ["one that is over holds nothing", { orderStatus: "CANCELLED" }, spot, "0 to 0"],
    [
      "what is being cancelled holds on",
      { orderStatus: "PENDING_CANCEL", cancelRequested: true },
      spot,
      "1000 to 1000",
    ],
    ["what is in doubt holds on", { orderStatus: "UNKNOWN", doubt: { kind: "CANCEL" } }, spot, "1000 to 1000"],
    ["a quote is the ledger's", { orderType: "QUOTED" }, spot, "0 to 0"],
    [
      "a budget holds what is left of it",
      {
        orderType: "MARKET",
        limitPrice: null,
        executedCost: d("40"),
        terms: terms({ budget: { amount: d("100"), lot: d("1") } }),
      },
      spot,
      "60 to 60",
    ],
    [
      "a stop at market may cost more than its trigger says",
      {
        orderType: "STOP",
        limitPrice: null,
        terms: terms({ trigger: triggerAt("STOP", "BUY", d("110"), "EMULATED") }),
      },
      spot,
      "1100 to 1155",
    ],
    [
      "one that has fired buys by what was held for it, also where a limit stands in for the market order",
      {
        orderType: "STOP",
        limitPrice: d("120"),
        timeInForce: "IOC",
        terms: terms({ trigger: { ...triggerAt("STOP", "BUY", d("110"), "EMULATED"), triggeredAt: 1 } }),
      },
      spot,
      "0 to any",
    ],
    [
      "a renewal is covered for both ends",
      {
        orderStatus: "PENDING_REPLACE",
        executedQuantity: d("1"),
        terms: terms({ change: change({ baseQuantity: d("20") }) }),
      },
      spot,
      "1900 to 1900",
    ],
    [
      "a cheaper change too",
      { orderStatus: "PENDING_REPLACE", terms: terms({ change: change({ how: "AMEND", limitPrice: d("90") }) }) },
      spot,
      "1000 to 1000",
    ],
  ])("%s", (_, patch, venue, expected) => {
    expect(due(patch, venue)).toBe(expected)
  })

  it("is nothing where the venue keeps positions", () => {
    expect(due({}, { features: ["PERPETUAL"], feeInQuote: false })).toBe("0 to 0")
  })
})

describe("what the exits of a list hold together", () => {
  const entry = (executed: string): TradeOrder =>
    someOrder({ orderStatus: executed === "10" ? "FILLED" : "PARTIALLY_FILLED", executedQuantity: d(executed) })
  const leg = (kind: "TAKE_PROFIT" | "STOP_LOSS", patch: Partial<TradeOrder> = {}): TradeOrder =>
    someOrder({
      tradeOrderId:
        `0ddddddd-0000-4000-8000-00000000000${kind === "TAKE_PROFIT" ? "a" : "b"}` as TradeOrder["tradeOrderId"],
      orderSide: "SELL",
      limitPrice: d(kind === "TAKE_PROFIT" ? "110" : "90"),
      orderStatus: "CREATED",
      externalOrderId: null,
      notAfter: null,
      terms: terms({ leg: kind }),
      ...patch,
    })
  const legs = (orders: ReadonlyArray<TradeOrder>): string => {
    const { least, most } = legsHoldDue(orders, spot, market)
    return `${least} to ${most ?? "any"}`
  }

  it("is nothing before the entry has bought enough for the venue", () => {
    expect(legs([entry("0"), leg("TAKE_PROFIT"), leg("STOP_LOSS")])).toBe("0 to 10")
    expect(legs([entry("0.4"), leg("TAKE_PROFIT"), leg("STOP_LOSS")])).toBe("0 to 10")
  })

  it("is what is still to be sold, once", () => {
    expect(
      legs([entry("3"), leg("TAKE_PROFIT", { baseQuantity: d("3") }), leg("STOP_LOSS", { baseQuantity: d("3") })]),
    ).toBe("3 to 3")
    const sold = { orderStatus: "PARTIALLY_FILLED", baseQuantity: d("3"), executedQuantity: d("1") } as const
    expect(legs([entry("3"), leg("TAKE_PROFIT", sold), leg("STOP_LOSS", { baseQuantity: d("2") })])).toBe("2 to 2")
  })

  it("is what is left also while the leg that holds it is being cancelled", () => {
    const going = { orderStatus: "PENDING_CANCEL", cancelRequested: true, baseQuantity: d("3") } as const
    expect(legs([entry("5"), leg("TAKE_PROFIT", going), leg("STOP_LOSS", { baseQuantity: d("5") })])).toBe("5 to 5")
  })

  it("is what was held for a leg that has fired, also where a limit stands in for the market order", () => {
    const trigger = { ...triggerAt("TAKE_PROFIT", "BUY", d("110"), "EMULATED"), triggeredAt: 1 }
    const fired = {
      orderSide: "BUY",
      orderType: "TAKE_PROFIT",
      baseQuantity: d("4"),
      orderStatus: "ACCEPTED",
    } as const
    const atMarket = leg("TAKE_PROFIT", { ...fired, limitPrice: null, terms: terms({ leg: "TAKE_PROFIT", trigger }) })
    expect(legs([atMarket])).toBe("0 to 462")
    expect(legs([{ ...atMarket, limitPrice: d("100"), timeInForce: "IOC" }])).toBe("0 to 462")
  })

  it("is what the dearer leg of a buy needs", () => {
    const buy = { orderSide: "BUY", baseQuantity: d("4") } as const
    expect(
      legs([leg("TAKE_PROFIT", { ...buy, limitPrice: d("90") }), leg("STOP_LOSS", { ...buy, limitPrice: d("110") })]),
    ).toBe("440 to 440")
  })

  it("is asked for by a change of a leg at its own price, and never less for one unit than is held", () => {
    const held = leg("TAKE_PROFIT", { orderSide: "BUY", limitPrice: d("90"), held: d("1100") })
    expect(holdChanged(held, { ...held, limitPrice: d("95") }, spot).toString()).toBe("1100")
    expect(holdChanged(held, { ...held, limitPrice: d("120") }, spot).toString()).toBe("1200")
    expect(holdChanged(held, { ...held, baseQuantity: d("5") }, spot).toString()).toBe("550")
  })
})
