/** The books of a pair against plain sums: whatever is traded in whatever order, position, cash and profit add up to it. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type BookChange, booked, EMPTY_BOOK, type PairBook, traded } from "../../src/domain/dealer/books.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { OrderSide } from "../../src/domain/order/trade-order.ts"

const amount = fc.integer({ min: 1, max: 100_000 }).map((units) => Decimal.fromUnits(BigInt(units), 4))
const trade = fc
  .tuple(fc.constantFrom<OrderSide>("BUY", "SELL"), amount, amount)
  .map(([side, quantity, price]) => traded(side, quantity, quantity.multiply(price)))
const correction = amount.map((cash): BookChange => ({ base: Decimal.ZERO, cash }))
const changes = fc.array(fc.oneof({ weight: 9, arbitrary: trade }, correction), { maxLength: 30 })

const sum = (all: ReadonlyArray<BookChange>, of: keyof BookChange): Decimal =>
  all.reduce((total, it) => total.add(it[of]), Decimal.ZERO)
const play = (all: ReadonlyArray<BookChange>): PairBook => all.reduce(booked, EMPTY_BOOK)

describe("the books of a pair", () => {
  it("have what was traded, and all of the cash is profit once nothing is open", () => {
    void fc.assert(
      fc.property(changes, (all) => {
        const { position, cash, profit } = play(all)
        expect(`${position} ${cash.add(profit)}`).toBe(`${sum(all, "base")} ${sum(all, "cash")}`)
        const closing: BookChange = { base: position.negate(), cash: position.multiply(Decimal.of("7")) }
        const flat = booked(play(all), closing)
        expect(`${flat.position} ${flat.cash}`).toBe("0 0")
        expect(`${flat.profit}`).toBe(`${sum([...all, closing], "cash")}`)
      }),
    )
  })

  it("earn nothing where all is bought and sold at one price", () => {
    const price = Decimal.of("12.5")
    const side = fc.constantFrom<OrderSide>("BUY", "SELL")
    void fc.assert(
      fc.property(fc.array(fc.tuple(side, amount), { maxLength: 30 }), (all) => {
        const { profit } = play(all.map(([way, quantity]) => traded(way, quantity, quantity.multiply(price))))
        // A share of a cost is rounded at the ledger's last digit.
        expect(Math.abs(Number(profit.toString()))).toBeLessThan(1e-15)
      }),
    )
  })
})
