/** A pair of exits as Binance's own order list: real ccxt in a real worker, judged by the loopback exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { binanceTerms, stopAt, type TermsSession } from "../order-terms-kit.ts"
import { restingOrder, startVenue, until, type VenueUnderTest } from "../venue-kit.ts"

const SYMBOL = "BTCUSDT"
const PLACE = "POST /api/v3/orderList/oco"

describe("a pair of exits at Binance", () => {
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

  /** Prices of the third levels, and trades that reach them. */
  const around = () => {
    const { bids, asks } = at.exchange.depth(SYMBOL, 3)
    // Our order is the last one at its price.
    const through = (rows: typeof bids, beyond: string) =>
      rows.reduce((all, [, each]) => all.add(Decimal.of(each)), Decimal.of(beyond)).toString()
    const price = (rows: typeof bids) => Decimal.of(rows.at(-1)?.[0] ?? "").toString()
    return {
      low: price(bids),
      high: price(asks),
      fall: () => at.exchange.trade(SYMBOL, "SELL", through(bids, "0")),
      rise: (beyond = "0.002") => at.exchange.trade(SYMBOL, "BUY", through(asks, beyond)),
    }
  }

  /** Sells 0.002 at `high`, or at market when the price falls to `low`. */
  const sellingPair = (high: string, low: string): readonly [VenueOrder, VenueOrder] => {
    const stop = restingOrder({
      orderSide: "SELL",
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      trigger: stopAt("STOP", "FALL", low),
    })
    const profit = restingOrder({ orderSide: "SELL", limitPrice: high, quantity: "0.002" })
    return [{ ...profit, pairedWith: stop }, stop]
  }

  const row = (order: VenueOrder) =>
    at.exchange.orders(apiKey).find(({ clientOrderId }) => clientOrderId === venueClientId(order.tradeOrderId))
  const lockedBase = () => at.exchange.balances(apiKey).find(({ a }) => a === "BTC")?.l
  const outcome = async (order: VenueOrder) => {
    const find = () => my.said(order.tradeOrderId, "Accepted", "Refused", "NotSent", "InDoubt")
    await until(() => find() !== undefined, "an outcome of the leg")
    return find()
  }

  it("is placed in one request, each leg under its own client id, and locks its amount once", async () => {
    const { high, low } = around()
    const [profit, stop] = sellingPair(high, low)
    const before = at.exchange.counts()[PLACE] ?? 0
    expect(await my.outcomeOf(profit)).toMatchObject({
      _tag: "Accepted",
      externalOrderId: String(row(profit)?.orderId),
    })
    expect(await outcome(stop)).toMatchObject({ _tag: "Accepted", externalOrderId: String(row(stop)?.orderId) })
    expect((at.exchange.counts()[PLACE] ?? 0) - before).toBe(1)
    expect(row(profit)).toMatchObject({ type: "LIMIT_MAKER", status: "NEW" })
    expect(row(stop)).toMatchObject({ type: "STOP_LOSS", status: "NEW", orderListId: row(profit)?.orderListId })
    expect(lockedBase()).toBe("0.00200000")
    expect((await my.openOrders()).map(({ tradeOrderId }) => tradeOrderId).sort()).toEqual(
      [profit.tradeOrderId, stop.tradeOrderId].sort(),
    )
  })

  it("ends the stop when the take-profit fills", async () => {
    const { high, low, rise } = around()
    const [profit, stop] = sellingPair(high, low)
    await my.outcomeOf(profit)
    rise()
    await my.seen(profit, ({ status }) => status === "FILLED", "the end of the take-profit")
    expect(await my.seen(stop, ({ status }) => status === "CANCELLED", "the end of the stop")).toMatchObject({
      ending: "LIST",
      executedQuantity: "0.00000000",
    })
    expect(await my.lookup(stop)).toMatchObject({ state: { status: "CANCELLED", ending: "LIST" } })
    expect(lockedBase()).toBe("0.00000000")
  })

  it("ends the stop at the first fill of the take-profit, which works on", async () => {
    const { high, low, rise } = around()
    const [profit, stop] = sellingPair(high, low)
    await my.outcomeOf(profit)
    rise("0.0005")
    await my.seen(stop, ({ status, ending }) => status === "CANCELLED" && ending === "LIST", "the end of the stop")
    expect(await my.lookup(profit)).toMatchObject({ state: { status: "OPEN", executedQuantity: "0.00050000" } })
    expect(lockedBase()).toBe("0.00150000")
    expect((await my.cancel(profit))._tag).toBe("CancelAccepted")
  })

  it("ends the take-profit when the stop triggers, and the stop fills", async () => {
    const { high, low, fall } = around()
    const [profit, stop] = sellingPair(high, low)
    await my.outcomeOf(profit)
    fall()
    await my.seen(stop, ({ status }) => status === "FILLED", "the end of the stop")
    expect(my.states(stop).some(({ isTriggered }) => isTriggered === true)).toBe(true)
    await my.seen(profit, ({ status, ending }) => status === "CANCELLED" && ending === "LIST", "the end of the profit")
  })

  it("is cancelled as a whole by the cancel of one leg", async () => {
    const { high, low } = around()
    const [profit, stop] = sellingPair(high, low)
    await my.outcomeOf(profit)
    await outcome(stop)
    expect((await my.cancel(stop))._tag).toBe("CancelAccepted")
    for (const leg of [profit, stop])
      expect(await my.seen(leg, ({ status }) => status === "CANCELLED", "its end")).toMatchObject({ ending: null })
    expect(await my.openOrders()).toEqual([])
  })

  it("is in doubt as a whole when the answer is lost, and each leg is found by its own id", async () => {
    const { high, low } = around()
    const [profit, stop] = sellingPair(high, low)
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-destroy" }, times: 1 })
    expect(await my.outcomeOf(profit)).toMatchObject({ _tag: "InDoubt" })
    expect(await outcome(stop)).toMatchObject({ _tag: "InDoubt" })
    for (const leg of [profit, stop]) expect(await my.lookup(leg)).toMatchObject({ state: { status: "OPEN" } })
  })

  it("is refused as a whole when the market is not between its prices", async () => {
    const { high, low } = around()
    const [profit, stop] = sellingPair(low, high)
    expect(await my.outcomeOf(profit)).toMatchObject({ _tag: "Refused" })
    expect(await outcome(stop)).toMatchObject({ _tag: "Refused" })
    expect(at.exchange.orders(apiKey)).toEqual([])
  })

  it("does not leave after its time, neither leg", async () => {
    const { high, low } = around()
    const [profit, stop] = sellingPair(high, low)
    expect(await my.outcomeOf({ ...profit, notAfter: Date.now() - 1 })).toMatchObject({ _tag: "NotSent" })
    expect(await outcome(stop)).toMatchObject({ _tag: "NotSent" })
    expect(at.exchange.orders(apiKey)).toEqual([])
  })
})
