/** Binance's own stops and its market buys by cost: real ccxt in a real worker, judged by the loopback exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { binanceTerms, stopAt, type TermsSession } from "../order-terms-kit.ts"
import { restingOrder, startVenue, type VenueUnderTest } from "../venue-kit.ts"

const SYMBOL = "BTCUSDT"
const PLACE = "POST /api/v3/order"

describe("an order with terms at Binance", () => {
  let at: VenueUnderTest
  let my: TermsSession<BinanceExchange>
  let apiKey = ""
  beforeAll(async () => {
    at = await startVenue({ market: "still" })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    const made = await binanceTerms(at, SYMBOL)
    apiKey = made.apiKey
    my = made.my
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  /** The price of a level below the best bid, and a trade that reaches it. */
  const below = () => {
    const bids = at.exchange.depth(SYMBOL, 3).bids
    const price = bids.at(-1)?.[0] ?? ""
    const quantity = bids.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.ZERO)
    return { price: Decimal.of(price).toString(), fall: () => at.exchange.trade(SYMBOL, "SELL", quantity.toString()) }
  }

  const above = () => {
    const asks = at.exchange.depth(SYMBOL, 3).asks
    const price = asks.at(-1)?.[0] ?? ""
    const quantity = asks.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.ZERO)
    return { price: Decimal.of(price).toString(), rise: () => at.exchange.trade(SYMBOL, "BUY", quantity.toString()) }
  }

  const row = (order: VenueOrder) =>
    at.exchange.orders(apiKey).find(({ clientOrderId }) => clientOrderId === venueClientId(order.tradeOrderId))

  it("waits at the venue as a stop at market, triggers there, and fills", async () => {
    const { price, fall } = below()
    const order = restingOrder({
      orderSide: "SELL",
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      trigger: stopAt("STOP", "FALL", price),
    })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Accepted", externalOrderId: String(row(order)?.orderId) })
    expect(row(order)).toMatchObject({ type: "STOP_LOSS", isWorking: false, status: "NEW" })
    const waiting = {
      tradeOrderId: order.tradeOrderId,
      status: "OPEN",
      orderType: "MARKET",
      executedQuantity: "0.00000000",
    }
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: waiting })
    const [open] = await my.openOrders()
    expect(open).toMatchObject(waiting)
    expect(open).not.toHaveProperty("isTriggered")
    expect(open?.createdAt).toBeGreaterThan(0)
    fall()
    const done = await my.seen(order, ({ status }) => status === "FILLED", "the end of the stop")
    expect(done).toMatchObject({ isTriggered: true, executedQuantity: "0.00200000" })
    expect(my.states(order).find(({ isTriggered }) => isTriggered)).toMatchObject({
      status: "OPEN",
      executedQuantity: "0.00000000",
    })
    expect(my.fills(order).length).toBeGreaterThan(0)
    expect(await my.lookup(order)).toMatchObject({ state: { status: "FILLED", isTriggered: true } })
  })

  it("waits as a take-profit with a limit, rests where its trigger leaves it, and is cancelled", async () => {
    const { price, rise } = above()
    const limitPrice = Decimal.of(price).add(Decimal.of("900")).toString()
    const order = restingOrder({ orderSide: "SELL", limitPrice, trigger: stopAt("TAKE_PROFIT", "RISE", price) })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(row(order)).toMatchObject({ type: "TAKE_PROFIT_LIMIT", isWorking: false, timeInForce: "GTC" })
    expect(await my.openOrders()).toMatchObject([{ status: "OPEN", orderType: "LIMIT" }])
    rise()
    await my.seen(order, ({ isTriggered }) => isTriggered === true, "the trigger")
    expect(await my.openOrders()).toMatchObject([{ status: "OPEN", orderType: "LIMIT", isTriggered: true }])
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    expect(my.states(order).at(-1)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it("is cancelled before it has triggered, without a word of a trigger", async () => {
    const order = restingOrder({
      orderType: "MARKET",
      limitPrice: null,
      trigger: stopAt("STOP", "RISE", above().price),
    })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    const state = await my.seen(order, ({ status }) => status === "CANCELLED", "its end")
    expect(state).toMatchObject({ ending: null })
    expect(my.states(order).some(({ isTriggered }) => isTriggered === true)).toBe(false)
  })

  it("says that the rest of a triggered stop at market ended for want of liquidity", async () => {
    const order = restingOrder({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.001",
      trigger: stopAt("STOP", "RISE", above().price),
    })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    const { asks } = at.exchange.depth(SYMBOL, 5000)
    at.exchange.trade(SYMBOL, "BUY", asks.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.ZERO).toString())
    const state = await my.seen(order, ({ status }) => status === "CANCELLED", "its end")
    expect(state).toMatchObject({ ending: "REMAINDER", executedQuantity: "0.00000000" })
    for (const [price, quantity] of asks) at.exchange.setLevel(SYMBOL, "asks", price, quantity)
  })

  it("is refused by the venue when it would trigger at once", async () => {
    const { bids } = at.exchange.depth(SYMBOL, 1)
    const price = Decimal.of(bids[0]?.[0] ?? "")
      .add(Decimal.of("500"))
      .toString()
    const order = restingOrder({
      orderSide: "SELL",
      orderType: "MARKET",
      limitPrice: null,
      trigger: stopAt("STOP", "FALL", price),
    })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "WOULD_TRIGGER_IMMEDIATELY" })
  })

  it("is in doubt when the answer is lost after the stop was taken, and is found as the stop it is", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-destroy" }, times: 1 })
    const order = restingOrder({ orderSide: "SELL", limitPrice: "50000", trigger: stopAt("STOP", "FALL", "51000") })
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN", limitPrice: "50000.00000000" } })
  })

  it.each([
    ["a trailing stop", { trigger: { ...stopAt("TRAILING_STOP", "FALL", "50000"), trailingDelta: 100 } }],
    ["a trigger by the mark price", { trigger: { ...stopAt("STOP", "FALL", "50000"), source: "MARK" } }],
    ["leverage", { leverage: 3 }],
  ] as const)("never leaves with %s", async (_, terms) => {
    const order = restingOrder({ orderSide: "SELL", ...terms })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(row(order)).toBeUndefined()
  })

  it("buys at market for an amount of quote asset", async () => {
    const order = restingOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "100.25" })
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    expect(row(order)).toMatchObject({ origQuoteOrderQty: "100.25000000", type: "MARKET" })
    const state = await my.seen(order, ({ status }) => status === "FILLED", "its end")
    const spent = my
      .fills(order)
      .reduce((sum, { price, quantity }) => sum.add(Decimal.of(price).multiply(Decimal.of(quantity))), Decimal.ZERO)
    expect(spent.greaterThan(Decimal.of("100.25"))).toBe(false)
    expect(spent.greaterThan(Decimal.of("99"))).toBe(true)
    expect(await my.lookup(order)).toMatchObject({ state: { executedQuantity: state.executedQuantity } })
  })

  it("cannot be amended in place", () => {
    expect(at.venue.venue.capabilities.amend).toBe(false)
    expect(my.open.session.amend).toBeUndefined()
  })
})
