/** Decimal against exact rationals of BigInt: every operation, every rounding. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal, type Rounding } from "../../../src/domain/decimal.ts"

/** A number as numerator over a power of ten, and its text by the API's grammar. */
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }))
  .map(([units, scale]) => ({ units, scale, value: Decimal.fromUnits(units, scale) }))

const ROUNDINGS: ReadonlyArray<Rounding> = ["UP", "DOWN", "CEIL", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN"]

const sameAs = (actual: Decimal, numerator: bigint, denominator: bigint): boolean =>
  actual.units * denominator === numerator * 10n ** BigInt(actual.scale)

const abs = (n: bigint): bigint => (n < 0n ? -n : n)

/** The whole number that a rational rounds to, by the words of each mode. */
const rounded = (numerator: bigint, denominator: bigint, mode: Rounding): bigint => {
  let below = numerator / denominator
  if (below * denominator > numerator) below -= 1n
  const above = below * denominator === numerator ? below : below + 1n
  if (below === above) return below
  const toBelow = numerator - below * denominator
  const toAbove = above * denominator - numerator
  const isNegative = numerator < 0n
  const away = isNegative ? below : above
  const toward = isNegative ? above : below
  if (mode === "UP") return away
  if (mode === "DOWN") return toward
  if (mode === "CEIL") return above
  if (mode === "FLOOR") return below
  if (toBelow !== toAbove) return toBelow < toAbove ? below : above
  if (mode === "HALF_UP") return away
  if (mode === "HALF_DOWN") return toward
  return below % 2n === 0n ? below : above
}

describe("a decimal", () => {
  it("adds, subtracts, multiplies and compares exactly", () => {
    void fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const da = 10n ** BigInt(a.scale)
        const db = 10n ** BigInt(b.scale)
        expect(sameAs(a.value.add(b.value), a.units * db + b.units * da, da * db)).toBe(true)
        expect(sameAs(a.value.subtract(b.value), a.units * db - b.units * da, da * db)).toBe(true)
        expect(sameAs(a.value.multiply(b.value), a.units * b.units, da * db)).toBe(true)
        const difference = a.units * db - b.units * da
        expect(Math.sign(a.value.compare(b.value))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0)
      }),
    )
  })

  it("divides to any number of digits in every rounding", () => {
    void fc.assert(
      fc.property(
        decimals,
        decimals.filter((it) => it.units !== 0n),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(...ROUNDINGS),
        (a, b, digits, mode) => {
          const numerator = a.units * 10n ** BigInt(b.scale + digits)
          const denominator = b.units * 10n ** BigInt(a.scale)
          const sign = denominator < 0n ? -1n : 1n
          const quotient = a.value.divide(b.value, digits, mode)
          expect(quotient.scale).toBe(digits)
          expect(quotient.units).toBe(rounded(numerator * sign, abs(denominator), mode))
        },
      ),
    )
  })

  it("rounds to a neighbouring multiple of any step", () => {
    void fc.assert(
      fc.property(
        decimals,
        fc.tuple(fc.bigInt({ min: 1n, max: 10_000n }), fc.integer({ min: 0, max: 8 })),
        fc.constantFrom(...ROUNDINGS),
        (a, [stepUnits, stepScale], mode) => {
          const step = Decimal.fromUnits(stepUnits, stepScale)
          const numerator = a.units * 10n ** BigInt(stepScale)
          const denominator = stepUnits * 10n ** BigInt(a.scale)
          const result = a.value.roundTo(step, mode)
          expect(result.isMultipleOf(step)).toBe(true)
          expect(result.equals(step.multiply(Decimal.fromUnits(rounded(numerator, denominator, mode), 0)))).toBe(true)
          expect(a.value.isMultipleOf(step)).toBe(result.equals(a.value))
        },
      ),
    )
  })

  it("writes plain digits that read back as the same number", () => {
    void fc.assert(
      fc.property(decimals, ({ value }) => {
        const text = value.toString()
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(text).not.toBe("-0")
        expect(Decimal.fromVenue(text)!.equals(value)).toBe(true)
      }),
    )
  })

  it("reads a venue's exponents as the number they mean", () => {
    void fc.assert(
      fc.property(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -20, max: 20 }), (units, exponent) => {
        const expected =
          exponent >= 0
            ? Decimal.fromUnits(BigInt(units) * 10n ** BigInt(exponent), 0)
            : Decimal.fromUnits(BigInt(units), -exponent)
        expect(Decimal.fromVenue(`${units}e${exponent}`)!.equals(expected)).toBe(true)
      }),
    )
  })
})
