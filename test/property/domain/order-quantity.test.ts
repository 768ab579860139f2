/** However an amount is given: what comes of it is whole lots, exact, and without a rounding word never more than was asked. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { walkBase, walkCost } from "../../../src/domain/order/portfolio.ts"
import { check } from "../../kit/records/order-check.ts"

const decimal = (max: number, scaleMax: number) =>
  fc
    .tuple(fc.bigInt({ min: 1n, max: BigInt(max) }), fc.integer({ min: 0, max: scaleMax }))
    .map(([units, scale]) => Decimal.fromUnits(units, scale))
const step = fc.integer({ min: 0, max: 8 }).map((scale) => Decimal.fromUnits(1n, scale))
const WORDS = ["", "UP", "DOWN", "CEIL", "FLOOR", "NEAREST", "HALF_UP", "HALF_DOWN", "HALF_EVEN"]
const rows = fc.array(fc.tuple(decimal(1_000_000, 4), decimal(1_000_000, 6)), { minLength: 1, maxLength: 8 })
const loose = { minQuantity: Decimal.ZERO, maxQuantity: null, minNotional: null, tickSize: Decimal.ZERO }

describe("a quantity", () => {
  it("in quote at a limit is within one lot of the exact quotient, on the right side", () => {
    void fc.assert(
      fc.property(
        decimal(10 ** 12, 8),
        decimal(10 ** 9, 4),
        step,
        fc.constantFrom(...WORDS),
        (amount, price, lotSize, quantityRounding) => {
          const checked = check(
            { quantity: amount.toString(), quantityType: "QUOTE", limitPrice: price.toString(), quantityRounding },
            { instrument: { ...loose, lotSize } },
          )
          if (!("plan" in checked)) {
            expect(checked).toMatchObject({ error: { _tag: "QuantityBelowMinimum" } })
            return
          }
          const { baseQuantity } = checked.plan
          expect(baseQuantity.isMultipleOf(lotSize)).toBe(true)
          const cost = baseQuantity.multiply(price)
          const lot = lotSize.multiply(price)
          const off = cost.subtract(amount)
          expect((off.isNegative() ? off.negate() : off).lessThan(lot)).toBe(true)
          if (["", "DOWN", "FLOOR"].includes(quantityRounding)) expect(cost.atMost(amount)).toBe(true)
          if (["UP", "CEIL"].includes(quantityRounding)) expect(cost.atLeast(amount)).toBe(true)
          if (["NEAREST", "HALF_UP", "HALF_DOWN", "HALF_EVEN"].includes(quantityRounding))
            expect(off.add(off).compare(lot)).toBeLessThanOrEqual(0)
        },
      ),
    )
  })

  it("walked down a book costs no more than was given", () => {
    void fc.assert(
      fc.property(rows, decimal(10 ** 12, 6), (levels, amount) => {
        const book = levels.map(([price, quantity]) => [price.toString(), quantity.toString()] as const)
        const base = walkBase(book, amount)
        expect(base).toBeDefined()
        const cost = walkCost(book, base ?? Decimal.ZERO)
        expect(cost?.atMost(amount)).toBe(true)
        // And no less, but for the digits behind the 18th.
        const lost = amount.subtract(cost ?? Decimal.ZERO)
        expect(lost.lessThan(Decimal.of("0.000001"))).toBe(true)
      }),
    )
  })

  it("as a share is never more than the share", () => {
    void fc.assert(
      fc.property(
        decimal(10 ** 12, 8),
        fc.integer({ min: 1, max: 100 }),
        decimal(10 ** 9, 4),
        step,
        (free, percent, price, lotSize) => {
          for (const orderSide of ["BUY", "SELL"]) {
            const checked = check(
              { quantity: `${percent}`, quantityType: "POSITION_PERCENTAGE", orderSide, limitPrice: price.toString() },
              { instrument: { ...loose, lotSize }, funds: { BTC: free.toString(), USDT: free.toString() } },
            )
            if (!("plan" in checked)) continue
            const { baseQuantity } = checked.plan
            const used = orderSide === "BUY" ? baseQuantity.multiply(price) : baseQuantity
            expect(used.multiply(Decimal.of("100")).atMost(free.multiply(Decimal.of(`${percent}`)))).toBe(true)
            expect(baseQuantity.isMultipleOf(lotSize)).toBe(true)
          }
        },
      ),
    )
  })
})
