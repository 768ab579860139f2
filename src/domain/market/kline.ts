/**
 * Klines (bars, candles): one per period of an interval, on one grid for all venues. Periods are in UTC: days start at midnight, weeks on Monday,
 * months by the calendar; three-day bars are counted from 1970-01-01.
 */
import { Schema } from "effect"
import { Decimal } from "../decimal.ts"
import type { InstrumentId } from "../ids.ts"
import type { InstrumentName } from "../instrument/instrument.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const KlineInterval = Schema.Literal(
  ...(["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"] as const),
)
export type KlineInterval = typeof KlineInterval.Type

/** Shortest first. */
export const KLINE_INTERVALS: ReadonlyArray<KlineInterval> = KlineInterval.literals

export const isKlineInterval: (text: string) => text is KlineInterval = Schema.is(KlineInterval)

/** In ms; null: as long as the calendar says. */
const LENGTHS: { readonly [I in KlineInterval]: number | null } = {
  "1s": SECOND,
  "1m": MINUTE,
  "3m": 3 * MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "30m": 30 * MINUTE,
  "1h": HOUR,
  "2h": 2 * HOUR,
  "4h": 4 * HOUR,
  "6h": 6 * HOUR,
  "8h": 8 * HOUR,
  "12h": 12 * HOUR,
  "1d": DAY,
  "3d": 3 * DAY,
  "1w": 7 * DAY,
  "1M": null,
}

/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = 4 * DAY

/** The longest that a bar can be, in ms. */
export const longestBar = (interval: KlineInterval): number => LENGTHS[interval] ?? 31 * DAY

/** Bars are numbered through: that of the period that holds `at`. */
export const barIndex = (interval: KlineInterval, at: number): number => {
  const length = LENGTHS[interval]
  if (length !== null) return Math.floor((at - (interval === "1w" ? FIRST_MONDAY : 0)) / length)
  const date = new Date(at)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** The number of the first bar that opens at `at` or later. */
export const barIndexFrom = (interval: KlineInterval, at: number): number => {
  const index = barIndex(interval, at)
  return barOpen(interval, index) === at ? index : index + 1
}

/** Open time of the bar of a number, ms since the Unix epoch. */
export const barOpen = (interval: KlineInterval, index: number): number => {
  const length = LENGTHS[interval]
  return length === null ? Date.UTC(1970, index, 1) : index * length + (interval === "1w" ? FIRST_MONDAY : 0)
}

/** Open time of the bar that holds `at`. */
export const barStart = (interval: KlineInterval, at: number): number => barOpen(interval, barIndex(interval, at))

/** Open time of the bar after the one that holds `at`: until then, exclusively, that bar lives. */
export const barEnd = (interval: KlineInterval, at: number): number => barOpen(interval, barIndex(interval, at) + 1)

/** The intervals that whole bars of `interval` can be made of, longest first. */
export const partsOf = (interval: KlineInterval): ReadonlyArray<KlineInterval> => {
  const length = LENGTHS[interval]
  return KLINE_INTERVALS.filter((part) => {
    const partLength = LENGTHS[part]
    if (part === interval || partLength === null) return false
    // Months and weeks are cut at days; what divides a day divides them.
    return length === null ? DAY % partLength === 0 : length % partLength === 0
  }).toReversed()
}

/** One bar; prices and volume (in base) are decimal text, in the venue's own digits where they come from the venue. */
export interface Bar {
  /** Start of its period, ms since the Unix epoch. */
  readonly openAt: number
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
}

const numeric = (text: string): Decimal => Decimal.fromVenue(text) ?? Decimal.ZERO

/** With all its digits: volumes of "0.10" and "0.20" make "0.30". */
const digitsOf = ({ units, scale }: Decimal): string => {
  const digits = units.toString().padStart(scale + 1, "0")
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** A period without a trade. */
export const flatBar = (openAt: number, price: string): Bar => ({
  openAt,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: "0",
})

/** The bar with one more trade; undefined: its first. */
export const withTrade = (bar: Bar | undefined, openAt: number, price: string, quantity: string): Bar =>
  bar === undefined
    ? { ...flatBar(openAt, price), volume: quantity }
    : joined(bar, { ...flatBar(openAt, price), volume: quantity })

/** Nothing was traded in it: its price is that of the bar before. */
const isFlat = ({ open, high, low, close, volume }: Bar): boolean =>
  open === close && high === close && low === close && numeric(volume).isZero()

/** One bar of two, the earlier one first; it opens when the earlier one did, at the price of the first trade. */
export const joined = (a: Bar, b: Bar): Bar => {
  if (isFlat(b)) return a
  if (isFlat(a)) return { ...b, openAt: a.openAt }
  return {
    openAt: a.openAt,
    open: a.open,
    high: numeric(b.high).greaterThan(numeric(a.high)) ? b.high : a.high,
    low: numeric(b.low).lessThan(numeric(a.low)) ? b.low : a.low,
    close: b.close,
    volume: digitsOf(numeric(a.volume).add(numeric(b.volume))),
  }
}

/** Bars of an interval from bars of another grid that divides it, or from bars that lie beside the grid; oldest first. */
export const foldBars = (interval: KlineInterval, bars: ReadonlyArray<Bar>): ReadonlyArray<Bar> => {
  const folded: Array<Bar> = []
  for (const bar of bars) {
    const openAt = barStart(interval, bar.openAt)
    const last = folded.at(-1)
    if (last?.openAt === openAt) folded[folded.length - 1] = joined(last, bar)
    else folded.push(bar.openAt === openAt ? bar : { ...bar, openAt })
  }
  return folded
}

/** The bars with every hole between them, and after the last up to the one that holds `until`, closed by flat ones. */
export const withoutHoles = (interval: KlineInterval, bars: ReadonlyArray<Bar>, until: number): ReadonlyArray<Bar> => {
  const whole: Array<Bar> = []
  const fill = (end: number): void => {
    for (let last = whole.at(-1); last !== undefined; last = whole.at(-1)) {
      const next = barEnd(interval, last.openAt)
      if (next >= end) return
      whole.push(flatBar(next, last.close))
    }
  }
  for (const bar of bars) {
    fill(bar.openAt)
    whole.push(bar)
  }
  fill(until + 1)
  return whole
}

const Candle = Schema.Tuple(
  Schema.Int,
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.String,
).annotations({ identifier: "Candle" })

export const KlineRecord = Schema.Struct({
  instrumentId: Schema.String,
  venue: Schema.String,
  symbol: Schema.String,
  interval: KlineInterval,
  /** [open time in ms, open, high, low, close, volume in base], oldest first, without holes. */
  candles: Schema.Array(Candle),
  /** False only when the last row is the bar that still lives. */
  isClosed: Schema.Boolean,
  /** Venue time, or the gateway's where the venue gives none. */
  timestamp: Schema.Int,
}).annotations({ identifier: "Kline" })
export type KlineRecord = typeof KlineRecord.Type

/** What a channel publishes while the bar lives. */
export const LiveKline = Schema.Struct({
  ...KlineRecord.fields,
  candles: Schema.Tuple(Candle),
  isClosed: Schema.Literal(false),
}).annotations({ identifier: "LiveKline" })

/** What it publishes once, when the bar is over. */
export const ClosedKline = Schema.Struct({
  ...KlineRecord.fields,
  candles: Schema.Tuple(Candle),
  isClosed: Schema.Literal(true),
}).annotations({ identifier: "ClosedKline" })

export const klineRecord = (
  series: { readonly instrumentId: InstrumentId; readonly name: InstrumentName; readonly interval: KlineInterval },
  bars: ReadonlyArray<Bar>,
  isClosed: boolean,
  timestamp: number,
): KlineRecord => ({
  instrumentId: series.instrumentId,
  venue: series.name.venue,
  symbol: series.name.symbol,
  interval: series.interval,
  candles: bars.map(({ openAt, open, high, low, close, volume }) => [openAt, open, high, low, close, volume]),
  isClosed,
  timestamp,
})
