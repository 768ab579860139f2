/** Pages of klines at venues that are not like Binance: what they leave out, cut elsewhere, or do not have. */
import { describe, expect, it } from "vitest"
import {
  type Bar,
  barEnd,
  barStart,
  foldBars,
  type KlineInterval,
  longestBar,
} from "../../../../../src/domain/market/kline.ts"
import type { CcxtCandle, CcxtExchange } from "../../../../../src/venues/worker/exchange/ccxt.ts"
import { Digits } from "../../../../../src/venues/worker/feed/digits.ts"
import { KlinePages } from "../../../../../src/venues/worker/feed/kline-pages.ts"
import { BarClock } from "../../../../../src/venues/worker/feed/kline-streams.ts"

const SYMBOL = "BTC/USDT"
const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 2, 18, 12, 30)

interface Trade {
  readonly at: number
  readonly price: number
  readonly quantity: number
}

interface VenueOptions {
  readonly trades: ReadonlyArray<Trade>
  readonly timeframes: ReadonlyArray<KlineInterval>
  readonly perPage?: number
  /** Bars without a trade are there too. */
  readonly isFlat?: boolean
  /** Answers only from `since` on for as long as a page is; others look for the first bars after it. */
  readonly isWindowed?: boolean
  /** Only so many of the newest bars are known. */
  readonly keeps?: number
  /** Weeks and days begin so much later than ours. */
  readonly shift?: number
  readonly venueNow?: () => number
}

/** As ccxt shows a venue: floats, a `since` and a `limit`. */
const venueOf = ({
  trades,
  timeframes,
  perPage = 10,
  isFlat = false,
  isWindowed = false,
  keeps,
  shift = 0,
  venueNow = () => NOW,
}: VenueOptions) => {
  const asked: Array<string> = []
  const candles = (interval: KlineInterval): ReadonlyArray<CcxtCandle> => {
    const moved = longestBar(interval) > HOUR ? shift : 0
    const rows = new Map<number, Array<Trade>>()
    for (const trade of trades) {
      const openAt = barStart(interval, trade.at - moved) + moved
      rows.set(openAt, [...(rows.get(openAt) ?? []), trade])
    }
    const made: Array<Array<number>> = []
    for (const [openAt, inside] of rows) {
      const prices = inside.map(({ price }) => price)
      const last = made.at(-1)
      if (isFlat && last !== undefined)
        for (let at = barEnd(interval, last[0] ?? 0); at < openAt; at = barEnd(interval, at)) {
          const close = last[4] ?? 0
          made.push([at, close, close, close, close, 0])
        }
      const volume = inside.reduce((sum, { quantity }) => sum + quantity, 0)
      made.push([openAt, prices[0] ?? 0, Math.max(...prices), Math.min(...prices), prices.at(-1) ?? 0, volume])
    }
    return keeps === undefined ? made : made.slice(-keeps)
  }
  const exchange = {
    has: { fetchOHLCV: true },
    timeframes: Object.fromEntries(timeframes.map((interval) => [interval, interval])),
    featureValue: () => perPage,
    numberToString: String,
    fetchOHLCV: async (_symbol: string, interval: KlineInterval, since?: number, limit = perPage) => {
      asked.push(interval)
      if (asked.length > 400) throw new Error("asked without an end")
      const all = candles(interval)
      if (since === undefined) return all.slice(-Math.min(limit, perPage))
      const span = Math.min(limit, perPage)
      const found = all.filter((candle) => Number(candle[0]) >= since)
      return (
        isWindowed ? found.filter((candle) => Number(candle[0]) < since + span * longestBar(interval)) : found
      ).slice(0, span)
    },
  }
  // The parts of ccxt that pages touch.
  const pages = new KlinePages({
    exchange: exchange as unknown as CcxtExchange,
    digits: new Digits(),
    venueNow,
    perPage: undefined,
    kept: keeps,
  })
  return { pages, asked }
}

/** A trade every `step` ms until now, at prices that go up by one. */
const every = (step: number, count: number): ReadonlyArray<Trade> =>
  Array.from({ length: count }, (_, i) => ({ at: NOW - (count - 1 - i) * step, price: 100 + i, quantity: 1 }))

/** What the trades make, without holes, up to now. */
const truth = (interval: KlineInterval, trades: ReadonlyArray<Trade>): ReadonlyArray<Bar> => {
  const bars = foldBars(
    interval,
    trades.map(({ at, price, quantity }) => {
      const text = String(price)
      return { openAt: at, open: text, high: text, low: text, close: text, volume: String(quantity) }
    }),
  )
  const whole: Array<Bar> = []
  const flatUntil = (end: number): void => {
    for (let last = whole.at(-1); last !== undefined && barEnd(interval, last.openAt) < end; last = whole.at(-1)) {
      const { close } = last
      whole.push({ openAt: barEnd(interval, last.openAt), open: close, high: close, low: close, close, volume: "0" })
    }
  }
  for (const bar of bars) {
    flatUntil(bar.openAt)
    whole.push(bar)
  }
  flatUntil(NOW + 1)
  return whole
}

const SPARSE: ReadonlyArray<Trade> = [
  { at: NOW - 200 * DAY, price: 50, quantity: 1 },
  { at: NOW - 90 * HOUR - 1, price: 60, quantity: 2 },
  { at: NOW - 90 * HOUR, price: 61, quantity: 3 },
  { at: NOW - 3 * HOUR, price: 70, quantity: 4 },
]

describe.each([
  ["that has a bar for every period", { isFlat: true }],
  ["that leaves out bars without a trade", {}],
  ["that answers for a span of time", { isWindowed: true }],
])("the pages of a venue %s", (_, like) => {
  const timeframes = ["1m", "1h", "1d", "1w", "1M"] as const

  it("are the last bars, without holes, of an instrument that hardly trades", async () => {
    const { pages } = venueOf({ trades: SPARSE, timeframes, ...like })
    for (const interval of ["1m", "1h", "1d"] as const) {
      const { bars } = await pages.read(SYMBOL, { interval, from: null, to: null, limit: 95 })
      expect([interval, bars]).toEqual([interval, truth(interval, SPARSE).slice(-95)])
    }
  })

  it("are the first bars from an instant on, whether or not anything was traded then", async () => {
    const { pages } = venueOf({ trades: SPARSE, timeframes, ...like })
    const from = NOW - 100 * HOUR
    const { bars } = await pages.read(SYMBOL, { interval: "1h", from, to: null, limit: 30 })
    expect(bars).toEqual(
      truth("1h", SPARSE)
        .filter(({ openAt }) => openAt >= from)
        .slice(0, 30),
    )
    const between = await pages.read(SYMBOL, { interval: "1h", from, to: from + 5 * HOUR, limit: 30 })
    expect(between.bars).toEqual(bars.slice(0, 5))
  })

  it("begin where the instrument began, however early they are asked for", async () => {
    const { pages } = venueOf({ trades: SPARSE, timeframes, ...like })
    const { bars } = await pages.read(SYMBOL, { interval: "1d", from: 0, to: null, limit: 12 })
    expect(bars).toEqual(truth("1d", SPARSE).slice(0, 12))
    expect((await pages.read(SYMBOL, { interval: "1h", from: 0, to: NOW - 201 * DAY, limit: 5 })).bars).toEqual([])
  })

  it("of bars that the venue does not have are made of those that it has", async () => {
    const trades = every(17 * HOUR, 300)
    const { pages, asked } = venueOf({ trades, timeframes: ["1m", "4h", "1d"], perPage: 100, ...like })
    const wanted = [
      ["8h", "4h"],
      ["3d", "1d"],
      ["1w", "1d"],
      ["1M", "1d"],
      ["2h", "1m"],
    ] as const
    for (const [interval, part] of wanted) {
      const limit = interval === "2h" ? 3 : 9
      const before = asked.length
      const { bars } = await pages.read(SYMBOL, { interval, from: null, to: null, limit })
      expect([interval, bars]).toEqual([interval, truth(interval, trades).slice(-limit)])
      expect(asked.slice(before)).toContain(part)
    }
  })

  it("do not trust days and weeks that begin elsewhere", async () => {
    const trades = every(7 * HOUR, 200)
    const { pages, asked } = venueOf({ trades, timeframes: ["4h", "1d", "1w"], shift: 3 * DAY + 16 * HOUR, ...like })
    for (const interval of ["1d", "1w"] as const) {
      const { bars } = await pages.read(SYMBOL, { interval, from: null, to: null, limit: 4 })
      expect([interval, bars]).toEqual([interval, truth(interval, trades).slice(-4)])
      expect(asked.at(-1)).toBe("4h")
    }
  })
})

describe("the pages of a venue", () => {
  it("that remembers only its newest bars begin with those", async () => {
    const trades = every(HOUR, 200)
    const { pages } = venueOf({ trades, timeframes: ["1h"], keeps: 30 })
    const { bars } = await pages.read(SYMBOL, { interval: "1h", from: NOW - 100 * HOUR, to: null, limit: 10 })
    expect(bars).toEqual(truth("1h", trades).slice(-30).slice(0, 10))
  })

  it("that has no bars that could be put together are refused", async () => {
    const { pages } = venueOf({ trades: SPARSE, timeframes: ["1m"] })
    await expect(pages.read(SYMBOL, { interval: "1s", from: null, to: null, limit: 1 })).rejects.toThrow("1s")
  })

  it("of an instrument that was never traded are empty", async () => {
    const { pages, asked } = venueOf({ trades: [], timeframes: ["1m", "1d"], perPage: 100 })
    const read = async () => (await pages.read(SYMBOL, { interval: "1m", from: null, to: null, limit: 5 })).bars
    expect(await read()).toEqual([])
    // It was looked through once, to its end.
    const before = asked.length
    expect(await read()).toEqual([])
    expect(asked.length - before).toBe(1)
  })
})

describe("a bar that the stream has shown", () => {
  const bar = { openAt: NOW - 60_000, open: "1", high: "1", low: "1", close: "1", volume: "0" }
  const clockAt = (measured: number) => new BarClock(() => measured)

  it("is over for the history too when it was final, though the measured clock is late by the way of an answer", async () => {
    const clock = clockAt(NOW - 40)
    const { pages } = venueOf({ trades: every(60_000, 3), timeframes: ["1m"], venueNow: () => clock.now() })
    const asked = { interval: "1m", from: NOW - 120_000, to: null, limit: 10 } as const
    expect((await pages.read(SYMBOL, asked)).venueAt).toBe(NOW - 40)
    clock.saw("1m", { bar, isFinal: true })
    const { bars, venueAt } = await pages.read(SYMBOL, asked)
    expect(venueAt).toBe(NOW)
    expect(bars.map(({ openAt }) => openAt)).toEqual([NOW - 120_000, NOW - 60_000, NOW])
  })

  it("has begun, and what is too far ahead to be true says nothing", () => {
    const clock = clockAt(NOW - 40)
    clock.saw("1m", { bar, isFinal: false })
    expect(clock.now()).toBe(NOW - 40)
    clock.saw("1m", { bar: { ...bar, openAt: NOW }, isFinal: false })
    expect(clock.now()).toBe(NOW)
    clock.saw("1m", { bar: { ...bar, openAt: NOW + 60_000 }, isFinal: true })
    expect(clock.now()).toBe(NOW)
  })
})
