/** What leaves a worker, and what is held back when nobody takes it. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { DepthUpdate, MarketTrade, TickerUpdate } from "../../../../src/ports/market-source.ts"
import type { Batch } from "../../../../src/venues/connector/wire.ts"
import { type Depth, Outbox, UNACKNOWLEDGED_MAX } from "../../../../src/venues/worker/outbox.ts"

const BOOK = "BINANCE:BTC/USDT" as InstrumentId

const depth = (change: Partial<Depth> = {}): Depth => ({
  instrumentId: BOOK,
  snapshot: false,
  bids: [],
  asks: [],
  nonce: null,
  venueAt: null,
  receivedAt: 0,
  ...change,
})

const ticker = (lastPrice: string): TickerUpdate => ({
  instrumentId: BOOK,
  lastPrice,
  lastQuantity: null,
  bidPrice: null,
  bidQuantity: null,
  askPrice: null,
  askQuantity: null,
  at: 0,
})

const TRADE: MarketTrade = {
  instrumentId: BOOK,
  externalTradeId: "1",
  price: "1",
  quantity: "1",
  side: "BUY",
  at: 0,
}

const collecting = () => {
  const batches: Array<Batch> = []
  const overgrown: Array<string> = []
  const outbox = new Outbox(
    { postMessage: (batch: Batch) => void batches.push(batch) },
    (instrumentId) => void overgrown.push(instrumentId),
  )
  /** All there is was taken. */
  const acknowledge = () => outbox.acknowledge(batches.at(-1)?.weight ?? 0)
  const depths = (): ReadonlyArray<DepthUpdate> =>
    batches.flatMap((batch) => batch.records.flatMap((record) => (record._tag === "Depth" ? [record.update] : [])))
  return { outbox, batches, depths, overgrown, acknowledge }
}

/** More than may be unacknowledged: trades, which are never held. */
const overfill = (outbox: Outbox): void => {
  outbox.push({ _tag: "Trades", trades: Array.from({ length: UNACKNOWLEDGED_MAX + 1 }, () => TRADE) })
  outbox.flush()
}

/** What a reader that checks every sequence ends up with. */
const rebuilt = (updates: ReadonlyArray<DepthUpdate>): Readonly<Record<string, string>> => {
  const levels = new Map<string, string>()
  let last: number | undefined
  for (const update of updates) {
    if (last !== undefined && update.sequence !== last + 1) throw new Error(`${last} then ${update.sequence}`)
    last = update.sequence
    if (update.snapshot) levels.clear()
    for (const side of ["bids", "asks"] as const) {
      for (let i = 0; i < update[side].length; i += 2) {
        const key = `${side} ${update[side][i]}`
        const quantity = update[side][i + 1] ?? "0"
        if (quantity === "0") levels.delete(key)
        else levels.set(key, quantity)
      }
    }
  }
  return Object.fromEntries([...levels].sort())
}

describe("an outbox", () => {
  it("sends all of one loop turn in one batch, in order", async () => {
    const { outbox, batches } = collecting()
    outbox.push({ _tag: "Noticed", what: "a" })
    outbox.depth(depth({ bids: ["1", "2"] }))
    outbox.ticker(ticker("3"))
    await new Promise((resolve) => setImmediate(resolve))
    expect(batches.map((batch) => batch.records.map((record) => record._tag))).toEqual([["Noticed", "Depth", "Ticker"]])
  })

  it("keeps every book update apart while the main thread follows", () => {
    const { outbox, depths, acknowledge } = collecting()
    const count = UNACKNOWLEDGED_MAX
    for (let i = 1; i <= count; i++) {
      outbox.depth(depth({ bids: ["1", String(i)] }))
      outbox.flush()
      if (i % 1000 === 0) acknowledge()
    }
    expect(depths().map((update) => update.sequence)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    expect(outbox.figures()).toMatchObject({ batches: count, records: count, conflated: 0 })
  })

  it("holds books and tickers back and merges them, but never a report", () => {
    const { outbox, batches, depths, acknowledge } = collecting()
    overfill(outbox)
    const sent = batches.length
    outbox.depth(depth({ bids: ["1", "5"] }))
    outbox.depth(depth({ bids: ["1", "0", "2", "6"], nonce: 9 }))
    outbox.ticker(ticker("1"))
    outbox.ticker(ticker("2"))
    outbox.push({ _tag: "Report", session: "s", report: { _tag: "StreamUp" } })
    outbox.flush()
    expect(batches.slice(sent).flatMap((batch) => batch.records.map((record) => record._tag))).toEqual(["Report"])
    expect(outbox.figures()).toMatchObject({ heldBooks: 1, conflated: 2, unacknowledged: UNACKNOWLEDGED_MAX + 2 })
    acknowledge()
    outbox.flush()
    expect(depths()).toMatchObject([{ sequence: 1, snapshot: false, bids: ["1", "0", "2", "6"], nonce: 9 }])
    expect(batches.at(-1)?.records.at(-1)).toMatchObject({ _tag: "Ticker", update: { lastPrice: "2" } })
  })

  it("forgets what it held of a book that is lost", () => {
    const { outbox, depths, acknowledge } = collecting()
    overfill(outbox)
    outbox.depth(depth({ bids: ["1", "5"] }))
    outbox.forgetBook(BOOK)
    acknowledge()
    outbox.flush()
    expect(depths()).toEqual([])
  })

  it("forgets a book whose held changes are more than a book, and says so", () => {
    const { outbox, depths, overgrown, acknowledge } = collecting()
    overfill(outbox)
    outbox.depth(depth({ snapshot: true, bids: ["1", "5"] }))
    const passing = (price: number) => depth({ bids: [String(price), "0"], asks: [String(price), "1"] })
    // Prices that come and go leave nothing in a snapshot, but every one of them in a difference.
    for (let price = 10; price < 30_000; price++) outbox.depth({ ...passing(price), asks: [] })
    expect(overgrown).toEqual([])
    outbox.forgetBook(BOOK)
    for (let price = 10; price < 30_000 && overgrown.length === 0; price++) outbox.depth(passing(price))
    expect(overgrown).toEqual([BOOK])
    acknowledge()
    outbox.flush()
    expect(depths()).toEqual([])
  })

  it("says so when what must not be held piles up", () => {
    const { outbox, batches, acknowledge } = collecting()
    const notices = () =>
      batches.flatMap(({ records }) => records.flatMap((record) => (record._tag === "Noticed" ? [record.what] : [])))
    for (let i = 0; i < 40; i++) overfill(outbox)
    outbox.flush()
    expect(notices()).toEqual([expect.stringContaining("behind")])
    acknowledge()
    for (let i = 0; i < 40; i++) overfill(outbox)
    outbox.flush()
    expect(notices().length).toBe(2)
  })

  it("ends in the same book whenever it was held back, without a hole in the sequence", () => {
    const level = fc.tuple(fc.constantFrom("1", "2", "3", "4"), fc.constantFrom("0", "7", "8", "9"))
    const step = fc.record({
      snapshot: fc.boolean(),
      bids: fc.uniqueArray(level, { maxLength: 4, selector: ([price]) => price }),
      asks: fc.uniqueArray(level, { maxLength: 4, selector: ([price]) => price }),
      isHeld: fc.boolean(),
    })
    void fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const held = collecting()
        const free = collecting()
        for (const { snapshot, bids, asks, isHeld } of steps) {
          const kept = (rows: ReadonlyArray<readonly [string, string]>) =>
            rows.filter(([, quantity]) => !snapshot || quantity !== "0").flat()
          const update = depth({ snapshot, bids: kept(bids), asks: kept(asks) })
          if (isHeld) overfill(held.outbox)
          else held.acknowledge()
          held.outbox.depth(update)
          free.outbox.depth(update)
          held.outbox.flush()
          free.outbox.flush()
          free.acknowledge()
        }
        held.acknowledge()
        held.outbox.flush()
        expect(rebuilt(held.depths())).toEqual(rebuilt(free.depths()))
      }),
      { numRuns: 60 },
    )
  })
})
