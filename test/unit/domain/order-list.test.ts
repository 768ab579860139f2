/** What is due in a list of orders, from its images alone (contract C4): who of the exits holds the amount, and when. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { exitHold } from "../../../src/domain/order/hold.ts"
import { duesIn, type ListTerms, orderListOf } from "../../../src/domain/order/list.ts"
import { triggerAt } from "../../../src/domain/order/rules/trigger.ts"
import { NO_TERMS, type RequestedChange } from "../../../src/domain/order/terms.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { someOrder } from "../../kit/records/some-order.ts"

const d = Decimal.of

const listTerms = (patch: Partial<ListTerms> = {}): ListTerms => ({
  lot: d("0.1"),
  minQuantity: d("0.1"),
  minNotional: null,
  canSend: true,
  isLocked: false,
  canPair: false,
  holdOf: (order, quantity) => exitHold(order, quantity, { features: [], feeInQuote: false }),
  ...patch,
})

const entry = (executed: string): TradeOrder =>
  someOrder({ orderSide: "SELL", orderStatus: "PARTIALLY_FILLED", executedQuantity: d(executed) })

const waiting = { orderSide: "BUY", orderStatus: "CREATED", externalOrderId: null, notAfter: null } as const

const profit = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  someOrder({
    ...waiting,
    tradeOrderId: "0ddddddd-0000-4000-8000-00000000000a" as TradeOrder["tradeOrderId"],
    limitPrice: d("90"),
    terms: { ...NO_TERMS, leg: "TAKE_PROFIT" },
    ...patch,
  })

const stop = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  someOrder({
    ...waiting,
    tradeOrderId: "0ddddddd-0000-4000-8000-00000000000b" as TradeOrder["tradeOrderId"],
    orderType: "STOP_LOSS_LIMIT",
    limitPrice: d("110"),
    terms: { ...NO_TERMS, leg: "STOP_LOSS", trigger: triggerAt("STOP", "BUY", d("109"), "EMULATED") },
    ...patch,
  })

const dues = (orders: ReadonlyArray<TradeOrder>, terms: ListTerms): ReadonlyArray<string> =>
  duesIn(orderListOf(orders), terms).map((due) =>
    "held" in due ? `${due._tag} ${due.order.terms?.leg} holds ${due.held}` : due._tag,
  )

describe("the exits of an entry", () => {
  it("hold what was sold from the first fill on, also while neither may leave", () => {
    expect(dues([entry("2"), profit(), stop()], listTerms({ canSend: false }))).toEqual([
      "Size TAKE_PROFIT holds 220",
      "Arm STOP_LOSS holds 0",
    ])
  })

  it("hold by the one that is large enough, while the other is not", () => {
    const terms = listTerms({ minNotional: d("200") })
    expect(dues([entry("2"), profit(), stop()], terms)).toEqual(["Arm STOP_LOSS holds 220"])
  })

  it("hold more at once and less at once while one of them is being changed, and not less than its change needs", () => {
    const change: RequestedChange = {
      how: "AMEND",
      baseQuantity: d("2"),
      limitPrice: null,
      stopPrice: null,
      askedAt: 0,
      executedBefore: Decimal.ZERO,
      heldBefore: d("90"),
      held: d("180"),
    }
    const changing = profit({
      orderStatus: "PENDING_REPLACE",
      externalOrderId: "2",
      notAfter: 1,
      baseQuantity: d("1"),
      held: d("180"),
      terms: { ...NO_TERMS, leg: "TAKE_PROFIT", change },
    })
    expect(dues([entry("2"), changing], listTerms())).toEqual([])
    expect(dues([entry("3"), changing], listTerms())).toEqual(["Size TAKE_PROFIT holds 270"])
    const dear = { ...changing, held: d("270") }
    expect(dues([entry("2.5"), dear], listTerms())).toEqual(["Size TAKE_PROFIT holds 225"])
    expect(dues([entry("1"), dear], listTerms())).toEqual(["Size TAKE_PROFIT holds 180"])
  })
  it("hold what is left, no more and no less, while one of them makes way for the stop that has fired", () => {
    const trigger = { ...triggerAt("STOP", "BUY", d("109"), "EMULATED"), triggeredAt: 1 }
    const fired = stop({
      orderStatus: "ACCEPTED",
      baseQuantity: d("2"),
      terms: { ...NO_TERMS, leg: "STOP_LOSS", trigger },
    })
    const ending = profit({
      orderStatus: "PENDING_CANCEL",
      cancelRequested: true,
      externalOrderId: "2",
      notAfter: 1,
      baseQuantity: d("1"),
    })
    const holding = (held: string) => dues([entry("2"), { ...ending, held: d(held) }, fired], listTerms())
    expect(holding("250")).toEqual(["Size TAKE_PROFIT holds 220"])
    expect(holding("90")).toEqual(["Size TAKE_PROFIT holds 220"])
    expect(holding("220")).toEqual([])
  })
})
