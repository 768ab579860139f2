/** A venue's feed with a source in the test's hand: what MOCK never does, other venues do. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { MarketFeed } from "../../../../src/actors/market/feed.ts"
import { WarmFeeds } from "../../../../src/actors/market/streams.ts"
import { bookChannel, tickerChannel, tradeChannel } from "../../../../src/domain/channel.ts"
import type { DomainError } from "../../../../src/domain/errors/domain-error.ts"
import { InstrumentDelisted } from "../../../../src/domain/errors/market.ts"
import { VenueUnavailable } from "../../../../src/domain/errors/venue.ts"
import type { InstrumentId, VenueId } from "../../../../src/domain/ids.ts"
import type { MarketSink, TickerUpdate } from "../../../../src/ports/market-source.ts"
import { RecordingChannels } from "../../../kit/worlds/market-channels.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId

const fed = () => {
  const asked: Array<string> = []
  const venue = { now: 0, answers: true, outage: undefined as DomainError | undefined, isListed: true }
  let sink: MarketSink | undefined
  const channels = new RecordingChannels()
  let uuids = 0
  const feed = new MarketFeed({
    venue: "BINANCE" as VenueId,
    connect: (given) => {
      sink = given
      return {
        open: (stream, instrumentId) => asked.push(`open ${stream} ${instrumentId}`),
        close: (stream, instrumentId) => asked.push(`close ${stream} ${instrumentId}`),
        resync: (instrumentId) => asked.push(`resync ${instrumentId}`),
        confirm: (instrumentId) => {
          asked.push(`confirm ${instrumentId}`)
          return Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => venue.answers),
          )
        },
      }
    },
    history: () => Effect.succeed({ bars: [], venueAt: 0 }),
    channels: channels.port,
    tenantOf: () => null,
    isListed: () => venue.isListed,
    warm: new WarmFeeds(0),
    outage: () => venue.outage,
    clock: { now: () => venue.now, monotonic: () => venue.now },
    ids: { uuid: () => `uuid-${++uuids}` },
    fork: Effect.runFork,
  })
  const depth = (bids: ReadonlyArray<string>, asks: ReadonlyArray<string>, instrumentId = BTC) =>
    sink!.depth({
      instrumentId,
      snapshot: true,
      bids,
      asks,
      sequence: 1,
      nonce: 1,
      venueAt: 7,
      receivedAt: 8,
    })
  const ticker = (more: Partial<TickerUpdate> = {}) =>
    sink!.ticker({
      instrumentId: BTC,
      lastPrice: "100.5",
      lastQuantity: null,
      bidPrice: null,
      bidQuantity: null,
      askPrice: null,
      askQuantity: null,
      at: 9,
      ...more,
    })
  return { feed, asked, channels, depth, ticker, sink: () => sink!, venue }
}

describe("a market feed", () => {
  it.effect("tells that a ticker's stream is interrupted, and serves it no more until it speaks again", () =>
    Effect.gen(function* () {
      const { feed, channels, ticker, sink } = fed()
      const answers: Array<string> = []
      const read = (waitMillis: number) =>
        feed.readTicker(
          BTC,
          waitMillis,
          ({ lastPrice }) => answers.push(String(lastPrice)),
          () => answers.push("none"),
        )
      feed.hold("ticker", BTC, "test")
      const channel = tickerChannel(BTC)
      channels.port.attach("ticker", {
        opened: () => feed.tickers.opened(BTC),
        closed: () => undefined,
        position: () => feed.tickers.position(BTC),
      })
      channels.subscribe(channel, () => undefined)
      ticker()
      read(0)
      sink().down("ticker", BTC, "the socket ended")
      expect([feed.lastPrice(BTC), feed.tickers.all()]).toEqual([null, []])
      read(0)
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve)))
      ticker({ lastPrice: "101" })
      read(0)
      expect(answers).toEqual(["100.5", "none", "101"])
      const told = channels.of(channel).map(({ json }) => JSON.parse(json))
      expect(told.map(({ lastPrice, isStale }) => [lastPrice, isStale])).toEqual([
        ["100.5", undefined],
        ["100.5", true],
        ["101", undefined],
      ])
    }),
  )

  it("begins a new epoch of the trades where some are missing for good, after the subscribers were told", () => {
    const { feed, channels, sink } = fed()
    feed.hold("trade", BTC, "test")
    const channel = tradeChannel(BTC)
    channels.port.attach("trade", {
      opened: () => feed.tradeOpened(BTC),
      closed: () => undefined,
      position: () => feed.tradePosition(BTC)!,
    })
    channels.subscribe(channel, () => undefined)
    const trade = (id: number): void =>
      sink().trades([
        { instrumentId: BTC, externalTradeId: String(id), price: "1", quantity: "1", side: "BUY", at: id },
      ])
    trade(1)
    sink().down("trade", BTC, "cut")
    trade(2)
    sink().tradesMissed(BTC)
    expect(feed.lastPrice(BTC)).toBeNull()
    trade(9)
    const [first, second, third] = channels.of(channel)
    expect([first?.epoch === second?.epoch, second?.epoch === third?.epoch]).toEqual([true, false])
    expect(channels.invalidated).toEqual([[channel, 2]])
    expect(feed.tradePosition(BTC)).toMatchObject({ epoch: third?.epoch, offset: third?.offset })
  })

  it("fills a ticker without bid and ask from the book, only while the book is open and whole", () => {
    const { feed, depth, ticker } = fed()
    const quoted = () => {
      const { bidPrice, bidQuantity, askPrice, askQuantity } = feed.tickers.find(BTC)!
      return [bidPrice, bidQuantity, askPrice, askQuantity]
    }
    feed.hold("ticker", BTC, "test")
    ticker()
    expect(quoted()).toEqual([null, null, null, null])
    feed.hold("book", BTC, "test")
    ticker()
    expect(quoted()).toEqual([null, null, null, null])
    depth(["100.10", "2"], ["100.90", "3"])
    ticker()
    expect(quoted()).toEqual(["100.10", "2", "100.90", "3"])
    ticker({ bidPrice: "99", askPrice: "101", askQuantity: "5" })
    expect(quoted()).toEqual(["99", null, "101", "5"])
  })

  it("takes a quiet book for the venue's own on its word alone, and for none after a trade that it does not show", async () => {
    const { feed, depth, sink, venue } = fed()
    const confirmed = () =>
      new Promise<boolean>((resolve) =>
        feed.confirmBook(
          BTC,
          1_000,
          () => resolve(true),
          () => resolve(false),
        ),
      )
    expect(await confirmed()).toBe(false)
    feed.hold("book", BTC, "test")
    feed.hold("trade", BTC, "test")
    expect(await confirmed()).toBe(false)
    depth(["100.10", "2"], ["100.90", "3"])
    venue.now = 4_000
    expect(feed.bookAge(BTC)).toBe(4_000)
    venue.answers = false
    expect([await confirmed(), feed.bookAge(BTC)]).toEqual([false, 4_000])
    venue.answers = true
    expect([await confirmed(), feed.bookAge(BTC)]).toEqual([true, 0])
    // The stream may be dead on a connection that lives.
    venue.now = 30_001
    expect([await confirmed(), feed.bookAge(BTC)]).toEqual([false, 26_001])
    venue.now = 10_000
    sink().trades([
      { instrumentId: BTC, externalTradeId: "1", price: "99", quantity: "1", side: "SELL", at: venue.now },
    ])
    expect([await confirmed(), feed.bookAge(BTC)]).toEqual([false, 6_000])
    sink().down("book", BTC, "gone")
    expect([await confirmed(), feed.bookAge(BTC)]).toEqual([false, null])
  })

  it("asks a venue once for all who want its word on a quiet book, and again for those after", async () => {
    const { feed, asked, depth, venue } = fed()
    feed.hold("book", BTC, "test")
    depth(["100.10", "2"], ["100.90", "3"])
    venue.now = 4_000
    asked.length = 0
    const all = () =>
      Promise.all(
        Array.from(
          { length: 50 },
          () =>
            new Promise<boolean>((resolve) =>
              feed.confirmBook(
                BTC,
                1_000,
                () => resolve(true),
                () => resolve(false),
              ),
            ),
        ),
      )
    venue.answers = false
    expect((await all()).every((isConfirmed) => !isConfirmed)).toBe(true)
    expect(asked).toEqual([`confirm ${BTC}`])
    venue.answers = true
    expect((await all()).every(Boolean)).toBe(true)
    expect(asked).toEqual([`confirm ${BTC}`, `confirm ${BTC}`])
  })

  it("tells a trigger the first trade of a market that a list left out: it may have been a halt, and the next list is an hour away", () => {
    const { feed, asked, sink, venue } = fed()
    const heard: Array<string> = []
    feed.followers.follow(BTC, { onTrade: (price) => heard.push(price), onDown: () => heard.push("down") })
    feed.hold("trade", BTC, "a subscriber")
    feed.hold("book", BTC, "a subscriber")
    venue.isListed = false
    feed.listingChanged(BTC, new InstrumentDelisted({ instrumentId: BTC }))
    expect(asked).toEqual([`open trade ${BTC}`, `open book ${BTC}`, `close book ${BTC}`])
    sink().trades([{ instrumentId: BTC, externalTradeId: "1", price: "94", quantity: "1", side: "SELL", at: 1 }])
    expect([heard, feed.lastPrice(BTC)]).toEqual([["94"], "94"])
  })

  it("knows no last price of an instrument that was never traded, of which venues tell a zero", () => {
    const { feed, ticker } = fed()
    feed.hold("ticker", BTC, "test")
    for (const zero of ["0", "0.00000000"]) {
      ticker({ lastPrice: zero })
      expect(feed.lastPrice(BTC)).toBeNull()
    }
    ticker({ lastPrice: "0.00000001" })
    expect(feed.lastPrice(BTC)).toBe("0.00000001")
  })

  it("asks each stream once, and takes nothing of what it never asked for", () => {
    const { feed, asked, channels, depth, ticker } = fed()
    depth(["1", "1"], [])
    ticker()
    feed.hold("book", BTC, "a")
    feed.hold("book", BTC, "b")
    feed.hold("book", "KRAKEN:BTC/USDT" as InstrumentId, "a")
    feed.hold("book", "nonsense" as InstrumentId, "a")
    expect(asked).toEqual([`open book ${BTC}`])
    expect(feed.tickers.all()).toEqual([])
    expect(feed.bookPosition(BTC)).toMatchObject({ offset: 0, snapshot: null })
    expect(channels.publications).toEqual([])
    expect(feed.lastUpdateAt(BTC)).toBeNull()
    depth(["1", "1"], [])
    expect(feed.lastUpdateAt(BTC)).toBe(7)
    expect(feed.book(BTC)?.channel).toBe(bookChannel(BTC))
  })
})

describe("a market that its venue calls closed", () => {
  const MINUTE = 60_000

  const closed = () => {
    const fixture = fed()
    const { feed, depth, sink, venue } = fixture
    venue.now = MINUTE
    feed.hold("book", BTC, "test")
    const move = (): void => depth(["100.10", "2"], ["100.90", "3"])
    move()
    expect(feed.bookAge(BTC)).toBe(0)
    feed.marketClosed(BTC)
    const trade = (at = venue.now): void =>
      sink().trades([{ instrumentId: BTC, externalTradeId: `${at}`, price: "100", quantity: "1", side: "BUY", at }])
    return { ...fixture, move, trade }
  }

  it.scoped("has no price however its book moves, is lost, and comes back after everybody let go of it", () =>
    Effect.gen(function* () {
      const { feed, asked, move, sink, venue } = closed()
      const isPriced = () => feed.bookAge(BTC) !== null
      for (let minute = 0; minute < 10; minute++) {
        venue.now += MINUTE
        move()
        expect(isPriced()).toBe(false)
      }
      sink().down("book", BTC, "gone")
      move()
      expect(isPriced()).toBe(false)
      const missed: Array<string> = []
      feed.confirmBook(
        BTC,
        1_000,
        () => missed.push("found"),
        () => missed.push("missed"),
      )
      expect([missed, asked.includes(`confirm ${BTC}`)]).toEqual([["missed"], false])
      yield* Effect.forkScoped(feed.life)
      feed.release("book", BTC, "test")
      venue.now += MINUTE
      yield* TestClock.adjust("1 second")
      expect(asked).toContain(`close book ${BTC}`)
      feed.hold("book", BTC, "test")
      move()
      expect([feed.book(BTC)?.quality, isPriced()]).toEqual(["SYNCED", false])
    }),
  )

  it("is closed although nobody looked at its book", () => {
    const { feed, depth } = fed()
    feed.marketClosed(BTC)
    feed.hold("book", BTC, "test")
    depth(["100.10", "2"], ["100.90", "3"])
    expect(feed.bookAge(BTC)).toBeNull()
  })

  it("trades again by a trade, which is followed for that, and by none of before or on its way", () => {
    const { feed, asked, trade, venue } = closed()
    expect(asked).toContain(`open trade ${BTC}`)
    venue.now += 4_000
    trade()
    venue.now += MINUTE
    trade(MINUTE + 4_999)
    expect(feed.bookAge(BTC)).toBeNull()
    trade(MINUTE + 5_000)
    expect(feed.bookAge(BTC)).toBe(MINUTE + 4_000)
  })

  it("trades again by its venue's word on a question that was asked after the refusal, and is closed by the next refusal", () => {
    const { feed } = closed()
    feed.marketOpen(BTC, MINUTE)
    expect(feed.bookAge(BTC)).toBeNull()
    feed.marketOpen(BTC, MINUTE + 1)
    expect(feed.bookAge(BTC)).toBe(0)
    feed.marketClosed(BTC)
    expect(feed.bookAge(BTC)).toBeNull()
  })
})

describe("a read at a venue that is known to be down", () => {
  const outage = new VenueUnavailable({ reason: "VENUE_NETWORK" })
  const reading = (feed: MarketFeed) => {
    const answers: Array<unknown> = []
    feed.readBook(
      BTC,
      5_000,
      (book) => answers.push(book.quality),
      (reason) => answers.push(reason ?? "too late"),
    )
    return answers
  }

  it("is answered in the turn in which it comes, and opens the feed, which learns when the venue is back", () => {
    const { feed, venue, asked, depth } = fed()
    venue.outage = outage
    expect(reading(feed)).toEqual([outage])
    expect(asked).toEqual([`open book ${BTC}`])
    venue.outage = undefined
    depth(["100", "1"], ["101", "1"])
    expect(reading(feed)).toEqual(["SYNCED"])
  })

  it("serves what is known all the same", () => {
    const { feed, venue, depth } = fed()
    feed.hold("book", BTC, "reader")
    depth(["100", "1"], ["101", "1"])
    venue.outage = outage
    expect(reading(feed)).toEqual(["SYNCED"])
  })

  it.effect("ends at the next second where the attempt that it caused has failed", () =>
    Effect.gen(function* () {
      const { feed, venue } = fed()
      const life = yield* Effect.fork(feed.life)
      const answers = reading(feed)
      yield* TestClock.adjust(1_000)
      expect(answers).toEqual([])
      venue.outage = outage
      yield* TestClock.adjust(1_000)
      expect(answers).toEqual([outage])
      yield* Fiber.interrupt(life)
    }),
  )
})
