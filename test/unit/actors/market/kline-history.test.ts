/** Reads of klines: what the venue is asked, what comes from memory, and that every range is answered as the contract says. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KlineCache, KlineHistory, type KlineVenue } from "../../../../src/actors/market/klines/history.ts"
import { VenueClock } from "../../../../src/actors/market/venue-clock.ts"
import type { DomainError } from "../../../../src/domain/errors/domain-error.ts"
import { VenueUnavailable } from "../../../../src/domain/errors/venue.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../../src/domain/instrument/instrument.ts"
import { type Bar, barIndex, barIndexFrom, barOpen, type KlineRecord } from "../../../../src/domain/market/kline.ts"
import type { KlineAnswer, KlineAsk } from "../../../../src/ports/market-source.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId
const MINUTE = 60_000
const FIRST = barIndex("1m", Date.UTC(2026, 0, 1))
const NOW = barOpen("1m", FIRST + 400) + 30_000

interface Range {
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
}

const rigged = (bytesMax = 1_000_000) => {
  const time = { now: NOW }
  const asked: Array<KlineAsk> = []
  let state = 0
  /** The bar that lives changes with every look. */
  const bar = (index: number): Bar => {
    const open = String(index)
    const close = index === barIndex("1m", time.now) ? `${index}.${++state}` : open
    return { openAt: barOpen("1m", index), open, high: close, low: open, close, volume: "1" }
  }
  const answer = ({ from, to, limit }: KlineAsk): KlineAnswer => {
    const end = barIndex("1m", to === null ? time.now : Math.min(to, time.now))
    const start = Math.max(FIRST, from === null ? end - limit + 1 : barIndexFrom("1m", from))
    const count = Math.max(0, Math.min(end - start + 1, limit))
    return { bars: Array.from({ length: count }, (_, i) => bar(start + i)), venueAt: time.now }
  }
  const cache = new KlineCache(bytesMax)
  const history = new KlineHistory(() => time.now, Effect.runSync, cache)
  const name = parseInstrumentId(BTC)
  if (name === undefined) throw new Error("no name")
  const clock = new VenueClock(() => time.now)
  const venue = {
    clock,
    history: (ask: KlineAsk) => {
      asked.push(ask)
      return Effect.sync(() => answer(ask))
    },
  }
  const read = (range: Range, from: KlineVenue = venue): KlineRecord | DomainError => {
    const answers: Array<KlineRecord | DomainError> = []
    history.read({ instrumentId: BTC, name, interval: "1m", ...range }, from, {
      ok: (record) => answers.push(record),
      fail: (error) => answers.push(error),
    })
    const [first] = answers
    if (first === undefined) throw new Error("not answered")
    return first
  }
  const rows = (range: Range): ReadonlyArray<number> => {
    const record = read(range)
    if (!("candles" in record)) throw record
    return record.candles.map(([openAt]) => barIndex("1m", openAt) - FIRST)
  }
  return { time, asked, cache, history, name, venue, read, rows, clock }
}

/** By the contract's words, from a list of all bars. */
const dumb = ({ from, to, limit }: Range, now: number): ReadonlyArray<number> => {
  const all = Array.from({ length: barIndex("1m", now) - FIRST + 1 }, (_, i) => i)
  const inside = all.filter((i) => {
    const openAt = barOpen("1m", FIRST + i)
    return (from === null || openAt >= from) && (to === null || openAt <= to)
  })
  return from === null ? inside.slice(-limit) : inside.slice(0, limit)
}

describe("reads of klines", () => {
  it("are what the contract says, in any order, however much is remembered", () => {
    const bound = fc.option(fc.integer({ min: -50 * MINUTE, max: 450 * MINUTE }).map((at) => barOpen("1m", FIRST) + at))
    const range = fc.record({ from: bound, to: bound, limit: fc.integer({ min: 1, max: 300 }) })
    const reads = fc.array(fc.tuple(range, fc.integer({ min: 0, max: 5 * MINUTE })), { maxLength: 25 })
    void fc.assert(
      fc.property(reads, fc.constantFrom(1_000_000, 40_000, 0), (all, bytesMax) => {
        const { rows, time } = rigged(bytesMax)
        for (const [each, pause] of all) {
          expect(rows(each)).toEqual(dumb(each, time.now))
          time.now += pause
        }
      }),
    )
  })

  it("ask the venue once for what is closed, and each time for the bar that lives", () => {
    const { read, rows, asked, time } = rigged()
    rows({ from: null, to: null, limit: 100 })
    expect(asked.map(({ limit }) => limit)).toEqual([100])
    const closes = [0, 1].map(() => {
      const record = read({ from: null, to: null, limit: 100 })
      return "candles" in record ? record.candles.at(-1)?.[4] : undefined
    })
    expect(closes[0]).not.toBe(closes[1])
    expect(asked.slice(1).map(({ limit }) => limit)).toEqual([2, 2])
    const past = { from: barOpen("1m", FIRST + 320), to: barOpen("1m", FIRST + 390), limit: 1000 }
    expect(rows(past)).toHaveLength(71)
    expect(asked).toHaveLength(3)
    time.now += MINUTE
    rows({ from: null, to: null, limit: 100 })
    expect(asked.at(-1)?.limit).toBe(3)
  })

  it("say isClosed of all rows but the bar that lives", () => {
    const { read } = rigged()
    const isClosed = (range: Range) => {
      const record = read(range)
      return "candles" in record ? record.isClosed : undefined
    }
    expect(isClosed({ from: null, to: null, limit: 2 })).toBe(false)
    expect(isClosed({ from: null, to: NOW - MINUTE, limit: 2 })).toBe(true)
    expect(isClosed({ from: NOW + MINUTE, to: null, limit: 2 })).toBe(true)
  })

  it("do not remember a bar that has only just ended", () => {
    const { rows, asked, time } = rigged()
    const past = { from: barOpen("1m", FIRST + 400), to: barOpen("1m", FIRST + 400), limit: 1 }
    time.now = barOpen("1m", FIRST + 401) + 1000
    rows(past)
    rows(past)
    expect(asked).toHaveLength(2)
    time.now += 10_000
    rows(past)
    rows(past)
    expect(asked).toHaveLength(3)
  })

  it("that are alike and on their way together are one question", async () => {
    const { name, clock } = rigged()
    const slow = new KlineHistory(
      () => NOW,
      (effect) => void Effect.runFork(effect),
    )
    let questions = 0
    const venue = {
      clock,
      history: () => {
        questions += 1
        return Effect.delay(Effect.succeed<KlineAnswer>({ bars: [], venueAt: NOW }), 20)
      },
    }
    const range = { from: null, to: null, limit: 5 }
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        () =>
          new Promise((resolve) =>
            slow.read({ instrumentId: BTC, name, interval: "1m", ...range }, venue, { ok: resolve, fail: resolve }),
          ),
      ),
    )
    expect(answers).toHaveLength(10)
    expect(questions).toBe(1)
  })

  it("fail as the venue does, and ask again the next time", () => {
    const { read, rows, clock } = rigged()
    const away = { clock, history: () => Effect.fail(new VenueUnavailable({ reason: "VENUE_NETWORK" })) }
    expect(read({ from: null, to: null, limit: 5 }, away)).toMatchObject({ _tag: "VenueUnavailable" })
    expect(rows({ from: null, to: null, limit: 5 })).toHaveLength(5)
  })

  it("take no more memory than they may", () => {
    const { rows, cache } = rigged(50_000)
    for (let i = 0; i < 300; i += 10) {
      rows({ from: barOpen("1m", FIRST + i), to: null, limit: 60 })
      expect(cache.bytes).toBeLessThanOrEqual(50_000)
    }
    expect(cache.bytes).toBeGreaterThan(10_000)
  })
})
