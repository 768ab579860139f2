/** Bars folded from trades, against a second implementation that knows nothing but the calendar: all 16 intervals. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import {
  type Bar,
  barEnd,
  barIndex,
  barOpen,
  barStart,
  foldBars,
  KLINE_INTERVALS,
  type KlineInterval,
  longestBar,
  partsOf,
  withoutHoles,
  withTrade,
} from "../../../src/domain/market/kline.ts"

interface Trade {
  readonly at: number
  readonly price: number
  readonly quantity: number
}

/** The period that holds an instant, by the calendar's own words: cut the date down, then step back to where a period begins. */
const periodOf = (interval: KlineInterval, at: number): string => {
  const date = new Date(at)
  const count = Number.parseInt(interval, 10)
  const cut = (value: number) => value - (value % count)
  switch (interval.at(-1)) {
    case "s":
      date.setUTCMilliseconds(0)
      break
    case "m":
      date.setUTCMinutes(cut(date.getUTCMinutes()), 0, 0)
      break
    case "h":
      date.setUTCHours(cut(date.getUTCHours()), 0, 0, 0)
      break
    case "M":
      date.setUTCDate(1)
      date.setUTCHours(0, 0, 0, 0)
      break
    default: {
      date.setUTCHours(0, 0, 0, 0)
      const days = () => Math.round((date.getTime() - Date.UTC(1970, 0, 1)) / 86_400_000)
      const begins = () => (interval === "1w" ? date.getUTCDay() === 1 : days() % count === 0)
      while (!begins()) date.setUTCDate(date.getUTCDate() - 1)
    }
  }
  return date.toISOString()
}

/** Prices in cents, quantities in thousandths: whole numbers, so that plain arithmetic is exact. */
const dumbBars = (interval: KlineInterval, trades: ReadonlyArray<Trade>) => {
  const periods = new Map<string, Array<Trade>>()
  for (const trade of trades) {
    const period = periodOf(interval, trade.at)
    periods.set(period, [...(periods.get(period) ?? []), trade])
  }
  return [...periods].map(([period, inside]) => {
    const prices = inside.map(({ price }) => price)
    return {
      openAt: Date.parse(period),
      open: prices[0],
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1),
      volume: inside.reduce((sum, { quantity }) => sum + quantity, 0),
    }
  })
}

const text = (units: number, digits: number): string => (units / 10 ** digits).toFixed(digits)

const fold = (interval: KlineInterval, trades: ReadonlyArray<Trade>): ReadonlyArray<Bar> => {
  const bars: Array<Bar> = []
  for (const { at, price, quantity } of trades) {
    const openAt = barStart(interval, at)
    const last = bars.at(-1)
    const known = last?.openAt === openAt ? bars.pop() : undefined
    bars.push(withTrade(known, openAt, text(price, 2), text(quantity, 3)))
  }
  return bars
}

const units = (value: string, digits: number): number =>
  Number(Decimal.of(value).multiply(Decimal.of(`1${"0".repeat(digits)}`)))

const plain = ({ openAt, open, high, low, close, volume }: Bar) => ({
  openAt,
  open: units(open, 2),
  high: units(high, 2),
  low: units(low, 2),
  close: units(close, 2),
  volume: units(volume, 3),
})

/** Instants that a calendar gets wrong: ends of months, leap days, years, Mondays, the nights when clocks elsewhere change. */
const edges = [
  ...["2024-02-29", "2023-02-28", "2000-02-29", "2100-02-28", "2024-12-31", "1970-01-04", "2026-03-29", "2026-10-25"],
  ...["2026-03-08", "2026-11-01", "2024-01-01", "2021-02-01", "2024-09-30"],
].map((day) => Date.parse(`${day}T23:59:59.999Z`))

const instant = fc.oneof(
  fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2105, 0, 1) }),
  fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 })).map(([edge, by]) => edge + by),
)

/** A run of trades from an instant on: bursts, pauses, leaps over periods. */
const run = fc
  .tuple(
    instant,
    fc.array(
      fc.record({
        pause: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 4_000_000_000 })),
        price: fc.integer({ min: 1, max: 10_000_000 }),
        quantity: fc.integer({ min: 1, max: 1_000_000 }),
      }),
      { maxLength: 60 },
    ),
  )
  .map(([from, steps]) => {
    let at = from
    return steps.map(({ pause, price, quantity }): Trade => {
      at += pause
      return { at, price, quantity }
    })
  })

describe.each(KLINE_INTERVALS)("bars of %s", (interval) => {
  it("are what a dumb reader of the calendar makes of the same trades", () => {
    void fc.assert(
      fc.property(run, (trades) => {
        expect(fold(interval, trades).map(plain)).toEqual(dumbBars(interval, trades))
      }),
    )
  })

  it("begin where the calendar says, without a gap or an overlap", () => {
    void fc.assert(
      fc.property(instant, (at) => {
        const start = barStart(interval, at)
        expect(new Date(start).toISOString()).toBe(periodOf(interval, at))
        expect(barStart(interval, barEnd(interval, at) - 1)).toBe(start)
        expect(barStart(interval, barEnd(interval, at))).toBe(barEnd(interval, at))
        expect(barOpen(interval, barIndex(interval, at))).toBe(start)
        expect(barEnd(interval, at) - start).toBeLessThanOrEqual(longestBar(interval))
      }),
    )
  })

  it("can be made of bars of every interval that divides it", () => {
    void fc.assert(
      fc.property(run, (trades) => {
        const bars = fold(interval, trades).map(plain)
        for (const part of partsOf(interval)) expect(foldBars(interval, fold(part, trades)).map(plain)).toEqual(bars)
      }),
    )
  })

  it("have no holes once they are filled, and what fills them trades nothing at the last price", () => {
    const short = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 })
    void fc.assert(
      fc.property(instant, short, fc.integer({ min: 0, max: 5 }), (from, skips, later) => {
        let index = barIndex(interval, from)
        const bars = skips.map((skip, i): Bar => {
          index += i === 0 ? 0 : 1 + skip
          return {
            openAt: barOpen(interval, index),
            open: "2",
            high: "3.0",
            low: "1",
            close: `${i + 1}.50`,
            volume: "7",
          }
        })
        const until = barOpen(interval, index + later)
        const whole = withoutHoles(interval, bars, until)
        expect(whole.map(({ openAt }) => openAt)).toEqual(
          Array.from({ length: whole.length }, (_, i) => barOpen(interval, barIndex(interval, from) + i)),
        )
        expect(whole.at(-1)?.openAt).toBe(until)
        for (const [at, bar] of whole.entries()) {
          const given = bars.find(({ openAt }) => openAt === bar.openAt)
          const before = whole[at - 1]?.close
          expect(bar).toEqual(
            given ?? { openAt: bar.openAt, open: before, high: before, low: before, close: before, volume: "0" },
          )
        }
      }),
    )
  })
})

describe("the intervals", () => {
  it("are the specification's sixteen, and each is made of those that divide it", () => {
    expect(KLINE_INTERVALS).toHaveLength(16)
    expect(partsOf("1s")).toEqual([])
    expect(partsOf("8h")).toEqual(["4h", "2h", "1h", "30m", "15m", "5m", "3m", "1m", "1s"])
    expect(partsOf("12h").slice(0, 3)).toEqual(["6h", "4h", "2h"])
    expect(partsOf("3d").slice(0, 2)).toEqual(["1d", "12h"])
    expect(partsOf("1w").slice(0, 2)).toEqual(["1d", "12h"])
    expect(partsOf("1M").slice(0, 2)).toEqual(["1d", "12h"])
  })

  it("keep the digits of what they add up", () => {
    const [bar] = foldBars("1h", [
      { openAt: 0, open: "1.10", high: "1.10", low: "1.10", close: "1.10", volume: "0.10000000" },
      { openAt: 60_000, open: "1.100", high: "1.100", low: "1.1", close: "1.20", volume: "0.20000000" },
    ])
    expect(bar).toEqual({ openAt: 0, open: "1.10", high: "1.10", low: "1.10", close: "1.20", volume: "0.30000000" })
  })
})
