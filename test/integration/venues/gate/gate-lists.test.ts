/** Gate's lists to their last row: fills, open orders of several pairs, and orders that ended, by a clock that a test moves. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  FILLS,
  GATE_BTC,
  GATE_ETH,
  GateSession,
  type GateUnderTest,
  gateOrder,
  startGate,
} from "./gate-kit.ts"

const DAY_MILLIS = 86_400_000

describe("a list of GATE", () => {
  let at: GateUnderTest
  let my: GateSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    // What the venue lets an account do in a second is not what is looked at here.
    const change = { orderLimits: [], privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startGate({ isLimited: false, clockAheadMillis: () => ahead }, { change })
    my = await GateSession.start(at)
  })
  afterAll(() => at.stop())

  const ended = async (since: number, instrumentId = GATE_BTC, of = my): Promise<ReadonlySet<string>> => {
    const over = await of.endedSince({ instrumentId, since, oldestId: null })
    return new Set(over.map(({ externalOrderId }) => externalOrderId))
  }

  it("has more fills than a page, and open orders of two pairs of which one has more than a page and both together more", {
    timeout: 120_000,
  }, async () => {
    const began = Date.now() - 1000
    const filling = await my.accepted(gateOrder({ limitPrice: BEST_BID, quantity: "0.3" }))
    for (let i = 0; i < 1020; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const asked = my.count(FILLS)
    const all = await at.run(my.open.session.fetchFills(began, [GATE_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    expect(all).toHaveLength(1020)
    expect(my.count(FILLS)).toBe(asked + 2)
    const notAfter = Date.now() + 60_000
    const resting = Array.from({ length: 190 }, (_, i) =>
      i < 110
        ? gateOrder({ limitPrice: `${40_000 + i}`, quantity: "0.0001", notAfter })
        : gateOrder({ limitPrice: `${1000 + i}`, quantity: "0.01", notAfter, instrumentId: GATE_ETH }),
    )
    for (const order of resting) my.open.session.submit(order)
    await until(() => resting.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")), "all orders")
    const found = await at.run(my.open.session.fetchOpenOrders)
    expect(new Set(found.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
      new Set([filling, ...resting].map(({ tradeOrderId }) => tradeOrderId)),
    )
    at.exchange.cancelAll(my.secrets.apiKey)
    expect((await ended(began)).size).toBe(111)
    expect((await ended(began, GATE_ETH)).size).toBe(80)
  })

  it("of what ended has an order that was created before its start in no other's place", async () => {
    const old = Array.from({ length: 100 }, (_, i) => gateOrder({ limitPrice: `${41_000 + i}`, quantity: "0.0001" }))
    for (const order of old) my.open.session.submit(order)
    await until(() => old.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")), "all old orders")
    const start = Date.now() + 2000
    ahead = 3000
    const young = await my.accepted(gateOrder({ limitPrice: BEST_BID }))
    at.exchange.trade(BTC, "SELL", "0.001")
    await my.ended(young)
    ahead = 5000
    at.exchange.cancelAll(my.secrets.apiKey)
    const id = my.rows.at(-1)?.id ?? ""
    expect(await ended(start)).toContain(id)
    // By our id, behind a page of newer ones.
    expect(await my.lookup(young)).toMatchObject({ _tag: "Found", state: { externalOrderId: id, status: "FILLED" } })
    ahead = 0
  })

  it("has the fills of weeks and what ended in them, of which the venue answers for one at a time", async () => {
    const later = await GateSession.start(at)
    const began = Date.now() - 20 * DAY_MILLIS
    const days = [-20, -12, -4, 0]
    const orders: Array<VenueOrder> = []
    for (const _ of days) orders.push(await later.accepted(gateOrder({ limitPrice: BEST_BID })))
    for (const day of days) {
      ahead = day * DAY_MILLIS + 1000
      at.exchange.trade(BTC, "SELL", "0.001")
    }
    ahead = 0
    await until(() => later.fills.length === 4, "the trades")
    const fills = await at.run(later.open.session.fetchFills(began, [GATE_BTC]))
    expect(new Set(fills.map(({ externalTradeId }) => externalTradeId))).toEqual(new Set(later.tradeIds))
    expect(fills.map(({ tradeOrderId }) => tradeOrderId)).toEqual(orders.map(({ tradeOrderId }) => tradeOrderId))
    expect(await ended(began, GATE_BTC, later)).toEqual(new Set(later.rows.map(({ id }) => id)))
  })
})
