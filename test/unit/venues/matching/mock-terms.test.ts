/** MOCK and orders with terms: amends in place, market buys by cost, and what of them comes back after a restart. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { TradingAccountId } from "../../../../src/domain/ids.ts"
import { NO_TERMS, type Trigger } from "../../../../src/domain/order/terms.ts"
import { type TradeOrder, UNPLACED } from "../../../../src/domain/order/trade-order.ts"
import type { SessionReport, VenueAmend, VenueBalances, VenueOrder } from "../../../../src/ports/venue-session.ts"
import { MOCK } from "../../../../src/venues/mock/instruments.ts"
import { account, BTC, limit, mockWorld, newOrderId, settle, uuid } from "../../../kit/worlds/market-world.ts"

const RICH = { BTC: "100", USDT: "10000000" }

const ref = ({ tradeOrderId }: VenueOrder) => ({ tradeOrderId, externalOrderId: null, instrumentId: BTC })
const to = (quantity: string, limitPrice: string | null): VenueAmend => ({
  quantity,
  limitPrice,
  stopPrice: null,
  askedAt: 1,
  notAfter: Number.MAX_SAFE_INTEGER,
})
const locked = (balances: VenueBalances, asset: string) =>
  balances.balances.find((balance) => balance.asset === asset)?.locked
const said = (reports: ReadonlyArray<SessionReport>) =>
  reports.map((report) => (report._tag === "AmendRefused" ? `${report.text} (${report.unknownOrder})` : report._tag))

describe("an amend on MOCK", () => {
  it.scoped("moves the price, the quantity and what is locked; lists and lookups say so", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      yield* settle
      session.amend?.(ref(order), to("2", "50000.5"))
      expect(said(reports)).toEqual(["Accepted"])
      yield* settle
      expect(said(reports)).toEqual(["Accepted", "AmendAccepted"])
      expect(yield* session.fetchOrder(ref(order))).toMatchObject({
        _tag: "Found",
        state: { status: "OPEN", quantity: "2", limitPrice: "50000.5", executedQuantity: "0" },
      })
      expect(locked(yield* session.fetchBalances, "USDT")).toBe("100001")
      expect(rig.book(BTC).bids.filter(([price]) => price === "50000.5" || price === "50000")).toEqual([
        ["50000.5", "2"],
      ])
    }),
  )

  it.scoped("is not made after its time", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      yield* settle
      session.amend?.(ref(order), { ...to("2", "50000.5"), notAfter: -1 })
      yield* settle
      expect(said(reports)).toEqual(["Accepted", "past its notAfter (false)"])
      expect(yield* session.fetchOrder(ref(order))).toMatchObject({ state: { quantity: "1", limitPrice: "50000" } })
    }),
  )

  it.scoped("keeps its place when it only shrinks, and loses it when it grows", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const first = yield* open(account(1, RICH))
      const second = yield* open(account(2, RICH))
      const taker = yield* open(account(3, RICH))
      const [a, b] = [limit("SELL", "2", "60000.25"), limit("SELL", "1", "60000.25")]
      first.session.submit(a)
      second.session.submit(b)
      yield* settle
      const filled = () => [first, second].map(({ tags }) => tags().filter((tag) => tag === "Filled").length)
      first.session.amend?.(ref(a), to("1", "60000.25"))
      taker.session.submit(limit("BUY", "0.5", "60000.25", { timeInForce: "IOC" }))
      yield* settle
      expect(filled()).toEqual([1, 0])
      // 0.5 of it is executed: 1.5 leaves 1, more than the 0.5 that stood there.
      first.session.amend?.(ref(a), to("1.5", "60000.25"))
      taker.session.submit(limit("BUY", "1", "60000.25", { timeInForce: "IOC" }))
      yield* settle
      expect(filled()).toEqual([1, 1])
      expect(yield* first.session.fetchOrder(ref(a))).toMatchObject({
        state: { quantity: "1.5", executedQuantity: "0.5", status: "OPEN" },
      })
    }),
  )

  it.scoped("trades at once where the new price reaches, after the word that it was amended", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const maker = yield* open(account(1, RICH))
      const { session, reports } = yield* open(account(2, RICH))
      maker.session.submit(limit("SELL", "1", "60000.25"))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      yield* settle
      session.amend?.(ref(order), to("1", "60000.25"))
      yield* settle
      expect(said(reports)).toEqual(["Accepted", "AmendAccepted", "Filled"])
      expect(locked(yield* session.fetchBalances, "USDT")).toBe("0")
    }),
  )

  it.scoped("refuses what cannot be, and then nothing has changed", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, { USDT: "60000" }))
      const maker = limit("BUY", "1", "50000", { orderType: "LIMIT_MAKER" })
      session.submit(maker)
      yield* settle
      rig.fill(maker.tradeOrderId, "0.5", "50000")
      yield* settle
      reports.length = 0
      const best = rig.book(BTC).asks[0]?.[0] ?? ""
      for (const change of [
        to("0.5", "50000"),
        to("1", "50000.001"),
        to("1.0000001", "50000"),
        to("2", "50000"),
        to("0.6", best),
        to("1", null),
        { ...to("1", "50000"), stopPrice: "40000" },
      ])
        session.amend?.(ref(maker), change)
      session.amend?.(ref(limit("BUY", "1", "50000")), to("1", "50000"))
      yield* settle
      expect(said(reports)).toEqual([
        "that quantity is already executed (false)",
        "price is not a multiple of 0.01 (false)",
        "quantity is not a multiple of 0.00001 (false)",
        "not enough USDT (false)",
        "post-only order would trade at once (false)",
        "a limit order needs a price (false)",
        "triggers are not supported here (false)",
        "unknown order (true)",
      ])
      expect(yield* session.fetchOrder(ref(maker))).toMatchObject({ state: { quantity: "1", limitPrice: "50000" } })
      expect(locked(yield* session.fetchBalances, "USDT")).toBe("25000")
    }),
  )

  it.scoped("may be lost on the way back: the order says what became of it", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      yield* settle
      rig.dropReports("AmendAccepted", 1)
      session.amend?.(ref(order), to("3", "50000"))
      yield* settle
      expect(said(reports)).toEqual(["Accepted"])
      expect(yield* session.fetchOrder(ref(order))).toMatchObject({ state: { quantity: "3" } })
    }),
  )
})

describe("a market buy by cost on MOCK", () => {
  it.scoped("spends what was given and no more, and says that it is filled", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const maker = yield* open(account(1, RICH))
      const { session, reports } = yield* open(account(2, { USDT: "100" }))
      maker.session.submit(limit("SELL", "0.001", "60000.1"))
      yield* settle
      session.submit(limit("BUY", "0.5", "0", { orderType: "MARKET", limitPrice: null, cost: "60" }))
      yield* settle
      expect(said(reports)).toEqual(["Accepted", "Filled", "OrderSeen"])
      // 0.001 costs 60.0001; 0.00099 costs 59.4000990.
      expect(reports.at(-1)).toMatchObject({
        state: { status: "FILLED", quantity: "0.00099", executedQuantity: "0.00099" },
      })
    }),
  )
})

const trigger: Trigger = {
  kind: "STOP",
  execution: "EMULATED",
  source: "LAST_TRADE",
  on: "FALL",
  stopPrice: Decimal.of("40000"),
  trailing: null,
  armedAt: 1,
  triggeredAt: null,
  triggeredBy: null,
  triggerPrice: null,
  health: "LIVE",
}

const stored = (n: number, changes: Partial<TradeOrder>): TradeOrder => ({
  ...UNPLACED,
  tradeOrderId: newOrderId(),
  tenantId: "default" as TradeOrder["tenantId"],
  tradingAccountId: uuid(n) as TradingAccountId,
  venue: MOCK,
  instrumentId: BTC,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "SELL",
  orderType: "STOP_LIMIT",
  timeInForce: "GTC",
  orderStatus: "ACCEPTED",
  limitPrice: Decimal.of("61000"),
  quantity: Decimal.of("1"),
  quantityRounding: "",
  baseQuantity: Decimal.of("1"),
  origin: "GATEWAY",
  held: Decimal.ZERO,
  createdAt: 0,
  updatedAt: 0,
  ...changes,
})

describe("MOCK after a restart", () => {
  it.scoped("has what a trigger let go, changing and timed orders, and none that it never saw", () =>
    Effect.gen(function* () {
      const fired = { ...trigger, triggeredAt: 2, triggeredBy: "TRADE", triggerPrice: Decimal.of("39999") } as const
      const armed = stored(1, { terms: { ...NO_TERMS, trigger } })
      const held = stored(1, { terms: { ...NO_TERMS, trigger: fired } })
      const unheard = { terms: { ...NO_TERMS, trigger: fired }, notAfter: 5 }
      const sent = stored(1, { ...unheard, limitPrice: Decimal.of("62000") })
      const lost = stored(1, { ...unheard, orderType: "STOP", limitPrice: null })
      const released = stored(1, { terms: { ...NO_TERMS, trigger: fired }, notAfter: 5, externalOrderId: "before-1" })
      const atMarket = stored(1, {
        terms: { ...NO_TERMS, trigger: fired },
        orderType: "STOP",
        limitPrice: null,
        notAfter: 5,
        externalOrderId: "before-2",
      })
      const changing = stored(1, {
        orderType: "LIMIT",
        orderStatus: "PENDING_REPLACE",
        timeInForce: "DAY",
        notAfter: 5,
        externalOrderId: "before-3",
      })
      const { open } = yield* mockWorld({}, { resting: [armed, held, lost, sent, released, atMarket, changing] })
      const { session } = yield* open(account(1, RICH))
      const found = yield* Effect.forEach([armed, held, lost, sent, released, atMarket, changing], (order) =>
        session.fetchOrder({ ...order, externalOrderId: null }),
      )
      expect(found.map((each) => (each._tag === "Found" ? each.state.status : each.definite))).toEqual([
        true,
        true,
        true,
        "OPEN",
        "OPEN",
        "CANCELLED",
        "OPEN",
      ])
      expect((yield* session.fetchOpenOrders).map(({ externalOrderId }) => externalOrderId)).toEqual([
        expect.stringMatching(/-1$/),
        "before-1",
        "before-3",
      ])
    }),
  )
})
