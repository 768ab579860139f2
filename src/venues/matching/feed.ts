/** The public feed of an in-process venue: collects what one loop turn changed and hands it to the sink, for open streams only. */
import { Effect } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { KlineInterval } from "../../domain/market/kline.ts"
import {
  intervalOf,
  klineStream,
  type MarketSink,
  type MarketSource,
  type MarketStream,
  type MarketTrade,
} from "../../ports/market-source.ts"
import type { MatchSide } from "./matcher.ts"

/** The public levels: the matcher's own if its changes cannot be rolled back. */
export interface PublicBook {
  readonly levels: (side: MatchSide) => Iterable<{ readonly price: bigint; readonly quantity: bigint }>
  readonly best: (side: MatchSide) => { readonly price: bigint; readonly quantity: bigint } | undefined
}

/** The public face of one market: what the feed reads when it is asked for a snapshot or a ticker. */
export interface FeedMarket {
  readonly instrument: Instrument
  readonly book: PublicBook
  lastPrice: string | null
  lastQuantity: string | null
}

interface Streams {
  readonly market: FeedMarket
  readonly open: Set<MarketStream>
  /** Streams that a rig cut. */
  readonly cut: Set<MarketStream>
  readonly bids: Map<bigint, bigint>
  readonly asks: Map<bigint, bigint>
  /** Intervals of bars that were asked for, and not refused yet: here they are made of trades. */
  readonly unstreamed: Set<KlineInterval>
  trades: Array<MarketTrade>
  sequence: number
  needsSnapshot: boolean
  needsTicker: boolean
  /** Depth updates that a rig loses on the way: they count, but never arrive. */
  skipped: number
}

export class MatcherFeed {
  readonly #streams = new Map<InstrumentId, Streams>()
  readonly #schedule: () => void
  readonly #opened: () => void
  readonly #now: () => number
  #sink: MarketSink | null = null

  constructor(options: {
    readonly markets: Iterable<FeedMarket>
    /** Asks for a `flush` later in this loop turn. */
    readonly schedule: () => void
    readonly opened: () => void
    readonly now: () => number
  }) {
    for (const market of options.markets) this.list(market)
    this.#schedule = options.schedule
    this.#opened = options.opened
    this.#now = options.now
  }

  /** A market more, or one anew: who follows it goes on, with a snapshot. */
  list(market: FeedMarket): void {
    const { instrumentId } = market.instrument
    const before = this.#streams.get(instrumentId)
    this.#streams.set(instrumentId, {
      market,
      open: before?.open ?? new Set(),
      cut: before?.cut ?? new Set(),
      bids: new Map(),
      asks: new Map(),
      unstreamed: before?.unstreamed ?? new Set(),
      trades: [],
      sequence: before?.sequence ?? 0,
      needsSnapshot: before?.open.has("book") === true,
      needsTicker: before?.open.has("ticker") === true,
      skipped: 0,
    })
  }

  connect(sink: MarketSink): MarketSource {
    this.#sink = sink
    return {
      open: (stream, instrumentId) => {
        const streams = this.#streams.get(instrumentId)
        if (streams === undefined || streams.open.has(stream)) return
        streams.open.add(stream)
        this.#opened()
        this.#begin(streams, stream)
      },
      close: (stream, instrumentId) => {
        this.#streams.get(instrumentId)?.open.delete(stream)
      },
      resync: (instrumentId) => {
        const streams = this.#streams.get(instrumentId)
        if (streams !== undefined && this.#flows(streams, "book")) this.#begin(streams, "book")
      },
      confirm: (instrumentId) =>
        Effect.sync(() => {
          const streams = this.#streams.get(instrumentId)
          if (streams === undefined || !this.#flows(streams, "book")) return false
          this.flush()
          return true
        }),
    }
  }

  get openCount(): number {
    let open = 0
    for (const streams of this.#streams.values()) open += streams.open.size
    return open
  }

  isOpen(instrumentId: InstrumentId): boolean {
    return (this.#streams.get(instrumentId)?.open.size ?? 0) > 0
  }

  level(instrumentId: InstrumentId, side: MatchSide, price: bigint, quantity: bigint): void {
    const streams = this.#streams.get(instrumentId)
    if (streams === undefined || streams.open.size === 0) return
    if (this.#flows(streams, "book")) (side === "BUY" ? streams.bids : streams.asks).set(price, quantity)
    streams.needsTicker = true
  }

  trade(trade: MarketTrade): void {
    const streams = this.#streams.get(trade.instrumentId)
    if (streams === undefined || streams.open.size === 0) return
    if (this.#flows(streams, "trade")) streams.trades.push(trade)
    streams.needsTicker = true
  }

  /** Sends what has gathered, at most one depth update and one ticker per instrument. */
  flush(): void {
    const sink = this.#sink
    if (sink === null) return
    for (const streams of this.#streams.values()) {
      if (streams.open.size === 0) continue
      if (this.#flows(streams, "book")) this.#sendDepth(streams, sink)
      if (streams.trades.length > 0) {
        const trades = streams.trades
        streams.trades = []
        sink.trades(trades)
      }
      for (const interval of streams.unstreamed)
        sink.unstreamed(klineStream(interval), streams.market.instrument.instrumentId)
      streams.unstreamed.clear()
      if (streams.needsTicker && this.#flows(streams, "ticker")) this.#sendTicker(streams, sink)
    }
  }

  /** The stream is interrupted until `mend`. */
  cut(stream: MarketStream, instrumentId: InstrumentId): void {
    const streams = this.#streams.get(instrumentId)
    if (streams === undefined) return
    streams.cut.add(stream)
    this.#sink?.down(stream, instrumentId, "rigged")
  }

  mend(stream: MarketStream, instrumentId: InstrumentId): void {
    const streams = this.#streams.get(instrumentId)
    if (streams?.cut.delete(stream) === true && streams.open.has(stream)) this.#begin(streams, stream)
  }

  /** The next depth update is lost on the way. */
  skipDepth(instrumentId: InstrumentId): void {
    const streams = this.#streams.get(instrumentId)
    if (streams !== undefined) streams.skipped += 1
  }

  #flows(streams: Streams, stream: MarketStream): boolean {
    return streams.open.has(stream) && !streams.cut.has(stream)
  }

  #begin(streams: Streams, stream: MarketStream): void {
    if (stream === "book") streams.needsSnapshot = true
    if (stream === "ticker") streams.needsTicker = true
    const interval = intervalOf(stream)
    if (interval !== undefined) streams.unstreamed.add(interval)
    this.#schedule()
  }

  #sendDepth(streams: Streams, sink: MarketSink): void {
    const { market, bids, asks, needsSnapshot } = streams
    if (!needsSnapshot && bids.size + asks.size === 0) return
    const { precision, scale, instrumentId } = market.instrument
    const flat = (levels: Iterable<readonly [bigint, bigint]>): ReadonlyArray<string> => {
      const texts: Array<string> = []
      for (const [price, quantity] of levels)
        texts.push(Decimal.fromUnits(price, precision).toString(), Decimal.fromUnits(quantity, scale).toString())
      return texts
    }
    const all = function* (side: MatchSide): Generator<readonly [bigint, bigint]> {
      for (const level of market.book.levels(side)) yield [level.price, level.quantity]
    }
    const now = this.#now()
    streams.sequence += 1
    streams.needsSnapshot = false
    const update = {
      instrumentId,
      snapshot: needsSnapshot,
      bids: flat(needsSnapshot ? all("BUY") : bids),
      asks: flat(needsSnapshot ? all("SELL") : asks),
      sequence: streams.sequence,
      nonce: streams.sequence,
      venueAt: now,
      receivedAt: now,
    }
    bids.clear()
    asks.clear()
    if (streams.skipped > 0 && !needsSnapshot) streams.skipped -= 1
    else sink.depth(update)
  }

  #sendTicker(streams: Streams, sink: MarketSink): void {
    const { book, instrument, lastPrice, lastQuantity } = streams.market
    const { precision, scale, instrumentId } = instrument
    const bid = book.best("BUY")
    const ask = book.best("SELL")
    streams.needsTicker = false
    sink.ticker({
      instrumentId,
      lastPrice,
      lastQuantity,
      bidPrice: bid === undefined ? null : Decimal.fromUnits(bid.price, precision).toString(),
      bidQuantity: bid === undefined ? null : Decimal.fromUnits(bid.quantity, scale).toString(),
      askPrice: ask === undefined ? null : Decimal.fromUnits(ask.price, precision).toString(),
      askQuantity: ask === undefined ? null : Decimal.fromUnits(ask.quantity, scale).toString(),
      at: this.#now(),
    })
  }
}
