/** Books that are seeded: what of a change is told, when the venue is asked again, and what becomes known then. Its answers are scripted. */
import { afterEach, describe, expect, it } from "vitest"
import type { CcxtBookRow, CcxtExchange, CcxtOrderBook } from "../../../../../src/venues/worker/exchange/ccxt.ts"
import type { BookChange } from "../../../../../src/venues/worker/feed/book-tap.ts"
import type { Digits } from "../../../../../src/venues/worker/feed/digits.ts"
import { type SeedBudget, type SeedChange, SeededBooks } from "../../../../../src/venues/worker/feed/seeded-books.ts"
import { currentWork } from "../../../../../src/venues/worker/work.ts"

const SYMBOL = "BTC/USDT"
const ROOMY: SeedBudget = { isQueueing: () => false, hasRoomForAudits: () => true, used: () => 0 }

const stops: Array<() => void> = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

type Answer = { readonly nonce: number; readonly bids: Array<CcxtBookRow>; readonly asks: Array<CcxtBookRow> }

/** Best first: `count` levels from a price on, a step of one apart. */
const rows = (from: number, count: number, sign: 1 | -1): Array<[string, string]> =>
  Array.from({ length: count }, (_, n) => [String(from + sign * n), "1"])

const seeded = (answers: ReadonlyArray<() => Answer>, budget: Partial<SeedBudget> = {}, levels = 4) => {
  const heard: Array<SeedChange | string> = []
  const asked: Array<string> = []
  const book = { nonce: 0 as number | undefined, bids: [], asks: [] }
  const exchange = {
    fetchOrderBook: (_: string, levels: number) => {
      asked.push(`${currentWork()?.purpose} ${levels}`)
      return new Promise((resolve) => setImmediate(() => resolve(answers[asked.length - 1]?.())))
    },
  } as unknown as CcxtExchange
  const books = new SeededBooks({
    exchange,
    reach: { way: "SEED", levels, quick: 2 },
    digits: { row: ([price, quantity]: CcxtBookRow) => [String(price), String(quantity)] } as unknown as Digits,
    budget: { ...ROOMY, ...budget },
    grown: (_, change) => heard.push(change),
    differs: (_, levels) => heard.push(`differs at ${levels}`),
    failed: (_, failure) => heard.push(String(failure)),
    lookMillis: 5,
    spacingMillis: 5,
  })
  stops.push(() => books.stop())
  const at = book as unknown as CcxtOrderBook
  const begin = (nonce: number, bids: ReadonlyArray<[string, string]>, asks: ReadonlyArray<[string, string]>) => {
    book.nonce = nonce
    const ends = (side: ReadonlyArray<[string, string]>) => ({ levels: side.length, last: side.at(-1)?.[0] })
    const seed = { bids: ends(bids), asks: ends(asks) }
    return books.take(SYMBOL, { book: at, snapshot: true, bids: bids.flat(), asks: asks.flat(), seed })
  }
  const change = (nonce: number, more: Partial<BookChange>) => {
    book.nonce = nonce
    return books.take(SYMBOL, { book: at, snapshot: false, bids: [], asks: [], ...more })
  }
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { books, heard, asked, begin, change, until }
}

const answer = (nonce: number, bids: Array<CcxtBookRow>, asks: Array<CcxtBookRow>) => (): Answer => ({
  nonce,
  bids,
  asks,
})

describe("a book with as many levels as a seed has", () => {
  it("is told as far as the seed reaches, and says how far that is", () => {
    const { begin, change } = seeded([])
    expect(begin(1, rows(100, 4, -1), rows(101, 3, 1))).toMatchObject({
      bids: rows(100, 4, -1).flat(),
      range: { lowestBid: "97", highestAsk: null, levels: null },
    })
    expect(change(2, { bids: ["97.0", "2", "96", "9"], asks: ["900", "1"] })).toMatchObject({
      bids: ["97.0", "2"],
      asks: ["900", "1"],
      isExhausted: false,
    })
  })

  it("takes a side for cut that ends at a round number: a venue may give less than it is asked for", () => {
    const { begin } = seeded([])
    expect(begin(1, rows(1000, 100, -1), rows(1001, 3, 1)).range).toEqual({
      lowestBid: "901",
      highestAsk: null,
      levels: null,
    })
  })

  it("is exhausted when the market has left what was known", () => {
    const { begin, change } = seeded([])
    begin(1, rows(100, 4, -1), rows(101, 3, 1))
    expect(change(2, { bids: ["100", "0", "99", "0", "98", "0"] }).isExhausted).toBe(false)
    expect(change(3, { bids: ["97", "0", "96", "1"] }).isExhausted).toBe(true)
  })

  it("is seeded again when less than half is left, with what changed meanwhile on top", async () => {
    const { begin, change, heard, asked, until, books } = seeded([
      () => {
        // The stream has gone on while the venue answered.
        change(5, { bids: ["96", "7", "90", "1"], asks: ["105", "0"] })
        return {
          nonce: 4,
          bids: [
            ["97", "1"],
            ["96", "1"],
            ["95", "1"],
            ["94", "1"],
          ],
          asks: [
            ["101", "1"],
            ["102", "1"],
            ["103", "1"],
            ["105", "1"],
          ],
        }
      },
    ])
    begin(1, rows(100, 4, -1), rows(101, 4, 1))
    change(4, { bids: ["100", "0", "99", "0", "98", "0"], asks: ["104", "0"] })
    await until(() => heard.length > 0)
    expect(asked).toEqual(["audit 4"])
    expect(heard).toMatchObject([
      {
        bids: ["96", "7", "95", "1", "94", "1"],
        asks: [],
        range: { lowestBid: "94", highestAsk: "105", levels: null },
      },
    ])
    expect(books.held(SYMBOL)?.bids).toEqual([
      [97, 1],
      [96, 7],
      [95, 1],
      [94, 1],
    ])
  })

  it("waits for the stream to catch up with an answer that is ahead of it", async () => {
    const { begin, change, heard, asked, until } = seeded([
      answer(9, [["97", "1"], ["96", "1"], ["95", "2"], ["94", "1"]], [["101", "1"]]), // biome-ignore format: one row
    ])
    begin(1, rows(100, 4, -1), [["101", "1"]])
    change(2, { bids: ["100", "0", "99", "0", "98", "0"] })
    await until(() => asked.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(heard).toEqual([])
    change(8, { bids: ["95", "1"] })
    change(10, { bids: ["94", "3"] })
    await until(() => heard.length > 0)
    expect(heard).toMatchObject([{ bids: ["96", "1", "95", "2", "94", "3"], range: { lowestBid: "94" } }])
  })

  it("is not joined to an answer that is older than the stream: the venue is asked again, later", async () => {
    const { begin, change, heard, asked, until } = seeded([
      answer(1, [["97", "1"]], [["101", "1"]]),
      answer(
        2,
        [
          ["97", "1"],
          ["96", "1"],
        ],
        [["101", "1"]],
      ),
    ])
    begin(1, rows(100, 4, -1), [["101", "1"]])
    change(2, { bids: ["100", "0", "99", "0", "98", "0"] })
    await until(() => heard.length > 1)
    expect(asked.length).toBe(2)
    expect(heard).toMatchObject([
      "Error: its snapshot has 1, older than the stream's 2",
      { bids: ["96", "1"], range: { lowestBid: null } },
    ])
  })

  it("that was not the venue's within its range is told so, and nothing else of it", async () => {
    const { begin, change, heard, until } = seeded([
      answer(
        2,
        [
          ["97", "5"],
          ["96.5", "1"],
          ["96", "1"],
          ["95", "1"],
        ],
        [
          ["101", "1"],
          ["101.5", "1"],
        ],
      ),
    ])
    begin(1, rows(100, 4, -1), [["101", "1"]])
    change(2, { bids: ["100", "0", "99", "0", "98", "0"] })
    await until(() => heard.length > 0)
    expect(heard).toEqual(["differs at 2"])
  })

  it("gives up what lies far behind, and says so", async () => {
    const { begin, change, heard, until } = seeded([
      answer(
        3,
        [
          ["107", "1"],
          ["106", "1"],
          ["105", "1"],
          ["104", "1"],
        ],
        [
          ["110", "1"],
          ["111", "1"],
        ],
      ),
    ])
    begin(1, rows(100, 4, -1), rows(101, 4, 1))
    change(2, { asks: ["101", "0", "102", "0", "103", "0", "104", "0"], bids: rows(107, 7, -1).flat() })
    change(3, { asks: [], bids: [] })
    await until(() => heard.length > 0)
    expect(heard).toMatchObject([{ range: { lowestBid: "104", highestAsk: null } }])
    expect((heard[0] as SeedChange).bids).toEqual([
      "100",
      "0",
      "99",
      "0",
      "98",
      "0",
      "97",
      "0",
      "103",
      "0",
      "102",
      "0",
      "101",
      "0",
    ])
  })
})

describe("the venue's request budget", () => {
  it("makes the first look a quick one while others wait or much is used, and the rest is asked for when there is room", async () => {
    let hasRoom = false
    const { books, begin, asked, until } = seeded([answer(1, rows(100, 4, -1), rows(101, 4, 1))], {
      used: () => 0.5,
      hasRoomForAudits: () => hasRoom,
    })
    expect(await books.look(SYMBOL, (levels) => Promise.resolve(levels))).toBe(2)
    begin(1, rows(100, 2, -1), rows(101, 2, 1))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(asked).toEqual([])
    hasRoom = true
    await until(() => asked.length > 0)
    expect(asked).toEqual(["audit 4"])
  })

  it("has room for one first look at all levels at a time, however many streams begin", async () => {
    const { books } = seeded([])
    const asked = (symbol: string): Promise<number> => books.look(symbol, (levels) => Promise.resolve(levels))
    expect(await Promise.all([asked("A/B"), asked("C/D"), asked("E/F")])).toEqual([4, 2, 2])
    expect(await asked("G/H")).toBe(4)
  })

  it("is not waited for when next to nothing of a seed is left", async () => {
    const { begin, change, asked, until } = seeded([answer(9, [], [])], { hasRoomForAudits: () => false }, 10)
    begin(1, rows(1000, 10, -1), [])
    change(2, { bids: rows(1000, 9, -1).flatMap(([price]) => [price, "0"]) })
    await until(() => asked.length > 0)
    expect(asked).toEqual(["market 10"])
  })
})
