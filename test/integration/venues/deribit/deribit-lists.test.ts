/** Deribit's lists to their last row: what is recent and what is historical are two lists, which are read as one. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { answering, refOf } from "../loopback-session.ts"
import { until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  BY_LABEL,
  DERIBIT_BTC,
  DeribitSession,
  type DeribitUnderTest,
  deribitOrder,
  HISTORY,
  startDeribit,
  TRADES,
} from "./deribit-kit.ts"

const MARKET = { orderType: "MARKET", limitPrice: null } as const
const DAY = 24 * 3_600_000

describe("a list of DERIBIT", () => {
  let at: DeribitUnderTest
  let my: DeribitSession
  let ahead = 0
  beforeAll(async () => {
    // What the venue lets an account do in a second is not what is looked at here.
    const change = { waits: { requestMillis: 5000 }, privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startDeribit({ isLimited: false, clockAheadMillis: () => ahead }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await DeribitSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
    ahead = 0
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(deribitOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)
  const forget = () => at.exchange.fault({ fault: "forgetEnded" })
  const endedPage = (cursor: string | null) =>
    at.run(
      my.open.session.fetchEnded!([{ instrumentId: DERIBIT_BTC, since: Date.now() - 60_000, oldestId: null }], cursor),
    )
  const endedOrders = () => my.endedSince({ instrumentId: DERIBIT_BTC, since: Date.now() - 60_000, oldestId: null })
  const list = (since: number) => at.run(my.open.session.fetchFills(since, [DERIBIT_BTC]))

  it("has all pages of its fills, by time behind the first, trades of one instant among them, each with its fee", {
    timeout: 120_000,
  }, async () => {
    const filling = await accepted({ limitPrice: BEST_BID, quantity: "3" })
    for (let i = 0; i < 1450; i++) {
      at.exchange.trade(BTC, "SELL", "0.001")
      // No more of them in one instant than a page has.
      if (i % 400 === 399) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await filled(1450)
    const before = my.count(TRADES)
    const all = await list(Date.now() - 600_000)
    expect(new Set(all.map((fill) => fill.externalTradeId))).toEqual(new Set(my.tradeIds))
    expect(my.count(TRADES) - before).toBeLessThanOrEqual(4)
    expect(all.every(({ fees, tradeOrderId }) => fees.length === 1 && tradeOrderId === filling.tradeOrderId)).toBe(true)
    my.open.session.cancel(refOf(filling))
    expect(await ended(filling)).toMatchObject({ status: "CANCELLED", executedQuantity: "1.45", quantity: "3" })
  })

  it("has what comes behind a page of fewer trades than were asked for", async () => {
    await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    for (let i = 0; i < 3; i++) at.exchange.trade(BTC, "SELL", "0.001")
    await filled(3)
    const [first] = my.fills
    if (first === undefined) throw new Error("there are three")
    const { externalTradeId: trade_id, externalOrderId: order_id, executedAt: timestamp } = first
    const row = { trade_id, order_id, timestamp, instrument_name: BTC, direction: "buy", price: 60_000, amount: 0.001 }
    const result = { trades: [row], has_more: true }
    at.exchange.fault({
      fault: "answer",
      match: TRADES,
      action: answering(200, JSON.stringify({ jsonrpc: "2.0", result })),
    })
    const all = await list(Date.now() - 600_000)
    expect(new Set(all.map((fill) => fill.externalTradeId))).toEqual(new Set(my.tradeIds))
  })

  it("has trades of days ago, which the list of what is recent has lost, and those of today behind them", async () => {
    const began = Date.now() - 1000
    await accepted({ ...MARKET, quantity: "0.01" })
    await filled(1)
    ahead = 2 * DAY
    await accepted({ ...MARKET, quantity: "0.02" })
    await filled(2)
    const all = await list(began)
    expect(new Set(all.map(({ externalTradeId }) => externalTradeId))).toEqual(new Set(my.tradeIds))
    // Only what is since then.
    const recent = await list(began + DAY)
    expect(new Set(recent.map(({ quantity }) => quantity))).toEqual(new Set(["0.02"]))
  })

  it("has a fill with its order, also for a session that has never heard of it", async () => {
    const order = await accepted({ ...MARKET, quantity: "0.01" })
    const later = await at.openSession(my.secrets)
    const [fill] = await at.run(later.session.fetchFills(Date.now() - 600_000, [DERIBIT_BTC]))
    expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, externalOrderId: my.rows[0]?.order_id })
  })

  it("has an order by its label, working and ended; half an hour after its end in the history alone, and in that list", async () => {
    const [working, cancelled, done] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    const all = [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [done, "FILLED"],
    ] as const
    const before = [my.count(BY_LABEL), my.count(HISTORY)]
    for (const behind of [0, 1]) {
      if (behind === 1) forget()
      for (const [order, status] of all)
        expect(await my.lookup(order)).toMatchObject({
          _tag: "Found",
          state: { status, tradeOrderId: order.tradeOrderId, quantity: "0.001" },
        })
      expect([my.count(BY_LABEL), my.count(HISTORY)]).toEqual([
        (before[0] ?? 0) + 3 * (behind + 1),
        (before[1] ?? 0) + 2 * behind,
      ])
      const byVenue = refOf(done, my.rows[2]?.order_id ?? "")
      expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
    }
    const found = new Map((await endedOrders()).map(({ tradeOrderId, status }) => [tradeOrderId, status]))
    expect(found).toEqual(new Map(all.slice(1).map(([order, status]) => [order.tradeOrderId, status])))
  })

  it("has all pages of what ended, and an order by its label and by its id behind more than a page of newer ones", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.cancelledElsewhere(my.secrets.apiKey, BTC, 1100)
    forget()
    const before = my.count(HISTORY)
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "FILLED" } })
    const byVenue = refOf(order, my.rows[0]?.order_id ?? "")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
    expect(my.count(HISTORY)).toBe(before + 4)
    const all = await endedOrders()
    expect(new Set(all.map(({ externalOrderId }) => externalOrderId))).toEqual(
      new Set(my.rows.map(({ order_id }) => order_id)),
    )
  })

  it("has what ended a moment ago although the history is late with it", async () => {
    at.exchange.fault({ fault: "holdHistory", on: true })
    const order = await accepted()
    my.open.session.cancel(refOf(order))
    await ended(order)
    const page = await endedPage(null)
    expect(page.orders.map(({ tradeOrderId }) => tradeOrderId)).toEqual([order.tradeOrderId])
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "CANCELLED" } })
  })

  it("answers NotFound, never proof, for an order that the venue does not know, or that its history is late with", async () => {
    expect(await my.lookup(deribitOrder())).toEqual({ _tag: "NotFound", definite: false })
    at.exchange.fault({ fault: "holdHistory", on: true })
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    forget()
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
  })
})
