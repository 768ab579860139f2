/** Market data of all venues: one feed per venue, made at the first use, and the sources of its channels. */
import { Effect, Layer } from "effect"
import {
  bookChannel,
  type Channel,
  type ChannelKind,
  klineChannel,
  parseChannel,
  tickerChannel,
  tradeChannel,
} from "../../domain/channel.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InstrumentNotFound, OrderBookUnavailable, TickerUnavailable } from "../../domain/errors/market.ts"
import { VenueInactive } from "../../domain/errors/venue.ts"
import type { InstrumentId, VenueId } from "../../domain/ids.ts"
import { invalidInstrumentId, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import { invalidVenue } from "../../domain/instrument/venue.ts"
import { KLINE_INTERVALS, type KlineRecord } from "../../domain/market/kline.ts"
import type { Reply } from "../../domain/reply.ts"
import { makeFork } from "../../kernel/fork.ts"
import { ChannelPort, type ChannelSource, type StreamPosition } from "../../ports/channel-port.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { type KlineAsk, klineStream, type MarketStream } from "../../ports/market-source.ts"
import { VenuePort } from "../../ports/venue-port.ts"
import { MarketFeed } from "./feed.ts"
import { InstrumentDirectory } from "./instrument-directory.ts"
import { KlineHistory } from "./klines/history.ts"
import { type KlineRange, Markets } from "./messages.ts"
import { type Outage, outageOf, RETRY_MILLIS } from "./outage.ts"
import { WarmFeeds } from "./streams.ts"

/** How long a read waits for the first state of a feed that was closed (contract C14a). */
const READ_WAIT_MILLIS = 5000
/** A venue that has not answered by then has not confirmed what is wanted now. */
const CONFIRM_WAIT_MILLIS = 1_000
/** A venue-wide ticker channel opens at most so many of a venue's tickers itself; others are included while they have other holders. */
export const VENUE_TICKERS_MAX = 200
const NOWHERE: StreamPosition = { epoch: "", offset: 0, snapshot: null }

export interface MarketOptions {
  /** How many feeds at most stay open for an hour after a client read them (`streams.ts`). */
  readonly warmFeeds: number
}

const make = ({ warmFeeds }: MarketOptions) =>
  Effect.gen(function* () {
    const venues = yield* VenuePort
    const channels = yield* ChannelPort
    const clock = yield* Clock
    const ids = yield* Ids
    const directory = yield* InstrumentDirectory
    const fork = yield* makeFork
    const feeds = new Map<VenueId, MarketFeed>()
    const history = new KlineHistory(clock.now, fork)
    const warm = new WarmFeeds(warmFeeds)
    const outage = outageOf(venues, clock.now)

    const feedOf = (venue: VenueId): MarketFeed => {
      const known = feeds.get(venue)
      if (known !== undefined) return known
      const feed = new MarketFeed({
        venue,
        connect: (sink) => venues.market(venue, sink),
        history: (ask) => venues.klines(venue, ask),
        channels,
        tenantOf: directory.tenantOf,
        isListed: (instrumentId) => directory.delistingFault(instrumentId) === undefined,
        warm,
        outage: () => outage(venue),
        clock,
        ids,
        fork,
      })
      feeds.set(venue, feed)
      fork(feed.life)
      return feed
    }

    /** The feed of an instrument that may be followed, listed or not, or why it may not. */
    const reach = (instrumentId: InstrumentId): MarketFeed | DomainError => {
      const name = parseInstrumentId(instrumentId)
      if (name === undefined) return invalidInstrumentId(instrumentId)
      const venue = venues.find(name.venue)
      if (venue === undefined) return invalidVenue(name.venue)
      if (venue.status !== "ACTIVE") return new VenueInactive()
      if (directory.knows(name.venue) && !directory.has(instrumentId)) return new InstrumentNotFound({ instrumentId })
      return feedOf(name.venue)
    }

    /** As `reach`, to read what is there now. */
    const reachToRead = (instrumentId: InstrumentId): MarketFeed | DomainError =>
      directory.delistingFault(instrumentId) ?? reach(instrumentId)

    const listen = (instrumentId: InstrumentId, stream: MarketStream, holder: string): MarketFeed | undefined => {
      const feed = reach(instrumentId)
      if (!(feed instanceof MarketFeed)) return undefined
      feed.hold(stream, instrumentId, holder)
      return feed
    }

    /** A channel source for one kind; names of other kinds, which the hub never sends, do nothing. */
    const source = <const K extends ChannelKind>(
      kind: K,
      parts: {
        readonly opened: (channel: Extract<Channel, { kind: K }>) => void
        readonly closed: (channel: Extract<Channel, { kind: K }>) => void
        readonly position: (channel: Extract<Channel, { kind: K }>) => StreamPosition | undefined
      },
    ): void => {
      const named = (name: string): Extract<Channel, { kind: K }> | undefined => {
        const channel = parseChannel(name)
        return channel?.kind === kind ? (channel as Extract<Channel, { kind: K }>) : undefined
      }
      const attached: ChannelSource = {
        opened: (name) => {
          const channel = named(name)
          if (channel !== undefined) parts.opened(channel)
        },
        closed: (name) => {
          const channel = named(name)
          if (channel !== undefined) parts.closed(channel)
        },
        position: (name) => {
          const channel = named(name)
          return (channel === undefined ? undefined : parts.position(channel)) ?? NOWHERE
        },
      }
      channels.attach(kind, attached)
    }

    source("orderbook", {
      opened: ({ instrumentId, name }) => listen(instrumentId, "book", name)?.bookOpened(instrumentId),
      closed: ({ venue, instrumentId, name }) => feeds.get(venue)?.release("book", instrumentId, name),
      position: ({ venue, instrumentId }) => feeds.get(venue)?.bookPosition(instrumentId),
    })
    source("trade", {
      opened: ({ instrumentId, name }) => listen(instrumentId, "trade", name)?.tradeOpened(instrumentId),
      closed: ({ venue, instrumentId, name }) => feeds.get(venue)?.release("trade", instrumentId, name),
      position: ({ venue, instrumentId }) => feeds.get(venue)?.tradePosition(instrumentId),
    })
    source("ticker", {
      opened: ({ instrumentId, name }) => listen(instrumentId, "ticker", name)?.tickers.opened(instrumentId),
      closed: ({ venue, instrumentId, name }) => feeds.get(venue)?.release("ticker", instrumentId, name),
      position: ({ venue, instrumentId }) => feeds.get(venue)?.tickers.position(instrumentId),
    })
    const listed = new Map<string, ReadonlyArray<InstrumentId>>()
    source("venueTicker", {
      opened: ({ venue, tenantId, name }) => {
        const chosen = directory
          .ofVenue(venue, tenantId)
          .filter((instrument) => instrument.status === "ACTIVE")
          .slice(0, VENUE_TICKERS_MAX)
          .map((instrument) => instrument.instrumentId)
        listed.set(name, chosen)
        for (const instrumentId of chosen) listen(instrumentId, "ticker", name)
      },
      closed: ({ venue, name }) => {
        for (const instrumentId of listed.get(name) ?? []) feeds.get(venue)?.release("ticker", instrumentId, name)
        listed.delete(name)
      },
      position: ({ venue, tenantId }) => feeds.get(venue)?.tickers.venuePosition(tenantId),
    })

    source("kline", {
      opened: ({ instrumentId, interval, name }) =>
        listen(instrumentId, klineStream(interval), name)?.klines.opened(instrumentId, interval),
      closed: ({ venue, instrumentId, interval, name }) =>
        feeds.get(venue)?.release(klineStream(interval), instrumentId, name),
      position: ({ venue, instrumentId, interval }) => feeds.get(venue)?.klines.position(instrumentId, interval),
    })

    const readHistory = (
      feed: MarketFeed | DomainError,
      read: KlineRange & { readonly instrumentId: InstrumentId },
      reply: Reply<KlineRecord, DomainError>,
      fault: Outage,
    ): void => {
      if (!(feed instanceof MarketFeed)) return reply.fail(feed)
      const name = parseInstrumentId(read.instrumentId)
      if (name === undefined) return reply.fail(invalidInstrumentId(read.instrumentId))
      const source = {
        clock: feed.clock,
        history: (ask: KlineAsk) => fault(name.venue) ?? venues.klines(name.venue, ask),
      }
      history.read({ ...read, name }, source, reply)
    }

    const feedOfInstrument = (instrumentId: InstrumentId): MarketFeed | undefined => {
      const name = parseInstrumentId(instrumentId)
      return name === undefined ? undefined : feeds.get(name.venue)
    }

    return Markets.of({
      readBook: (instrumentId, depth, reply) => {
        const feed = reachToRead(instrumentId)
        if (!(feed instanceof MarketFeed)) return reply.fail(feed)
        feed.readBook(
          instrumentId,
          READ_WAIT_MILLIS,
          (book) => reply.ok(book.snapshotJson(depth)),
          (reason) => reply.fail(reason ?? new OrderBookUnavailable({ instrumentId })),
        )
      },
      readTicker: (instrumentId, reply) => {
        const feed = reachToRead(instrumentId)
        if (!(feed instanceof MarketFeed)) return reply.fail(feed)
        feed.readTicker(instrumentId, READ_WAIT_MILLIS, reply.ok, (reason) =>
          reply.fail(reason ?? new TickerUnavailable({ instrumentId })),
        )
      },
      readKlines: (instrumentId, range, reply) =>
        readHistory(reachToRead(instrumentId), { instrumentId, ...range }, reply, (venue) =>
          outage(venue, RETRY_MILLIS),
        ),
      lookBack: (instrumentId, range, reply) =>
        readHistory(reach(instrumentId), { instrumentId, ...range }, reply, () => undefined),
      tickers: (viewer) =>
        [...feeds.values()]
          .flatMap((feed) => feed.tickers.all())
          .filter(({ instrumentId }) => !directory.hides(instrumentId, viewer))
          .sort((a, b) => (a.instrumentId < b.instrumentId ? -1 : a.instrumentId > b.instrumentId ? 1 : 0)),
      topOfBook: (instrumentId, side, rows) =>
        feedOfInstrument(instrumentId)?.book(instrumentId)?.top(side, rows) ?? [],
      levels: (instrumentId, side) => feedOfInstrument(instrumentId)?.book(instrumentId)?.levels(side) ?? [],
      isWhole: (instrumentId, side) => feedOfInstrument(instrumentId)?.book(instrumentId)?.isWhole(side) ?? true,
      lastPrice: (instrumentId) => feedOfInstrument(instrumentId)?.lastPrice(instrumentId) ?? null,
      hold: (instrumentId, key) => {
        listen(instrumentId, "book", `subscription ${key}`)
      },
      release: (instrumentId, key) => {
        feedOfInstrument(instrumentId)?.release("book", instrumentId, `subscription ${key}`)
      },
      follow: (instrumentId, listener) => {
        const feed = reach(instrumentId)
        if (feed instanceof MarketFeed) return feed.followers.follow(instrumentId, listener)
        listener.onHealth?.(false)
        return () => undefined
      },
      lastUpdateAt: (instrumentId) => feedOfInstrument(instrumentId)?.lastUpdateAt(instrumentId) ?? null,
      confirmBook: (instrumentId, reply) => {
        const missed = (): void => reply.fail(new OrderBookUnavailable({ instrumentId }))
        const feed = feedOfInstrument(instrumentId)
        if (feed === undefined) missed()
        else feed.confirmBook(instrumentId, CONFIRM_WAIT_MILLIS, () => reply.ok(undefined), missed)
      },
      bookAge: (instrumentId) => feedOfInstrument(instrumentId)?.bookAge(instrumentId) ?? null,
      // Kept whether or not its book has readers now.
      marketClosed: (instrumentId) => {
        const feed = reach(instrumentId)
        if (feed instanceof MarketFeed) feed.marketClosed(instrumentId)
      },
      marketOpen: (instrumentId, askedAt) => feedOfInstrument(instrumentId)?.marketOpen(instrumentId, askedAt),
      listingChanged: (instrumentId) => {
        const fault = directory.delistingFault(instrumentId)
        if (fault !== undefined) for (const channel of channelsOf(instrumentId)) channels.terminate(channel, "delisted")
        feedOfInstrument(instrumentId)?.listingChanged(instrumentId, fault)
      },
      stats: () => [...feeds].map(([venue, feed]) => ({ venue, ...feed.stats() })),
    })
  })

/** Each channel that is of this instrument alone. */
const channelsOf = (instrumentId: InstrumentId): ReadonlyArray<string> => [
  bookChannel(instrumentId),
  tickerChannel(instrumentId),
  tradeChannel(instrumentId),
  ...KLINE_INTERVALS.map((interval) => klineChannel(instrumentId, interval)),
]

/** Attaches the sources of the orderbook, ticker, venueTicker, trade and kline channels, and ends every feed with its scope. */
export const marketsLayer = (
  options: MarketOptions,
): Layer.Layer<Markets, never, VenuePort | ChannelPort | Clock | Ids | InstrumentDirectory> =>
  Layer.scoped(Markets, make(options))
