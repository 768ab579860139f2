/**
 * One series of klines under a venue that cuts its stream, answers late or fails: whatever happens, every bar closes once, in order,
 * with the venue's own numbers, and nothing of a bar comes after its end.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KlineSeries } from "../../../src/actors/market/klines/series.ts"
import { VenueClock } from "../../../src/actors/market/venue-clock.ts"
import { klineChannel } from "../../../src/domain/channel.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import {
  type Bar,
  barEnd,
  barStart,
  type KlineRecord,
  withoutHoles,
  withTrade,
} from "../../../src/domain/market/kline.ts"
import type { MarketTrade } from "../../../src/ports/market-source.ts"
import { RecordingChannels } from "../../kit/worlds/market-channels.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId
const CHANNEL = klineChannel(BTC, "1m")
const MINUTE = 60_000
const START = Date.UTC(2026, 2, 28, 23, 57, 12)

/** Time, a venue and its trades in the test's hand. */
class World {
  now = START
  readonly trades: Array<MarketTrade> = []
  readonly channels = new RecordingChannels()
  readonly series: KlineSeries
  isUp = true
  fails = 0
  unsupported = false
  asked = 0
  #timers: Array<{ readonly at: number; readonly run: () => void }> = []

  constructor(
    readonly builds: boolean,
    readonly latency: number,
    readonly venueAhead: number,
  ) {
    const name = parseInstrumentId(BTC)
    if (name === undefined) throw new Error("no name")
    const clock = new VenueClock(() => this.now)
    this.series = new KlineSeries({
      instrumentId: BTC,
      name,
      interval: "1m",
      channels: { ...this.channels.port, isHeard: () => true },
      newEpoch: () => "epoch",
      clock,
      now: () => this.now,
      after: (millis, run) => void this.#timers.push({ at: this.now + millis, run }),
      ask: (from, limit, done) => {
        this.asked += 1
        const askedAt = this.now
        const venueAt = this.venueNow()
        const bars = this.bars()
          .filter(({ openAt }) => openAt >= from)
          .slice(0, limit)
        this.#timers.push({
          at: this.now + this.latency,
          run: () => {
            if (this.unsupported) return done("unsupported")
            if (this.fails > 0) {
              this.fails -= 1
              return done("failed")
            }
            clock.saw(venueAt, askedAt)
            done({ bars, venueAt })
          },
        })
      },
    })
  }

  venueNow(): number {
    return this.now + this.venueAhead
  }

  /** The venue's truth. */
  bars(): ReadonlyArray<Bar> {
    const bars: Array<Bar> = []
    for (const { at, price, quantity } of this.trades) {
      const openAt = barStart("1m", at)
      const known = bars.at(-1)?.openAt === openAt ? bars.pop() : undefined
      bars.push(withTrade(known, openAt, price, quantity))
    }
    return withoutHoles("1m", bars, this.venueNow())
  }

  begin(): void {
    this.trade(100)
    this.series.begin()
    if (this.builds) this.series.buildFromTrades()
  }

  trade(price: number): void {
    const trade: MarketTrade = {
      instrumentId: BTC,
      externalTradeId: String(this.trades.length),
      price: String(price),
      quantity: "1",
      side: "BUY",
      at: this.venueNow(),
    }
    this.trades.push(trade)
    if (!this.isUp) return
    if (this.builds) this.series.onTrades([trade])
    else this.stream()
  }

  /** As a venue does that says nothing of an end: the newest bar, whenever it changes. */
  stream(): void {
    const bar = this.bars().at(-1)
    if (bar === undefined || !this.isUp) return
    this.series.onUpdate({ instrumentId: BTC, interval: "1m", bar, isFinal: false, venueAt: this.venueNow() })
  }

  cut(): void {
    if (!this.isUp) return
    this.isUp = false
    this.series.onDown()
  }

  mend(): void {
    this.isUp = true
  }

  pass(millis: number): void {
    const until = this.now + millis
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((it) => it !== next)
      this.now = Math.max(this.now, next.at)
      next.run()
    }
    this.now = until
  }

  records(): ReadonlyArray<KlineRecord> {
    return this.channels.of(CHANNEL).map(({ json }) => JSON.parse(json))
  }

  closed(): ReadonlyArray<Bar> {
    return this.records()
      .filter(({ isClosed }) => isClosed)
      .map(({ candles }) => {
        const [openAt = 0, open = "", high = "", low = "", close = "", volume = ""] = candles[0] ?? []
        return { openAt, open, high, low, close, volume }
      })
  }
}

type Step =
  | { readonly is: "trade"; readonly price: number }
  | { readonly is: "pass"; readonly millis: number }
  | { readonly is: "cut" }
  | { readonly is: "mend" }
  | { readonly is: "fail"; readonly times: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant("trade" as const), price: fc.integer({ min: 90, max: 110 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant("pass" as const), millis: fc.integer({ min: 1, max: 40_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant("pass" as const), millis: fc.integer({ min: MINUTE, max: 5 * MINUTE }) }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ is: "cut" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ is: "mend" }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("fail" as const), times: fc.integer({ min: 1, max: 3 }) }) },
)

const play = (world: World, steps: ReadonlyArray<Step>): void => {
  world.begin()
  for (const it of steps) {
    if (it.is === "trade") world.trade(it.price)
    else if (it.is === "pass") world.pass(it.millis)
    else if (it.is === "cut") world.cut()
    else if (it.is === "mend") world.mend()
    else world.fails = it.times
  }
  // Faults stop; what is owed must come.
  world.fails = 0
  world.mend()
  world.pass(MINUTE)
}

describe.each([
  ["streamed by the venue", false],
  ["made of trades", true],
])("klines %s", (_, builds) => {
  it("close every bar once, in order, with the venue's numbers, through cuts and failures", () => {
    const waits = fc.integer({ min: 1, max: 2000 })
    const ahead = fc.constantFrom(0, 0, -3000, 5000)
    void fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), waits, ahead, (steps, latency, venueAhead) => {
        const world = new World(builds, latency, venueAhead)
        play(world, steps)
        const closed = world.closed()
        const truth = new Map(world.bars().map((bar) => [bar.openAt, bar]))
        const first = barStart("1m", START + venueAhead)
        const opens = closed.map(({ openAt }) => openAt)
        expect(opens).toEqual(Array.from({ length: opens.length }, (_each, i) => first + i * MINUTE))
        // All that ended long enough ago.
        expect(barEnd("1m", opens.at(-1) ?? first - MINUTE)).toBeGreaterThan(world.venueNow() - MINUTE - 20_000)
        for (const bar of closed) expect(bar).toEqual(truth.get(bar.openAt))
        const times = world.records().map(({ candles }) => candles[0]?.[0] ?? 0)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        for (const [at, record] of world.records().entries()) {
          const later = world.records()[at + 1]
          if (record.isClosed) expect(later?.candles[0]?.[0]).not.toBe(record.candles[0]?.[0])
        }
      }),
      { numRuns: 150 },
    )
  })

  it("ask the venue's history seldom while nothing is wrong", () => {
    const world = new World(builds, 50, 0)
    world.begin()
    for (let i = 0; i < 600; i++) {
      world.trade(100 + (i % 7))
      world.pass(1000)
    }
    // Ten bars: one question when it begins, and one for each bar that is made here.
    expect(world.asked).toBeLessThanOrEqual(builds ? 12 : 2)
    expect(world.closed().length).toBeGreaterThanOrEqual(9)
  })
})

describe("klines", () => {
  it("close flat when nothing is traded, by the clock alone", () => {
    const world = new World(false, 50, 0)
    world.begin()
    world.stream()
    world.pass(4 * MINUTE)
    const closed = world.closed()
    expect(closed.length).toBeGreaterThanOrEqual(3)
    for (const bar of closed.slice(1))
      expect(bar).toEqual({ openAt: bar.openAt, open: "100", high: "100", low: "100", close: "100", volume: "0" })
  })

  it("do not take a bar that nobody saw for one without trades", () => {
    const world = new World(false, 50, 0)
    world.begin()
    world.pass(1000)
    world.cut()
    // The history fails as long as the line is cut.
    world.fails = 1000
    for (let i = 0; i < 4; i++) {
      world.pass(MINUTE / 2)
      world.trade(200 + i)
    }
    world.mend()
    world.trade(300)
    world.fails = 0
    world.pass(2 * MINUTE)
    const truth = new Map(world.bars().map((bar) => [bar.openAt, bar]))
    expect(world.closed().length).toBeGreaterThan(2)
    for (const bar of world.closed()) expect(bar).toEqual(truth.get(bar.openAt))
  })

  it("take the venue's own word for the end, at once", () => {
    const world = new World(false, 50, 0)
    world.begin()
    world.pass(1000)
    const bar = world.bars().at(-1)
    if (bar === undefined) throw new Error("there was a trade")
    world.series.onUpdate({ instrumentId: BTC, interval: "1m", bar, isFinal: true, venueAt: world.venueNow() })
    expect(world.closed()).toEqual([bar])
    world.series.onUpdate({ instrumentId: BTC, interval: "1m", bar, isFinal: true, venueAt: world.venueNow() })
    expect(world.closed()).toEqual([bar])
  })

  it("made of trades without a history show whole bars only, and never half a one", () => {
    const world = new World(true, 50, 0)
    world.unsupported = true
    world.begin()
    for (let i = 0; i < 200; i++) {
      world.pass(1000)
      world.trade(100 + (i % 5))
      if (i === 80) world.cut()
      if (i === 90) world.mend()
    }
    world.pass(MINUTE)
    const truth = new Map(world.bars().map((bar) => [bar.openAt, bar]))
    expect(world.closed().length).toBeGreaterThan(0)
    for (const bar of world.closed()) expect(bar).toEqual(truth.get(bar.openAt))
  })
})
