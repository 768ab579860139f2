/**
 * The public channels: what changed in one turn of the loop leaves at its end, per pair in the order trades, ticker, candles, book.
 * A new listener gets its snapshot after everything before it has left, so no update can be in both.
 */
import type { Market } from "../../binance/market.ts"
import type { PublicTrade } from "../../binance/model.ts"
import type { KrakenFaults } from "../faults.ts"
import { intervalName } from "../intervals.ts"
import { bare, plain, rfc3339, toJson, withPlaces } from "../numbers.ts"
import type { KrakenPair } from "../pairs.ts"
import { ShownBook } from "../shown-book.ts"
import { type Connection, type Connections, type Subscription, send } from "./connections.ts"
import { averagePrice } from "./wire-public.ts"

const TRADES_IN_SNAPSHOT = 50
const CANDLES_IN_SNAPSHOT = 100

interface Stream {
  readonly pair: KrakenPair
  readonly market: Market
  /** By depth; made at the first listener. */
  readonly books: Map<number, ShownBook>
  readonly bids: Set<bigint>
  readonly asks: Set<bigint>
  readonly trades: Array<PublicTrade>
  /** Best prices and amounts, as the last ticker told them. */
  top: string
}

export interface MarketStreamsParts {
  readonly connections: Connections
  readonly faults: KrakenFaults
  readonly now: () => number
}

export class MarketStreams {
  readonly #streams = new Map<string, Stream>()
  readonly #dirty = new Set<Stream>()
  #scheduled: NodeJS.Immediate | undefined
  readonly #delayed = new Set<NodeJS.Timeout>()

  constructor(readonly parts: MarketStreamsParts) {}

  add(pair: KrakenPair, market: Market): void {
    const kept = { books: new Map(), bids: new Set<bigint>(), asks: new Set<bigint>(), trades: [] }
    this.#streams.set(pair.symbol, { pair, market, ...kept, top: topOf(market) })
  }

  onLevel(symbol: string, side: "bids" | "asks", price: bigint): void {
    const stream = this.#streams.get(symbol)
    if (stream === undefined) return
    stream[side].add(price)
    this.#touch(stream)
  }

  onTrade(symbol: string, trade: PublicTrade): void {
    const stream = this.#streams.get(symbol)
    if (stream === undefined) return
    stream.trades.push(trade)
    this.#touch(stream)
  }

  /** Everything that waits leaves now. */
  flush(): void {
    clearImmediate(this.#scheduled)
    this.#scheduled = undefined
    const dirty = [...this.#dirty]
    this.#dirty.clear()
    for (const stream of dirty) this.#flushOne(stream)
  }

  /** What a new listener is shown first. Call `flush` before it subscribes. */
  snapshot(connection: Connection, { channel, symbol, depth, interval }: Subscription): void {
    const stream = this.#streams.get(symbol ?? "")
    if (stream === undefined) return
    if (channel === "book") send(connection, this.#bookOf(stream, depth).snapshot())
    else if (channel === "ticker") send(connection, this.#ticker(stream, "snapshot"))
    else if (channel === "trade") {
      send(connection, this.#trades(stream, "snapshot", stream.market.tape.trades.slice(-TRADES_IN_SNAPSHOT)))
    } else if (channel === "ohlc") send(connection, this.#candles(stream, "snapshot", interval, CANDLES_IN_SNAPSHOT))
  }

  stop(): void {
    clearImmediate(this.#scheduled)
    for (const timer of this.#delayed) clearTimeout(timer)
  }

  #touch(stream: Stream): void {
    this.#dirty.add(stream)
    this.#scheduled ??= setImmediate(() => this.flush())
  }

  #flushOne(stream: Stream): void {
    const { symbol } = stream.pair
    const trades = stream.trades.splice(0)
    const top = topOf(stream.market)
    const hasNewTop = top !== stream.top
    stream.top = top
    if (trades.length > 0) this.#publish("trade", symbol, () => this.#trades(stream, "update", trades))
    const isTold = ({ trigger }: Subscription) => (trigger === "bbo" ? hasNewTop : trades.length > 0)
    this.#publish("ticker", symbol, () => this.#ticker(stream, "update"), isTold)
    if (trades.length > 0) {
      const intervals = [...this.parts.connections.listeners("ohlc", symbol)].map((it) => it.subscription.interval)
      for (const interval of new Set(intervals)) {
        const isOf = (subscription: Subscription) => subscription.interval === interval
        this.#publish("ohlc", symbol, () => this.#candles(stream, "update", interval, 1), isOf)
      }
    }
    for (const [depth, book] of stream.books) {
      const text = book.update(stream)
      if (text !== undefined) this.#publishBook(symbol, depth, text)
    }
    stream.bids.clear()
    stream.asks.clear()
  }

  #publishBook(symbol: string, depth: number, text: string): void {
    const isOf = (subscription: Subscription) => subscription.depth === depth
    for (const frame of this.parts.faults.onBook(symbol, text)) {
      const publish = (isTold: (subscription: Subscription) => boolean) =>
        this.#publish("book", symbol, () => frame.text, isTold)
      if (frame.afterMillis === 0) publish(isOf)
      else {
        // A subscription that begins meanwhile has the change in its snapshot.
        const present = new Set(this.parts.connections.listeners("book", symbol).map((it) => it.subscription))
        const timer = setTimeout(() => {
          this.#delayed.delete(timer)
          publish((subscription) => isOf(subscription) && present.has(subscription))
        }, frame.afterMillis)
        this.#delayed.add(timer)
      }
    }
  }

  #publish(
    channel: string,
    symbol: string,
    make: () => string,
    isTold: (subscription: Subscription) => boolean = () => true,
  ): void {
    let text: string | undefined
    for (const { connection, subscription } of this.parts.connections.listeners(channel, symbol)) {
      if (!isTold(subscription)) continue
      text ??= make()
      send(connection, text)
    }
  }

  #bookOf(stream: Stream, depth: number): ShownBook {
    const known = stream.books.get(depth)
    if (known !== undefined) return known
    const book = new ShownBook(stream.pair, stream.market, depth, this.parts.now)
    stream.books.set(depth, book)
    return book
  }

  #trades({ pair }: Stream, type: "snapshot" | "update", trades: ReadonlyArray<PublicTrade>): string {
    const data = trades.map((trade) => ({
      symbol: pair.symbol,
      side: trade.isBuyerMaker ? "sell" : "buy",
      price: bare(withPlaces(trade.price, pair.priceDecimals)),
      qty: bare(withPlaces(trade.quantity, pair.lotDecimals)),
      ord_type: "limit",
      trade_id: trade.tradeId,
      timestamp: rfc3339(trade.tradedAt),
    }))
    return toJson({ channel: "trade", type, data })
  }

  #ticker({ pair, market }: Stream, type: "snapshot" | "update"): string {
    const price = (units: bigint) => bare(withPlaces(units, pair.priceDecimals))
    const quantity = (units: bigint) => bare(withPlaces(units, pair.lotDecimals))
    const now = this.parts.now()
    const day = market.tape.day(now)
    const [bid, ask] = [market.bids.best, market.asks.best]
    const change = day.close - day.open
    const row = {
      symbol: pair.symbol,
      bid: price(bid?.price ?? 0n),
      bid_qty: quantity(bid?.total ?? 0n),
      ask: price(ask?.price ?? 0n),
      ask_qty: quantity(ask?.total ?? 0n),
      last: price(market.tape.last?.price ?? 0n),
      volume: quantity(day.volume),
      vwap: bare(plain(averagePrice(day.quoteVolume, day.volume))),
      low: price(day.low),
      high: price(day.high),
      change: price(change),
      change_pct: day.open === 0n ? 0 : Number((change * 10_000n) / day.open) / 100,
      timestamp: rfc3339(now),
    }
    return toJson({ channel: "ticker", type, data: [row] })
  }

  #candles({ pair, market }: Stream, type: "snapshot" | "update", interval: number, count: number): string {
    const now = this.parts.now()
    const candles = market.tape.candles(intervalName(interval) ?? "", now).slice(-count)
    const price = (units: bigint) => bare(withPlaces(units, pair.priceDecimals))
    const data = candles.map((candle) => ({
      symbol: pair.symbol,
      open: price(candle.open),
      high: price(candle.high),
      low: price(candle.low),
      close: price(candle.close),
      trades: candle.tradeCount,
      volume: bare(withPlaces(candle.volume, pair.lotDecimals)),
      vwap: price(averagePrice(candle.quoteVolume, candle.volume)),
      interval_begin: rfc3339(candle.openAt),
      interval,
      timestamp: rfc3339(candle.closeAt + 1),
    }))
    return toJson({ channel: "ohlc", type, timestamp: rfc3339(now), data })
  }
}

const topOf = ({ bids, asks }: Market): string =>
  [bids.best?.price, bids.best?.total, asks.best?.price, asks.best?.total].join(" ")
