/** Sizes, limits and attribution of hedges, and the result of quotes, by example. */
import { describe, expect, it } from "vitest"
import {
  type HedgeAttempt,
  hedgeLimit,
  hedgeQuantity,
  planHedge,
  walkedWorst,
} from "../../../src/domain/dealer/hedging/hedge-order.ts"
import { exposureOf, noTotals, resultOf, withIntent, withProgress } from "../../../src/domain/dealer/hedging/hedging.ts"
import { IntentQueue, QUOTES_NAMED } from "../../../src/domain/dealer/hedging/intent-queue.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { hedgeKey } from "../../../src/ports/hedge-store.ts"
import { DEALER, intentOf, pair } from "../../kit/records/hedges.ts"

const decimal = Decimal.of
const book = [
  ["100", "0.5"],
  ["101", "1"],
  ["103", "10"],
] as const

const attempt = (change: Partial<HedgeAttempt> = {}): HedgeAttempt => {
  const exposure = change.exposure ?? Decimal.ONE
  return {
    instrument: pair(),
    exposure,
    open: new IntentQueue([intentOf(1)]).open(exposure),
    book,
    slippageBps: decimal("25"),
    at: "BOOK",
    ...change,
  }
}

const planned = (change: Partial<HedgeAttempt>) => JSON.parse(JSON.stringify(planHedge(attempt(change))))

describe("a hedge", () => {
  it("goes 25 basis points beyond the last level that it needs, on the tick and never further", () => {
    expect(planned({})).toMatchObject({ orderSide: "BUY", quantity: "1", limitPrice: "101.25" })
    expect(`${hedgeLimit(pair(), "BUY", decimal("101.07"), decimal("25"))}`).toBe("101.32")
    expect(`${hedgeLimit(pair(), "SELL", decimal("101.07"), decimal("25"))}`).toBe("100.82")
  })

  it("is bounded at first by what its quotes were priced at, where the market has run away from it", () => {
    expect(planned({ at: "QUOTED" })).toMatchObject({ limitPrice: "100.25" })
    expect(planned({ at: "QUOTED", book: [["90", "5"]] })).toMatchObject({ limitPrice: "90.22" })
    expect(planned({ at: "QUOTED", book: [] })).toMatchObject({ limitPrice: "100.25" })
  })

  it("waits for a price where there is no book, and needs none at market", () => {
    expect(planned({ book: [] })).toEqual({ _tag: "NoPrice" })
    expect(planned({ book: [], at: "MARKET" })).toMatchObject({ limitPrice: null, quantity: "1" })
  })

  it("sells what clients sold", () => {
    const open = new IntentQueue([intentOf(1, { orderSide: "SELL" })]).open(decimal("-1"))
    expect(planned({ exposure: decimal("-1"), open, book: [["99", "3"]] })).toMatchObject({
      orderSide: "SELL",
      limitPrice: "98.76",
    })
  })

  it("waits for more where its venue takes no order so small", () => {
    const tooSmall = { _tag: "TooSmall" }
    expect(planned({ exposure: decimal("0.0009") })).toEqual(tooSmall)
    expect(planned({ instrument: pair({ minQuantity: decimal("2") }) })).toEqual(tooSmall)
    expect(planned({ instrument: pair({ minNotional: decimal("101") }) })).toEqual(tooSmall)
    // Where no book is, by what its quotes were priced at.
    expect(planned({ instrument: pair({ minNotional: decimal("101") }), book: [] })).toEqual(tooSmall)
    // By its own limit, which a seller's venue measures by.
    const open = new IntentQueue([intentOf(1, { orderSide: "SELL" })]).open(decimal("-1"))
    const sale = { exposure: decimal("-1"), open, book: [["99", "3"]] as const }
    expect(planned({ ...sale, instrument: pair({ minNotional: decimal("98.9") }) })).toEqual(tooSmall)
  })

  it("leaves the dust below a lot, and takes no more at once than its venue", () => {
    expect(`${hedgeQuantity(pair(), decimal("1.2345"))}`).toBe("1.234")
    expect(`${hedgeQuantity(pair({ maxQuantity: decimal("1") }), decimal("-1.2345"))}`).toBe("1")
  })

  it("names the quotes that it covers, oldest first", () => {
    const open = new IntentQueue([intentOf(3), intentOf(2), intentOf(1)]).open(decimal("3"))
    const quoteIds = [...open].map(({ intent }) => intent.quoteId)
    expect(planned({ exposure: decimal("3"), open })).toMatchObject({ quotes: { quoteIds, count: 3 } })
    const few = { exposure: decimal("3"), open, instrument: pair({ maxQuantity: decimal("1.5") }) }
    expect(planned(few)).toMatchObject({ quotes: { quoteIds: quoteIds.slice(0, 2), count: 2 } })
  })

  it("names the oldest of many quotes and the newest, and says how many they are", () => {
    const intents = Array.from({ length: 250 }, (_, n) => intentOf(250 - n))
    const open = new IntentQueue(intents).open(decimal("250"))
    const count = (quantity: string) => {
      const { quoteIds, count } = open.covered(decimal(quantity))
      return [count, quoteIds.length, quoteIds[0], quoteIds[98], quoteIds.at(-1)]
    }
    const [first, ninetyNinth] = [intentOf(1).quoteId, intentOf(99).quoteId]
    expect(count("250")).toEqual([250, QUOTES_NAMED, first, ninetyNinth, intentOf(250).quoteId])
    expect(count("150.5")).toEqual([151, QUOTES_NAMED, first, ninetyNinth, intentOf(151).quoteId])
    expect(count("100")).toEqual([100, QUOTES_NAMED, first, ninetyNinth, intentOf(100).quoteId])
    expect(count("0.5")).toEqual([1, 1, first, undefined, first])
  })

  it("has a key of its own for each attempt, which no client can use", () => {
    const { hedgeIntentId } = intentOf(1)
    const keys = [1, 2, 3].map((n) => hedgeKey(DEALER, hedgeIntentId, n))
    expect(keys).toEqual([
      `hedge:${DEALER}:${hedgeIntentId}`,
      `hedge:${DEALER}:${hedgeIntentId}:2`,
      `hedge:${DEALER}:${hedgeIntentId}:3`,
    ])
    for (const key of keys) expect(key.length).toBeGreaterThan(64)
  })
})

describe("the walk of a book", () => {
  it("ends at the level that covers it, or at the last one shown", () => {
    expect(`${walkedWorst(book, decimal("0.5"))}`).toBe("100")
    expect(`${walkedWorst(book, decimal("0.51"))}`).toBe("101")
    expect(`${walkedWorst(book, decimal("50"))}`).toBe("103")
    expect(walkedWorst([], decimal("1"))).toBeNull()
  })
})

describe("opposite quotes", () => {
  it("cover each other, and what they save is the dealer's", () => {
    const sold = intentOf(1)
    const bought = intentOf(2, { orderSide: "SELL", walkedPrice: decimal("99"), quotePrice: decimal("98") })
    const totals = [sold, bought].reduce(withIntent, noTotals("BTC"))
    expect(exposureOf(totals).isZero()).toBe(true)
    expect(JSON.parse(JSON.stringify(resultOf(totals, new IntentQueue().open(Decimal.ZERO), null)))).toEqual({
      spread: "2",
      slippage: "-1",
      unrealised: "0",
      total: "3",
    })
  })
})

describe("the result of a quote", () => {
  it("is its spread less what the hedge cost more, and what is open is worth what the market says", () => {
    const sold = withIntent(noTotals("BTC"), intentOf(1))
    const hedged = withProgress(sold, null, {
      orderSide: "BUY",
      executedQuantity: decimal("0.6"),
      executedCost: decimal("60.3"),
      fees: [{ asset: "BTC", quantity: decimal("0.0006") }],
    })
    const open = new IntentQueue([intentOf(1)]).open(exposureOf(hedged))
    const plain = (mid: string | null) =>
      JSON.parse(JSON.stringify(resultOf(hedged, open, mid === null ? null : decimal(mid))))
    expect(plain("102")).toEqual({ spread: "1", slippage: "0.36", unrealised: "-0.8012", total: "-0.1612" })
    expect(plain(null)).toEqual({ spread: "1", slippage: "0.36", unrealised: null, total: null })
    expect([...hedged.fees].map(String)).toEqual(["BTC,0.0006"])
  })

  it("counts what was hedged beyond every quote as open, too", () => {
    const tooMuch = withProgress(withIntent(noTotals("BTC"), intentOf(1)), null, {
      orderSide: "BUY",
      executedQuantity: decimal("3"),
      executedCost: decimal("300"),
      fees: [],
    })
    expect(`${exposureOf(tooMuch)}`).toBe("-2")
    // It bought 3 at 100, of which it sold 1 at 101: the other two are worth 90 each.
    expect(`${resultOf(tooMuch, new IntentQueue([intentOf(1)]).open(exposureOf(tooMuch)), decimal("90")).total}`).toBe(
      "-19",
    )
  })
})
