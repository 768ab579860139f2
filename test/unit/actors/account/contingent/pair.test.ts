/** A pair of exits that the venue keeps as its own list (contract C4): one request, two orders, and what the venue does to one by the other. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { BARE_PAIR, placed, pricedWorld, text } from "../../../../kit/worlds/priced-world.ts"
import { simVenue } from "../../../../sim/venue/listing.ts"
import { errorOf, type World } from "../../../../sim/world.ts"

const world = (): World => pricedWorld({ venue: { capabilities: { ...simVenue.capabilities, oco: "NATIVE" } } })

const submitted = (of: World): readonly [stop: TradeOrder, profit: TradeOrder] => {
  const [stop, profit] = placed(of, BARE_PAIR)
  of.advance(100)
  return [stop!, profit!]
}

const rows = (of: World): ReadonlyArray<string> =>
  [...of.database.orders.values()].map(
    ({ order }) =>
      `${order.terms?.leg} ${order.orderStatus} ${order.cancelReason ?? order.rejectReason ?? ""} ${order.executedQuantity}/${order.baseQuantity} holds ${order.held} ${order.terms?.trigger?.execution ?? "-"}`,
  )

const simOf = (of: World, { tradeOrderId }: TradeOrder) => of.venue.find({ tradeOrderId, externalOrderId: null })!

describe("a pair that the venue keeps", () => {
  it("is placed in one request, and holds its amount once", () => {
    const one = world()
    const requests: Array<string> = []
    one.venue.fates.submit = ({ tradeOrderId, pairedWith }) => {
      requests.push(`${tradeOrderId} ${pairedWith?.tradeOrderId}`)
      return "accept"
    }
    const [stop, profit] = submitted(one)
    expect(requests).toEqual([`${stop.tradeOrderId} ${profit.tradeOrderId}`])
    expect(rows(one)).toEqual(["STOP_LOSS ACCEPTED  0/4 holds 0 NATIVE", "TAKE_PROFIT ACCEPTED  0/4 holds 4 -"])
    expect(one.venue.openOrders()).toHaveLength(2)
  })

  it("ends by the venue's word when one leg fills, without a cancel", () => {
    const one = world()
    const [stop, profit] = submitted(one)
    one.venue.fill(simOf(one, profit), Decimal.of("4"))
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS CANCELLED OCO_SIBLING 0/4 holds 0 NATIVE",
      "TAKE_PROFIT FILLED  4/4 holds 0 -",
    ])
    expect(one.venue.cancels.get(stop.tradeOrderId)).toBeUndefined()
  })

  it("ends when the venue triggers the stop", () => {
    const one = world()
    const [, profit] = submitted(one)
    one.venue.trade(Decimal.of("89"))
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS FILLED  4/4 holds 0 NATIVE",
      "TAKE_PROFIT CANCELLED OCO_SIBLING 0/4 holds 0 -",
    ])
    expect(one.venue.cancels.get(profit.tradeOrderId)).toBeUndefined()
  })

  it("is over with a take-profit that fills in several trades: no other stop begins between them", () => {
    const one = world()
    const [, profit] = submitted(one)
    one.venue.fill(simOf(one, profit), Decimal.of("1"))
    one.advance(50)
    one.venue.fill(simOf(one, profit), Decimal.of("3"))
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS CANCELLED OCO_SIBLING 0/4 holds 0 NATIVE",
      "TAKE_PROFIT FILLED  4/4 holds 0 -",
    ])
  })

  it("leaves nothing without a stop: what the venue ended at the first fill goes on at the gateway", () => {
    const one = world()
    const [, profit] = submitted(one)
    one.venue.fill(simOf(one, profit), Decimal.of("1"))
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS CANCELLED OCO_SIBLING 0/4 holds 0 NATIVE",
      "TAKE_PROFIT PARTIALLY_FILLED  1/4 holds 3 -",
      "STOP_LOSS ACCEPTED  0/3 holds 0 EMULATED",
    ])
    one.trade("89")
    one.advance(10_000)
    expect(rows(one).at(-1)).toBe("STOP_LOSS FILLED  3/3 holds 0 EMULATED")
    expect(rows(one)[1]).toBe("TAKE_PROFIT CANCELLED OCO_SIBLING 1/4 holds 0 -")
  })

  it("leaves nothing without a stop while a triggered take-profit rests at its limit", () => {
    const one = world()
    placed(one, {
      orderSide: "SELL",
      orderType: "TAKE_PROFIT_LIMIT",
      quantity: text("4"),
      stopPrice: text("110"),
      limitPrice: text("112"),
      stopLossPrice: text("90"),
    })
    one.venue.trade(Decimal.of("111"))
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "TAKE_PROFIT ACCEPTED  0/4 holds 4 NATIVE",
      "STOP_LOSS CANCELLED OCO_SIBLING 0/4 holds 0 NATIVE",
      "STOP_LOSS ACCEPTED  0/4 holds 0 EMULATED",
    ])
  })

  it("is over when the user cancels one leg", () => {
    const one = world()
    const [stop, profit] = submitted(one)
    one.cancel(stop.tradeOrderId)
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS CANCELLED USER_REQUEST 0/4 holds 0 NATIVE",
      "TAKE_PROFIT CANCELLED OCO_SIBLING 0/4 holds 0 -",
    ])
    expect(one.venue.cancels.get(profit.tradeOrderId)).toBeUndefined()
  })

  it("stays over when somebody cancels it at the venue", () => {
    const one = world()
    const [stop] = submitted(one)
    one.venue.end(simOf(one, stop), "CANCELLED")
    one.advance(10_000)
    expect(rows(one)).toEqual([
      "STOP_LOSS CANCELLED VENUE 0/4 holds 0 NATIVE",
      "TAKE_PROFIT CANCELLED OCO_SIBLING 0/4 holds 0 -",
    ])
  })

  it("is found as a whole when the answer was lost, through a crash too, and is never sent again", () => {
    const one = world()
    one.venue.fates.submit = () => "silentAfter"
    one.venue.fates.stream = () => "drop"
    const [stop, profit] = submitted(one)
    one.crash()
    one.start()
    one.advance(30_000)
    expect(rows(one)).toEqual(["STOP_LOSS ACCEPTED  0/4 holds 0 NATIVE", "TAKE_PROFIT ACCEPTED  0/4 holds 4 -"])
    expect([stop, profit].map((it) => one.venue.arrivals.get(it.tradeOrderId))).toEqual([1, 1])
  })

  it.each(["refuse", "notSent", "lostBefore"] as const)("ends as a whole when its submit meets: %s", (fate) => {
    const one = world()
    one.venue.fates.submit = () => fate
    submitted(one)
    one.advance(120_000)
    expect(rows(one).map((row) => row.split(" ").slice(0, 2).join(" "))).toEqual([
      "STOP_LOSS REJECTED",
      "TAKE_PROFIT REJECTED",
    ])
    expect(one.venue.openOrders()).toEqual([])
    expect(one.portfolio("BTC").map(({ locked }) => locked.toString())).toEqual(["0"])
  })

  it("leaves only as a whole: a cancel of one leg before its commit ends both", () => {
    const one = world()
    one.memory.faults.delay(500)
    const asked = one.submit({
      orderSide: "SELL",
      orderType: "STOP_LOSS",
      quantity: text("4"),
      stopPrice: text("90"),
      takeProfitLimitPrice: text("110"),
      limitPrice: null,
      clientOrderId: "pair",
    })
    one.ask((reply) => ({ _tag: "CancelOrder", by: { clientOrderId: "pair" }, receivedAt: one.monotonic(), reply }))
    one.advance(10_000)
    expect(asked.answer).toBeDefined()
    expect(rows(one).map((row) => row.split(" ").slice(0, 2).join(" "))).toEqual([
      "STOP_LOSS CANCELLED",
      "TAKE_PROFIT CANCELLED",
    ])
    expect(one.venue.arrivals.size).toBe(0)
  })

  it("is not changed leg by leg", () => {
    const one = world()
    const [stop] = submitted(one)
    const replaced = one.replace(stop.tradeOrderId, { stopPrice: "91" })
    one.advance(2_000)
    expect(errorOf(replaced)).toBe("OrderNotChangeable")
    expect(one.venue.cancels.size).toBe(0)
  })
})
