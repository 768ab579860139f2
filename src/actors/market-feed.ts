/**
 * One venue's market data: the sink of its public feed, a stream opened at the first interest and closed 30 s after the last.
 * Updates are plain calls; time (closing, resync, silence) is one fiber's affair, which sleeps while nothing is open.
 */
import { type Context, Effect } from "effect"
import type { InstrumentId, VenueId } from "../domain/ids.ts"
import { type InstrumentName, parseInstrumentId } from "../domain/instrument.ts"
import type { KlineInterval } from "../domain/kline.ts"
import type { TickerRecord } from "../domain/market.ts"
import type { ChannelPort, StreamPosition } from "../ports/channel-port.ts"
import type { Clock } from "../ports/clock.ts"
import type { Ids } from "../ports/ids.ts"
import {
  type DepthUpdate,
  intervalOf,
  type MarketSink,
  type MarketSource,
  type MarketStream,
  type MarketTrade,
  type TickerUpdate,
} from "../ports/venue-port.ts"
import { BookFeed } from "./book-feed.ts"
import { KlineBoard, type KlineHistorySource } from "./kline-board.ts"
import { OrderBookActor } from "./order-book.ts"
import { TickerBoard } from "./ticker-board.ts"
import { TradeTape } from "./trade-tape.ts"
import { VenueClock } from "./venue-clock.ts"

const LINGER_MILLIS = 30_000
const SENTINEL_MILLIS = 1000

/** Something that is kept open: by whom, and until when after the last of them left. */
interface Slot {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  readonly name: InstrumentName
  readonly holders: Set<string>
  lingerUntil: number
}

interface BookSlot extends Slot {
  readonly feed: BookFeed
}

interface TickerSlot extends Slot {
  /** Called once at the first ticker. */
  readonly waiting: Set<() => unknown>
}

interface TradeSlot extends Slot {
  readonly tape: TradeTape
}

export interface MarketFeedParts {
  readonly venue: VenueId
  readonly connect: (sink: MarketSink) => MarketSource
  readonly history: KlineHistorySource
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly ids: Context.Tag.Service<typeof Ids>
  /** Runs an Effect in the scope of the market data. */
  readonly fork: (effect: Effect.Effect<void>) => void
}

export class MarketFeed {
  readonly tickers: TickerBoard
  readonly klines: KlineBoard
  readonly clock: VenueClock
  readonly #parts: MarketFeedParts
  readonly #source: MarketSource
  readonly #books = new Map<InstrumentId, BookSlot>()
  readonly #tickers = new Map<InstrumentId, TickerSlot>()
  readonly #trades = new Map<InstrumentId, TradeSlot>()
  readonly #klines = new Map<KlineInterval, Map<InstrumentId, Slot>>()
  readonly #lastUpdateAt = new Map<InstrumentId, number>()
  readonly #isBusy = Effect.unsafeMakeLatch(false)

  constructor(parts: MarketFeedParts) {
    this.#parts = parts
    this.tickers = new TickerBoard({
      venue: parts.venue,
      channels: parts.channels,
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
    this.#source = parts.connect({
      depth: (update) => this.#onDepth(update),
      trades: (trades) => this.#onTrades(trades),
      ticker: (update) => this.#onTicker(update),
      kline: (update) => this.klines.onUpdate(update),
      unstreamed: (stream, instrumentId) =>
        this.#withInterval(stream, (it) => this.klines.onUnstreamed(instrumentId, it)),
      down: (stream, instrumentId, reason) => this.#onDown(stream, instrumentId, reason),
    })
  }

  /** The feed's life: ends with the scope that runs it. */
  readonly life: Effect.Effect<never> = Effect.suspend(() => this.#isBusy.await).pipe(
    Effect.zipRight(Effect.sleep(SENTINEL_MILLIS)),
    Effect.zipRight(Effect.sync(() => this.#watch())),
    Effect.forever,
  )

  /** Keeps a stream open for `holder`, opening it if need be; nothing happens for a name that is no instrument. */
  hold(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    this.#open(stream, instrumentId)?.holders.add(holder)
  }

  /** Lets go: the stream closes 30 s after its last holder did. */
  release(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    const slot = this.#slots(stream).get(instrumentId)
    if (slot?.holders.delete(holder) === true) slot.lingerUntil = this.#parts.clock.monotonic() + LINGER_MILLIS
  }

  /** A subscriber comes to a channel without any. */
  bookOpened(instrumentId: InstrumentId): void {
    this.#books.get(instrumentId)?.feed.actor.opened()
  }

  tradeOpened(instrumentId: InstrumentId): void {
    this.#trades.get(instrumentId)?.tape.opened()
  }

  bookPosition(instrumentId: InstrumentId): StreamPosition | undefined {
    return this.#books.get(instrumentId)?.feed.actor.position()
  }

  tradePosition(instrumentId: InstrumentId): StreamPosition | undefined {
    return this.#trades.get(instrumentId)?.tape.position()
  }

  book(instrumentId: InstrumentId): OrderBookActor | undefined {
    return this.#books.get(instrumentId)?.feed.actor
  }

  lastUpdateAt(instrumentId: InstrumentId): number | null {
    return this.#lastUpdateAt.get(instrumentId) ?? null
  }

  stats(): { readonly books: number; readonly stale: number } {
    let stale = 0
    for (const slot of this.#books.values()) if (slot.feed.actor.quality === "STALE") stale++
    return { books: this.#books.size, stale }
  }

  /** Opens the book if need be, for at least 30 s, and hands it over once it is SYNCED; `missed` after a time without. */
  readBook(
    instrumentId: InstrumentId,
    waitMillis: number,
    found: (book: OrderBookActor) => void,
    missed: () => void,
  ): void {
    const slot = this.#open("book", instrumentId)
    if (slot === undefined) {
      missed()
      return
    }
    slot.lingerUntil = this.#parts.clock.monotonic() + LINGER_MILLIS
    const { actor, waiting } = slot.feed
    if (actor.quality === "SYNCED") found(actor)
    else this.#await(waiting, waitMillis, () => found(actor), missed)
  }

  /** As `readBook`, for the first ticker. */
  readTicker(
    instrumentId: InstrumentId,
    waitMillis: number,
    found: (ticker: TickerRecord) => void,
    missed: () => void,
  ): void {
    const slot = this.#open("ticker", instrumentId)
    if (slot === undefined) {
      missed()
      return
    }
    slot.lingerUntil = this.#parts.clock.monotonic() + LINGER_MILLIS
    const answer = () => {
      const known = this.tickers.find(instrumentId)
      if (known === undefined) return false
      found(known)
      return true
    }
    if (!answer()) this.#await(slot.waiting, waitMillis, answer, missed)
  }

  #open(stream: "book", instrumentId: InstrumentId): BookSlot | undefined
  #open(stream: "ticker", instrumentId: InstrumentId): TickerSlot | undefined
  #open(stream: MarketStream, instrumentId: InstrumentId): Slot | undefined
  #open(stream: MarketStream, instrumentId: InstrumentId): Slot | undefined {
    const open = this.#slots(stream).get(instrumentId)
    if (open !== undefined) return open
    const name = parseInstrumentId(instrumentId)
    if (name === undefined || name.venue !== this.#parts.venue) return undefined
    const now = this.#parts.clock.monotonic()
    const slot: Slot = { stream, instrumentId, name, holders: new Set(), lingerUntil: now + LINGER_MILLIS }
    if (stream === "book") this.#books.set(instrumentId, this.#newBook(slot))
    else if (stream === "ticker") this.#tickers.set(instrumentId, { ...slot, waiting: new Set() })
    else if (stream === "trade") this.#trades.set(instrumentId, this.#newTrades(slot))
    else
      this.#withInterval(stream, (interval) => {
        this.#klines.set(
          interval,
          (this.#klines.get(interval) ?? new Map<InstrumentId, Slot>()).set(instrumentId, slot),
        )
        this.klines.open(instrumentId, name, interval)
      })
    this.#isBusy.unsafeOpen()
    this.#source.open(stream, instrumentId)
    return this.#slots(stream).get(instrumentId)
  }

  #newBook(slot: Slot): BookSlot {
    const { instrumentId, name } = slot
    const { channels, clock } = this.#parts
    const feed: BookFeed = new BookFeed({
      actor: new OrderBookActor({ instrumentId, name, channels, newEpoch: () => this.#newEpoch() }),
      monotonic: clock.monotonic,
      after: (millis, run) => this.#after(millis, run),
      askForSnapshot: (reason) => {
        if (this.#books.get(instrumentId)?.feed === feed) this.#source.resync(instrumentId, reason)
      },
    })
    return { ...slot, feed }
  }

  #newTrades(slot: Slot): TradeSlot {
    const { instrumentId, name } = slot
    const { channels } = this.#parts
    return { ...slot, tape: new TradeTape({ instrumentId, name, channels, newEpoch: () => this.#newEpoch() }) }
  }

  #slots(stream: MarketStream): ReadonlyMap<InstrumentId, Slot> {
    const interval = intervalOf(stream)
    if (interval !== undefined) return this.#klines.get(interval) ?? new Map()
    return stream === "book" ? this.#books : stream === "ticker" ? this.#tickers : this.#trades
  }

  #withInterval(stream: MarketStream, run: (interval: KlineInterval) => void): void {
    const interval = intervalOf(stream)
    if (interval !== undefined) run(interval)
  }

  #onDepth(update: DepthUpdate): void {
    const feed = this.#books.get(update.instrumentId)?.feed
    if (feed?.onDepth(update) !== true) return
    this.#lastUpdateAt.set(update.instrumentId, feed.actor.timestamp)
    if (feed.waiting.size > 0) wake(feed.waiting)
  }

  #onDown(stream: MarketStream, instrumentId: InstrumentId, reason: string): void {
    if (stream === "book") this.#books.get(instrumentId)?.feed.onDown(reason)
    else if (stream === "trade") this.klines.onTradesDown(instrumentId)
    else this.#withInterval(stream, (interval) => this.klines.onDown(instrumentId, interval))
  }

  #onTrades(trades: ReadonlyArray<MarketTrade>): void {
    for (const trade of trades) {
      this.#trades.get(trade.instrumentId)?.tape.publish(trade)
      this.#books.get(trade.instrumentId)?.feed.onTrade()
    }
    this.klines.onTrades(trades)
  }

  #onTicker(update: TickerUpdate): void {
    const slot = this.#tickers.get(update.instrumentId)
    if (slot === undefined) return
    const book = this.#books.get(update.instrumentId)?.feed.actor
    const bid = update.bidPrice === null ? book?.top("bids", 1)[0] : undefined
    const ask = update.askPrice === null ? book?.top("asks", 1)[0] : undefined
    this.tickers.update(update.instrumentId, {
      instrumentId: update.instrumentId,
      venue: this.#parts.venue,
      symbol: slot.name.symbol,
      lastPrice: update.lastPrice,
      lastQuantity: update.lastQuantity,
      bidPrice: update.bidPrice ?? bid?.[0] ?? null,
      bidQuantity: update.bidPrice === null ? (bid?.[1] ?? null) : update.bidQuantity,
      askPrice: update.askPrice ?? ask?.[0] ?? null,
      askQuantity: update.askPrice === null ? (ask?.[1] ?? null) : update.askQuantity,
      timestamp: update.at,
    })
    if (slot.waiting.size > 0) wake(slot.waiting)
  }

  /** Once a second while anything is open: closes what nobody wants any more and says which books went stale. */
  #watch(): void {
    const now = this.#parts.clock.monotonic()
    const all = [this.#books, this.#tickers, this.#trades, ...this.#klines.values()]
    for (const slots of all)
      for (const slot of slots.values()) {
        if (slot.holders.size > 0 || now < slot.lingerUntil) continue
        slots.delete(slot.instrumentId)
        if (slot.stream === "ticker") this.tickers.remove(slot.instrumentId)
        this.#withInterval(slot.stream, (interval) => this.klines.close(slot.instrumentId, interval))
        this.#source.close(slot.stream, slot.instrumentId)
      }
    for (const { feed } of this.#books.values()) feed.watch(now)
    if (all.every(({ size }) => size === 0)) this.#isBusy.unsafeClose()
  }

  #await(waiting: Set<() => unknown>, waitMillis: number, found: () => unknown, missed: () => void): void {
    waiting.add(found)
    this.#after(waitMillis, () => {
      if (waiting.delete(found)) missed()
    })
  }

  #after(millis: number, run: () => void): void {
    const pause = millis > 0 ? Effect.sleep(millis) : Effect.yieldNow()
    this.#parts.fork(Effect.zipRight(pause, Effect.sync(run)))
  }

  #newEpoch(): string {
    return this.#parts.ids.uuid().slice(-12)
  }
}

const wake = (waiting: Set<() => unknown>): void => {
  for (const each of [...waiting]) {
    waiting.delete(each)
    each()
  }
}
