/**
 * The public side of a worker: order books, trades and tickers on one instance. Every stream is a loop around ccxt's watch call,
 * which dials, subscribes and checks; the loop only hears that it failed. Books, trades and bars come from the taps, not from the loop.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../domain/ids.ts"
import { parseInstrumentId } from "../../domain/instrument.ts"
import type { KlineInterval } from "../../domain/kline.ts"
import { intervalOf, klineStream, type MarketStream } from "../../ports/venue-port.ts"
import type { ConnectorSettings, FailureCategory } from "../wire.ts"
import { askSnapshots } from "./asked-snapshot.ts"
import { backoffMillis } from "./backoff.ts"
import { quoteFrames } from "./bare-numbers.ts"
import { type BookChange, BookTap } from "./book-tap.ts"
import type { CcxtExchange, CcxtOrderBook, CcxtSocket, CcxtTicker, CcxtTrade } from "./ccxt.ts"
import { Digits } from "./digits.ts"
import { endSockets } from "./end-sockets.ts"
import { classify, LOST_PLACE } from "./errors.ts"
import { KlineStreams, type SeenBar } from "./kline-streams.ts"
import { tickerRow, tradeRows } from "./market-rows.ts"
import type { Markets } from "./markets.ts"
import type { Outbox } from "./outbox.ts"
import { type Quirks, quirksOf } from "./quirks.ts"
import { SequenceGuard } from "./sequence-guard.ts"
import { batchSubscriptions } from "./subscribe-batches.ts"
import { SubscriptionAnswers } from "./subscription-answers.ts"
import { TradeIds } from "./trade-ids.ts"
import { TradeTap } from "./trade-tap.ts"

/**
 * A book that has no snapshot after this long is begun again: a subscription can be lost without a word. Not while snapshots come, or
 * wait for the venue's budget: one book of hundreds that are opened together has its turn after minutes.
 */
const SNAPSHOT_WITHIN_MILLIS = 20_000
/** A gap is answered at once, but not for ever. */
const GAPS_AT_ONCE = 3

/** A venue that limits bans those who go on asking; one that does not know a market will not know it in a moment. */
const PAUSES_MILLIS: Partial<Record<FailureCategory, number>> = { RATE_LIMITED: 15_000, INSTRUMENT_NOT_FOUND: 60_000 }

/** Between two questions for a ticker, where the venue has no stream of it. */
const TICKER_POLL_MILLIS = 5000

interface Feed {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  /** `BASE/QUOTE`; ccxt may know it by a longer one. */
  readonly name: string
  readonly tradeIds: TradeIds
  open: boolean
  /** A book that has its snapshot; any other stream that has brought something. */
  live: boolean
  /** Its end was asked for; what ccxt still resolves is of before. */
  ending: boolean
  failures: number
}

/** What ccxt says to an interval that its stream of the venue does not have. */
const REFUSALS: ReadonlySet<string> = new Set(["NOT_SUPPORTED", "INVALID_ARGUMENT"])

const keyOf = (stream: MarketStream, name: string): string => `${stream} ${name}`

export class PublicFeed {
  readonly #settings: ConnectorSettings
  readonly #exchange: CcxtExchange
  readonly #markets: Markets
  readonly #outbox: Outbox
  readonly #quirks: Quirks
  readonly #guard: SequenceGuard
  readonly #answers: SubscriptionAnswers | undefined
  readonly digits = new Digits()
  readonly #klines: KlineStreams
  /** By stream and name. */
  readonly #feeds = new Map<string, Feed>()
  readonly #isQueueing: () => boolean
  #receivedAt = 0
  #snapshotAt = 0

  /** `isQueueing`: requests for market data wait for the venue's budget. */
  constructor(
    settings: ConnectorSettings,
    exchange: CcxtExchange,
    markets: Markets,
    outbox: Outbox,
    isQueueing: () => boolean = () => false,
  ) {
    this.#isQueueing = isQueueing
    this.#settings = settings
    this.#exchange = exchange
    this.#markets = markets
    this.#outbox = outbox
    this.#quirks = quirksOf(settings.profile)
    this.#guard = new SequenceGuard(exchange.id)
    this.#klines = new KlineStreams(exchange, this.digits, (symbol, interval, bars) =>
      this.#onBars(symbol, interval, bars),
    )
    const books = new BookTap(this.digits, (change) => this.#onChange(change))
    const trades = new TradeTap((symbol, seen) => this.#onTrades(symbol, seen))
    this.digits.install(exchange)
    books.install(exchange)
    trades.install(exchange)
    this.#klines.install()
    if (settings.profile.bareNumbers) quoteFrames(exchange)
    if (settings.profile.batchesSubscriptions === true) batchSubscriptions(exchange)
    const { streamNews } = this.#quirks
    if (streamNews !== undefined) this.#answers = new SubscriptionAnswers(exchange, streamNews)
    // ccxt binds the handler when it makes a socket: this must stand before the first one.
    const handle = exchange.handleMessage.bind(exchange)
    exchange.handleMessage = (socket, message) => {
      if (!this.#isFit(socket, message)) return undefined
      this.#receivedAt = Date.now()
      books.frameStarts()
      trades.frameStarts()
      this.#klines.frameStarts(message)
      this.digits.frameStarts()
      try {
        return handle(socket, message)
      } finally {
        books.frameEnds()
        trades.frameEnds()
        this.#klines.frameEnds()
        this.digits.frameEnds()
      }
    }
  }

  open(stream: MarketStream, instrumentId: InstrumentId): void {
    const name = parseInstrumentId(instrumentId)?.symbol
    if (name === undefined || this.#feeds.has(keyOf(stream, name))) return
    const feed: Feed = {
      stream,
      instrumentId,
      name,
      tradeIds: new TradeIds(),
      open: true,
      live: false,
      ending: false,
      failures: 0,
    }
    this.#feeds.set(keyOf(stream, name), feed)
    void this.#run(feed)
    if (stream !== "book" || !this.#settings.profile.snapshotsAsked) return
    void askSnapshots({
      exchange: this.#exchange,
      symbol: () => this.#symbolOf(feed),
      isOpen: () => feed.open,
      isWhole: () => feed.live,
      failed: (failure) =>
        this.#outbox.push({ _tag: "Noticed", what: `snapshot of ${name}: ${classify(failure).text}` }),
    })
  }

  close(stream: MarketStream, instrumentId: InstrumentId): void {
    const name = parseInstrumentId(instrumentId)?.symbol
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf(stream, name))
    if (feed === undefined) return
    feed.open = false
    this.#feeds.delete(keyOf(stream, feed.name))
    if (this.#settings.profile.unsubscribes) void this.#unwatch(feed)
    else if (this.#feeds.size === 0) for (const socket of Object.values(this.#exchange.clients)) socket.close()
  }

  /** A fresh snapshot from the venue. One that is on its way already is not asked for twice. */
  resync(instrumentId: InstrumentId): void {
    const name = parseInstrumentId(instrumentId)?.symbol
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf("book", name))
    if (feed === undefined || !feed.live) return
    feed.live = false
    this.#outbox.forgetBook(instrumentId)
    if (this.#settings.profile.unsubscribes) void this.#unwatch(feed)
    else this.#startOver(feed, `a reader of ${feed.name} did`)
  }

  async stop(): Promise<void> {
    this.#answers?.stop()
    for (const feed of this.#feeds.values()) feed.open = false
    this.#feeds.clear()
    await this.#exchange.close()
  }

  async #run(feed: Feed): Promise<void> {
    let watchdog = this.#watchdog(feed)
    while (feed.open && this.#isStreamed(feed)) {
      try {
        if (!this.#markets.areLoaded) await this.#markets.loaded()
        await this.#watch(feed)
        feed.failures = 0
      } catch (error) {
        const failure = classify(error)
        if (!feed.open) break
        // Our own unsubscribing; the next watch call begins anew.
        if (failure.category === "UNSUBSCRIBED") continue
        const interval = intervalOf(feed.stream)
        if (interval !== undefined && REFUSALS.has(failure.category)) {
          this.#klines.refuse(interval)
          continue
        }
        feed.failures += 1
        this.#lost(feed, `${failure.category}: ${failure.text}`)
        clearTimeout(watchdog)
        watchdog = this.#watchdog(feed)
        if (failure.category === "STREAM_GAP" && this.#settings.profile.refusesRepeats) await this.#unwatch(feed)
        if (failure.category === "STREAM_GAP" && feed.failures <= GAPS_AT_ONCE) continue
        await sleep(PAUSES_MILLIS[failure.category] ?? backoffMillis(feed.failures))
      }
    }
    clearTimeout(watchdog)
  }

  async #watch(feed: Feed): Promise<void> {
    const exchange = this.#exchange
    const symbol = this.#symbolOf(feed)
    switch (feed.stream) {
      case "book": {
        const book = await exchange.watchOrderBook(symbol)
        if (feed.open && !feed.live && !feed.ending) this.#beginUnseen(feed, book)
        return
      }
      case "trade":
        await exchange.watchTrades(symbol)
        return
      case "ticker": {
        const isStream = exchange.has["watchTicker"] === true
        const ticker = await (isStream
          ? exchange.watchTicker(symbol, { ...this.#settings.profile.tickerParams })
          : exchange.fetchTicker(symbol))
        if (feed.open) this.#onTicker(feed, ticker)
        if (!isStream) await sleep(TICKER_POLL_MILLIS)
        return
      }
      default: {
        const interval = intervalOf(feed.stream)
        if (interval !== undefined) await this.#klines.watch(symbol, interval)
      }
    }
  }

  /** False for bars that there is no stream of: their reader is told, and makes them of trades. */
  #isStreamed(feed: Feed): boolean {
    const interval = intervalOf(feed.stream)
    if (interval === undefined || this.#klines.has(interval)) return true
    this.#outbox.push({ _tag: "Unstreamed", stream: klineStream(interval), instrumentId: feed.instrumentId })
    return false
  }

  /** ccxt has a book whose snapshot no tap saw: it is empty, or it came while nobody wanted it. */
  #beginUnseen(feed: Feed, book: CcxtOrderBook): void {
    if (book.bids.length === 0 && book.asks.length === 0)
      this.#onBook({ book, snapshot: true, bids: [], asks: [] }, [feed])
    else this.#startOver(feed, `came to ${feed.name} in the middle`)
  }

  /** Whether a frame may be handled: not one of a socket that was given up, and not one after a hole. */
  #isFit(socket: CcxtSocket, message: unknown): boolean {
    if (this.#exchange.clients[socket.url] !== socket) {
      // ccxt forgets a socket at times without closing it.
      socket.close()
      return false
    }
    const hole = this.#guard.holeBefore(socket, message)
    if (hole !== undefined) {
      socket.onError(new Error(`${LOST_PLACE} ${hole}`))
      socket.close()
      return false
    }
    if (this.#answers?.take(socket, message) === true) return false
    this.#quirks.restate?.(message)
    return true
  }

  #lost(feed: Feed, reason: string): void {
    // Some connectors would take the next snapshot for changes of the book that they still have.
    if (feed.stream === "book") delete this.#exchange.orderbooks[this.#symbolOf(feed)]
    if (!feed.live && feed.failures > 1) return
    feed.live = false
    if (feed.stream === "book") this.#outbox.forgetBook(feed.instrumentId)
    this.#outbox.push({ _tag: "StreamLost", stream: feed.stream, instrumentId: feed.instrumentId, reason })
  }

  /** A connector that finds a hole after it has applied what came behind it throws the book away (OKX): so is the change. */
  #onChange(change: BookChange): void {
    if (this.#exchange.orderbooks[this.#symbolIn(change.book)] === change.book) this.#onBook(change)
  }

  #onBook({ book, snapshot, bids, asks }: BookChange, feeds = this.#feedsOf("book", this.#symbolIn(book))): void {
    for (const feed of feeds) {
      if (!feed.live && !snapshot) continue
      feed.live = true
      if (snapshot) this.#snapshotAt = performance.now()
      this.#outbox.depth({
        instrumentId: feed.instrumentId,
        snapshot,
        bids,
        asks,
        nonce: book.nonce ?? null,
        venueAt: book.timestamp ?? null,
        receivedAt: snapshot ? Date.now() : this.#receivedAt,
      })
    }
  }

  /** A new book has no symbol of its own yet. */
  #symbolIn(book: CcxtOrderBook): string {
    const { orderbooks } = this.#exchange
    return book.symbol ?? Object.keys(orderbooks).find((symbol) => orderbooks[symbol] === book) ?? ""
  }

  #feedsOf(stream: MarketStream, symbol: string): ReadonlyArray<Feed> {
    return this.#markets.listing.namesOf(symbol).flatMap((name) => this.#feeds.get(keyOf(stream, name)) ?? [])
  }

  #onTrades(symbol: string, trades: ReadonlyArray<CcxtTrade>): void {
    for (const feed of this.#feedsOf("trade", symbol)) {
      feed.live = true
      const rows = tradeRows(feed.instrumentId, trades, this.digits, feed.tradeIds, this.#receivedAt)
      if (rows.length > 0) this.#outbox.push({ _tag: "Trades", trades: rows })
    }
  }

  #onBars(symbol: string, interval: KlineInterval, bars: ReadonlyArray<SeenBar>): void {
    const name = this.#markets.listing.nameOf(symbol)
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf(klineStream(interval), name))
    if (feed === undefined || !this.#klines.has(interval)) return
    feed.live = true
    const { instrumentId } = feed
    const venueAt = this.#markets.venueNow()
    for (const { bar, isFinal } of bars) this.#outbox.kline({ instrumentId, interval, bar, isFinal, venueAt })
  }

  #onTicker(feed: Feed, ticker: CcxtTicker): void {
    feed.live = true
    const { lastQuantityField } = this.#settings.profile
    this.#outbox.ticker(tickerRow(feed.instrumentId, ticker, this.digits, lastQuantityField, this.#receivedAt))
  }

  #symbolOf(feed: Feed): string {
    return this.#markets.listing.symbolOf(feed.instrumentId)
  }

  async #unwatch(feed: Feed): Promise<void> {
    const exchange = this.#exchange
    const { stream, name } = feed
    const interval = intervalOf(stream)
    if (!this.#markets.areLoaded) return
    const symbol = this.#symbolOf(feed)
    if (stream === "book") {
      const id = exchange.markets?.[symbol]?.id ?? symbol
      for (const socket of Object.values(exchange.clients)) this.#guard.forget(socket, id)
    }
    feed.ending = true
    try {
      if (stream === "book") await exchange.unWatchOrderBook(symbol)
      else if (stream === "trade") await exchange.unWatchTrades(symbol)
      else if (interval !== undefined) await this.#klines.unwatch(symbol, interval)
      else await exchange.unWatchTicker(symbol, { ...this.#settings.profile.tickerParams })
    } catch (error) {
      // The socket is gone or going: then there is nothing left to unsubscribe from.
      this.#outbox.push({ _tag: "Noticed", what: `unwatch ${stream} ${name}: ${classify(error).text}` })
    }
    feed.ending = false
  }

  #startOver(feed: Feed, reason: string): void {
    endSockets(this.#exchange, this.#symbolOf(feed), `${LOST_PLACE} ${reason}`)
  }

  /** A book that never became whole begins again: first alone, then with all that share its socket. */
  #watchdog(feed: Feed): NodeJS.Timeout | undefined {
    if (feed.stream !== "book") return undefined
    let attempts = 0
    return setInterval(() => {
      const quietMillis = performance.now() - this.#snapshotAt
      if (feed.live || !feed.open || this.#isQueueing() || quietMillis < SNAPSHOT_WITHIN_MILLIS) return
      attempts += 1
      if (attempts === 1 && this.#settings.profile.unsubscribes) void this.#unwatch(feed)
      else this.#startOver(feed, `no snapshot of ${feed.name} in time`)
    }, SNAPSHOT_WITHIN_MILLIS).unref()
  }
}
