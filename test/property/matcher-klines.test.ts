/** MOCK's bars against the trades they are made of, folded a second time: every interval, every range, holes and all. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../src/domain/decimal.ts"
import type { InstrumentId } from "../../src/domain/ids.ts"
import { type Bar, barStart, KLINE_INTERVALS, withoutHoles, withTrade } from "../../src/domain/market/kline.ts"
import { MatcherKlines } from "../../src/venues/matching/klines.ts"
import { MOCK_LISTINGS } from "../../src/venues/mock/instruments.ts"

const [listing] = MOCK_LISTINGS
if (listing === undefined) throw new Error("MOCK lists nothing")
const { instrument } = listing
const START = Date.UTC(2026, 1, 27, 23, 59, 40)

const trade = fc.record({
  pause: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 40_000 })),
  price: fc.bigInt({ min: 1n, max: 9_999_999n }),
  quantity: fc.bigInt({ min: 1n, max: 9_999_999n }),
})
const bound = fc.option(fc.integer({ min: -60_000, max: 400_000 }).map((after) => START + after))
const range = fc.record({ from: bound, to: bound, limit: fc.integer({ min: 1, max: 500 }) })

describe("MOCK's bars", () => {
  it("are those of its trades, read at any moment and in any range", () => {
    const plays = fc.array(fc.tuple(trade, fc.boolean()), { minLength: 1, maxLength: 30 })
    void fc.assert(
      fc.property(
        plays,
        range,
        fc.integer({ min: 0, max: 90_000 }),
        fc.constantFrom(...KLINE_INTERVALS),
        (...given) => {
          const [all, { from, to, limit }, later, interval] = given
          const klines = new MatcherKlines(instrument)
          const bars: Array<Bar> = []
          let at = START
          const ask = { instrumentId: instrument.instrumentId as InstrumentId, interval, from, to, limit }
          for (const [{ pause, price, quantity }, isRead] of all) {
            at += pause
            klines.add(price, quantity, at)
            // A look in the middle of a second must not cut it in two.
            if (isRead) klines.read(ask, at)
            const openAt = barStart(interval, at)
            const known = bars.at(-1)?.openAt === openAt ? bars.pop() : undefined
            const text = (units: bigint, digits: number) => Decimal.fromUnits(units, digits).toString()
            bars.push(withTrade(known, openAt, text(price, instrument.precision), text(quantity, instrument.scale)))
          }
          const now = at + later
          const whole = withoutHoles(interval, bars, now)
            .filter(({ openAt }) => (from === null || openAt >= from) && (to === null || openAt <= to))
            .map((bar) => ({ ...bar, volume: Decimal.of(bar.volume).toString() }))
          expect(klines.read(ask, now)).toEqual(from === null ? whole.slice(-limit) : whole.slice(0, limit))
        },
      ),
    )
  })
})
