/** Prices of quotes against a dumb reckoning with fractions of integers, for any book, size and margin. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { priceOffer, priceSize, walkBook } from "../../../src/domain/dealer/pricing.ts"
import type { QuoteSize } from "../../../src/domain/dealer/quote-request.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"

/** Hundredths and thousandths as integers. */
const level = fc.record({
  cents: fc.integer({ min: 1, max: 10_000_000 }),
  lots: fc.integer({ min: 1, max: 1_000_000 }),
})
const book = fc
  .array(level, { minLength: 1, maxLength: 30 })
  .map((levels) => [...levels].sort((a, b) => a.cents - b.cents))
const side = fc.constantFrom("BUY" as const, "SELL" as const)
const instrument = {
  tickSize: Decimal.of("0.01"),
  lotSize: Decimal.of("0.001"),
  precision: 2,
  scale: 3,
} as Instrument
const lots = (n: number): Decimal => Decimal.fromUnits(BigInt(n), 3)
const rowsOf = (levels: ReadonlyArray<{ cents: number; lots: number }>) =>
  levels.map((it) => [Decimal.fromUnits(BigInt(it.cents), 2).toString(), lots(it.lots).toString()] as const)

const ceil = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

describe("a quote's price", () => {
  it("is the walk with its margin, rounded once, against the client", () => {
    const wanted = fc.integer({ min: 1, max: 2_000_000 })
    void fc.assert(
      fc.property(book, side, wanted, fc.integer({ min: 0, max: 9_999 }), (unordered, orderSide, want, bps) => {
        const levels = orderSide === "BUY" ? unordered : [...unordered].reverse()
        const size: QuoteSize = { quantityType: "BASE", quantity: lots(want) }
        const walk = walkBook(rowsOf(levels), size)
        let missing = want
        let cost = 0n
        for (const it of levels) {
          const taken = Math.min(missing, it.lots)
          missing -= taken
          cost += BigInt(it.cents) * BigInt(taken)
        }
        if (missing > 0) {
          expect(walk).toBeUndefined()
          return
        }
        const margin = { takerFeeBps: Decimal.fromUnits(BigInt(bps), 0), markupBps: Decimal.ZERO, ttlBps: Decimal.ZERO }
        const priced = priceOffer(orderSide, { walk: walk!, margin }, size, instrument)
        const numerator = cost * (orderSide === "BUY" ? 10_000n + BigInt(bps) : 10_000n - BigInt(bps))
        const denominator = BigInt(want) * 10_000n
        const cents = orderSide === "BUY" ? ceil(numerator, denominator) : numerator / denominator
        if (cents === 0n) expect(priced).toBeUndefined()
        else expect(priced?.price.toString()).toBe(Decimal.fromUnits(cents, 2).toString())
      }),
      { numRuns: 2_000 },
    )
  })

  it("for an amount of quote asset never costs more than the amount, and one lot more would", () => {
    void fc.assert(
      fc.property(book, side, fc.integer({ min: 1, max: 2_000_000_000 }), (levels, orderSide, cents) => {
        const amount = Decimal.fromUnits(BigInt(cents), 2)
        const size: QuoteSize = { quantityType: "QUOTE", quoteQuantity: amount }
        const rows = rowsOf(orderSide === "BUY" ? levels : [...levels].reverse())
        const walk = walkBook(rows, size)
        const all = rows.reduce((sum, [p, q]) => sum.add(Decimal.of(p).multiply(Decimal.of(q))), Decimal.ZERO)
        expect(walk === undefined).toBe(all.lessThan(amount))
        if (walk === undefined) return
        expect(walk.cost.atMost(amount)).toBe(true)
        const margin = { takerFeeBps: Decimal.of("10"), markupBps: Decimal.of("10"), ttlBps: Decimal.ZERO }
        const priced = priceOffer(orderSide, { walk, margin }, size, instrument)
        if (!priced) return
        const { price, quantity } = priced
        expect(price.multiply(quantity).atMost(amount)).toBe(true)
        expect(price.multiply(quantity.add(lots(1))).greaterThan(amount)).toBe(true)
        expect(quantity.isMultipleOf(instrument.lotSize) && price.isMultipleOf(instrument.tickSize)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it("for an amount of quote asset is of a walk that is as long as what changes hands", () => {
    const bps = fc.integer({ min: 0, max: 9_999 })
    void fc.assert(
      fc.property(book, side, fc.integer({ min: 1, max: 2_000_000_000 }), bps, (levels, orderSide, cents, bps) => {
        const amount = Decimal.fromUnits(BigInt(cents), 2)
        const size: QuoteSize = { quantityType: "QUOTE", quoteQuantity: amount }
        const rows = rowsOf(orderSide === "BUY" ? levels : [...levels].reverse())
        const margin = { takerFeeBps: Decimal.fromUnits(BigInt(bps), 0), markupBps: Decimal.ZERO, ttlBps: Decimal.ZERO }
        const sold = priceSize(orderSide, rows, size, margin, instrument)
        if (!sold) return
        const { price, quantity, offer } = sold
        expect(offer.walk.quantity.atLeast(quantity)).toBe(true)
        expect(price.multiply(quantity).atMost(amount)).toBe(true)
        // The price is of that very walk.
        expect(priceOffer(orderSide, offer, size, instrument)?.price.toString()).toBe(price.toString())
      }),
      { numRuns: 2_000 },
    )
  })

  it("never gets better for a larger size", () => {
    void fc.assert(
      fc.property(
        book,
        side,
        fc.integer({ min: 1, max: 500_000 }),
        fc.integer({ min: 1, max: 500_000 }),
        (unordered, orderSide, a, b) => {
          const rows = rowsOf(orderSide === "BUY" ? unordered : [...unordered].reverse())
          const margin = { takerFeeBps: Decimal.ZERO, markupBps: Decimal.of("10"), ttlBps: Decimal.ZERO }
          const priceOf = (n: number): Decimal | undefined => {
            const size: QuoteSize = { quantityType: "BASE", quantity: lots(n) }
            const walk = walkBook(rows, size)
            return walk && priceOffer(orderSide, { walk, margin }, size, instrument)?.price
          }
          const [small, large] = [priceOf(Math.min(a, b)), priceOf(Math.max(a, b))]
          if (small === undefined || large === undefined) return
          expect(orderSide === "BUY" ? large.atLeast(small) : large.atMost(small)).toBe(true)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
