/** MOCK as its session sees it: orders, fills, fees, balances, refusals, the journal it restores, and its rig. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { TenantId, TradingAccountId } from "../../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../../src/domain/order/trade-order.ts"
import type { MarketSink } from "../../../../src/ports/market-source.ts"
import type { VenueBalances } from "../../../../src/ports/venue-session.ts"
import { MOCK } from "../../../../src/venues/mock/instruments.ts"
import {
  account,
  advance,
  BTC,
  ETH,
  limit,
  mockWorld,
  newOrderId,
  settle,
  uuid,
} from "../../../kit/worlds/market-world.ts"

const RICH = { BTC: "100", USDT: "10000000" }
const deaf: MarketSink = {
  depth: () => undefined,
  trades: () => undefined,
  ticker: () => undefined,
  kline: () => undefined,
  tradesMissed: () => undefined,
  unstreamed: () => undefined,
  down: () => undefined,
}
const ref = (order: { readonly tradeOrderId: ReturnType<typeof newOrderId> }) => ({
  tradeOrderId: order.tradeOrderId,
  externalOrderId: null,
  instrumentId: BTC,
})
const of = (balances: VenueBalances, asset: string) => {
  const found = balances.balances.find((balance) => balance.asset === asset)
  return [found?.available, found?.locked]
}

/** An order as the journal has it. */
const journaled = (n: number, changes: Partial<TradeOrder>): TradeOrder => ({
  tradeOrderId: newOrderId(),
  tenantId: "default" as TenantId,
  tradingAccountId: uuid(n) as TradingAccountId,
  version: 3,
  venue: MOCK,
  instrumentId: BTC,
  orderListId: null,
  contingencyType: null,
  quoteId: null,
  positionId: null,
  replacesTradeOrderId: null,
  dealerAccountId: null,
  hedgeForQuoteIds: [],
  hedgeForQuoteCount: 0,
  terms: null,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "SELL",
  orderType: "LIMIT",
  timeInForce: "GTC",
  orderStatus: "ACCEPTED",
  statusBeforeCancel: null,
  rejectReason: null,
  cancelReason: null,
  limitPrice: Decimal.of("60000.5"),
  quantity: Decimal.of("1"),
  orderQuantityType: "BASE",
  quantityRounding: "",
  baseQuantity: Decimal.of("1"),
  executedQuantity: Decimal.ZERO,
  executedCost: Decimal.ZERO,
  executedPrice: null,
  overfillQuantity: Decimal.ZERO,
  executions: [],
  executionCount: 0,
  fees: [],
  unexplained: null,
  clientOrderId: null,
  idempotencyKey: null,
  fingerprint: null,
  externalOrderId: `before-${n}`,
  origin: "GATEWAY",
  doubt: null,
  cancelRequested: false,
  evidence: [],
  notAfter: 0,
  submitDeadline: null,
  held: Decimal.ZERO,
  createdAt: 0,
  updatedAt: 0,
  expireAt: null,
  canceledAt: null,
  venueUpdatedAt: null,
  ...changes,
})

describe("MOCK", () => {
  it.scoped("lists its instruments, all or by symbol", () =>
    Effect.gen(function* () {
      const { adapter } = yield* mockWorld()
      const all = yield* adapter.instruments(null)
      expect(all.map((instrument) => instrument.symbol)).toEqual([
        "BTC/USDT",
        "ETH/USDT",
        "SOL/USDT",
        "BTC/EUR",
        "ETH/BTC",
      ])
      for (const { precision, tickSize, scale, lotSize } of all) {
        expect(tickSize.equals(Decimal.fromUnits(1n, precision))).toBe(true)
        expect(lotSize.equals(Decimal.fromUnits(1n, scale))).toBe(true)
      }
      expect((yield* adapter.instruments(["ETH/BTC", "NO/NE"])).length).toBe(1)
    }),
  )

  it.scoped("never reports inside the submit, and reports within the loop turn", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, tags } = yield* open(account(1, RICH))
      session.submit(limit("BUY", "1", "50000"))
      expect(tags()).toEqual([])
      yield* Effect.promise(() => Promise.resolve())
      expect(tags()).toEqual(["Accepted"])
    }),
  )

  it.scoped(
    "fills a taker from the best level on, charges 0.1 % of what is received, and keeps the books of both",
    () =>
      Effect.gen(function* () {
        const { open } = yield* mockWorld()
        const maker = yield* open(account(1, { BTC: "2" }))
        const taker = yield* open(account(2, { USDT: "100000" }))
        const sell = limit("SELL", "1.5", "60000.25")
        maker.session.submit(sell)
        expect(of(yield* maker.session.fetchBalances, "BTC")).toEqual(["0.5", "1.5"])
        const buy = limit("BUY", "1", "60000.75")
        taker.session.submit(buy)
        yield* settle
        expect(taker.tags()).toEqual(["Accepted", "Filled"])
        expect(maker.tags()).toEqual(["Accepted", "Filled"])
        const [, bought] = taker.reports
        expect(bought).toMatchObject({
          fill: { quantity: "1", price: "60000.25", orderSide: "BUY", fees: [{ asset: "BTC", quantity: "0.001" }] },
        })
        const [, sold] = maker.reports
        expect(sold).toMatchObject({ fill: { quantity: "1", fees: [{ asset: "USDT", quantity: "60.00025" }] } })
        const theirs = yield* taker.session.fetchBalances
        expect([of(theirs, "BTC"), of(theirs, "USDT")]).toEqual([
          ["0.999", "0"],
          ["39999.75", "0"],
        ])
        const ours = yield* maker.session.fetchBalances
        expect([of(ours, "BTC"), of(ours, "USDT")]).toEqual([
          ["0.5", "0.5"],
          ["59940.24975", "0"],
        ])
        expect(yield* maker.session.fetchOrder(ref(sell))).toMatchObject({
          _tag: "Found",
          state: { status: "OPEN", executedQuantity: "1", quantity: "1.5" },
        })
        expect(yield* taker.session.fetchOrder(ref(buy))).toMatchObject({ state: { status: "FILLED" } })
        expect((yield* maker.session.fetchOpenOrders).map((state) => state.tradeOrderId)).toEqual([sell.tradeOrderId])
        expect((yield* taker.session.fetchFills(0, [BTC])).length).toBe(1)
        expect(yield* taker.session.fetchFills(0, [ETH])).toEqual([])
      }),
  )

  it.scoped("says how an order ended that could not be filled", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, reports, tags } = yield* open(account(1, { ...RICH, USDT: "1000000000" }))
      session.submit(limit("BUY", "1000", "60001", { timeInForce: "IOC" }))
      yield* settle
      expect(tags()[0]).toBe("Accepted")
      expect(reports.at(-1)).toMatchObject({ _tag: "OrderSeen", state: { status: "CANCELLED", ending: "REMAINDER" } })
      reports.length = 0
      session.submit(limit("BUY", "1000", "60003", { timeInForce: "FOK" }))
      yield* settle
      expect(tags()).toEqual(["Accepted", "OrderSeen"])
      reports.length = 0
      session.submit(limit("BUY", "1", "60010", { timeInForce: "GTX" }))
      session.submit(limit("BUY", "1", "60010", { orderType: "LIMIT_MAKER" }))
      yield* settle
      expect(reports).toMatchObject([
        { _tag: "Refused", code: "WOULD_TAKE" },
        { _tag: "Refused", code: "WOULD_TAKE" },
      ])
      reports.length = 0
      session.submit(limit("SELL", "0.1", "1", { orderType: "MARKET", limitPrice: null }))
      yield* settle
      expect(new Set(tags())).toEqual(new Set(["Accepted", "Filled"]))
    }),
  )

  it.scoped("stops an account from trading with itself", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, RICH))
      session.submit(limit("SELL", "1", "60000.25"))
      session.submit(limit("BUY", "1", "60000.25"))
      yield* settle
      expect(reports.at(-1)).toMatchObject({ state: { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" } })
    }),
  )

  it.scoped("refuses what it cannot take, and knows nothing of it later", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, { BTC: "1", USDT: "1000" }))
      const refused = [
        limit("BUY", "0.1", "50000"),
        limit("SELL", "1.1", "70000"),
        limit("BUY", "100", "1", { orderType: "MARKET", limitPrice: null }),
        limit("BUY", "0.000001", "50000"),
        limit("BUY", "0.0100001", "50000"),
        limit("BUY", "0.01", "50000.001"),
        limit("BUY", "0.00001", "50000"),
        limit("BUY", "9001", "0.01"),
        limit("BUY", "0.01", "50000", { leverage: 2 }),
      ]
      for (const order of refused) session.submit(order)
      yield* settle
      expect(reports.map((report) => (report._tag === "Refused" ? report.code : report._tag))).toEqual([
        "INSUFFICIENT_BALANCE",
        "INSUFFICIENT_BALANCE",
        "INSUFFICIENT_BALANCE",
        "QUANTITY_BELOW_MINIMUM",
        "INVALID_QUANTITY_PRECISION",
        "INVALID_PRICE_PRECISION",
        "NOTIONAL_BELOW_MINIMUM",
        "QUANTITY_ABOVE_MAXIMUM",
        "NOT_SUPPORTED",
      ])
      expect(yield* session.fetchOrder(ref(refused[0]!))).toEqual({ _tag: "NotFound", definite: true })
      expect(of(yield* session.fetchBalances, "USDT")).toEqual(["1000", "0"])
    }),
  )

  it.scoped("does not take an order past its time, nor the same one twice", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session, reports, tags } = yield* open(account(1, RICH))
      yield* advance(1000)
      session.submit(limit("BUY", "1", "50000", { notAfter: 999 }))
      const order = limit("BUY", "1", "50000", { notAfter: 1000 })
      session.submit(order)
      session.submit(order)
      yield* settle
      expect(tags()).toEqual(["NotSent", "Accepted", "InDoubt"])
      expect(reports[2]).toMatchObject({ tradeOrderId: order.tradeOrderId })
      expect(of(yield* session.fetchBalances, "USDT")).toEqual(["9950000", "50000"])
    }),
  )

  it.scoped("cancels what rests and releases what it locked; a second time it knows of no such order", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports, tags } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      rig.fill(order.tradeOrderId, "0.4", "50000")
      session.cancel(ref(order))
      session.cancel(ref(order))
      yield* settle
      expect(tags()).toEqual(["Accepted", "Filled", "CancelAccepted", "OrderSeen", "CancelRefused"])
      expect(reports[3]).toMatchObject({ state: { status: "CANCELLED", executedQuantity: "0.4", ending: null } })
      expect(reports[4]).toMatchObject({ unknownOrder: true })
      expect(of(yield* session.fetchBalances, "USDT")).toEqual(["9980000", "0"])
    }),
  )

  it.scoped("makes the same market of the same seed, and another of another", () =>
    Effect.gen(function* () {
      const books: Array<unknown> = []
      for (const mockSeed of [5, 5, 6]) {
        const { rig, adapter } = yield* mockWorld({ mockSeed })
        adapter.market(deaf).open("book", BTC)
        for (let i = 0; i < 200; i++) rig.tick()
        books.push(rig.book(BTC))
      }
      expect(books[0]).toEqual(books[1])
      expect(books[0]).not.toEqual(books[2])
    }),
  )

  it.scoped("moves only while a stream is open or an order of an account rests", () =>
    Effect.gen(function* () {
      const { open, rig, adapter } = yield* mockWorld({ mockTickMillis: 100 })
      const still = rig.book(BTC)
      yield* advance(5000)
      expect([rig.book(BTC), rig.isMoving()]).toEqual([still, false])
      const source = adapter.market(deaf)
      source.open("trade", BTC)
      yield* advance(5000)
      const moved = rig.book(BTC)
      expect(moved).not.toEqual(still)
      source.close("trade", BTC)
      yield* advance(1000)
      const stopped = rig.book(BTC)
      yield* advance(5000)
      expect([rig.book(BTC), rig.isMoving()]).toEqual([stopped, false])
      const { session } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "1000")
      session.submit(order)
      yield* advance(5000)
      const withOrder = rig.book(BTC)
      expect(withOrder.bids.at(-1)).toEqual(["1000", "1"])
      expect(rig.isMoving()).toBe(true)
      session.cancel(ref(order))
      yield* advance(2000)
      expect(rig.isMoving()).toBe(false)
    }),
  )

  it.scoped("never crosses its book, whatever the walk and its orders do", () =>
    Effect.gen(function* () {
      const { rig, adapter, open } = yield* mockWorld({ mockSeed: 3 })
      adapter.market(deaf).open("book", BTC)
      const { session } = yield* open(account(1, RICH))
      for (let i = 0; i < 500; i++) {
        if (i % 10 === 0) session.submit(limit(i % 20 === 0 ? "BUY" : "SELL", "0.3", i % 20 === 0 ? "59998" : "60002"))
        rig.tick()
        const { bids, asks } = rig.book(BTC)
        expect(Decimal.of(bids[0]![0]).lessThan(Decimal.of(asks[0]![0]))).toBe(true)
      }
    }),
  )
})

describe("MOCK after a restart", () => {
  it.scoped("has the journal's orders in their old queue order, with what they had left", () =>
    Effect.gen(function* () {
      const older = journaled(1, { executedQuantity: Decimal.of("0.6"), orderStatus: "PARTIALLY_FILLED" })
      const newer = journaled(2, {})
      const { open } = yield* mockWorld({}, { resting: [older, newer] })
      const taker = yield* open(account(3, RICH))
      taker.session.submit(limit("BUY", "0.5", "60000.5"))
      yield* settle
      const first = yield* open(account(1, { BTC: "1" }))
      const second = yield* open(account(2, { BTC: "1" }))
      expect(yield* first.session.fetchOrder(ref(older))).toMatchObject({
        state: { status: "FILLED", executedQuantity: "1", externalOrderId: "before-1" },
      })
      expect(yield* second.session.fetchOrder(ref(newer))).toMatchObject({
        state: { status: "OPEN", executedQuantity: "0.1" },
      })
      expect((yield* second.session.fetchFills(0, [BTC])).map((fill) => fill.quantity)).toEqual(["0.1"])
      expect(of(yield* second.session.fetchBalances, "BTC")).toEqual(["0", "0.9"])
    }),
  )

  it.scoped("counts the journal's executions, once, and what traded before the session opened", () =>
    Effect.gen(function* () {
      const order = journaled(1, { executedQuantity: Decimal.of("0.5") })
      const changes = new Map([
        [
          uuid(1) as TradingAccountId,
          [
            ["BTC", "-0.5"],
            ["USDT", "29970.24"],
          ] as const,
        ],
      ])
      const { open, rig } = yield* mockWorld({}, { resting: [order], changes })
      rig.fill(order.tradeOrderId, "0.2", "60000")
      const balances: Array<unknown> = []
      for (let i = 0; i < 2; i++) {
        const scope = yield* Scope.make()
        const { session } = yield* open(account(1, { BTC: "3" })).pipe(Scope.extend(scope))
        const now = yield* session.fetchBalances
        balances.push([of(now, "BTC"), of(now, "USDT")])
        yield* Scope.close(scope, Exit.void)
      }
      expect(balances[0]).toEqual([
        ["2", "0.3"],
        ["41958.24", "0"],
      ])
      expect(balances[1]).toEqual(balances[0])
    }),
  )

  it.scoped("counts the journal once when two sessions of an account open at the same time", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const opening = open(account(1, { BTC: "3" }))
      const [{ session }] = yield* Effect.all([opening, opening], { concurrency: 2 })
      expect(of(yield* session.fetchBalances, "BTC")).toEqual(["3", "0"])
    }),
  )

  it.scoped("does not put back on the book what never rests, and answers for it", () =>
    Effect.gen(function* () {
      const order = journaled(1, { timeInForce: "IOC", executedQuantity: Decimal.of("0.4") })
      const { open, rig } = yield* mockWorld({}, { resting: [order] })
      const { session } = yield* open(account(1, { BTC: "1" }))
      expect(rig.book(BTC).asks[0]![0]).not.toBe("60000.5")
      expect(yield* session.fetchOrder(ref(order))).toMatchObject({
        state: { status: "CANCELLED", ending: "REMAINDER", executedQuantity: "0.4" },
      })
      expect(yield* session.fetchOpenOrders).toEqual([])
    }),
  )

  it.scoped("lets orders trade again whose match was never committed", () =>
    Effect.gen(function* () {
      const sell = journaled(1, {})
      const buy = journaled(2, { orderSide: "BUY", limitPrice: Decimal.of("60000.75") })
      const { open } = yield* mockWorld({}, { resting: [sell, buy] })
      const { session } = yield* open(account(2, { USDT: "100000" }))
      expect(yield* session.fetchOrder(ref(buy))).toMatchObject({ state: { status: "FILLED" } })
      expect((yield* session.fetchFills(0, [BTC]))[0]).toMatchObject({ price: "60000.5", quantity: "1" })
    }),
  )

  it.scoped("knows definitely that an order it never saw was not placed", () =>
    Effect.gen(function* () {
      const { open } = yield* mockWorld()
      const { session } = yield* open(account(1, RICH))
      expect(yield* session.fetchOrder(ref(limit("BUY", "1", "1")))).toEqual({ _tag: "NotFound", definite: true })
    }),
  )

  it.scoped("gives no external id twice", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (let run = 0; run < 2; run++) {
        const { open } = yield* mockWorld()
        const { session, reports } = yield* open(account(1, RICH))
        session.submit(limit("BUY", "0.1", "60001"))
        yield* settle
        for (const report of reports) {
          const id = report._tag === "Accepted" ? report.externalOrderId : undefined
          const trade = report._tag === "Filled" ? report.fill.externalTradeId : undefined
          for (const each of [id, trade]) {
            if (each === undefined) continue
            expect(seen.has(each)).toBe(false)
            seen.add(each)
          }
        }
        // Two processes never start in the same instant.
        yield* advance(1000)
      }
      expect(seen.size).toBe(4)
    }),
  )
})

describe("MOCK's rig", () => {
  it.scoped("refuses, hangs and drops", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports, tags } = yield* open(account(1, RICH))
      const [refused, lost, silent, later] = [1, 2, 3, 4].map(() => limit("BUY", "1", "50000")) as [
        ReturnType<typeof limit>,
        ReturnType<typeof limit>,
        ReturnType<typeof limit>,
        ReturnType<typeof limit>,
      ]
      rig.rejectNext("VENUE_SAYS_NO", "because")
      session.submit(refused)
      rig.hangNext({ placed: false })
      session.submit(lost)
      rig.hangNext({ placed: true })
      session.submit(silent)
      rig.dropReports("Accepted", 1)
      session.submit(later)
      session.cancel(ref(later))
      yield* settle
      expect(tags()).toEqual(["Refused", "CancelAccepted", "OrderSeen"])
      expect(reports[0]).toMatchObject({ code: "VENUE_SAYS_NO", text: "because" })
      expect(yield* session.fetchOrder(ref(lost))).toMatchObject({ _tag: "NotFound" })
      expect(yield* session.fetchOrder(ref(silent))).toMatchObject({ state: { status: "OPEN" } })
    }),
  )

  it.scoped("cuts an account's stream: what happens meanwhile is found only by asking", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, tags } = yield* open(account(1, RICH))
      const order = limit("BUY", "1", "50000")
      session.submit(order)
      yield* settle
      rig.loseSession(uuid(1) as TradingAccountId)
      rig.fill(order.tradeOrderId, "1", "50000")
      yield* settle
      rig.mendSession(uuid(1) as TradingAccountId)
      yield* settle
      expect(tags()).toEqual(["Accepted", "StreamDown", "StreamUp"])
      expect(yield* session.fetchOrder(ref(order))).toMatchObject({ state: { status: "FILLED" } })
      rig.setUnavailable(true)
      expect((yield* Effect.flip(session.fetchBalances))._tag).toBe("VenueUnavailable")
    }),
  )

  it.scoped("moves the price through resting orders", () =>
    Effect.gen(function* () {
      const { open, rig } = yield* mockWorld()
      const { session, reports } = yield* open(account(1, RICH))
      session.submit(limit("BUY", "0.01", "59000"))
      rig.movePrice(BTC, "58000")
      yield* settle
      expect(reports.at(-1)).toMatchObject({ _tag: "Filled", fill: { price: "59000", quantity: "0.01" } })
    }),
  )
})
