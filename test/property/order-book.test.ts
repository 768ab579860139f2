/** The order book against a sorted Map of exact decimals: the same operations must leave the same levels. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../src/domain/decimal.ts"
import { BookSide, type BookSideName, OrderBook } from "../../src/domain/market/order-book.ts"

/** Few distinct values in many spellings, and neighbours that differ only past a double's 17 digits. */
const price = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 3 })).map(([n, zeros]) => {
    const text = Decimal.fromUnits(BigInt(n), 1).toString()
    return zeros === 0 ? text : `${text.includes(".") ? text : `${text}.`}${"0".repeat(zeros)}`
  }),
  fc.integer({ min: 0, max: 4 }).map((n) => `1234567890123.123456789${n}`),
  fc.integer({ min: 1, max: 9 }).map((n) => `${n}e-1`),
)
const quantity = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("0", "0.0", "0.00000000", "0e0") },
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 999 }).map((n) => Decimal.fromUnits(BigInt(n), 2).toString()) },
)
const side = fc.constantFrom<BookSideName>("bids", "asks")

class DumbSide {
  readonly levels = new Map<string, readonly [string, string]>()
  constructor(readonly name: BookSideName) {}
  set(p: string, q: string): void {
    const key = Decimal.fromVenue(p)!.toString()
    if (Decimal.fromVenue(q)!.isZero()) this.levels.delete(key)
    else this.levels.set(key, [p, q])
  }
  rows(): ReadonlyArray<readonly [string, string]> {
    const sign = this.name === "bids" ? -1 : 1
    return [...this.levels].sort((a, b) => sign * Decimal.of(a[0]).compare(Decimal.of(b[0]))).map(([, row]) => row)
  }
}

describe("an order book side", () => {
  it("equals a sorted map of exact decimals after any updates", () => {
    void fc.assert(
      fc.property(side, fc.array(fc.tuple(price, quantity), { maxLength: 120 }), (name, updates) => {
        const book = new BookSide(name)
        const dumb = new DumbSide(name)
        for (const [p, q] of updates) {
          const before = dumb.levels.get(Decimal.fromVenue(p)!.toString())?.[0]
          expect(book.set(p, q)).toBe(before)
          dumb.set(p, q)
        }
        expect(book.top(1000)).toEqual(dumb.rows())
        expect(book.size).toBe(dumb.levels.size)
      }),
      { numRuns: 400 },
    )
  })

  it("is replaced by a snapshot as if its rows had been set one by one", () => {
    void fc.assert(
      fc.property(side, fc.array(fc.tuple(price, quantity), { maxLength: 80 }), (name, rows) => {
        const replaced = new BookSide(name)
        replaced.set("7", "7")
        replaced.replace(rows.flat())
        const set = new BookSide(name)
        for (const [p, q] of rows) set.set(p, q)
        expect(replaced.top(1000)).toEqual(set.top(1000))
      }),
      { numRuns: 300 },
    )
  })

  it("shows the best of any depth first, as rows and as JSON", () => {
    void fc.assert(
      fc.property(
        side,
        fc.array(fc.tuple(price, quantity), { maxLength: 40 }),
        fc.nat({ max: 50 }),
        (name, updates, n) => {
          const book = new BookSide(name)
          const dumb = new DumbSide(name)
          for (const [p, q] of updates) {
            book.set(p, q)
            dumb.set(p, q)
          }
          const wanted = dumb.rows().slice(0, n)
          expect(book.top(n)).toEqual(wanted)
          expect(JSON.parse(`[${book.rowsJson(n)}]`)).toEqual(wanted.map(([p, q]) => [p, q, ""]))
        },
      ),
    )
  })
})

describe("an order book", () => {
  it("is crossed exactly when its best bid reaches its best ask", () => {
    void fc.assert(
      fc.property(price, price, (bid, ask) => {
        const book = new OrderBook()
        book.bids.set(bid, "1")
        book.asks.set(ask, "1")
        expect(book.isCrossed()).toBe(Decimal.fromVenue(bid)!.atLeast(Decimal.fromVenue(ask)!))
      }),
      { numRuns: 400 },
    )
  })
})
