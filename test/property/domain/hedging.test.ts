/** Exposure, attribution and profit of hedging, against the money itself: what clients paid, what hedges cost, what is left over. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import { type HedgeAttempt, planHedge } from "../../../src/domain/dealer/hedging/hedge-order.ts"
import {
  exposureOf,
  type HedgeProgress,
  type HedgeTotals,
  noTotals,
  resultOf,
  withIntent,
  withProgress,
} from "../../../src/domain/dealer/hedging/hedging.ts"
import { IntentQueue, type OpenIntent } from "../../../src/domain/dealer/hedging/intent-queue.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { OrderSide } from "../../../src/domain/order/trade-order.ts"
import { intentOf, pair } from "../../kit/records/hedges.ts"
import { intentsWithin, walkedIntents } from "../../kit/records/open-intents.ts"

const amount = (max: number) => fc.integer({ min: 1, max }).map((units) => Decimal.fromUnits(BigInt(units), 3))
const side = fc.constantFrom<OrderSide>("BUY", "SELL")

const intentParts = { orderSide: side, quantity: amount(5_000), walkedPrice: amount(90_000) }

const intent = fc.record({ ...intentParts, markup: amount(500) }).map(({ markup, ...it }) => ({
  ...it,
  quotePrice: it.orderSide === "BUY" ? it.walkedPrice.add(markup) : it.walkedPrice.subtract(markup),
}))

const hedge = fc.record({
  orderSide: side,
  quantity: amount(5_000),
  price: amount(90_000),
  fee: amount(10),
  feeAsset: fc.constantFrom("BTC", "USDT"),
})

type Step = { readonly sold: HedgeIntent } | { readonly hedged: HedgeProgress }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(fc.oneof(fc.record({ sold: intent }), fc.record({ hedged: hedge })), { maxLength: 30 })
  .map((list) =>
    list.map((step, index) =>
      "sold" in step
        ? { sold: intentOf(index, step.sold) }
        : {
            hedged: {
              orderSide: step.hedged.orderSide,
              executedQuantity: step.hedged.quantity,
              executedCost: step.hedged.price.multiply(step.hedged.quantity),
              fees: [{ asset: step.hedged.feeAsset, quantity: step.hedged.fee }],
            },
          },
    ),
  )

const totalsOf = (list: ReadonlyArray<Step>): HedgeTotals =>
  list.reduce(
    (totals, step) => ("sold" in step ? withIntent(totals, step.sold) : withProgress(totals, null, step.hedged)),
    noTotals("BTC"),
  )

const newestFirst = (list: ReadonlyArray<Step>): ReadonlyArray<HedgeIntent> =>
  list.flatMap((step) => ("sold" in step ? [step.sold] : [])).toReversed()

const text = ({ fees, ...totals }: HedgeTotals): unknown => ({
  ...JSON.parse(JSON.stringify(totals)),
  fees: [...fees].map(([asset, sum]) => `${asset} ${sum}`).sort(),
})

describe("the exposure of a dealer", () => {
  it("is the same in whatever order quotes and hedges came, and however often a hedge was told", () => {
    void fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (list, random) => {
        const shuffled = list
          .map((step) => [random.next().value as number, step] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, step]) => step)
        expect(text(totalsOf(shuffled))).toEqual(text(totalsOf(list)))
        const inParts = list.reduce((totals, step) => {
          if ("sold" in step) return withIntent(totals, step.sold)
          const { hedged } = step
          const half: HedgeProgress = {
            ...hedged,
            executedQuantity: hedged.executedQuantity.divide(Decimal.of("2"), 18, "DOWN"),
            executedCost: hedged.executedCost.divide(Decimal.of("2"), 18, "DOWN"),
            fees: [],
          }
          return withProgress(withProgress(withProgress(totals, null, half), half, half), half, hedged)
        }, noTotals("BTC"))
        expect(text(inParts)).toEqual(text(totalsOf(list)))
      }),
    )
  })

  it("belongs to the newest quotes of its side, and to no more of them than it needs", () => {
    void fc.assert(
      fc.property(steps, (list) => {
        const exposure = exposureOf(totalsOf(list))
        const intents = newestFirst(list)
        const open = [...new IntentQueue(intents).open(exposure)]
        const side = exposure.isNegative() ? "SELL" : "BUY"
        const size = exposure.isNegative() ? exposure.negate() : exposure
        const ofSide = intents.filter((it) => it.orderSide === side)
        const sum = open.reduce((all, it) => all.add(it.open), Decimal.ZERO)
        const most = ofSide.reduce((all, it) => all.add(it.quantity), Decimal.ZERO)
        expect(sum.equals(Decimal.min(size, most))).toBe(true)
        expect(open.map((it) => it.intent)).toEqual(ofSide.slice(0, open.length).toReversed())
        for (const [index, it] of open.entries())
          expect(it.open.isPositive() && (index === 0 || it.open.equals(it.intent.quantity))).toBe(true)
      }),
    )
  })

  it("is found in a queue of quotes as by a walk through all of them, whatever has been forgotten", () => {
    const change = fc.record({ ...intentParts, venue: fc.constantFrom("MOCK" as VenueId, "PAPER" as VenueId) })
    const exposures = fc.array(fc.integer({ min: -20_000, max: 20_000 }), { minLength: 1, maxLength: 3 })
    void fc.assert(
      fc.property(fc.array(fc.tuple(change, exposures), { maxLength: 300 }), (list) => {
        const queue = new IntentQueue()
        let newestFirst: ReadonlyArray<HedgeIntent> = []
        for (const [index, [own, units]] of list.entries()) {
          const intent = intentOf(index, { ...own, worstPrice: own.walkedPrice })
          queue.add(intent)
          newestFirst = [intent, ...newestFirst]
          const ends = units.map((it) => Decimal.fromUnits(BigInt(it), 3))
          const span = { low: ends.reduce(Decimal.min), high: ends.reduce(Decimal.max) }
          const within = intentsWithin(newestFirst, span)
          queue.forgetClosed(span)
          newestFirst = newestFirst.filter((it, at) => at === 0 || within.has(it))
          expect(newestFirst.every(({ hedgeIntentId }) => queue.has(hedgeIntentId))).toBe(true)
          expect(queue.newest()).toBe(intent)
          for (const exposure of ends) {
            const open = queue.open(exposure)
            const walked = walkedIntents(newestFirst, exposure)
            expect([...open].map(({ intent, open }) => `${intent.quoteId} ${open}`)).toEqual(
              walked.map(({ intent, open }) => `${intent.quoteId} ${open}`),
            )
            const sum = (of: (it: OpenIntent) => Decimal): string =>
              `${walked.map(of).reduce((a, b) => a.add(b), Decimal.ZERO)}`
            const worst = walked.map(({ intent }) => intent.worstPrice)
            expect([
              `${open.sum}`,
              `${open.reference}`,
              open.worst && `${open.worst}`,
              open.size,
              open.venues.toSorted(),
            ]).toEqual([
              sum(({ open }) => open),
              sum(({ intent, open }) => intent.walkedPrice.multiply(open)),
              worst.length === 0 ? null : `${worst.reduce(exposure.isNegative() ? Decimal.min : Decimal.max)}`,
              walked.length,
              [...new Set(walked.map(({ intent }) => intent.venue))].sort(),
            ])
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  it("and its result account for every unit of money: spread less slippage and what is open are cash and position", () => {
    void fc.assert(
      fc.property(steps, amount(90_000), (list, mid) => {
        const totals = totalsOf(list)
        let cash = Decimal.ZERO
        for (const step of list) {
          const money = "sold" in step ? step.sold.quotePrice.multiply(step.sold.quantity) : step.hedged.executedCost
          const isIn = "sold" in step ? step.sold.orderSide === "BUY" : step.hedged.orderSide === "SELL"
          cash = isIn ? cash.add(money) : cash.subtract(money)
        }
        const exposure = exposureOf(totals)
        let position = Decimal.ZERO
        for (const step of list) {
          const isSale = "sold" in step ? step.sold.orderSide === "BUY" : step.hedged.orderSide === "SELL"
          const size = "sold" in step ? step.sold.quantity : step.hedged.executedQuantity
          position = isSale ? position.subtract(size) : position.add(size)
          if ("sold" in step) continue
          for (const { asset, quantity } of step.hedged.fees)
            if (asset === "BTC") position = position.subtract(quantity)
        }
        expect(exposure.negate().toString()).toBe(position.toString())
        const { total, spread } = resultOf(totals, new IntentQueue(newestFirst(list)).open(exposure), mid)
        expect(total?.toString()).toBe(cash.subtract(exposure.multiply(mid)).toString())
        expect(spread.isNegative()).toBe(false)
      }),
    )
  })
})

describe("a hedge", () => {
  const instrument = pair({ minQuantity: Decimal.of("0.01"), minNotional: Decimal.of("5") })
  const level = fc.tuple(amount(90_000), amount(2_000)).map(([price, quantity]) => [`${price}`, `${quantity}`] as const)

  it("never trades more than is open, nor beyond its cap, nor what its venue does not take", () => {
    void fc.assert(
      fc.property(
        steps,
        fc.array(level, { maxLength: 5 }),
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom<HedgeAttempt["at"]>("QUOTED", "BOOK", "MARKET"),
        (list, levels, bps, at) => {
          const exposure = exposureOf(totalsOf(list))
          const isBuy = !exposure.isNegative()
          const book = levels.toSorted(([a], [b]) => Decimal.of(a).compare(Decimal.of(b)) * (isBuy ? 1 : -1))
          const open = new IntentQueue(newestFirst(list)).open(exposure)
          const slippageBps = Decimal.of(`${bps}`)
          const plan = planHedge({ instrument, exposure, open, book, slippageBps, at })
          if (plan._tag !== "Order") return
          const size = isBuy ? exposure : exposure.negate()
          expect(plan.orderSide).toBe(isBuy ? "BUY" : "SELL")
          expect(plan.quantity.atMost(size) && plan.quantity.atLeast(instrument.minQuantity)).toBe(true)
          expect(plan.quantity.isMultipleOf(instrument.lotSize)).toBe(true)
          const { quoteIds, count } = plan.quotes
          expect([quoteIds, count]).toEqual([open.oldest(quoteIds.length), quoteIds.length])
          const { limitPrice } = plan
          expect(limitPrice === null).toBe(at === "MARKET")
          if (limitPrice === null) return
          expect(limitPrice.isMultipleOf(instrument.tickSize)).toBe(true)
          expect(limitPrice.multiply(plan.quantity).atLeast(instrument.minNotional!)).toBe(true)
          const bounds = [
            ...levels.map(([price]) => Decimal.of(price)),
            ...[...open].map(({ intent }) => intent.worstPrice),
          ]
          const worst = bounds.reduce(isBuy ? Decimal.max : Decimal.min)
          const slip = worst.multiply(slippageBps).multiply(Decimal.of("0.0001"))
          expect(isBuy ? limitPrice.atMost(worst.add(slip)) : limitPrice.atLeast(worst.subtract(slip))).toBe(true)
        },
      ),
    )
  })
})
