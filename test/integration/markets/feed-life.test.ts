/** What opens a venue's stream, what closes it 30 s later, and how losses and silence are told: real MOCK, TestClock. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { bookChannel, tickerChannel, tradeChannel, venueTickerChannel } from "../../../src/domain/channel.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { InstrumentId, TenantId } from "../../../src/domain/ids.ts"
import type { KlineRecord } from "../../../src/domain/market/kline.ts"
import type { Reply } from "../../../src/domain/reply.ts"
import { MOCK } from "../../../src/venues/mock/instruments.ts"
import { BookReader } from "../../kit/readers/market-reader.ts"
import type { Listener } from "../../kit/worlds/market-channels.ts"
import { account, BTC, ETH, limit, marketWorld, settle } from "../../kit/worlds/market-world.ts"

const ignore: Listener = () => undefined

/** The answers of a reply, for a question that may be answered later. */
const asked = <A>(ask: (reply: Reply<A, DomainError>) => void): Array<Either.Either<A, DomainError>> => {
  const answers: Array<Either.Either<A, DomainError>> = []
  ask({
    ok: (answer) => answers.push(Either.right(answer)),
    fail: (error) => answers.push(Either.left(error)),
  })
  return answers
}

describe("prices that a trigger missed", () => {
  it.scoped("are asked of the venue's history while its streams fail, and while no list of it has the instrument", () =>
    Effect.gen(function* () {
      const { markets, directory, streams } = yield* marketWorld()
      const range = { interval: "1m", from: null, to: null, limit: 1 } as const
      const both = function* () {
        const answers = [markets.readKlines, markets.lookBack].map((read) =>
          asked<KlineRecord>((reply) => read(BTC, range, reply)),
        )
        yield* settle
        return answers.map(
          ([answer]) => answer && Either.match(answer, { onLeft: ({ _tag }) => _tag, onRight: () => "bars" }),
        )
      }
      expect(yield* both()).toEqual(["bars", "bars"])
      streams.outage = { reason: "VENUE_NETWORK: cut", failedAt: 0 }
      expect(yield* both()).toEqual(["VenueUnavailable", "bars"])
      streams.outage = undefined
      const [listed] = directory.ofVenue(MOCK, null).filter(({ instrumentId }) => instrumentId === BTC)
      directory.put([{ ...listed!, status: "DELISTED" }])
      expect(yield* both()).toEqual(["InstrumentDelisted", "bars"])
    }),
  )
})

describe("a market feed", () => {
  it.scoped("opens at the first subscriber and closes 30 s after the last", () =>
    Effect.gen(function* () {
      const { channels, opened, advance } = yield* marketWorld()
      const first = new BookReader(channels, bookChannel(BTC))
      const second = new BookReader(channels, bookChannel(BTC))
      yield* settle
      expect(opened).toEqual([`open book ${BTC}`])
      expect(first.last?.updateType).toBe("SNAPSHOT")
      first.leave()
      yield* advance(60_000)
      second.leave()
      yield* advance(29_000)
      expect(opened).toEqual([`open book ${BTC}`])
      yield* advance(2000)
      expect(opened).toEqual([`open book ${BTC}`, `close book ${BTC}`])
    }),
  )

  it.scoped(
    "stays open when a subscriber returns within the 30 s, and shows him a new epoch for what went unheard",
    () =>
      Effect.gen(function* () {
        const { channels, opened, advance, rig } = yield* marketWorld()
        const first = new BookReader(channels, bookChannel(BTC))
        yield* settle
        const before = channels.subscribe(bookChannel(BTC), ignore)
        channels.unsubscribe(bookChannel(BTC), ignore)
        first.leave()
        yield* advance(20_000)
        const unmoved = channels.subscribe(bookChannel(BTC), ignore)
        expect(unmoved).toEqual(before)
        channels.unsubscribe(bookChannel(BTC), ignore)
        rig.movePrice(BTC, "60100")
        yield* advance(20_000)
        const moved = new BookReader(channels, bookChannel(BTC))
        expect(channels.subscribe(bookChannel(BTC), ignore).epoch).not.toBe(before.epoch)
        expect(moved.book()).toEqual(rig.book(BTC))
        yield* advance(60_000)
        expect(opened).toEqual([`open book ${BTC}`])
      }),
  )

  it.scoped("encodes nothing while nobody listens", () =>
    Effect.gen(function* () {
      const { channels, markets, rig } = yield* marketWorld()
      markets.hold(BTC, "s1")
      yield* settle
      rig.movePrice(BTC, "60010")
      yield* settle
      expect(markets.topOfBook(BTC, "bids", 1)[0]?.[0]).toBe("60009")
      expect(channels.publications).toEqual([])
    }),
  )

  it.scoped("is kept open by a subscription over HTTP until it is released", () =>
    Effect.gen(function* () {
      const { markets, opened, advance } = yield* marketWorld()
      markets.hold(BTC, "s1")
      markets.hold(BTC, "s2")
      yield* advance(120_000)
      markets.release(BTC, "s1")
      yield* advance(60_000)
      expect(opened).toEqual([`open book ${BTC}`])
      markets.release(BTC, "s2")
      yield* advance(31_000)
      expect(opened.at(-1)).toBe(`close book ${BTC}`)
      expect(markets.stats()).toMatchObject([{ venue: MOCK, books: 0, stale: 0 }])
    }),
  )

  it.scoped("says RESYNCING at a gap, asks again, and goes on with a SNAPSHOT", () =>
    Effect.gen(function* () {
      const { channels, rig, opened } = yield* marketWorld()
      const reader = new BookReader(channels, bookChannel(BTC))
      yield* settle
      const known = reader.book()
      rig.skipDepth(BTC)
      rig.movePrice(BTC, "60001")
      yield* settle
      expect(reader.book()).toEqual(known)
      rig.movePrice(BTC, "60002")
      yield* settle
      expect(reader.records.map((record) => [record.updateType, record.quality, record.sequence])).toEqual([
        ["SNAPSHOT", "SYNCED", 1],
        ["DIFF", "RESYNCING", 2],
        ["SNAPSHOT", "SYNCED", 3],
      ])
      expect(opened).toEqual([`open book ${BTC}`, `resync ${BTC}`])
      expect(reader.book()).toEqual(rig.book(BTC))
    }),
  )

  it.scoped("marks a book STALE when its stream stays down for 5 s, and SYNCED with the next snapshot", () =>
    Effect.gen(function* () {
      const { channels, rig, markets, advance } = yield* marketWorld()
      const reader = new BookReader(channels, bookChannel(BTC))
      yield* settle
      rig.loseStream("book", BTC)
      expect(reader.last?.quality).toBe("RESYNCING")
      expect(markets.topOfBook(BTC, "asks", 5)).toEqual([])
      yield* advance(3000)
      expect(reader.last?.quality).toBe("RESYNCING")
      yield* advance(3500)
      expect(reader.last?.quality).toBe("STALE")
      expect(markets.stats()).toMatchObject([{ venue: MOCK, books: 1, stale: 1 }])
      const late = new BookReader(channels, bookChannel(BTC))
      expect(late.last?.quality).toBe("STALE")
      rig.movePrice(BTC, "60050")
      rig.mendStream("book", BTC)
      yield* settle
      expect(reader.last).toMatchObject({ updateType: "SNAPSHOT", quality: "SYNCED" })
      expect(reader.book()).toEqual(rig.book(BTC))
      expect(late.book()).toEqual(rig.book(BTC))
    }),
  )

  it.scoped("does not take a quiet market for a stale one", () =>
    Effect.gen(function* () {
      const { channels, markets, advance } = yield* marketWorld()
      const reader = new BookReader(channels, bookChannel(BTC))
      yield* advance(60_000)
      expect(reader.records.length).toBe(1)
      expect(markets.stats()).toMatchObject([{ venue: MOCK, books: 1, stale: 0 }])
    }),
  )

  it.scoped("takes a market that traded and then fell quiet for what it is", () =>
    Effect.gen(function* () {
      const { channels, open, advance, opened } = yield* marketWorld()
      const reader = new BookReader(channels, bookChannel(BTC))
      channels.subscribe(tradeChannel(BTC), ignore)
      yield* settle
      const { session } = yield* open(account(1, { USDT: "1000000" }))
      yield* advance(6000)
      session.submit(limit("BUY", "0.01", "60001", { timeInForce: "IOC" }))
      yield* advance(30_000)
      expect(channels.of(tradeChannel(BTC)).length).toBe(1)
      expect(reader.records.map((record) => record.quality)).toEqual(["SYNCED", "SYNCED"])
      expect(opened).not.toContain(`resync ${BTC}`)
    }),
  )

  it.scoped("asks for a lost book ever more seldom", () =>
    Effect.gen(function* () {
      const { rig, markets, advance, opened } = yield* marketWorld()
      markets.hold(BTC, "s1")
      yield* settle
      rig.loseStream("book", BTC)
      yield* advance(120_000)
      const asked = opened.filter((line) => line === `resync ${BTC}`).length
      expect(asked).toBeGreaterThan(10)
      expect(asked).toBeLessThan(40)
    }),
  )

  it.scoped("takes a book that stays silent while its market trades for stale, and reads it anew", () =>
    Effect.gen(function* () {
      const { channels, rig, open, advance, opened } = yield* marketWorld()
      const reader = new BookReader(channels, bookChannel(BTC))
      channels.subscribe(tradeChannel(BTC), ignore)
      yield* settle
      const { session } = yield* open(account(1, { USDT: "1000000" }))
      yield* advance(6000)
      rig.skipDepth(BTC)
      session.submit(limit("BUY", "0.01", "60001", { timeInForce: "IOC" }))
      yield* advance(4000)
      expect(reader.last?.quality).toBe("SYNCED")
      yield* advance(2500)
      expect(reader.records.map((record) => record.quality)).toContain("STALE")
      expect(opened).toContain(`resync ${BTC}`)
      expect(reader.last?.quality).toBe("SYNCED")
      expect(reader.book()).toEqual(rig.book(BTC))
    }),
  )

  it.scoped("publishes each trade once, in venue order, with ids that any process would give it", () =>
    Effect.gen(function* () {
      const { channels, open } = yield* marketWorld()
      channels.subscribe(tradeChannel(BTC), ignore)
      const { session, reports } = yield* open(account(1, { USDT: "1000000" }))
      yield* settle
      session.submit(limit("BUY", "2", "60005", { timeInForce: "IOC" }))
      yield* settle
      const trades = channels.of(tradeChannel(BTC)).map((publication) => JSON.parse(publication.json))
      const fills = reports.flatMap((report) => (report._tag === "Filled" ? [report.fill] : []))
      expect(fills.length).toBeGreaterThan(1)
      expect(trades.map((trade) => [trade.externalTradeId, trade.price, trade.quantity])).toEqual(
        fills.map((fill) => [fill.externalTradeId, fill.price, fill.quantity]),
      )
      expect(trades.map((trade) => trade.sequence)).toEqual(fills.map((_, index) => index + 1))
      expect(trades[0]).toMatchObject({ instrumentId: BTC, venue: "MOCK", symbol: "BTC/USDT", side: "BUY" })
      expect(new Set(trades.map((trade) => trade.tradeId)).size).toBe(trades.length)
      expect(trades[0].tradeId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }),
  )
})

describe("a ticker", () => {
  it.scoped("reaches its own channel at once, and the venue's at most ten times a second, the last one always", () =>
    Effect.gen(function* () {
      const { channels, rig, advance } = yield* marketWorld()
      channels.subscribe(tickerChannel(BTC), ignore)
      channels.subscribe(venueTickerChannel(MOCK), ignore)
      yield* settle
      for (let i = 1; i <= 20; i++) {
        rig.movePrice(BTC, `${60_000 + i}`)
        yield* settle
      }
      const own = channels.of(tickerChannel(BTC)).map((publication) => JSON.parse(publication.json))
      const venue = () =>
        channels
          .of(venueTickerChannel(MOCK))
          .map((publication) => JSON.parse(publication.json))
          .filter((ticker) => ticker.instrumentId === BTC)
      expect(own.length).toBe(21)
      expect(venue().length).toBe(1)
      yield* advance(250)
      expect(venue().length).toBe(2)
      expect(venue().at(-1)).toEqual(own.at(-1))
      expect(own.at(-1)).toMatchObject({ bidPrice: "60019", askPrice: "60021" })
    }),
  )

  it.scoped("stands on the venue's channel for every instrument, and its position is the latest", () =>
    Effect.gen(function* () {
      const { channels, opened, markets } = yield* marketWorld()
      channels.subscribe(venueTickerChannel(MOCK), ignore)
      yield* settle
      expect(opened.filter((line) => line.startsWith("open ticker")).length).toBe(5)
      const known = markets.tickers("default" as TenantId)
      expect(known.map((ticker) => ticker.symbol)).toEqual(["BTC/EUR", "BTC/USDT", "ETH/BTC", "ETH/USDT", "SOL/USDT"])
      const position = channels.subscribe(tickerChannel(ETH), ignore)
      expect(JSON.parse(position.snapshot!)).toEqual(known.find((ticker) => ticker.instrumentId === ETH))
    }),
  )
})

describe("a read", () => {
  it.scoped("opens a closed book, answers its first SYNCED state and keeps it open for 30 s", () =>
    Effect.gen(function* () {
      const { markets, opened, advance, rig } = yield* marketWorld()
      const answers = asked<string>((reply) => markets.readBook(BTC, 3, reply))
      expect(answers).toEqual([])
      yield* settle
      const body = JSON.parse(Either.getOrThrow(answers[0]!))
      const book = rig.book(BTC)
      expect(body.bids).toEqual(book.bids.slice(0, 3).map(([price, quantity]) => [price, quantity, ""]))
      expect(body.asks).toEqual(book.asks.slice(0, 3).map(([price, quantity]) => [price, quantity, ""]))
      expect(body).toMatchObject({ updateType: "SNAPSHOT", quality: "SYNCED", orderBookType: "L2", sequence: 1 })
      yield* advance(20_000)
      expect(asked<string>((reply) => markets.readBook(BTC, 3, reply)).length).toBe(1)
      yield* advance(20_000)
      expect(opened).toEqual([`open book ${BTC}`])
      yield* advance(11_500)
      expect(opened.at(-1)).toBe(`close book ${BTC}`)
    }),
  )

  it.scoped("gives up after 5 s without a book, and without a ticker", () =>
    Effect.gen(function* () {
      const { markets, rig, advance } = yield* marketWorld()
      rig.loseStream("book", BTC)
      rig.loseStream("ticker", BTC)
      const book = asked<string>((reply) => markets.readBook(BTC, 3, reply))
      const ticker = asked((reply) => markets.readTicker(BTC, reply))
      yield* advance(4500)
      expect([...book, ...ticker]).toEqual([])
      yield* advance(1000)
      expect(Either.getLeft(book[0]!)).toMatchObject({ value: { _tag: "OrderBookUnavailable" } })
      expect(Either.getLeft(ticker[0]!)).toMatchObject({ value: { _tag: "TickerUnavailable" } })
      rig.mendStream("book", BTC)
      yield* settle
      expect(book.length).toBe(1)
    }),
  )

  it.scoped("says which instrument or venue there is not", () =>
    Effect.gen(function* () {
      const { markets } = yield* marketWorld()
      const errors = ["MOCK:DOGE/USDT", "NOWHERE:BTC/USDT", "nonsense"].map((id) => {
        const answers = asked<string>((reply) => markets.readBook(id as InstrumentId, 3, reply))
        return answers.map((answer) => (Either.isLeft(answer) ? answer.left._tag : "answered"))
      })
      expect(errors).toEqual([["InstrumentNotFound"], ["InvalidVenue"], ["InvalidInstrumentId"]])
    }),
  )

  it.scoped("builds a body once per state of the book and depth", () =>
    Effect.gen(function* () {
      const { markets, rig } = yield* marketWorld()
      const read = (depth: number) => {
        const answers = asked<string>((reply) => markets.readBook(BTC, depth, reply))
        return Either.getOrThrow(answers[0]!)
      }
      markets.hold(BTC, "s1")
      yield* settle
      const before = read(2)
      expect(read(2)).toBe(before)
      expect(JSON.parse(read(1)).bids.length).toBe(1)
      rig.movePrice(BTC, "60001")
      yield* settle
      expect(JSON.parse(read(2)).bids[0][0]).toBe("60000")
      expect(markets.lastUpdateAt(BTC)).toBe(JSON.parse(read(2)).timestamp)
    }),
  )
})
