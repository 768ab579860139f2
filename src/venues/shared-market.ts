/**
 * One venue's public feed for more than one reader: a stream is opened with its first reader and closed with its last. A reader who
 * comes to an open book gets the fresh snapshot that is asked for then, and so does everybody else.
 */
import { Effect } from "effect"
import type { InstrumentId } from "../domain/ids.ts"
import {
  intervalOf,
  klineStream,
  type MarketSink,
  type MarketSource,
  type MarketStream,
} from "../ports/market-source.ts"

const keyOf = (stream: MarketStream, instrumentId: InstrumentId): string => `${stream} ${instrumentId}`

export class SharedMarket {
  readonly #connect: (sink: MarketSink) => MarketSource
  readonly #readers = new Map<string, Set<MarketSink>>()
  /** Streams that the venue does not have, while somebody asks for them: each reader is told. */
  readonly #unstreamed = new Set<string>()
  #source: MarketSource | undefined

  constructor(connect: (sink: MarketSink) => MarketSource) {
    this.#connect = connect
  }

  attach(sink: MarketSink): MarketSource {
    return {
      open: (stream, instrumentId) => {
        const key = keyOf(stream, instrumentId)
        const readers = this.#readers.get(key)
        if (readers?.has(sink) === true) return
        if (readers === undefined) {
          this.#readers.set(key, new Set([sink]))
          this.#connected().open(stream, instrumentId)
          return
        }
        readers.add(sink)
        const interval = intervalOf(stream)
        // After the call that asked for it, as from the venue itself.
        if (interval !== undefined && this.#unstreamed.has(key))
          queueMicrotask(() => sink.unstreamed(klineStream(interval), instrumentId))
        if (stream === "book") this.#connected().resync(instrumentId)
      },
      close: (stream, instrumentId) => {
        const key = keyOf(stream, instrumentId)
        const readers = this.#readers.get(key)
        if (readers?.delete(sink) !== true || readers.size > 0) return
        this.#readers.delete(key)
        this.#unstreamed.delete(key)
        this.#connected().close(stream, instrumentId)
      },
      resync: (instrumentId, reason) => {
        if (this.#readers.get(keyOf("book", instrumentId))?.has(sink) === true)
          this.#connected().resync(instrumentId, reason)
      },
      confirm: (instrumentId) => Effect.suspend(() => this.#connected().confirm(instrumentId)),
    }
  }

  #connected(): MarketSource {
    this.#source ??= this.#connect({
      depth: (update) => this.#each("book", update.instrumentId, (sink) => sink.depth(update)),
      trades: (trades) => {
        // One frame of a venue is one instrument's.
        const first = trades[0]
        if (first !== undefined) this.#each("trade", first.instrumentId, (sink) => sink.trades(trades))
      },
      tradesMissed: (instrumentId) => this.#each("trade", instrumentId, (sink) => sink.tradesMissed(instrumentId)),
      ticker: (update) => this.#each("ticker", update.instrumentId, (sink) => sink.ticker(update)),
      kline: (update) => this.#each(klineStream(update.interval), update.instrumentId, (sink) => sink.kline(update)),
      unstreamed: (stream, instrumentId) => {
        this.#unstreamed.add(keyOf(stream, instrumentId))
        this.#each(stream, instrumentId, (sink) => sink.unstreamed(stream, instrumentId))
      },
      down: (stream, instrumentId, reason) =>
        this.#each(stream, instrumentId, (sink) => sink.down(stream, instrumentId, reason)),
    })
    return this.#source
  }

  #each(stream: MarketStream, instrumentId: InstrumentId, tell: (sink: MarketSink) => void): void {
    for (const sink of [...(this.#readers.get(keyOf(stream, instrumentId)) ?? [])]) tell(sink)
  }
}
