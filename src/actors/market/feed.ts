/**
 * One venue's market data: the sink of its public feed; a stream opens with the first holder and closes 30 s after the last. Updates are plain
 * calls; timed work (closing, resync, silence) is one fiber, which sleeps while nothing is open.
 */
import { type Context, Effect, Exit } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import type { InstrumentName } from "../../domain/instrument/instrument.ts"
import type { KlineInterval } from "../../domain/market/kline.ts"
import type { TickerRecord } from "../../domain/market/market.ts"
import { keptLoop } from "../../kernel/loop.ts"
import type { ChannelPort, StreamPosition } from "../../ports/channel-port.ts"
import type { Clock } from "../../ports/clock.ts"
import type { Ids } from "../../ports/ids.ts"
import {
  type DepthUpdate,
  intervalOf,
  type MarketSink,
  type MarketSource,
  type MarketStream,
  type MarketTrade,
  type TickerUpdate,
} from "../../ports/market-source.ts"
import { MarketFollowers } from "./followers.ts"
import { KlineBoard, type KlineHistorySource } from "./klines/board.ts"
import { BookFeed, BookPublisher, giveUp, type Waiter, wake } from "./order-book.ts"
import { ClosedMarkets } from "./outage.ts"
import { MarketStreams, type OpenStream, type WarmFeeds } from "./streams.ts"
import { TickerBoard } from "./ticker-board.ts"
import { TradeTape } from "./trade-tape.ts"
import { VenueClock } from "./venue-clock.ts"

const SENTINEL_MILLIS = 1000

/** Who waits for a venue's word on a book. */
interface Confirming {
  readonly found: () => void
  readonly missed: () => void
}

interface OpenTicker {
  readonly name: InstrumentName
  /** Called once at the first ticker. */
  readonly waiting: Set<Waiter>
}

export interface MarketFeedParts {
  readonly venue: VenueId
  readonly connect: (sink: MarketSink) => MarketSource
  readonly history: KlineHistorySource
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  /** Whose market it is; null: one that all tenants share. */
  readonly tenantOf: (instrumentId: InstrumentId) => TenantId | null
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly ids: Context.Tag.Service<typeof Ids>
  readonly isListed: (instrumentId: InstrumentId) => boolean
  readonly warm: WarmFeeds
  /** Why nothing comes of the venue now, if that is known. */
  readonly outage: () => DomainError | undefined
  /** Runs an Effect in the scope of the market data. */
  readonly fork: (effect: Effect.Effect<void>) => void
}

export class MarketFeed {
  readonly tickers: TickerBoard
  readonly klines: KlineBoard
  readonly clock: VenueClock
  readonly followers: MarketFollowers
  readonly #parts: MarketFeedParts
  readonly #source: MarketSource
  readonly #streams: MarketStreams
  readonly #books = new Map<InstrumentId, BookFeed>()
  /** Books whose venue is asked whether they are still its own, and who waits for its word. */
  readonly #confirming = new Map<InstrumentId, Array<Confirming>>()
  readonly #tickers = new Map<InstrumentId, OpenTicker>()
  readonly #trades = new Map<InstrumentId, TradeTape>()
  readonly #lastUpdateAt = new Map<InstrumentId, number>()
  readonly #closedMarkets: ClosedMarkets
  readonly #isBusy = Effect.unsafeMakeLatch(false)

  constructor(parts: MarketFeedParts) {
    this.#parts = parts
    this.tickers = new TickerBoard({
      venue: parts.venue,
      channels: parts.channels,
      tenantOf: parts.tenantOf,
      clock: parts.clock,
      after: (millis, run) => this.#after(millis, run),
      newEpoch: () => this.#newEpoch(),
    })
    this.clock = new VenueClock(parts.clock.now)
    this.klines = new KlineBoard({
      channels: parts.channels,
      clock: parts.clock,
      venueClock: this.clock,
      newEpoch: () => this.#newEpoch(),
      after: (millis, run) => this.#after(millis, run),
      history: parts.history,
      fork: parts.fork,
      holdTrades: (instrumentId, holder) => this.hold("trade", instrumentId, holder),
      releaseTrades: (instrumentId, holder) => this.release("trade", instrumentId, holder),
    })
    this.#streams = new MarketStreams({
      venue: parts.venue,
      monotonic: parts.clock.monotonic,
      isListed: parts.isListed,
      warm: parts.warm,
      opened: (it) => this.#opened(it),
      closed: (it) => this.#closed(it),
    })
    this.followers = new MarketFollowers({
      ...parts.clock,
      hold: (stream, instrumentId, holder) => this.#streams.insist(stream, instrumentId, holder),
      release: (stream, instrumentId, holder) => this.release(stream, instrumentId, holder),
      lastTrade: (instrumentId) => this.#trades.get(instrumentId)?.last ?? null,
      best: (instrumentId) => this.#best(instrumentId),
    })
    this.#closedMarkets = new ClosedMarkets({
      now: parts.clock.now,
      hold: (instrumentId, holder) => this.hold("trade", instrumentId, holder),
      release: (instrumentId, holder) => this.release("trade", instrumentId, holder),
    })
    this.#source = parts.connect({
      depth: (update) => this.#onDepth(update),
      trades: (trades) => this.#onTrades(trades),
      tradesMissed: (instrumentId) => this.#onTradesMissed(instrumentId),
      ticker: (update) => this.#onTicker(update),
      kline: (update) => this.klines.onUpdate(update),
      unstreamed: (stream, instrumentId) =>
        this.#withInterval(stream, (it) => this.klines.onUnstreamed(instrumentId, it)),
      down: (stream, instrumentId, reason) => this.#onDown(stream, instrumentId, reason),
    })
  }

  /** The feed's life: ends with the scope that runs it. */
  get life(): Effect.Effect<never> {
    return keptLoop({
      name: `market of ${this.#parts.venue}`,
      awaits: Effect.zipRight(this.#isBusy.await, Effect.sleep(SENTINEL_MILLIS)),
      round: Effect.sync(() => this.#watch()),
    })
  }

  /** Keeps a stream open for `holder`, opening it if need be; nothing happens for a name that is no instrument. */
  hold(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    this.#streams.hold(stream, instrumentId, holder)
  }

  /** Lets go: the stream closes 30 s after its last holder did. */
  release(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    this.#streams.release(stream, instrumentId, holder)
  }

  /** A subscriber comes to a channel without any. */
  bookOpened(instrumentId: InstrumentId): void {
    this.#books.get(instrumentId)?.actor.opened()
  }

  tradeOpened(instrumentId: InstrumentId): void {
    this.#trades.get(instrumentId)?.opened()
  }

  bookPosition(instrumentId: InstrumentId): StreamPosition | undefined {
    return this.#books.get(instrumentId)?.actor.position()
  }

  tradePosition(instrumentId: InstrumentId): StreamPosition | undefined {
    return this.#trades.get(instrumentId)?.position()
  }

  book(instrumentId: InstrumentId): BookPublisher | undefined {
    return this.#books.get(instrumentId)?.actor
  }

  /** Of the newest trade, as decimal text; null while neither trades nor a ticker are open, and before the first trade there is. */
  lastPrice(instrumentId: InstrumentId): string | null {
    const traded = this.#trades.get(instrumentId)?.last?.price
    if (traded !== undefined) return traded
    const told = this.tickers.find(instrumentId)?.lastPrice ?? null
    // Of an instrument that was never traded venues tell a zero.
    return told !== null && Decimal.fromVenue(told)?.isPositive() === true ? told : null
  }

  lastUpdateAt(instrumentId: InstrumentId): number | null {
    return this.#lastUpdateAt.get(instrumentId) ?? null
  }

  bookAge(instrumentId: InstrumentId): number | null {
    return this.#closedMarkets.has(instrumentId) ? null : (this.#books.get(instrumentId)?.age ?? null)
  }

  marketClosed(instrumentId: InstrumentId): void {
    this.#closedMarkets.closed(instrumentId)
    if (this.#books.has(instrumentId)) this.#closedMarkets.bookOpened(instrumentId)
  }

  marketOpen(instrumentId: InstrumentId, askedAt: number): void {
    this.#closedMarkets.open(instrumentId, askedAt)
  }

  stats(): { readonly books: number; readonly stale: number; readonly lostMillis: number; readonly warm: number } {
    let stale = 0
    let lostMillis = 0
    for (const book of this.#books.values()) {
      if (book.actor.quality === "STALE") stale++
      lostMillis = Math.max(lostMillis, book.lostMillis)
    }
    return { books: this.#books.size, stale, lostMillis, warm: this.#streams.warmCount }
  }

  /** The venue lists the instrument, or lists it no more: then who waits for it is told `fault`, and its channels are for others to end. */
  listingChanged(instrumentId: InstrumentId, fault: DomainError | undefined): void {
    if (fault !== undefined) {
      giveUp(this.#books.get(instrumentId)?.waiting, fault)
      giveUp(this.#tickers.get(instrumentId)?.waiting, fault)
    }
    this.#streams.listingChanged(instrumentId)
  }

  /**
   * Opens the book if need be, for at least 30 s, and hands it over once it is SYNCED; `missed` after a time without, at once where the venue
   * is known to be down: what is opened learns when it is back.
   */
  readBook(
    instrumentId: InstrumentId,
    waitMillis: number,
    found: (book: BookPublisher) => void,
    missed: Waiter["missed"],
  ): void {
    const feed = this.#streams.touch("book", instrumentId) ? this.#books.get(instrumentId) : undefined
    if (feed === undefined) {
      missed()
      return
    }
    const { actor, waiting } = feed
    if (actor.quality === "SYNCED") found(actor)
    else this.#await(waiting, waitMillis, { found: () => found(actor), missed })
  }

  /**
   * Asks the venue whether an open book is still its own; `missed` where it does not say so, or what is open is another book by then. One
   * question for all who ask meanwhile, whose patience is the first one's.
   */
  confirmBook(instrumentId: InstrumentId, waitMillis: number, found: () => void, missed: () => void): void {
    const feed = this.#books.get(instrumentId)
    if (feed?.actor.quality !== "SYNCED" || this.#closedMarkets.has(instrumentId)) {
      missed()
      return
    }
    const waiting = this.#confirming.get(instrumentId)
    if (waiting !== undefined) {
      waiting.push({ found, missed })
      return
    }
    this.#confirming.set(instrumentId, [{ found, missed }])
    const asked = this.#source
      .confirm(instrumentId)
      .pipe(Effect.timeoutTo({ duration: waitMillis, onSuccess: (it) => it, onTimeout: () => false }))
    const answered = (isConfirmed: boolean): void => {
      const all = this.#confirming.get(instrumentId) ?? []
      this.#confirming.delete(instrumentId)
      const isFound = isConfirmed && this.#books.get(instrumentId) === feed && feed.onConfirmed()
      for (const one of all) (isFound ? one.found : one.missed)()
    }
    // However it ends: a caller that asks later would wait for it.
    this.#parts.fork(Effect.onExit(asked, (exit) => Effect.sync(() => answered(Exit.isSuccess(exit) && exit.value))))
  }

  /** As `readBook`, for the first ticker. */
  readTicker(
    instrumentId: InstrumentId,
    waitMillis: number,
    found: (ticker: TickerRecord) => void,
    missed: Waiter["missed"],
  ): void {
    const ticker = this.#streams.touch("ticker", instrumentId) ? this.#tickers.get(instrumentId) : undefined
    if (ticker === undefined) {
      missed()
      return
    }
    const answer = () => {
      const known = this.tickers.find(instrumentId)
      if (known === undefined) return false
      found(known)
      return true
    }
    if (!answer()) this.#await(ticker.waiting, waitMillis, { found: answer, missed })
  }

  #opened({ stream, instrumentId, name }: OpenStream): void {
    if (stream === "book") {
      this.#books.set(instrumentId, this.#newBook(instrumentId, name))
      this.#closedMarkets.bookOpened(instrumentId)
    } else if (stream === "ticker") this.#tickers.set(instrumentId, { name, waiting: new Set() })
    else if (stream === "trade") {
      const { channels } = this.#parts
      this.#trades.set(instrumentId, new TradeTape({ instrumentId, name, channels, newEpoch: () => this.#newEpoch() }))
    } else this.#withInterval(stream, (interval) => this.klines.open(instrumentId, name, interval))
    this.#isBusy.unsafeOpen()
    this.#source.open(stream, instrumentId)
  }

  #closed({ stream, instrumentId }: OpenStream): void {
    if (stream === "book") {
      this.#books.delete(instrumentId)
      this.#closedMarkets.bookClosed(instrumentId)
    } else if (stream === "trade") {
      this.#onTradesDown(instrumentId)
      this.#trades.delete(instrumentId)
    } else if (stream === "ticker") {
      this.#tickers.delete(instrumentId)
      this.tickers.remove(instrumentId)
    } else this.#withInterval(stream, (interval) => this.klines.close(instrumentId, interval))
    this.#source.close(stream, instrumentId)
  }

  #newBook(instrumentId: InstrumentId, name: InstrumentName): BookFeed {
    const { channels, clock } = this.#parts
    const feed: BookFeed = new BookFeed({
      actor: new BookPublisher({ instrumentId, name, channels, newEpoch: () => this.#newEpoch() }),
      monotonic: clock.monotonic,
      after: (millis, run) => this.#after(millis, run),
      askForSnapshot: (reason) => {
        if (this.#books.get(instrumentId) === feed) this.#source.resync(instrumentId, reason)
      },
    })
    return feed
  }

  #best(instrumentId: InstrumentId) {
    const book = this.#books.get(instrumentId)?.actor
    if (book?.quality !== "SYNCED") return undefined
    return { bid: book.top("bids", 1)[0]?.[0] ?? null, ask: book.top("asks", 1)[0]?.[0] ?? null }
  }

  #withInterval(stream: MarketStream, run: (interval: KlineInterval) => void): void {
    const interval = intervalOf(stream)
    if (interval !== undefined) run(interval)
  }

  #onDepth(update: DepthUpdate): void {
    const feed = this.#books.get(update.instrumentId)
    if (feed?.onDepth(update) !== true) return
    this.#lastUpdateAt.set(update.instrumentId, feed.actor.timestamp)
    if (feed.waiting.size > 0) wake(feed.waiting)
    this.followers.onBook(update.instrumentId)
  }

  #onDown(stream: MarketStream, instrumentId: InstrumentId, reason: string): void {
    if (stream === "book") this.#books.get(instrumentId)?.onDown(reason)
    else if (stream === "trade") this.#onTradesDown(instrumentId)
    else if (stream === "ticker") this.tickers.lost(instrumentId)
    else this.#withInterval(stream, (interval) => this.klines.onDown(instrumentId, interval))
  }

  #onTradesDown(instrumentId: InstrumentId): void {
    const tape = this.#trades.get(instrumentId)
    if (tape !== undefined) tape.last = null
    this.klines.onTradesDown(instrumentId)
    this.followers.onTradesDown(instrumentId)
  }

  #onTradesMissed(instrumentId: InstrumentId): void {
    this.#trades.get(instrumentId)?.broke()
    this.#onTradesDown(instrumentId)
  }

  #onTrades(trades: ReadonlyArray<MarketTrade>): void {
    for (const trade of trades) {
      // Orders that wait for a price come first.
      this.followers.onTrade(trade)
      this.#closedMarkets.onTrade(trade)
      this.#trades.get(trade.instrumentId)?.publish(trade)
      this.#books.get(trade.instrumentId)?.onTrade()
    }
    this.klines.onTrades(trades)
  }

  #onTicker(update: TickerUpdate): void {
    const ticker = this.#tickers.get(update.instrumentId)
    if (ticker === undefined) return
    const book = this.#books.get(update.instrumentId)?.actor
    const bid = update.bidPrice === null ? book?.top("bids", 1)[0] : undefined
    const ask = update.askPrice === null ? book?.top("asks", 1)[0] : undefined
    this.tickers.update(update.instrumentId, {
      instrumentId: update.instrumentId,
      venue: this.#parts.venue,
      symbol: ticker.name.symbol,
      lastPrice: update.lastPrice,
      lastQuantity: update.lastQuantity,
      bidPrice: update.bidPrice ?? bid?.[0] ?? null,
      bidQuantity: update.bidPrice === null ? (bid?.[1] ?? null) : update.bidQuantity,
      askPrice: update.askPrice ?? ask?.[0] ?? null,
      askQuantity: update.askPrice === null ? (ask?.[1] ?? null) : update.askQuantity,
      timestamp: update.at,
    })
    if (ticker.waiting.size > 0) wake(ticker.waiting)
  }

  /** Once a second while anything is open: closes streams without holders and marks stale books. */
  #watch(): void {
    const now = this.#parts.clock.monotonic()
    this.#streams.sweep(now)
    for (const feed of this.#books.values()) feed.watch(now)
    this.followers.watch(now)
    this.#giveUpInOutage()
    if (this.#streams.isEmpty) this.#isBusy.unsafeClose()
  }

  #await(waiting: Set<Waiter>, waitMillis: number, waiter: Waiter): void {
    const outage = this.#parts.outage()
    if (outage !== undefined) {
      waiter.missed(outage)
      return
    }
    waiting.add(waiter)
    this.#after(waitMillis, () => {
      if (waiting.delete(waiter)) waiter.missed()
    })
  }

  /** The attempt that a read caused has failed meanwhile: its callers need not wait for the timeout. */
  #giveUpInOutage(): void {
    const all = [...this.#books.values(), ...this.#tickers.values()].filter(({ waiting }) => waiting.size > 0)
    const outage = all.length === 0 ? undefined : this.#parts.outage()
    if (outage !== undefined) for (const { waiting } of all) giveUp(waiting, outage)
  }

  #after(millis: number, run: () => void): void {
    const pause = millis > 0 ? Effect.sleep(millis) : Effect.yieldNow()
    this.#parts.fork(Effect.zipRight(pause, Effect.sync(run)))
  }

  #newEpoch(): string {
    return this.#parts.ids.uuid().slice(-12)
  }
}
