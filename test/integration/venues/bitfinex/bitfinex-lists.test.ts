/** Bitfinex's lists to their last row: fills, open orders of several pairs, and orders that ended, whichever of its times the venue goes by. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../venue-kit.ts"
import {
  BEST_BID,
  BITFINEX_BTC,
  BITFINEX_DOGE,
  BitfinexSession,
  type BitfinexUnderTest,
  BTC,
  bitfinexOrder,
  FILLS,
  HISTORY,
  startBitfinex,
} from "./bitfinex-kit.ts"

describe.each(["CREATION", "UPDATE"] as const)("a list of BITFINEX that goes by an order's %s", (historyBy) => {
  let at: BitfinexUnderTest
  let my: BitfinexSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startBitfinex({ historyBy, clockAheadMillis: () => ahead })
    my = await BitfinexSession.start(at)
  })
  afterAll(() => at.stop())

  const ended = async (since: number): Promise<ReadonlyArray<string>> => {
    const over = await my.endedSince({ instrumentId: BITFINEX_BTC, since, oldestId: null })
    return over.map(({ externalOrderId }) => externalOrderId)
  }

  const accepted = async (count: number, price: (i: number) => string): Promise<void> => {
    const notAfter = Date.now() + 60_000
    const orders = Array.from({ length: count }, (_, i) =>
      bitfinexOrder({ limitPrice: price(i), quantity: "0.0001", notAfter }),
    )
    for (const order of orders) my.open.session.submit(order)
    await until(
      () => orders.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")),
      `${count} orders`,
    )
  }

  it("has of what ended each order once, one that was made long before the others too", {
    timeout: 60_000,
  }, async () => {
    const began = Date.now() - 1000
    const old = await my.accepted(bitfinexOrder({ limitPrice: BEST_BID }))
    await accepted(40, (i) => `${41_000 + i}`)
    ahead = 5000
    at.exchange.cancelAll(my.secrets.apiKey)
    const all = my.rows.map(({ id }) => id)
    const asked = my.count(HISTORY)
    const found = await ended(began)
    expect([...found].sort()).toEqual([...all].sort())
    expect(my.count(HISTORY)).toBe(asked + 1)
    expect(await my.lookup(old)).toMatchObject({ _tag: "Found", state: { status: "CANCELLED" } })
    ahead = 0
  })

  if (historyBy === "UPDATE")
    it("has more fills than a page, and open orders of two pairs", { timeout: 120_000 }, async () => {
      const began = Date.now() - 1000
      const filling = await my.accepted(bitfinexOrder({ limitPrice: BEST_BID, quantity: "0.3" }))
      for (let i = 0; i < 1020; i++) {
        // A full page of one instant could not be read on from.
        ahead = i
        at.exchange.trade(BTC, "SELL", "0.0001")
      }
      const asked = my.count(FILLS)
      const all = await at.run(my.open.session.fetchFills(began, [BITFINEX_BTC]))
      expect(all.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
      expect(all).toHaveLength(1020)
      expect(my.count(FILLS)).toBe(asked + 2)
      const other = await my.accepted(
        bitfinexOrder({ instrumentId: BITFINEX_DOGE, limitPrice: "0.09", quantity: "100" }),
      )
      const found = await at.run(my.open.session.fetchOpenOrders)
      expect(new Set(found.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
        new Set([filling, other].map(({ tradeOrderId }) => tradeOrderId)),
      )
      ahead = 0
    })
})
