/**
 * Outgoing records of a connector: everything of one event loop turn in one batch. The main thread acknowledges what it took; when too much is
 * unacknowledged, books, tickers and current bars are held here and conflated: a slow main thread costs freshness, never memory. Orders, fills,
 * balances, trades and answers are always sent. Book sequences are assigned here, so they have no gaps either way.
 */

import type { MessagePort } from "node:worker_threads"
import type { BookRange } from "../../domain/market/market.ts"
import type { DepthUpdate, KlineUpdate, TickerUpdate } from "../../ports/market-source.ts"
import type { Batch, WorkerRecord } from "../connector/wire.ts"

// Changes of one book that wait because the main thread is slow: merged into one, the later quantity of a price wins.

/** A depth update before it has a sequence. */
export type Depth = Omit<DepthUpdate, "sequence">

/** Changes of prices that came and went pile up in a difference, never in a snapshot. Past this a snapshot is smaller. */
const LEVELS_MAX = 20_000

class HeldBook {
  #latest: Depth
  #isSnapshot: boolean
  #range: BookRange | undefined
  readonly #bids = new Map<string, string>()
  readonly #asks = new Map<string, string>()

  constructor(first: Depth) {
    this.#latest = first
    this.#isSnapshot = first.snapshot
    this.#apply(first)
  }

  get isOvergrown(): boolean {
    return !this.#isSnapshot && this.#bids.size + this.#asks.size > LEVELS_MAX
  }

  add(update: Depth): void {
    if (update.snapshot) {
      this.#isSnapshot = true
      this.#range = undefined
      this.#bids.clear()
      this.#asks.clear()
    }
    this.#latest = update
    this.#apply(update)
  }

  merged(): Depth {
    const { range: _, ...latest } = this.#latest
    return {
      ...latest,
      snapshot: this.#isSnapshot,
      bids: [...this.#bids].flat(),
      asks: [...this.#asks].flat(),
      ...(this.#range !== undefined && { range: this.#range }),
    }
  }

  /** Quantities are absolute. A snapshot keeps no deleted levels. */
  #apply({ bids, asks, range }: Depth): void {
    this.#range = range ?? this.#range
    this.#applySide(this.#bids, bids)
    this.#applySide(this.#asks, asks)
  }

  #applySide(side: Map<string, string>, levels: ReadonlyArray<string>): void {
    for (let i = 0; i < levels.length; i += 2) {
      const price = levels[i] ?? ""
      const quantity = levels[i + 1] ?? "0"
      if (this.#isSnapshot && quantity === "0") side.delete(price)
      else side.set(price, quantity)
    }
  }
}

/**
 * Levels and records, about 100 bytes each on their way: a main thread that is busy for a third of a second at 20,000 frames/s must not
 * cost a single update, and one that stands still must not fill the memory.
 */
export const UNACKNOWLEDGED_MAX = 32_768
/** Past so much of what is never held, the operator is told: memory is its only limit. */
const BACKLOG_NOTED = 1_000_000

interface OutboxFigures {
  readonly batches: number
  readonly records: number
  readonly unacknowledged: number
  readonly heldBooks: number
  readonly conflated: number
}

export class Outbox {
  readonly #post: (batch: Batch) => void
  readonly #sequences = new Map<string, number>()
  readonly #books = new Map<string, HeldBook>()
  readonly #tickers = new Map<string, TickerUpdate>()
  /** By bar: what a stream said of one last may be all that it ever says of its end. */
  readonly #klines = new Map<string, KlineUpdate>()
  readonly #overgrown: (instrumentId: DepthUpdate["instrumentId"]) => void
  #records: Array<WorkerRecord> = []
  #weight = 0
  #acknowledged = 0
  #batches = 0
  #sent = 0
  #conflated = 0
  #holding = false
  #noted = false
  #scheduled = false

  /** `overgrown` hears of a book whose held changes are more than a book: they are forgotten, and only a snapshot helps. */
  constructor(
    port: Pick<MessagePort, "postMessage">,
    overgrown: (instrumentId: DepthUpdate["instrumentId"]) => void = () => undefined,
  ) {
    this.#post = (batch) => port.postMessage(batch)
    this.#overgrown = overgrown
  }

  push(record: WorkerRecord): void {
    this.#records.push(record)
    this.#weight += weightOf(record)
    this.#schedule()
  }

  depth(update: Depth): void {
    if (this.#holding) this.#hold(update)
    else this.push({ _tag: "Depth", update: this.#numbered(update) })
  }

  ticker(update: TickerUpdate): void {
    if (!this.#holding) {
      this.push({ _tag: "Ticker", update })
      return
    }
    if (this.#tickers.has(update.instrumentId)) this.#conflated += 1
    this.#tickers.set(update.instrumentId, update)
  }

  kline(update: KlineUpdate): void {
    if (!this.#holding) return this.push({ _tag: "Kline", update })
    const key = `${update.instrumentId} ${update.interval} ${update.bar.openAt}`
    this.#klines.delete(key)
    this.#klines.set(key, update)
  }

  /** A held change of a lost book must not follow the news that it is lost. */
  forgetBook(instrumentId: string): void {
    this.#books.delete(instrumentId)
  }

  /** Changes of this book wait for a slow reader. */
  holdsBook(instrumentId: string): boolean {
    return this.#books.has(instrumentId)
  }

  /** Everything up to this weight was taken. */
  acknowledge(weight: number): void {
    this.#acknowledged = weight
    if (this.#weight - weight > UNACKNOWLEDGED_MAX / 2) return
    this.#noted = false
    if (!this.#holding) return
    this.#holding = false
    for (const held of this.#books.values()) this.depth(held.merged())
    this.#books.clear()
    for (const update of this.#tickers.values()) this.ticker(update)
    this.#tickers.clear()
    for (const update of this.#klines.values()) this.kline(update)
    this.#klines.clear()
  }

  /** Posts what is gathered, now. */
  flush(): void {
    this.#scheduled = false
    if (this.#records.length === 0) return
    const records = this.#records
    this.#records = []
    this.#batches += 1
    this.#sent += records.length
    this.#post({ weight: this.#weight, records })
    const unacknowledged = this.#weight - this.#acknowledged
    this.#holding = unacknowledged > UNACKNOWLEDGED_MAX
    if (unacknowledged > BACKLOG_NOTED && !this.#noted) {
      this.#noted = true
      this.push({ _tag: "Noticed", what: `the main thread is ${unacknowledged} trades and reports behind` })
    }
  }

  figures(): OutboxFigures {
    return {
      batches: this.#batches,
      records: this.#sent,
      unacknowledged: this.#weight - this.#acknowledged,
      heldBooks: this.#books.size,
      conflated: this.#conflated,
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  #numbered(update: Depth): DepthUpdate {
    const sequence = (this.#sequences.get(update.instrumentId) ?? 0) + 1
    this.#sequences.set(update.instrumentId, sequence)
    return { ...update, sequence }
  }

  #hold(update: Depth): void {
    const held = this.#books.get(update.instrumentId)
    if (held === undefined) {
      this.#books.set(update.instrumentId, new HeldBook(update))
      return
    }
    this.#conflated += 1
    held.add(update)
    if (!held.isOvergrown) return
    this.#books.delete(update.instrumentId)
    this.#overgrown(update.instrumentId)
  }
}

const weightOf = (record: WorkerRecord): number => {
  switch (record._tag) {
    case "Depth":
      return 1 + (record.update.bids.length + record.update.asks.length) / 2
    case "Trades":
      return record.trades.length
    default:
      return 1
  }
}
