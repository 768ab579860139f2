/** Trades that the venue numbers: once, in order, and holes filled from its history. */
import { describe, expect, it } from "vitest"
import type { NumberedTrade } from "../../../../src/venues/adapters/kraken/frames.ts"
import { NumberedTrades } from "../../../../src/venues/adapters/kraken/numbered-trades.ts"

const trades = (...numbers: ReadonlyArray<number>): ReadonlyArray<NumberedTrade> =>
  numbers.map((number) => ({ number: BigInt(number), price: "1", quantity: "1", side: "BUY", at: number * 10 }))

const numbersOf = (fresh: ReadonlyArray<NumberedTrade>): ReadonlyArray<number> =>
  fresh.map(({ number }) => Number(number))

/** A feed that has seen the snapshot of its first subscription. */
const begun = (...snapshot: ReadonlyArray<number>): NumberedTrades => {
  const feed = new NumberedTrades()
  expect(numbersOf(feed.take(trades(...snapshot), true).fresh)).toEqual([])
  return feed
}

describe("numbered trades", () => {
  it("are new from the first subscription on, not before it", () => {
    const feed = begun(7, 8, 9)
    expect(numbersOf(feed.take(trades(10, 11), false).fresh)).toEqual([10, 11])
  })

  it("are put in the order of their numbers, which is not that of their letters", () => {
    expect(numbersOf(begun(998).take(trades(1000, 999, 1001), false).fresh)).toEqual([999, 1000, 1001])
  })

  it("are new once, whatever is repeated", () => {
    const feed = begun(1)
    expect(numbersOf(feed.take(trades(2, 2, 3), false).fresh)).toEqual([2, 3])
    expect(numbersOf(feed.take(trades(2, 3, 4), true).fresh)).toEqual([4])
    expect(numbersOf(feed.take(trades(4), false).fresh)).toEqual([])
  })

  it("wait behind a hole until the venue's history has filled it", () => {
    const feed = begun(1)
    expect(feed.take(trades(5, 6), true)).toEqual({ fresh: [], hole: { after: 1n, before: 5n, since: 10 } })
    expect(numbersOf(feed.take(trades(7), false).fresh)).toEqual([])
    const { fresh, missing } = feed.fill(trades(4, 1, 2, 3, 5))
    expect([numbersOf(fresh), missing]).toEqual([[2, 3, 4, 5, 6, 7], 0n])
    expect(numbersOf(feed.take(trades(8), false).fresh)).toEqual([8])
  })

  it("go on when the history does not have them, and say how many are lost", () => {
    const feed = begun(1)
    feed.take(trades(5), false)
    const { fresh, missing } = feed.fill(trades(3))
    expect([numbersOf(fresh), missing]).toEqual([[3, 5], 2n])
  })

  it("are not asked for again where the venue's own numbers have holes, until it begins anew", () => {
    const feed = begun(1)
    expect(feed.take(trades(3), false).hole).not.toBeNull()
    feed.fill([])
    expect(feed.take(trades(9), false)).toEqual({ fresh: trades(9), hole: null })
    expect(feed.take(trades(20), true).hole).not.toBeNull()
  })
})
