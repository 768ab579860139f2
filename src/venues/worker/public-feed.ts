/**
 * The public side of a worker: order books, trades and tickers on one instance. Every stream is a loop around ccxt's watch call,
 * which dials, subscribes and checks; the loop only hears that it failed. Book changes come from the tap, not from the loop.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../domain/ids.ts"
import { parseInstrumentId } from "../../domain/instrument.ts"
import type { MarketStream, MarketTrade, TickerUpdate } from "../../ports/venue-port.ts"
import type { ShardSettings } from "../wire.ts"
import { backoffMillis } from "./backoff.ts"
import { type BookChange, BookTap } from "./book-tap.ts"
import type { CcxtExchange, CcxtTicker, CcxtTrade } from "./ccxt.ts"
import { Digits } from "./digits.ts"
import { classify } from "./errors.ts"
import type { Markets } from "./markets.ts"
import type { Outbox } from "./outbox.ts"
import { SequenceGuard } from "./sequence-guard.ts"

/** A book that has no snapshot after this long is torn down and begun again: a subscription can be lost without a word. */
const SNAPSHOT_WITHIN_MILLIS = 20_000
/** A gap is answered at once, but not for ever. */
const GAPS_AT_ONCE = 3

/** A venue that limits bans those who go on asking. */
const RATE_LIMITED_MILLIS = 15_000

interface Feed {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  readonly symbol: string
  open: boolean
  /** A book that has its snapshot; any other stream that has brought something. */
  live: boolean
  failures: number
}

const keyOf = (stream: MarketStream, instrumentId: InstrumentId): string => `${stream} ${instrumentId}`

export class PublicFeed {
  readonly #shard: ShardSettings
  readonly #exchange: CcxtExchange
  readonly #markets: Markets
  readonly #outbox: Outbox
  readonly #digits = new Digits()
  readonly #feeds = new Map<string, Feed>()
  readonly #books = new Map<string, Feed>()
  #receivedAt = 0

  constructor(shard: ShardSettings, exchange: CcxtExchange, markets: Markets, outbox: Outbox) {
    this.#shard = shard
    this.#exchange = exchange
    this.#markets = markets
    this.#outbox = outbox
    const tap = new BookTap(this.#digits, (change) => this.#onBook(change))
    const guard = new SequenceGuard(exchange.id)
    this.#digits.install(exchange)
    tap.install(exchange)
    // ccxt binds the handler when it makes a socket: this must stand before the first one.
    const handle = exchange.handleMessage.bind(exchange)
    exchange.handleMessage = (socket, message) => {
      const hole = guard.holeBefore(socket, message)
      if (hole !== undefined) {
        socket.onError(new Error(hole))
        socket.close()
        return undefined
      }
      this.#receivedAt = Date.now()
      tap.frameStarts()
      this.#digits.frameStarts()
      try {
        return handle(socket, message)
      } finally {
        tap.frameEnds()
        this.#digits.frameEnds()
      }
    }
  }

  open(stream: MarketStream, instrumentId: InstrumentId): void {
    const name = parseInstrumentId(instrumentId)
    if (name === undefined || this.#feeds.has(keyOf(stream, instrumentId))) return
    const feed: Feed = { stream, instrumentId, symbol: name.symbol, open: true, live: false, failures: 0 }
    this.#feeds.set(keyOf(stream, instrumentId), feed)
    if (stream === "book") this.#books.set(feed.symbol, feed)
    void this.#run(feed)
  }

  close(stream: MarketStream, instrumentId: InstrumentId): void {
    const feed = this.#feeds.get(keyOf(stream, instrumentId))
    if (feed === undefined) return
    feed.open = false
    this.#feeds.delete(keyOf(stream, instrumentId))
    if (stream === "book") this.#books.delete(feed.symbol)
    this.#unwatch(feed)
  }

  /** A fresh snapshot from the venue. One that is on its way already is not asked for twice. */
  resync(instrumentId: InstrumentId): void {
    const feed = this.#feeds.get(keyOf("book", instrumentId))
    if (feed === undefined || !feed.live) return
    feed.live = false
    this.#outbox.forgetBook(instrumentId)
    this.#unwatch(feed)
  }

  async stop(): Promise<void> {
    for (const feed of this.#feeds.values()) feed.open = false
    this.#feeds.clear()
    this.#books.clear()
    await this.#exchange.close()
  }

  async #run(feed: Feed): Promise<void> {
    let watchdog = this.#watchdog(feed)
    while (feed.open) {
      try {
        if (!this.#markets.areLoaded) await this.#markets.loaded()
        await this.#watch(feed)
        feed.failures = 0
      } catch (error) {
        const failure = classify(error)
        if (!feed.open) break
        // Our own unsubscribing; the next watch call begins anew.
        if (failure.category === "UNSUBSCRIBED") continue
        feed.failures += 1
        this.#lost(feed, `${failure.category}: ${failure.text}`)
        clearTimeout(watchdog)
        watchdog = this.#watchdog(feed)
        if (failure.category === "STREAM_GAP" && feed.failures <= GAPS_AT_ONCE) continue
        await sleep(failure.category === "RATE_LIMITED" ? RATE_LIMITED_MILLIS : backoffMillis(feed.failures))
      }
    }
    clearTimeout(watchdog)
  }

  async #watch(feed: Feed): Promise<void> {
    switch (feed.stream) {
      case "book":
        await this.#exchange.watchOrderBook(feed.symbol)
        return
      case "trade": {
        const trades = await this.#exchange.watchTrades(feed.symbol)
        if (feed.open) this.#onTrades(feed, trades)
        return
      }
      case "ticker": {
        const ticker = await this.#exchange.watchTicker(feed.symbol, { ...this.#shard.profile.tickerParams })
        if (feed.open) this.#onTicker(feed, ticker)
        return
      }
    }
  }

  #lost(feed: Feed, reason: string): void {
    if (!feed.live && feed.failures > 1) return
    feed.live = false
    if (feed.stream === "book") this.#outbox.forgetBook(feed.instrumentId)
    this.#outbox.push({ _tag: "StreamLost", stream: feed.stream, instrumentId: feed.instrumentId, reason })
  }

  #onBook({ book, snapshot, bids, asks }: BookChange): void {
    const feed = this.#books.get(book.symbol ?? this.#symbolOf(book) ?? "")
    if (feed === undefined || (!feed.live && !snapshot)) return
    feed.live = true
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

  #symbolOf(book: BookChange["book"]): string | undefined {
    for (const [symbol, known] of Object.entries(this.#exchange.orderbooks)) if (known === book) return symbol
    return undefined
  }

  #onTrades(feed: Feed, trades: ReadonlyArray<CcxtTrade>): void {
    feed.live = true
    const out: Array<MarketTrade> = []
    for (const trade of trades) {
      const price = this.#digits.field(trade, "price")
      const quantity = this.#digits.field(trade, "amount")
      if (trade.id === undefined || price === null || quantity === null) continue
      out.push({
        instrumentId: feed.instrumentId,
        externalTradeId: trade.id,
        price,
        quantity,
        side: trade.side === "buy" ? "BUY" : trade.side === "sell" ? "SELL" : "UNKNOWN",
        at: trade.timestamp ?? this.#receivedAt,
      })
    }
    if (out.length > 0) this.#outbox.push({ _tag: "Trades", trades: out })
  }

  #onTicker(feed: Feed, ticker: CcxtTicker): void {
    feed.live = true
    const field = this.#shard.profile.lastQuantityField
    const lastQuantity = field === null ? undefined : ticker.info?.[field]
    const update: TickerUpdate = {
      instrumentId: feed.instrumentId,
      lastPrice: this.#digits.field(ticker, "last"),
      lastQuantity: typeof lastQuantity === "string" ? lastQuantity : null,
      bidPrice: this.#digits.field(ticker, "bid"),
      bidQuantity: this.#digits.field(ticker, "bidVolume"),
      askPrice: this.#digits.field(ticker, "ask"),
      askQuantity: this.#digits.field(ticker, "askVolume"),
      at: ticker.timestamp ?? this.#receivedAt,
    }
    this.#outbox.ticker(update)
  }

  #unwatch(feed: Feed): void {
    const exchange = this.#exchange
    if (!this.#markets.areLoaded) return
    const ended =
      feed.stream === "book"
        ? exchange.unWatchOrderBook(feed.symbol)
        : feed.stream === "trade"
          ? exchange.unWatchTrades(feed.symbol)
          : exchange.unWatchTicker(feed.symbol, { ...this.#shard.profile.tickerParams })
    // The socket is gone or going: then there is nothing left to unsubscribe from.
    ended.catch((error: unknown) =>
      this.#outbox.push({ _tag: "Noticed", what: `unwatch ${feed.stream} ${feed.symbol}: ${classify(error).text}` }),
    )
  }

  /** Ends the sockets of a book that never became whole: all that wait on them reject, and begin again. */
  #watchdog(feed: Feed): NodeJS.Timeout | undefined {
    if (feed.stream !== "book") return undefined
    return setInterval(() => {
      if (feed.live || !feed.open) return
      for (const socket of Object.values(this.#exchange.clients)) {
        if (!Object.keys(socket.subscriptions).some((subscription) => subscription.includes(feed.symbol))) continue
        socket.onError(new Error(`no snapshot of ${feed.symbol} in time`))
        socket.close()
      }
    }, SNAPSHOT_WITHIN_MILLIS).unref()
  }
}
