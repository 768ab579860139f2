/**
 * A recorded Binance day through the loopback exchange, ccxt and the worker: the book after every frame is the venue's own, digit
 * for digit, at every bookTicker that names the update id of a frame (the capture's own checkpoints).
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../src/domain/decimal.ts"
import type { BookRange } from "../../src/domain/market/market.ts"
import { type CaptureFrame, readCapture } from "../exchanges/binance/replay/capture.ts"
import { ReplayBook } from "../exchanges/binance/replay/replay-book.ts"
import { BTC_USDT, DumbBook, startVenue, until } from "../integration/venues/venue-kit.ts"

const FILE = fileURLToPath(new URL("../../../shared/data/hftbacktest/spot/btcusdt_20240808.gz", import.meta.url))
const isHere = existsSync(FILE)
if (!isHere) console.info("skipped: the recorded captures are not beside the repository")

/** Faster than it was recorded, still frame by frame. */
const SPEED = 200
/**
 * How many depth frames the venue may be ahead of the connector, and how few known levels a cut side may have, before the market waits. At
 * this speed a second of a busy machine is three minutes of market: it would move past what the connector knows of the book before the
 * connector had a turn.
 */
const AHEAD = 50
const FEW_LEVELS = 500

interface Checkpoint {
  readonly bid: readonly [string, string]
  readonly ask: readonly [string, string]
}

/** What the venue itself said was the top at the update id of a depth frame. */
const readCheckpoints = async (): Promise<{
  tops: ReadonlyMap<number, Checkpoint>
  lastUpdateId: number
  frames: number
}> => {
  const said = new Map<number, Checkpoint>()
  const tops = new Map<number, Checkpoint>()
  const ends = new Set<number>()
  let snapshotId = 0
  let lastUpdateId = 0
  let frames = 0
  for await (const line of readCapture(FILE)) {
    if (line.kind === "snapshot") snapshotId = line.lastUpdateId
    else if (line.kind === "bookTicker") said.set(line.updateId, { bid: line.bid, ask: line.ask })
    else if (line.kind === "depth") {
      ends.add(line.finalUpdateId)
      lastUpdateId = line.finalUpdateId
      frames += 1
    }
  }
  for (const [id, top] of said) if (ends.has(id) && id > snapshotId) tops.set(id, top)
  return { tops, lastUpdateId, frames }
}

describe.skipIf(!isHere)("TC-B01 a recorded market through a connector", () => {
  it("has the venue's own top of book at every checkpoint, and at the end the whole book as far as it says to reach", async () => {
    const { tops, lastUpdateId } = await readCheckpoints()
    expect(tops.size).toBe(564)
    const unheard: Array<number> = []
    let told: BookRange = { lowestBid: null, highestAsk: null, levels: null }
    const holdOrGoOn = (): void => {
      const { book } = at.sink
      const isThin =
        (told.lowestBid !== null && book.bids.size < FEW_LEVELS) ||
        (told.highestAsk !== null && book.asks.size < FEW_LEVELS)
      if (isThin || unheard.length >= AHEAD) at.exchange.replay?.pause()
      else at.exchange.replay?.resume()
    }
    const sending = (frame: CaptureFrame): void => {
      if (frame.kind !== "depth" || frame.finalUpdateId <= (at.sink.book.nonce ?? 0)) return
      unheard.push(frame.finalUpdateId)
      holdOrGoOn()
    }
    const at = await startVenue({ replay: { file: FILE, speed: SPEED, start: "by hand", sending } })
    try {
      const equal = new Set<number>()
      const unequal: Array<string> = []
      const { book } = at.sink
      at.sink.onDepth = ({ nonce, range }) => {
        if (range !== undefined) told = range
        while (unheard.length > 0 && (unheard[0] ?? 0) <= (nonce ?? 0)) unheard.shift()
        holdOrGoOn()
        const top = nonce === null ? undefined : tops.get(nonce)
        if (top === undefined || nonce === null) return
        const shown = { bid: book.best("bids"), ask: book.best("asks") }
        if (JSON.stringify(shown) === JSON.stringify({ bid: top.bid, ask: top.ask })) equal.add(nonce)
        else unequal.push(`${nonce}: ${JSON.stringify(shown)} instead of ${JSON.stringify(top)}`)
      }
      at.source.open("book", BTC_USDT)
      // The exchange cuts a snapshot at 1,000 levels a side, as the venue does: only the recorded one, taken before the first
      // frame, lacks no level that later frames leave alone.
      await until(() => at.sink.book.isWhole, "the recorded snapshot")
      at.exchange.replay?.start()
      await until(() => book.nonce === lastUpdateId, "the last frame of the capture", 150_000)
      expect(unequal).toEqual([])
      expect(at.sink.downs).toEqual([])
      expect(equal.size).toBe(tops.size)
      const end = await wholeBook()
      const { lowestBid, highestAsk } = told
      expect(end.lastBids).toContain(lowestBid)
      expect(end.lastAsks).toContain(highestAsk)
      expect(book.rows("bids")).toEqual(end.bids.filter(([price]) => isAtLeast(price, lowestBid)))
      expect(book.rows("asks")).toEqual(end.asks.filter(([price]) => isAtLeast(highestAsk, price)))
      expect(Math.min(book.bids.size, book.asks.size)).toBeGreaterThanOrEqual(FEW_LEVELS)
    } finally {
      await at.stop()
    }
  })
})

/** null: there is no such end. */
const isAtLeast = (price: string | null, bound: string | null): boolean =>
  price === null || bound === null || Decimal.of(price).compare(Decimal.of(bound)) >= 0

/** A snapshot with a multiple of so many levels counts as cut: the side ends at its last level until the next one. */
const ROUND = 50

/**
 * Snapshot and frames by the venue's rule, without any of our code; and where a side may end: nowhere (null), or where a book of this market with
 * such a number of levels ended. That are 60 of its 3,449 for bids, some of them before lower ones came: which of them is asked for is chance.
 */
const wholeBook = async () => {
  let book: ReplayBook | undefined
  for await (const line of readCapture(FILE)) {
    if (line.kind === "snapshot") book ??= new ReplayBook(line)
  }
  if (book === undefined) throw new Error("the capture has no snapshot")
  const [lastBids, lastAsks] = [new Set<string | null>([null]), new Set<string | null>([null])]
  const look = (): ReturnType<ReplayBook["depth"]> => {
    const whole = book!.depth(Number.POSITIVE_INFINITY)
    if (whole.bids.length % ROUND === 0) lastBids.add(whole.bids.at(-1)?.[0] ?? null)
    if (whole.asks.length % ROUND === 0) lastAsks.add(whole.asks.at(-1)?.[0] ?? null)
    return whole
  }
  let end = look()
  for await (const line of readCapture(FILE)) {
    if (line.kind !== "depth" || line.finalUpdateId <= book.lastUpdateId) continue
    book.apply(line)
    end = look()
  }
  return { ...end, lastBids, lastAsks }
}

describe("the dumb book of these tests", () => {
  it("throws at a hole, so that no test can overlook one", () => {
    const book = new DumbBook()
    const update = { instrumentId: BTC_USDT, bids: ["1", "1"], asks: [], nonce: null, venueAt: null, receivedAt: 0 }
    book.apply({ ...update, snapshot: true, sequence: 4 })
    book.apply({ ...update, snapshot: false, sequence: 5 })
    expect(() => book.apply({ ...update, snapshot: false, sequence: 7 })).toThrow("5 was followed by 7")
  })
})
