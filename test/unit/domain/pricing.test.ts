/** Prices of quotes and the exposure of their dealer, by vectors worked out by hand. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  averageOf,
  isBetter,
  keptLevels,
  midOf,
  priceOffer,
  priceSize,
  walkBook,
  worstOf,
} from "../../../src/domain/dealer/pricing.ts"
import type { QuoteSize } from "../../../src/domain/dealer/quote-request.ts"
import { exposureValue, Outstanding, worstExposures } from "../../../src/domain/dealer/risk.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { BookSide } from "../../../src/domain/market/order-book.ts"

const d = Decimal.of
const base = (quantity: string): QuoteSize => ({ quantityType: "BASE", quantity: d(quantity) })
const money = (quoteQuantity: string): QuoteSize => ({ quantityType: "QUOTE", quoteQuantity: d(quoteQuantity) })
const instrument = { tickSize: d("0.01"), lotSize: d("0.001"), precision: 2, scale: 3 } as Instrument
const ASKS = [
  ["100", "1"],
  ["101", "2"],
  ["103.5", "4"],
] as const
const margin = (bps: string) => ({ takerFeeBps: d(bps), markupBps: Decimal.ZERO, ttlBps: Decimal.ZERO })

describe("a walk of the book", () => {
  it.each([
    ["within the first level", "0.5", "50", "100"],
    ["just the first level", "1", "100", "100"],
    ["into the second", "2", "201", "101"],
    ["to the last bit of the book", "7", "716", "103.5"],
  ])("takes levels best first: %s", (_, quantity, cost, worst) => {
    const walk = walkBook(ASKS, base(quantity))!
    expect([walk.quantity.toString(), walk.cost.toString(), worstOf(walk).toString()]).toEqual([quantity, cost, worst])
  })

  it("is none when the book does not reach so far", () => {
    expect(walkBook(ASKS, base("7.000000000000000001"))).toBeUndefined()
    expect(walkBook([], base("1"))).toBeUndefined()
    expect(walkBook(ASKS, money("716.000000000000000001"))).toBeUndefined()
  })

  it("spends an amount of quote asset, its last level in part", () => {
    const walk = walkBook(ASKS, money("150.5"))!
    expect(walk.quantity.toString()).toBe("1.5")
    expect(walk.cost.toString()).toBe("150.5")
    expect(walkBook(ASKS, money("716"))!.quantity.toString()).toBe("7")
    // A third has no last digit: what is missing is worth nothing.
    const third = walkBook([["3", "1"]], money("1"))!
    expect(third.quantity.toString()).toBe("0.333333333333333333")
    expect(third.cost.toString()).toBe("0.999999999999999999")
  })

  it("passes over rows that are no prices", () => {
    expect(
      walkBook(
        [
          ["0", "5"],
          ["-1", "5"],
          ["x", "5"],
          ["2", "0"],
          ["3", "1"],
        ],
        base("1"),
      )!.cost.toString(),
    ).toBe("3")
  })

  it("has a mean price, and a middle between both sides", () => {
    expect(averageOf(walkBook(ASKS, base("3"))!).toString()).toBe("100.666666666666666667")
    expect(midOf([["99", "1"]], ASKS)?.toString()).toBe("99.5")
    expect(midOf([], ASKS)).toBeUndefined()
  })
})

/** Rows of a book, in 10⁻⁴ of a price and 10⁻⁸ of a quantity, as a dumb reckoner takes them: all of them first, in whole numbers. */
type Row = readonly [price: bigint, offered: bigint]

/** Base in 10⁻¹⁸, cost in 10⁻²²; null: not that much is there. */
const dumbWalk = (rows: ReadonlyArray<Row>, size: { base: bigint } | { quote: bigint }) => {
  const all = rows.slice(0, 1_000).map(([price, offered]) => [price, offered * 10n ** 10n] as const)
  let [base, cost] = [0n, 0n]
  for (const [rank, [price, offered]] of all.entries()) {
    const left = "base" in size ? size.base - base : (size.quote * 10n ** 4n - cost) / price
    const taken = left < offered ? left : offered
    base += taken
    cost += taken * price
    const isDone = "base" in size ? base === size.base : cost === size.quote * 10n ** 4n || taken < offered
    if (isDone) return { base, cost, rank }
  }
  return null
}

describe("a walk of a book that is read as it is walked", () => {
  const rowsOf = fc.uniqueArray(fc.tuple(fc.bigInt(1n, 99_999_999n), fc.bigInt(1n, 99_999_999_999n)), {
    selector: ([price]) => price,
    minLength: 1,
    maxLength: 60,
  })
  const text = (units: bigint, digits: number): string => Decimal.fromUnits(units, digits).toString()

  it("comes to the same as one of the whole book, and reads no level beyond the last that it takes", async () => {
    await fc.assert(
      fc.property(
        rowsOf,
        fc.constantFrom("asks" as const, "bids" as const),
        fc.boolean(),
        fc.integer({ min: 1, max: 12_000 }),
        (levels, name, isBase, share) => {
          const side = new BookSide(name)
          for (const [price, offered] of levels) side.set(text(price, 4), text(offered, 8))
          const sorted = levels.toSorted(([a], [b]) => (a < b === (name === "asks") ? -1 : 1))
          // Up to a fifth more than is there.
          const sum = (of: (row: Row) => bigint): bigint => sorted.reduce((total, row) => total + of(row), 0n)
          const whole = isBase ? sum(([, offered]) => offered * 10n ** 10n) : sum(([p, q]) => p * q * 10n ** 6n)
          const wanted = (whole * BigInt(share)) / 10_000n || 1n
          const amount = Decimal.fromUnits(wanted, 18)
          let read = 0
          const counted = function* () {
            for (const row of side.rows()) {
              read++
              yield row
            }
          }
          const walk = walkBook(
            counted(),
            isBase ? { quantityType: "BASE", quantity: amount } : { quantityType: "QUOTE", quoteQuantity: amount },
          )
          const dumb = dumbWalk(sorted, isBase ? { base: wanted } : { quote: wanted })
          expect(walk === undefined).toBe(dumb === null)
          expect(read).toBe(dumb === null ? levels.length : dumb.rank + 1)
          if (walk === undefined || dumb === null) return
          expect([walk.quantity.toString(), walk.cost.toString()]).toEqual([text(dumb.base, 18), text(dumb.cost, 22)])
        },
      ),
      { numRuns: 500 },
    )
  })

  it("reads a book once, however often its price has to go further, and a thousand of its rows at most", () => {
    let read = 0
    const rows = function* () {
      for (let n = 0; n < 5_000; n++) {
        read++
        yield [`${6_000 - n}`, "0.01"] as const
      }
    }
    const dear = { takerFeeBps: Decimal.ZERO, markupBps: d("3020"), ttlBps: Decimal.ZERO }
    const sold = priceSize("SELL", rows(), money("5000"), dear, instrument)!
    expect(sold.walk.quantity.atLeast(sold.quantity)).toBe(true)
    expect(read).toBe(sold.offer.walk.levels.length)
    read = 0
    expect(priceSize("SELL", rows(), money("500000"), dear, instrument)).toBeUndefined()
    expect(read).toBe(1_000)
  })
})

describe("what is kept of a walk", () => {
  const deep = (levels: number) => Array.from({ length: levels }, (_, n) => [`${100 + n / 8}`, `0.${n + 1}`] as const)

  it("is all of it up to 20 levels, and of a deeper one the rest in one row, exactly", () => {
    for (const count of [1, 20, 21, 1_000]) {
      const rows = deep(count)
      const all = rows.reduce((sum, [, quantity]) => sum.add(d(quantity)), Decimal.ZERO)
      const walk = walkBook(rows, { quantityType: "BASE", quantity: all })!
      const { levels, levelsBeyond } = keptLevels(walk)
      expect([levels.length, levelsBeyond?.count ?? 0]).toEqual([Math.min(20, count), Math.max(0, count - 20)])
      expect(levels).toEqual(walk.levels.slice(0, 20))
      const sums = walk.levels
        .slice(20)
        .reduce(([quantity, cost], [price, taken]) => [quantity.add(taken), cost.add(price.multiply(taken))] as const, [
          Decimal.ZERO,
          Decimal.ZERO,
        ] as const)
      const told = levelsBeyond === null ? ["0", "0"] : [`${levelsBeyond.quantity}`, `${levelsBeyond.cost}`]
      expect(told).toEqual(sums.map(String))
    }
  })
})

describe("a price", () => {
  const priced = (side: "BUY" | "SELL", size: QuoteSize, bps: string, it = instrument) =>
    priceOffer(side, { walk: walkBook(ASKS, size)!, margin: margin(bps) }, size, it)

  it.each([
    // 100 × 1.001
    ["BUY", "1", "10", "100.1"],
    // 100.666… rounds away from the client
    ["BUY", "3", "0", "100.67"],
    ["SELL", "3", "0", "100.66"],
    ["SELL", "1", "10", "99.9"],
    ["BUY", "2", "20", "100.71"],
    ["SELL", "2", "20", "100.29"],
    // whole already: nothing is rounded
    ["BUY", "2", "0", "100.5"],
    ["SELL", "2", "0", "100.5"],
  ] as const)("of a %s of %s with %s bps is %s", (side, quantity, bps, price) => {
    expect(priced(side, base(quantity), bps)?.price.toString()).toBe(price)
  })

  it("sums fee, markup and the time that it binds", () => {
    const all = { takerFeeBps: d("7.5"), markupBps: d("2.5"), ttlBps: d("0.05").multiply(d("300")) }
    const size = base("1")
    const offer = { walk: walkBook(ASKS, size)!, margin: all }
    expect(priceOffer("BUY", offer, size, instrument)?.price.toString()).toBe("100.25")
  })

  it("in quote asset is for whole lots, never more than the amount", () => {
    const it = priced("BUY", money("150.5"), "10")!
    expect(it.price.toString()).toBe("100.44")
    expect(it.quantity.toString()).toBe("1.498")
    expect(priced("BUY", money("0.05"), "0")).toBeNull()
  })

  it("is none for a sell whose margin eats it up", () => {
    expect(priced("SELL", base("1"), "10000")).toBeUndefined()
    expect(priced("SELL", base("1"), "20000")).toBeUndefined()
  })

  it("has only so many digits that price × quantity can be written down", () => {
    const any = { ...instrument, tickSize: Decimal.ZERO, lotSize: Decimal.ZERO, precision: 12, scale: 18 }
    const fine = priced("BUY", base("0.123456789012345"), "1", any)!
    expect(fine.price.multiply(fine.quantity).toString().split(".")[1]!.length).toBeLessThanOrEqual(18)
    expect(fine.price.toString()).toBe("100.01")
  })

  it("compares venues by what the client pays or gets in all", () => {
    const near = { walk: walkBook([["100", "9"]], base("1"))!, margin: margin("30") }
    const far = { walk: walkBook([["100.1", "9"]], base("1"))!, margin: margin("10") }
    expect(isBetter("BUY", far, near)).toBe(true)
    expect(isBetter("BUY", near, far)).toBe(false)
    expect(isBetter("SELL", far, near)).toBe(true)
    expect(isBetter("BUY", near, near)).toBe(false)
  })
})

describe("a dealer's exposure", () => {
  const quote = (orderSide: "BUY" | "SELL", quantity: string, baseAsset = "BTC") => ({
    baseAsset,
    orderSide,
    quantity: d(quantity),
  })
  const outstanding = (quotes: ReadonlyArray<ReturnType<typeof quote>>): Outstanding => {
    const sums = new Outstanding()
    for (const each of quotes) sums.add(each)
    // One that came and went leaves nothing.
    sums.add(quote("SELL", "5", "ETH"))
    sums.remove(quote("SELL", "5", "ETH"))
    return sums
  }
  const worst = (position: string, ...quotes: ReadonlyArray<ReturnType<typeof quote>>) =>
    worstExposures(
      new Map([["BTC", { low: d(position), high: d(position) }]]),
      outstanding(quotes.slice(1)),
      quotes[0]!,
    )
      .get("BTC")
      ?.toString() ?? "0"

  it("counts firm quotes where they hurt most, and never against each other", () => {
    expect(worst("0", quote("BUY", "1"))).toBe("1")
    expect(worst("0", quote("BUY", "1"), quote("SELL", "1"))).toBe("1")
    expect(worst("0", quote("BUY", "1"), quote("SELL", "2"), quote("BUY", "0.5"))).toBe("2")
    expect(worst("-3", quote("SELL", "2"))).toBe("3")
    expect(worst("-3", quote("SELL", "7"))).toBe("4")
    expect(worst("3", quote("BUY", "2"))).toBe("3")
  })

  it("is valued asset by asset, and not at all without a price", () => {
    const exposures = worstExposures(
      new Map([["ETH", { low: d("-2"), high: d("1") }]]),
      outstanding([quote("BUY", "1")]),
      null,
    )
    const prices = new Map([
      ["BTC", d("100")],
      ["ETH", d("10")],
    ])
    expect(exposureValue(exposures, (asset) => prices.get(asset))?.toString()).toBe("120")
    expect(exposureValue(exposures, () => undefined)).toBeUndefined()
    expect(exposureValue(new Map(), () => undefined)?.toString()).toBe("0")
  })
})
