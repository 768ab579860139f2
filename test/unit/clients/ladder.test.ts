/** One side of the TypeScript client's book against rows that are sorted anew each time, by whole numbers of their smallest unit. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Ladder, type Level } from "../../../clients/typescript/src/ladder.ts"

const DECIMALS = 30

/** Exact. */
const unitsOf = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".")
  const units = BigInt(whole + fraction.padEnd(DECIMALS, "0"))
  return text.startsWith("-") ? -units : units
}

/** What a side is by definition: the newest row of each price that has a quantity. */
const sorted = (changes: ReadonlyArray<Level>, sign: bigint): ReadonlyArray<Level> => {
  const byPrice = new Map<bigint, Level>()
  for (const row of changes) {
    if (unitsOf(row[1]!) === 0n) byPrice.delete(unitsOf(row[0]!))
    else byPrice.set(unitsOf(row[0]!), row)
  }
  return [...byPrice].toSorted(([a], [b]) => Number(sign * (a - b > 0n ? 1n : -1n))).map(([, row]) => row)
}

/** Close together: many of them are one and the same number in binary floating point. */
const price = fc.oneof(
  fc.integer({ min: -5, max: 30 }).map(String),
  fc
    .tuple(fc.constantFrom("64000", "0", "-0", "9007199254740993", "12345678901234567890"), fc.nat({ max: 30 }))
    .map(([whole, n]) => `${whole}.${String(n).padStart(2, "0")}`),
  fc.nat({ max: 20 }).map((n) => `0.1000000000000000055511151231${String(n).padStart(2, "0")}`),
  fc.nat({ max: 20 }).map((n) => `${900_719_925_474_099_3n + BigInt(n)}`),
)
const quantity = fc.constantFrom("1", "0.5", "0.000000000000000000000000000001", "0", "0.00", "00")
const changes = fc.array(fc.tuple(price, quantity, fc.constant("1")), { maxLength: 120 })

describe("one side of a book", () => {
  it.each([
    ["asks", 1],
    ["bids", -1],
  ] as const)("%s: the newest row of each price, best first, in the digits that came", async (_, sign) => {
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        const ladder = new Ladder(sign)
        for (const row of all) ladder.apply(row as Level)
        expect(ladder.rows).toEqual(sorted(all as ReadonlyArray<Level>, BigInt(sign)))
      }),
      { numRuns: 300 },
    )
  })

  it("one price in other digits is the same row; what differs after the seventeenth digit is another one", () => {
    const ladder = new Ladder(-1)
    for (const text of ["1.50", "9007199254740993.1", "1.5", "9007199254740993.2", "01.500"])
      ladder.apply([text, "1", "1"] as Level)
    expect(ladder.rows.map(([it]) => it)).toEqual(["9007199254740993.2", "9007199254740993.1", "01.500"])
    ladder.apply(["1.5000", "0.000", "0"] as Level)
    expect(ladder.rows).toHaveLength(2)
  })
})
