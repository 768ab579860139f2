/** The fast writer of an order's record against the plain one, on any order. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { keptEventOf, keptOrder, textOfEvent } from "../../../src/domain/account/event-kept.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type {
  DealerAccountId,
  ExecutionId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../../../src/domain/ids.ts"

import { OrderStatus } from "../../../src/domain/order/status.ts"
import { NO_TERMS, type OrderTerms, type Trigger, termsOf } from "../../../src/domain/order/terms.ts"
import type { Execution, OrderDoubt, TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { tradeOrderJson, tradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { someOrder } from "../../kit/records/some-order.ts"

const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }))
  .map(([units, scale]) => Decimal.fromUnits(units, scale))
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 })
const key = fc.option(fc.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/))
const venue = "MOCK" as VenueId

const fees = fc.array(
  fc.record({ asset: fc.constantFrom("BTC", "BNB"), venue: fc.constant(venue), quantity: decimal }),
  { maxLength: 2 },
)

const execution: fc.Arbitrary<Execution> = fc.record({
  executionId: fc.uuid().map((it) => it as ExecutionId),
  externalTradeId: fc.string(),
  tradeOrderId: fc.uuid().map((it) => it as TradeOrderId),
  tradingAccountId: fc.uuid().map((it) => it as TradingAccountId),
  venue: fc.constant(venue),
  instrumentId: fc.constant("MOCK:BTC/USDT" as InstrumentId),
  orderSide: fc.constantFrom("BUY", "SELL"),
  executedQuantity: decimal,
  executedPrice: decimal,
  executedCost: decimal,
  fees,
  inferred: fc.boolean(),
  replaces: fc.option(fc.uuid().map((it) => it as ExecutionId)),
  executedAt: instant,
})

const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary)
const word = <const A extends string>(...words: ReadonlyArray<A>) => fc.constantFrom(...words)

const trigger: fc.Arbitrary<Trigger> = fc.record({
  kind: word("STOP", "TAKE_PROFIT", "TRAILING_STOP"),
  execution: word("NATIVE", "EMULATED"),
  source: word("LAST_TRADE", "BID_ASK", "MID", "MARK"),
  on: word("RISE", "FALL"),
  stopPrice: decimal,
  trailing: optional(
    fc.record({
      delta: optional(fc.nat()),
      amount: optional(decimal),
      limitOffset: optional(decimal),
      highWaterMark: decimal,
    }),
  ),
  armedAt: optional(instant),
  triggeredAt: optional(instant),
  triggeredBy: optional(word("TRADE", "QUOTE", "RECOVERY", "VENUE")),
  triggerPrice: optional(decimal),
  health: word("LIVE", "STALE"),
})

const terms: fc.Arbitrary<OrderTerms> = fc.record({
  trigger: optional(trigger),
  exits: optional(
    fc.record({
      takeProfitPrice: optional(decimal),
      takeProfitLimitPrice: optional(decimal),
      takeProfitTimeInForce: optional(word("GTC", "GTD")),
      stopLossPrice: optional(decimal),
      stopLossLimitPrice: optional(decimal),
      stopLossTimeInForce: optional(word("GTC", "DAY")),
    }),
  ),
  parentId: optional(fc.uuid().map((it) => it as TradeOrderId)),
  leg: optional(word("TAKE_PROFIT", "STOP_LOSS")),
  pairedWith: optional(fc.uuid().map((it) => it as TradeOrderId)),
  leverage: optional(fc.nat()),
  budget: optional(fc.record({ amount: decimal, lot: decimal })),
  change: optional(
    fc.record({
      how: word("AMEND", "RENEW", "PAIR"),
      baseQuantity: optional(decimal),
      limitPrice: optional(decimal),
      stopPrice: optional(decimal),
      askedAt: fc.nat(),
      executedBefore: decimal,
      heldBefore: decimal,
      held: decimal,
    }),
  ),
})

const order: fc.Arbitrary<TradeOrder> = fc.record({
  tradeOrderId: fc.uuid().map((it) => it as TradeOrderId),
  tenantId: fc.constant("default" as TenantId),
  tradingAccountId: fc.uuid().map((it) => it as TradingAccountId),
  version: fc.nat(),
  venue: fc.constant(venue),
  instrumentId: fc.constant("MOCK:BTC/USDT" as InstrumentId),
  orderListId: optional(fc.uuid()),
  contingencyType: optional(word("OTO", "OCO", "OTOCO")),
  quoteId: optional(fc.uuid()),
  positionId: optional(fc.uuid()),
  replacesTradeOrderId: optional(fc.uuid().map((it) => it as TradeOrderId)),
  dealerAccountId: optional(fc.uuid().map((it) => it as DealerAccountId)),
  hedgeForQuoteIds: fc.array(
    fc.uuid().map((it) => it as QuoteId),
    { maxLength: 3 },
  ),
  hedgeForQuoteCount: fc.nat(),
  terms: optional(terms),
  baseAsset: fc.constant("BTC"),
  quoteAsset: fc.constant("USDT"),
  orderSide: fc.constantFrom("BUY", "SELL"),
  orderType: word("MARKET", "LIMIT", "LIMIT_MAKER", "STOP_LIMIT", "TRAILING_STOP"),
  timeInForce: fc.constantFrom("GTC", "IOC", "FOK", "GTX"),
  orderStatus: fc.constantFrom(...OrderStatus.literals),
  statusBeforeCancel: fc.constant(null),
  rejectReason: fc.option(fc.string({ unit: "binary" })),
  cancelReason: fc.option(fc.constantFrom("USER_REQUEST", "VENUE", "IOC_REMAINDER")),
  limitPrice: fc.option(decimal),
  quantity: decimal,
  orderQuantityType: word("BASE", "QUOTE", "POSITION_RATIO", "POSITION_PERCENTAGE"),
  quantityRounding: fc.constantFrom("", "HALF_EVEN"),
  baseQuantity: decimal,
  executedQuantity: decimal,
  executedCost: decimal,
  executedPrice: fc.option(decimal),
  overfillQuantity: decimal,
  executions: fc.array(execution, { maxLength: 3 }),
  executionCount: fc.nat(),
  fees,
  unexplained: fc.constant(null),
  clientOrderId: key,
  idempotencyKey: key,
  fingerprint: fc.constant(null),
  externalOrderId: fc.option(fc.string({ unit: "binary" })),
  origin: fc.constantFrom("GATEWAY", "EXTERNAL"),
  doubt: fc.option(fc.constantFrom<OrderDoubt>({ kind: "SUBMIT", notFounds: 1, knownMillis: 250 }, { kind: "CANCEL" })),
  cancelRequested: fc.boolean(),
  evidence: fc.array(fc.record({ at: instant, what: fc.string() }), { maxLength: 2 }),
  notAfter: fc.constant(null),
  submitDeadline: fc.constant(null),
  held: decimal,
  createdAt: instant,
  updatedAt: instant,
  expireAt: fc.option(instant),
  canceledAt: fc.option(instant),
  venueUpdatedAt: fc.constant(null),
})

describe("an order's record as text", () => {
  it("is the record, letter for letter", () => {
    void fc.assert(
      fc.property(order, (one) => {
        expect(tradeOrderJson(one)).toBe(JSON.stringify(tradeOrderRecord(one)))
      }),
      { numRuns: 500 },
    )
  })
})

/** A later image of it: all that may change is another's. */
const later = (then: TradeOrder, now: TradeOrder): TradeOrder => {
  const { tradeOrderId, tradingAccountId, orderListId, contingencyType, quoteId, positionId, replacesTradeOrderId } =
    then
  const { dealerAccountId, hedgeForQuoteIds, hedgeForQuoteCount, orderSide, orderType, quantityRounding } = then
  const { clientOrderId, idempotencyKey, origin, createdAt } = then
  const terms: OrderTerms = { ...(then.terms ?? NO_TERMS), change: now.terms?.change ?? null }
  return {
    ...now,
    ...{ tradeOrderId, tradingAccountId, orderListId, contingencyType, quoteId, positionId, replacesTradeOrderId },
    ...{ dealerAccountId, hedgeForQuoteIds, hedgeForQuoteCount, orderSide, orderType, quantityRounding },
    ...{ clientOrderId, idempotencyKey, origin, createdAt },
    // Only a trigger that fires changes the time in force.
    timeInForce: then.terms === null ? then.timeInForce : now.timeInForce,
    terms: then.terms === null ? terms : { ...terms, trigger: now.terms?.trigger ?? null },
  }
}

describe("an order's event", () => {
  const rowsOf = (then: TradeOrder, now: TradeOrder) => ({
    execution: () => expect.fail("it is no event of an execution"),
    order: () => later(then, now),
    executionsOf: () => then.executions,
  })

  it("is told again as it was published, from what the journal keeps and an image of later", () => {
    void fc.assert(
      fc.property(order, order, (one, now) => {
        const then = { ...one, executions: one.executions.map((it) => ({ ...it, replaces: null })) }
        const kept = keptEventOf(keptOrder(then))!
        expect(textOfEvent(then.tradingAccountId, kept, rowsOf(then, now))).toBe(tradeOrderJson(then))
      }),
      { numRuns: 1_000 },
    )
  })

  it("is told as it was published where an older gateway kept all of its terms", () => {
    void fc.assert(
      fc.property(order, order, (one, now) => {
        const then = { ...one, executions: [] }
        const { trigger: _, tif: _tif, ...older } = JSON.parse(keptOrder(then).slice(2))
        const stored = `~o${JSON.stringify({ ...older, ...(then.terms !== null && { terms: then.terms }) })}`
        const rows = rowsOf(then, { ...now, timeInForce: then.timeInForce })
        expect(textOfEvent(then.tradingAccountId, keptEventOf(stored)!, rows)).toBe(tradeOrderJson(then))
      }),
      { numRuns: 300 },
    )
  })

  it("of a plain order is kept in less than 150 bytes", () => {
    expect(keptOrder(someOrder()).length).toBeLessThan(150)
  })
})

describe("an order's terms", () => {
  it("come back from the store as they were", () => {
    void fc.assert(
      fc.property(terms, (one) => {
        // As text: a decimal may have trailing zeros, which are no difference.
        expect(JSON.parse(JSON.stringify(termsOf(JSON.parse(JSON.stringify(one)))))).toEqual(
          JSON.parse(JSON.stringify(one)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
