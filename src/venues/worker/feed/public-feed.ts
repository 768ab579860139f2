/**
 * The public side of a worker: order books, trades, tickers and bars on one instance. The taps see the content of every frame, and here it
 * becomes records for subscribers; `watch-loop.ts` keeps each stream subscribed.
 */
import type { InstrumentId } from "../../../domain/ids.ts"
import { instrumentIdOf, parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import type { KlineInterval } from "../../../domain/market/kline.ts"
import type { BookRange } from "../../../domain/market/market.ts"
import { BOOK_DIFFERS, BOOK_OUTRUN, BOOK_SILENT, klineStream, type MarketStream } from "../../../ports/market-source.ts"
import type { BookAuditFigures } from "../../../ports/venue-stats.ts"
import { adapterOf, type ExchangeAdapter } from "../../adapters/adapters.ts"
import { SubscriptionAnswers } from "../../adapters/okx/subscription-answers.ts"
import type { BookReach } from "../../adapters/profile.ts"
import type { ConnectorSettings } from "../../connector/wire.ts"
import { type ToldTrades, TradeIds } from "../../trade-ids.ts"
import type { CcxtExchange, CcxtOrderBook, CcxtSocket, CcxtTicker, CcxtTrade } from "../exchange/ccxt.ts"
import { classify, LOST_PLACE } from "../exchange/errors.ts"
import type { Markets } from "../exchange/markets.ts"
import { endSocket, SocketLife, socketsOf } from "../exchange/sockets.ts"
import type { Outbox } from "../outbox.ts"
import { hasWorked } from "../thread.ts"
import { waitsOf } from "../waits.ts"
import { currentWork } from "../work.ts"
import { auditTimesOf, BookAudits, type Finding } from "./book-audits.ts"
import { type BookChange, BookTap } from "./book-tap.ts"
import { Digits, quoteFrames } from "./digits.ts"
import { BarClock, KlineStreams, type SeenBar } from "./kline-streams.ts"
import { Leaves } from "./leaves.ts"
import { tickerRow, tradeRows } from "./market-rows.ts"
import { type SeedChange, SeededBooks } from "./seeded-books.ts"
import { SequenceGuard } from "./sequence-guard.ts"
import { askSnapshots, BooksOnTheirWay } from "./snapshots.ts"
import { batchSubscriptions } from "./subscribe-batches.ts"
import { missedTradesOf, type TradeHistoryParts, TradeTap } from "./trades.ts"
import { type Feed, WatchLoop } from "./watch-loop.ts"

/** What the venue's request budget has left for market data. */
export interface RequestBudget {
  /** Requests for market data wait. */
  readonly isQueueing: () => boolean
  /** For the least urgent of them. */
  readonly hasRoomForAudits: () => boolean
  /** Of the whole budget, 0 to 1. */
  readonly used: () => number
}

const UNLIMITED: RequestBudget = { isQueueing: () => false, hasRoomForAudits: () => true, used: () => 0 }

const keyOf = (stream: MarketStream, name: string): string => `${stream} ${name}`

export class PublicFeed {
  readonly #settings: ConnectorSettings
  readonly #exchange: CcxtExchange
  readonly #markets: Markets
  readonly #outbox: Outbox
  readonly #adapter: ExchangeAdapter
  readonly #guard: SequenceGuard
  readonly #answers: SubscriptionAnswers | undefined
  readonly digits = new Digits()
  readonly #klines: KlineStreams
  readonly #history: TradeHistoryParts
  /** By stream and name. */
  readonly #feeds = new Map<string, Feed>()
  readonly #leaves: Leaves
  readonly #loop: WatchLoop
  readonly #audits: BookAudits | undefined
  /** Of a venue whose books begin with their best levels only. */
  readonly #seeds: SeededBooks | undefined
  /** Of a venue whose stream shows so many levels: of every book. */
  readonly #window: BookRange | undefined
  readonly #life = new SocketLife()
  readonly #onTheirWay = new BooksOnTheirWay()
  readonly barClock: BarClock
  readonly #socketNumbers = new WeakMap<CcxtSocket, number>()
  #sockets = 0
  /** Of the frame that is handled now; null outside of frames. */
  #socket: number | null = null
  #receivedAt = 0
  #snapshotAt = 0

  constructor(
    settings: ConnectorSettings,
    exchange: CcxtExchange,
    markets: Markets,
    outbox: Outbox,
    budget: RequestBudget = UNLIMITED,
  ) {
    this.#settings = settings
    this.#exchange = exchange
    this.#markets = markets
    this.barClock = new BarClock(() => markets.venueNow())
    this.#outbox = outbox
    this.#adapter = adapterOf(settings.profile)
    this.#guard = new SequenceGuard(exchange.id, (marketId) => {
      const market = Object.values(exchange.markets ?? {}).find(({ id }) => id === marketId)
      return market === undefined ? undefined : exchange.orderbooks[market.symbol]?.nonce
    })
    this.#history = { profile: settings.profile, exchange, markets, digits: this.digits, outbox }
    this.#klines = new KlineStreams(exchange, this.digits, (symbol, interval, bars) =>
      this.#onBars(symbol, interval, bars),
    )
    this.#leaves = new Leaves({
      profile: settings.profile,
      adapter: this.#adapter,
      exchange,
      klines: this.#klines,
      guard: this.#guard,
      notice: (what) => outbox.push({ _tag: "Noticed", what }),
    })
    this.#loop = new WatchLoop({
      profile: settings.profile,
      exchange,
      markets,
      outbox,
      klines: this.#klines,
      leaves: this.#leaves,
      onBook: (feed, book) => {
        if (feed.open && !feed.live && !this.#isEnding(feed)) this.#beginUnseen(feed, book)
      },
      onTicker: (feed, ticker) => this.#onTicker(feed, ticker),
      onBookLost: ({ instrumentId }) => this.#forgetBook(instrumentId),
      isAsked: (symbol) => this.#onTheirWay.has(symbol),
      isComing: (millis) => budget.isQueueing() || performance.now() - this.#snapshotAt < millis,
    })
    const times = auditTimesOf(settings.profile)
    if (times !== null && exchange.has["fetchOrderBook"] === true) {
      const { hasRoomForAudits: hasRoom } = budget
      this.#audits = new BookAudits({ exchange, times, hasRoom, found: (finding) => this.#onFinding(finding) })
    }
    this.#adapter.followTrades?.(exchange, {
      last: (symbol) => this.#feedsOf("trade", symbol)[0]?.missedTrades.last ?? null,
      missed: (symbol) => this.#onTradesMissed(symbol),
    })
    const { bookReach } = settings.profile
    if (bookReach?.way === "WINDOW") this.#window = { lowestBid: null, highestAsk: null, levels: bookReach.levels }
    if (bookReach?.way === "SEED") this.#seeds = this.#seeded(bookReach, budget)
    this.#onTheirWay.install(exchange)
    const books = new BookTap(this.digits, (change) => this.#onChange(change), this.#seeds === undefined)
    const trades = new TradeTap((symbol, seen) => this.#onTrades(symbol, seen))
    this.digits.install(exchange)
    books.install(exchange)
    trades.install(exchange)
    this.#klines.install()
    if (settings.profile.bareNumbers) quoteFrames(exchange)
    if (settings.profile.batchesSubscriptions === true) batchSubscriptions(exchange)
    const { streamNews } = this.#adapter
    if (streamNews !== undefined) {
      const { acknowledgedMillis } = waitsOf(settings.profile)
      this.#answers = new SubscriptionAnswers(exchange, streamNews, acknowledgedMillis)
    }
    // ccxt binds the handler when it makes a socket: this must stand before the first one.
    const handle = exchange.handleMessage.bind(exchange)
    exchange.handleMessage = (socket, message) => {
      if (!this.#isFit(socket, message)) return undefined
      this.#receivedAt = Date.now()
      this.#life.heard(socket)
      this.#socket = this.#numberOf(socket)
      hasWorked()
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
        this.#socket = null
      }
    }
  }

  /** `told`: trades that a worker of before has told. */
  open(stream: MarketStream, instrumentId: InstrumentId, told: ToldTrades | null = null): void {
    const name = parseInstrumentId(instrumentId)?.symbol
    if (name === undefined || this.#feeds.has(keyOf(stream, name))) return
    const tradeIds = new TradeIds(told?.ids)
    const feed: Feed = {
      stream,
      instrumentId,
      name,
      tradeIds,
      missedTrades: missedTradesOf(this.#history, instrumentId, tradeIds, told?.last ?? null),
      tradeSocket: null,
      open: true,
      live: false,
      failures: 0,
    }
    this.#feeds.set(keyOf(stream, name), feed)
    void this.#loop.run(feed)
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
    if (stream === "book") this.#forgetBook(instrumentId)
    this.#feeds.delete(keyOf(stream, feed.name))
    // Pairs can share a stream, and a market's book and trades: it ends with the last of them.
    if (!this.#markets.areLoaded || this.#carriedWith(feed).length > 0) return
    const { listing } = this.#markets
    for (const shared of listing.namesBeside(feed.name))
      void this.#leaves.leave(stream, listing.symbolOf(instrumentIdOf(this.#settings.profile.venue, shared)))
  }

  /** A fresh snapshot from the venue. One that is on its way already is not asked for twice. */
  resync(instrumentId: InstrumentId): void {
    const name = parseInstrumentId(instrumentId)?.symbol
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf("book", name))
    if (feed === undefined || !feed.live) return
    this.#renew(feed, `a reader of ${feed.name} did`)
  }

  /**
   * Whether the venue answers now on each socket that carries the book. Frames of one socket come in order, so what it had said of the book
   * before is in it.
   */
  async confirm(instrumentId: InstrumentId): Promise<boolean> {
    const name = parseInstrumentId(instrumentId)?.symbol
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf("book", name))
    if (feed === undefined || !feed.live) return false
    const sockets = socketsOf(this.#exchange, this.#symbolOf(feed))
    const answers = await Promise.all(sockets.map((socket) => this.#life.answers(socket)))
    const isCarried = sockets.length > 0 && sockets.every((it) => this.#exchange.clients[it.url] === it)
    return isCarried && answers.every(Boolean) && feed.live && feed.open && !this.#outbox.holdsBook(instrumentId)
  }

  auditFigures(): BookAuditFigures {
    return this.#audits?.figures() ?? { made: 0, differed: 0, failed: 0 }
  }

  async stop(): Promise<void> {
    this.#answers?.stop()
    this.#audits?.stop()
    this.#seeds?.stop()
    for (const feed of this.#feeds.values()) feed.open = false
    this.#feeds.clear()
    await this.#exchange.close()
  }

  /** ccxt has a book whose snapshot no tap saw: it is empty, or it arrived while there were no subscribers. */
  #beginUnseen(feed: Feed, book: CcxtOrderBook): void {
    if (this.#seeds === undefined && book.bids.length === 0 && book.asks.length === 0)
      this.#onBook({ book, snapshot: true, bids: [], asks: [] }, this.#symbolOf(feed), [feed])
    else this.#renew(feed, `joined ${feed.name} in mid-stream`)
  }

  /** The stream begins anew, for all that it carries: it is sent from its snapshot. */
  #renew(feed: Feed, reason: string): void {
    for (const each of [feed, ...this.#carriedWith(feed)]) {
      each.live = false
      if (each.stream === "book") this.#forgetBook(each.instrumentId)
    }
    void this.#loop.renew(feed, reason)
  }

  /** The others that the venue's stream of this feed carries, too. */
  #carriedWith(feed: Feed): ReadonlyArray<Feed> {
    if (!this.#markets.areLoaded) return []
    const names = this.#markets.listing.namesBeside(feed.name)
    return [...this.#feeds.values()].filter(
      (it) => it !== feed && names.includes(it.name) && this.#leaves.areJoint(it.stream, feed.stream),
    )
  }

  #isEnding(feed: Feed): boolean {
    return this.#leaves.pending(feed.stream, this.#symbolOf(feed)) !== undefined
  }

  #forgetBook(instrumentId: InstrumentId): void {
    this.#outbox.forgetBook(instrumentId)
    this.#audits?.forget(instrumentId)
    this.#seeds?.forget(this.#markets.listing.symbolOf(instrumentId))
  }

  /** How its books are seeded. An audit, and a later seed, say themselves how many levels they ask for. */
  #seeded(reach: Extract<BookReach, { way: "SEED" }>, budget: RequestBudget): SeededBooks {
    const exchange = this.#exchange
    const seeds = new SeededBooks({
      exchange,
      reach,
      digits: this.digits,
      budget,
      grown: (symbol, change) => this.#onGrown(symbol, change),
      differs: (symbol, levels) => {
        for (const { instrumentId } of this.#feedsOf("book", symbol))
          this.#onFinding({ instrumentId, levels, isSilent: false })
      },
      failed: (symbol, failure) =>
        this.#outbox.push({ _tag: "Noticed", what: `more of the book of ${symbol}: ${classify(failure).text}` }),
    })
    const fetchOrderBook = exchange.fetchOrderBook.bind(exchange)
    exchange.fetchOrderBook = (symbol, limit, ...rest) =>
      currentWork()?.isAside === true
        ? fetchOrderBook(symbol, limit, ...rest)
        : seeds.look(symbol, (levels) => fetchOrderBook(symbol, levels, ...rest))
    return seeds
  }

  #onGrown(symbol: string, { book, bids, asks, range }: SeedChange): void {
    for (const { instrumentId, live } of this.#feedsOf("book", symbol)) {
      if (!live) continue
      const at = { nonce: book.nonce ?? null, venueAt: book.timestamp ?? null, receivedAt: Date.now() }
      this.#outbox.depth({ instrumentId, snapshot: false, bids, asks, ...at, range })
    }
  }

  /** Nothing is known any more of where the market is now. */
  #onOutrun({ instrumentId }: Feed): void {
    const reason = `${BOOK_OUTRUN}: the market moved beyond the known part of ${instrumentId}`
    this.#outbox.push({ _tag: "StreamLost", stream: "book", instrumentId, reason })
    this.resync(instrumentId)
  }

  /** By REST the venue's book is another: its readers hear so at once, and of a snapshot next. */
  #onFinding({ instrumentId, levels, isSilent }: Finding): void {
    const found = `the book of ${instrumentId} differs from the venue's at ${levels} levels${isSilent ? ", and is silent" : ""}`
    const reason = `${isSilent ? BOOK_SILENT : BOOK_DIFFERS}: ${found}`
    this.#outbox.push({ _tag: "StreamLost", stream: "book", instrumentId, reason })
    const { made, differed } = this.auditFigures()
    this.#outbox.push({
      _tag: "Noticed",
      what: `${found}: resynchronised (${differed} of ${made} audits found a difference)`,
    })
    this.resync(instrumentId)
  }

  /** Whether a frame may be handled: not one of a socket that was given up, and not one after a hole. */
  #isFit(socket: CcxtSocket, message: unknown): boolean {
    if (this.#exchange.clients[socket.url] !== socket) {
      // ccxt forgets a socket at times without closing it.
      socket.close()
      return false
    }
    this.#leaves.hear(socket, message)
    const found = this.#guard.look(socket, message)
    if (found === "STALE") return false
    if (found !== undefined) {
      endSocket(socket, `${LOST_PLACE} ${found.hole}`)
      return false
    }
    if (this.#answers?.take(socket, message) === true) return false
    this.#adapter.restate?.(message)
    return true
  }

  /** A connector that finds a hole after it has applied what came behind it throws the book away (OKX): so is the change. */
  #onChange(change: BookChange): void {
    if (this.#exchange.orderbooks[this.#symbolIn(change.book)] === change.book) this.#onBook(change)
  }

  #onBook(change: BookChange, symbol = this.#symbolIn(change.book), feeds = this.#feedsOf("book", symbol)): void {
    const { book, snapshot } = change
    const heard = feeds.filter(({ live }) => live || snapshot)
    if (heard.length === 0) return
    const taken = this.#seeds?.take(symbol, change)
    const { bids, asks } = taken ?? change
    const range = taken?.range ?? (snapshot ? this.#window : undefined)
    for (const feed of heard) {
      if (taken?.isExhausted === true) {
        this.#onOutrun(feed)
        continue
      }
      feed.live = true
      this.#audits?.onChange(feed.instrumentId, symbol, this.#seeds?.held(symbol) ?? book, { snapshot, bids, asks })
      if (snapshot) this.#snapshotAt = performance.now()
      this.#outbox.depth({
        instrumentId: feed.instrumentId,
        snapshot,
        bids,
        asks,
        nonce: book.nonce ?? null,
        venueAt: book.timestamp ?? null,
        receivedAt: snapshot ? Date.now() : this.#receivedAt,
        ...(range !== undefined && { range }),
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
      const isBehindHole = this.#mayBeBehindHole(feed, trades)
      const rows = tradeRows(feed.instrumentId, trades, this.digits, feed.tradeIds, this.#receivedAt)
      feed.live = true
      feed.tradeSocket = this.#socket ?? feed.tradeSocket
      feed.missedTrades.take(rows, isBehindHole)
    }
  }

  /**
   * Whether trades may be missing before these: the stream was interrupted, or they come on another socket than the newest one did. The
   * latter says it also where nothing waited on the socket that died: its end is told only to what waits. A frame that repeats what was
   * seen joins on to it, and a venue that numbers its trades knows better.
   */
  #mayBeBehindHole(feed: Feed, trades: ReadonlyArray<CcxtTrade>): boolean {
    if (this.#settings.profile.tradeHistory.way === "BY_NUMBER") return false
    const isOther = feed.tradeSocket !== null && this.#socket !== null && feed.tradeSocket !== this.#socket
    if (feed.live && !isOther) return false
    return !trades.some(({ id }) => id !== undefined && feed.tradeIds.has(id))
  }

  #onTradesMissed(symbol: string): void {
    for (const { instrumentId } of this.#feedsOf("trade", symbol)) {
      this.#outbox.push({ _tag: "TradesMissed", instrumentId })
      this.#outbox.push({ _tag: "Noticed", what: `the venue's history does not have all trades of ${instrumentId}` })
    }
  }

  #numberOf(socket: CcxtSocket): number {
    const known = this.#socketNumbers.get(socket)
    if (known !== undefined) return known
    this.#sockets += 1
    this.#socketNumbers.set(socket, this.#sockets)
    return this.#sockets
  }

  #onBars(symbol: string, interval: KlineInterval, bars: ReadonlyArray<SeenBar>): void {
    const name = this.#markets.listing.nameOf(symbol)
    const feed = name === undefined ? undefined : this.#feeds.get(keyOf(klineStream(interval), name))
    if (feed === undefined || !this.#klines.has(interval)) return
    feed.live = true
    const { instrumentId } = feed
    for (const seen of bars) this.barClock.saw(interval, seen)
    const venueAt = this.barClock.now()
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
}
