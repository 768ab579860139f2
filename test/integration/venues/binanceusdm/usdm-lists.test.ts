/** Binance USDⓈ-M's lists to their last row: fills, also of weeks, and orders that ended. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { refOf } from "../loopback-session.ts"
import { laterInstant, profileOf } from "../venue-kit.ts"
import { BEST_BID, BTC, startUsdm, TRADES, USDM_BTC, UsdmSession, type UsdmUnderTest, usdmOrder } from "./usdm-kit.ts"

describe("a list of BINANCEUSDM", () => {
  let at: UsdmUnderTest
  let my: UsdmSession
  beforeAll(async () => {
    const { endedOrders } = profileOf("BINANCEUSDM")
    if (endedOrders?.paging.way !== "AFTER_ID") throw new Error("Binance lists orders by id")
    const small = { ...endedOrders, paging: { ...endedOrders.paging, size: 3 } }
    at = await startUsdm({}, { change: { waits: { requestMillis: 30_000 }, endedOrders: small } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await UsdmSession.start(at)
  })
  afterEach(() => at.endSessions())

  it("has all pages of its fills, by id behind the first", { timeout: 120_000 }, async () => {
    const filling = await my.accepted(usdmOrder({ limitPrice: BEST_BID, quantity: "3" }))
    for (let i = 0; i < 2100; i++) at.exchange.trade(BTC, "SELL", "0.001")
    const before = my.count(TRADES)
    const all = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [USDM_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.fillRows.map((row) => String(row.id)))
    expect(all).toHaveLength(2100)
    expect(new Set(all.map(({ externalOrderId }) => externalOrderId)).size).toBe(1)
    expect(my.count(TRADES) - before).toBe(3)
    my.open.session.cancel(refOf(filling))
    expect(await my.ended(filling)).toMatchObject({ status: "CANCELLED", executedQuantity: "2.1" })
  })

  it("has fills of weeks read window by window: the venue answers for seven days", async () => {
    const order = await my.accepted(usdmOrder({ limitPrice: BEST_BID }))
    at.exchange.trade(BTC, "SELL", "0.001")
    await my.ended(order)
    const before = my.count(TRADES)
    const fills = await at.run(my.open.session.fetchFills(Date.now() - 20 * 86_400_000, [USDM_BTC]))
    expect(fills).toEqual(my.fills)
    expect(my.count(TRADES) - before).toBe(3)
  })

  it("has what ended and when, whichever page it is on", async () => {
    for (let nth = 0; nth < 7; nth++) {
      const order = await my.accepted(usdmOrder())
      await laterInstant()
      my.open.session.cancel(refOf(order))
      await my.ended(order)
    }
    const { rows } = my
    const ids = rows.map(({ orderId }) => String(orderId))
    const over = await my.endedSince({ instrumentId: USDM_BTC, since: Date.now() - 60_000, oldestId: ids[0] ?? null })
    expect(new Set(over.map(({ externalOrderId }) => externalOrderId))).toEqual(new Set(ids))
    // An event of the stream does not say when its order was made: only here are the two told apart.
    expect(rows.every(({ time, updateTime }) => updateTime > time)).toBe(true)
    expect(new Set(over.map(({ createdAt, updatedAt }) => `${createdAt} ${updatedAt}`))).toEqual(
      new Set(rows.map(({ time, updateTime }) => `${time} ${updateTime}`)),
    )
  })
})
