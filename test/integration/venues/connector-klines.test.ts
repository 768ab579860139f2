/** Klines of a connector: real ccxt in a real worker, the loopback exchange behind it, held against the exchange's own answers. */
import { Effect, Exit, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { type Bar, barEnd, barIndex, KLINE_INTERVALS, type KlineInterval } from "../../../src/domain/market/kline.ts"
import { type KlineAnswer, type KlineAsk, klineStream } from "../../../src/ports/market-source.ts"
import { ccxtVenues } from "../../../src/venues/connector/ccxt-venue.ts"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { sharedThread } from "./thread-kit.ts"
import { BTC_USDT, profileOf, RecordingSink, until } from "./venue-kit.ts"

const DAY = 86_400_000

type Ask = Omit<KlineAsk, "instrumentId">

const ends: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A venue that began to trade so many days ago, at random hours and prices, and then fell silent. */
const traded = async (days: number) => {
  let ahead = -days * DAY
  const exchange = await startBinanceExchange({ market: "empty", clockAheadMillis: () => ahead, tickMillis: 50 })
  ends.push(() => exchange.stop())
  let state = days
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const trade = (): void => {
    const price = `${60_000 + random(500)}.${String(random(100)).padStart(2, "0")}`
    const quantity = `0.${String(1 + random(99_999)).padStart(5, "0")}`
    exchange.setLevel("BTCUSDT", "asks", price, quantity)
    exchange.trade("BTCUSDT", "BUY", quantity)
  }
  while (ahead < 0) {
    trade()
    // Now and then a pause of days; then the last hours by minutes.
    const pause = ahead > -DAY / 8 ? 60_000 : random(40) === 0 ? 5 * DAY : DAY / 6
    ahead = Math.min(0, ahead + 1 + random(pause))
  }
  return { exchange, trade }
}

const connected = async (exchange: BinanceExchange, klinesPerPage?: number) => {
  const scope = await Effect.runPromise(Scope.make())
  ends.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const profile = { ...profileOf("BINANCE"), ...(klinesPerPage === undefined ? {} : { klinesPerPage }) }
  const options = { venueRoutes: exchange.routes, venuesInactive: [], placement: sharedThread(profile) }
  const { venues } = await Effect.runPromise(ccxtVenues(options, [profile]).pipe(Scope.extend(scope)))
  const [venue] = venues
  if (venue === undefined) throw new Error("one profile makes one venue")
  const sink = new RecordingSink()
  const read = (ask: Ask): Promise<KlineAnswer> => Effect.runPromise(venue.klines({ instrumentId: BTC_USDT, ...ask }))
  return { venue, sink, source: venue.market(sink), read }
}

type VenueCandle = readonly [openAt: number, ...numbers: ReadonlyArray<string>]

/** What the venue itself says, all of it. */
const venueBars = async (exchange: BinanceExchange, interval: KlineInterval): Promise<ReadonlyArray<Bar>> => {
  const answer = await fetch(`${exchange.url}/api/v3/klines?symbol=BTCUSDT&limit=1000&interval=${interval}`)
  const candles = (await answer.json()) as ReadonlyArray<VenueCandle>
  return candles.map(([openAt, open = "", high = "", low = "", close = "", volume = ""]) => {
    return { openAt, open, high, low, close, volume }
  })
}

/** Flat bars that the gateway makes have volume "0", the venue's own "0.00000000". */
const plain = (bars: ReadonlyArray<Bar>) => bars.map((bar) => ({ ...bar, volume: bar.volume.replace(/^0\.0+$/, "0") }))

describe("the history of a connector", () => {
  it("is the venue's own in every interval, digit for digit, over pages of seven", async () => {
    const { exchange } = await traded(70)
    const { read } = await connected(exchange, 7)
    for (const interval of KLINE_INTERVALS) {
      const limit = interval === "1M" ? 50 : 40
      const { bars, venueAt } = await read({ interval, from: null, to: null, limit })
      const shown = await venueBars(exchange, interval)
      const newest = bars.at(-1)?.openAt ?? 0
      expect([interval, barIndex(interval, venueAt) - barIndex(interval, newest)]).toEqual([interval, 0])
      const last = shown.filter(({ openAt }) => openAt <= newest).slice(-limit)
      expect([interval, plain(bars)]).toEqual([interval, plain(last)])
      expect(bars.length).toBeGreaterThan(interval === "1M" ? 2 : 9)
    }
  })

  it("takes from, to and limit by open time, inclusive", async () => {
    const { exchange } = await traded(30)
    const { read } = await connected(exchange, 7)
    const shown = plain(await venueBars(exchange, "4h"))
    const at = (index: number): number => shown[index]?.openAt ?? 0
    const asked = async (from: number | null, to: number | null, limit: number) =>
      plain((await read({ interval: "4h", from, to, limit })).bars)
    expect(shown.length).toBeGreaterThan(100)
    expect(await asked(at(10), at(30), 50)).toEqual(shown.slice(10, 31))
    expect(await asked(at(10) - 1, at(30) + 1, 50)).toEqual(shown.slice(10, 31))
    expect(await asked(at(10) + 1, at(30) - 1, 50)).toEqual(shown.slice(11, 30))
    expect(await asked(at(10), null, 20)).toEqual(shown.slice(10, 30))
    expect(await asked(null, at(60), 25)).toEqual(shown.slice(36, 61))
    expect(await asked(at(5), at(5), 1)).toEqual(shown.slice(5, 6))
    expect(await asked(at(5) + 1, at(6) - 1, 10)).toEqual([])
    // Before the first trade there is nothing: the history begins with it.
    expect(await asked(0, null, 12)).toEqual(shown.slice(0, 12))
    expect(await asked(0, at(3), 100)).toEqual(shown.slice(0, 4))
    expect(await asked(null, at(3), 100)).toEqual(shown.slice(0, 4))
    expect(await asked(0, at(0) - 1, 10)).toEqual([])
    expect(await asked(Date.now() + DAY, null, 10)).toEqual([])
  })

  it("asks the venue as often as its pages are long, and no more", async () => {
    const { exchange } = await traded(30)
    const { read } = await connected(exchange, 10)
    const count = () => exchange.counts()["GET /api/v3/klines"] ?? 0
    await read({ interval: "1h", from: null, to: null, limit: 10 })
    const before = count()
    await read({ interval: "1h", from: null, to: null, limit: 10 })
    expect(count() - before).toBe(1)
    await read({ interval: "1h", from: null, to: null, limit: 35 })
    expect(count() - before).toBe(5)
  })
})

describe("the streams of klines of a connector", () => {
  it("show each bar as the venue does, and its last word once", async () => {
    const { exchange, trade } = await traded(1)
    const { sink, source } = await connected(exchange)
    source.open(klineStream("1s"), BTC_USDT)
    source.open(klineStream("1m"), BTC_USDT)
    const closed = () => sink.klines.filter(({ isFinal, interval }) => isFinal && interval === "1s")
    await until(() => {
      trade()
      return closed().length >= 6
    }, "six closed bars")
    const shown = new Map((await venueBars(exchange, "1s")).map((bar) => [bar.openAt, bar]))
    for (const { bar } of closed()) expect(bar).toEqual(shown.get(bar.openAt))
    const opens = closed().map(({ bar }) => bar.openAt)
    expect(opens).toEqual(Array.from({ length: opens.length }, (_, i) => (opens[0] ?? 0) + i * 1000))
    for (const { bar, isFinal, venueAt } of sink.klines.filter(({ interval }) => interval === "1s")) {
      expect(bar.close).toMatch(/^\d+\.\d{8}$/)
      if (!isFinal) expect(venueAt).toBeLessThan(barEnd("1s", bar.openAt) + 60_000)
    }
    const minutes = sink.klines.filter(({ interval }) => interval === "1m")
    expect(minutes.length).toBeGreaterThan(2)
    const minute = minutes.at(-1)?.bar
    const now = (await venueBars(exchange, "1m")).find(({ openAt }) => openAt === minute?.openAt)
    expect([minute?.open, minute?.low.length]).toEqual([now?.open, now?.low.length])
  })

  it("come back after a cut, and say that they were away", async () => {
    const { exchange, trade } = await traded(1)
    const { sink, source } = await connected(exchange)
    source.open(klineStream("1s"), BTC_USDT)
    await until(() => sink.klines.some(({ isFinal }) => isFinal), "a closed bar")
    exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => sink.downs.some((down) => down.startsWith("kline 1s: ")), "the news that the stream is down")
    const seen = sink.klines.length
    await until(() => {
      trade()
      return sink.klines.length > seen + 3
    }, "bars again")
  })

  it("fall silent when they are closed, and only they", async () => {
    const { exchange, trade } = await traded(1)
    const { sink, source } = await connected(exchange)
    const ofInterval = (interval: KlineInterval) => sink.klines.filter((it) => it.interval === interval).length
    source.open(klineStream("1s"), BTC_USDT)
    source.open(klineStream("1m"), BTC_USDT)
    await until(() => ofInterval("1s") > 1 && ofInterval("1m") > 1, "both streams")
    source.close(klineStream("1s"), BTC_USDT)
    await until(() => (exchange.counts()["WS UNSUBSCRIBE"] ?? 0) > 0, "the venue to be told")
    const seen = ofInterval("1s")
    const others = ofInterval("1m")
    await until(() => {
      trade()
      return ofInterval("1m") > others + 5
    }, "the other stream to go on")
    expect(ofInterval("1s")).toBeLessThanOrEqual(seen + 1)
  })
})
