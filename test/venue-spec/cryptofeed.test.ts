/**
 * TC-B02: recorded market data of nine venues, each through its connector in a real worker: every frame of a book is one update with
 * the same levels, every trade comes out once, and no digit changes. The captures are not part of the repository.
 */
import { afterAll, describe, expect, it } from "vitest"
import { hasCaptures } from "../exchanges/cryptofeed/capture.ts"
import { sum, type Verdict } from "../exchanges/cryptofeed/judge.ts"
import { publishedBooks } from "../exchanges/cryptofeed/published-books.ts"
import { CAPTURES, replayRun, uniqueTrades } from "../exchanges/cryptofeed/replay-run.ts"
import { sharedThread } from "../integration/venues/thread-kit.ts"

if (!hasCaptures) console.info("skipped: the recorded captures are not beside the repository")

const table: Array<{ readonly capture: string; readonly venue: string } & Verdict> = []

/** Of one venue: a comparison takes 1-4 ms, and the torture `oracle` makes one after each publication. */
const COMPARED_MAX = 400

/** Made when all captures are through: they would keep the exchanges of the others, in this thread, from answering pings. */
const comparisons: Array<() => void> = []

describe.skipIf(!hasCaptures)("TC-B02 a recorded capture through its connector", () => {
  afterAll(() => console.table(table))

  // Most of their time is the pace at which ccxt subscribes.
  it.concurrent.each(CAPTURES)("loses nothing and changes no digit of %s", async (archive, recorded) => {
    const { venue, told, heard, verdict, downs, notices } = await replayRun(archive, recorded, sharedThread)
    table.push({ capture: archive, venue, ...verdict })
    expect({ downs, notices }).toEqual({ downs: [], notices: [] })
    expect(verdict).toMatchObject({ lost: 0, apart: 0, tradesLost: 0, changed: 0 })
    expect(verdict.tradesOut).toBe(verdict.tradesIn)
    const bought = (trades: ReadonlyArray<{ readonly quantity: string }>) => sum(trades.map((it) => it.quantity))
    expect(bought([...heard.values()].flatMap(({ trades }) => trades))).toBe(bought(told.flatMap(uniqueTrades)))
    const every = Math.max(1, Math.ceil(verdict.updates / COMPARED_MAX))
    comparisons.push(() => {
      const published = told.map((it) =>
        publishedBooks(it, heard.get(it.instrument.instrumentId)?.updates ?? [], every),
      )
      expect(published.flatMap(({ unequal }) => unequal)).toEqual([])
      expect(published.reduce((all, { compared }) => all + compared, 0)).toBeGreaterThan(0)
    })
  })

  it("publishes books whose 200 best levels a side are those of the recordings", () => {
    expect(comparisons).toHaveLength(CAPTURES.length)
    for (const compare of comparisons) compare()
  })
})
