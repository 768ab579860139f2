/** Kraken Futures' lists to their last row: fills and what they cost, and orders that ended, which five seconds later only the history knows. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { refOf } from "../loopback-session.ts"
import { until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  EXECUTIONS,
  FILLS,
  FUTURES_BTC,
  FuturesSession,
  type FuturesUnderTest,
  futuresOrder,
  HISTORY,
  startFutures,
} from "./futures-kit.ts"

const MARKET = { orderType: "MARKET", limitPrice: null } as const

describe("a list of KRAKENFUTURES", () => {
  let at: FuturesUnderTest
  let my: FuturesSession
  beforeAll(async () => {
    // What the venue lets an account do in ten seconds is not what is looked at here.
    const change = { waits: { requestMillis: 5000 }, privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startFutures({ isLimited: false }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await FuturesSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(futuresOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)
  const forget = () => at.exchange.fault({ fault: "forgetEnded" })

  it("has the fees of fills that no stream told out of the history, and goes without where that is away", async () => {
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    await accepted({ ...MARKET, quantity: "0.01" })
    const list = () => at.run(my.open.session.fetchFills(Date.now() - 600_000, [FUTURES_BTC]))
    at.exchange.fault({ fault: "answer", match: EXECUTIONS, action: { kind: "status", status: 500 } })
    expect((await list()).map(({ fees }) => fees)).toEqual([[]])
    const [fill, ...others] = await list()
    expect(others).toEqual([])
    // 0.04 % of a taker's.
    const cost = Number(fill?.price) * 0.01 * 0.0004
    expect(fill?.fees).toEqual([{ asset: "USD", quantity: expect.any(String) }])
    expect(Number(fill?.fees[0]?.quantity)).toBeCloseTo(cost, 6)
  })

  it("has all pages of its fills, by time behind the first, trades of one instant among them", {
    timeout: 120_000,
  }, async () => {
    const filling = await accepted({ limitPrice: BEST_BID, quantity: "3" })
    for (let i = 0; i < 450; i++) at.exchange.trade(BTC, "SELL", "0.001")
    await filled(450)
    const before = my.count(FILLS)
    const all = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [FUTURES_BTC]))
    expect(new Set(all.map((fill) => fill.externalTradeId))).toEqual(new Set(my.fillIds))
    expect(my.count(FILLS) - before).toBeLessThanOrEqual(7)
    expect(all.every(({ fees }) => fees.length === 1)).toBe(true)
    my.open.session.cancel(refOf(filling))
    expect(await ended(filling)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.45", quantity: "3" })
  })

  it("has an order by our id, working and ended; five seconds after its end in the history alone, and in the list of that", async () => {
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
    const before = my.count(HISTORY)
    for (const behind of [0, 1]) {
      if (behind === 1) forget()
      for (const [order, status] of all)
        expect(await my.lookup(order)).toMatchObject({
          _tag: "Found",
          state: { status, tradeOrderId: order.tradeOrderId, quantity: "0.001" },
        })
      expect(my.count(HISTORY)).toBe(before + 2 * behind)
    }
    const byVenue = refOf(done, my.rows[2]?.orderId ?? "")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
    const since = { instrumentId: FUTURES_BTC, since: Date.now() - 60_000, oldestId: null }
    const page = await at.run(my.open.session.fetchEnded!([since], null))
    expect(page.next).toBeNull()
    expect(new Map(page.orders.map((it) => [it.tradeOrderId, it.status]))).toEqual(
      new Map(all.map(([order, status]) => [order.tradeOrderId, status])),
    )
  })

  it("has an order behind a thousand events of its account, and many questions at once share one page", {
    timeout: 120_000,
  }, async () => {
    const old = await accepted()
    my.open.session.cancel(refOf(old))
    await ended(old)
    await accepted({ limitPrice: BEST_BID, quantity: "2" })
    for (let i = 0; i < 1010; i++) at.exchange.trade(BTC, "SELL", "0.001")
    forget()
    const before = my.count(HISTORY)
    expect(await my.lookup(old)).toMatchObject({ _tag: "Found", state: { status: "CANCELLED" } })
    expect(my.count(HISTORY) - before).toBe(2)
    const newest = await accepted()
    my.open.session.cancel(refOf(newest))
    await ended(newest)
    forget()
    const again = my.count(HISTORY)
    const found = await Promise.all(Array.from({ length: 20 }, () => my.lookup(newest)))
    expect(found.every((it) => it._tag === "Found")).toBe(true)
    expect(my.count(HISTORY) - again).toBeLessThanOrEqual(4)
  })

  it("answers NotFound, never proof, for an order that the venue does not know, or that its history is late with", async () => {
    expect(await my.lookup(futuresOrder())).toEqual({ _tag: "NotFound", definite: false })
    at.exchange.fault({ fault: "holdHistory", on: true })
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    forget()
    expect(await my.lookup(order)).toEqual({ _tag: "NotFound", definite: false })
    // Its trade names it meanwhile, also to a session that has never heard of it.
    const later = await at.openSession(my.secrets)
    const [fill] = await at.run(later.session.fetchFills(Date.now() - 600_000, [FUTURES_BTC]))
    expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, externalOrderId: my.rows[0]?.orderId })
  })
})
