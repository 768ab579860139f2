/** Trades that the venue numbers: once, in order, and holes filled from its history. */
import { describe, expect, it } from "vitest"
import type { NumberedTrade } from "../../../../src/venues/adapters/kraken/frames.ts"
import { NumberedTrades } from "../../../../src/venues/adapters/kraken/trades.ts"

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
    const { filled, waited, isMissing } = feed.fill(trades(4, 1, 2, 3, 5))
    expect([numbersOf(filled), numbersOf(waited), isMissing]).toEqual([[2, 3, 4], [5, 6, 7], false])
    expect(numbersOf(feed.take(trades(8), false).fresh)).toEqual([8])
  })

  it("go on when the history does not reach the end of the hole, and say that some are lost", () => {
    const feed = begun(1)
    feed.take(trades(5), false)
    const { filled, waited, isMissing } = feed.fill(trades(2, 3))
    expect([numbersOf(filled), numbersOf(waited), isMissing]).toEqual([[2, 3], [5], true])
    expect(feed.take(trades(9), false).hole).not.toBeNull()
    expect(feed.fill([]).isMissing).toBe(true)
  })

  it("go on from what was told before the feed began, and say a snapshot's new ones", () => {
    const [last] = trades(3)
    const feed = new NumberedTrades(last)
    expect(numbersOf(feed.take(trades(2, 3, 4, 5), true).fresh)).toEqual([4, 5])
  })

  it("of a history that begins behind the hole's first ones are not told before those that are lost", () => {
    const feed = new NumberedTrades({ number: 1n, price: "1", quantity: "1", side: "BUY", at: null })
    feed.take(trades(6), false)
    const { filled, waited, isMissing } = feed.fill(trades(4, 5, 6))
    expect([numbersOf(filled), numbersOf(waited), isMissing]).toEqual([[], [6], true])
  })

  it("are not asked for again where the venue's own numbers have holes, until it begins anew", () => {
    const feed = begun(1)
    expect(feed.take(trades(3), false).hole).not.toBeNull()
    expect(feed.fill(trades(1, 3)).isMissing).toBe(false)
    expect(feed.take(trades(9), false)).toEqual({ fresh: trades(9), hole: null })
    expect(feed.take(trades(20), true).hole).not.toBeNull()
  })
})
