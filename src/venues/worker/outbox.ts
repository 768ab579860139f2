/**
 * What leaves the worker: everything of one loop turn in one batch. The main thread acknowledges batches; when too many are
 * unacknowledged, books and tickers are held here and conflated, so that a slow main thread costs freshness and never memory.
 * Orders, fills, balances, trades and answers always leave. Book sequences are given out here, so they have no holes either way.
 */
import type { MessagePort } from "node:worker_threads"
import type { DepthUpdate, TickerUpdate } from "../../ports/venue-port.ts"
import type { Batch, WorkerRecord } from "../wire.ts"

/** A depth update before it has a sequence. */
export type Depth = Omit<DepthUpdate, "sequence">

/** Batches. A main thread that is busy for a moment must not cost a single update; one that stands still must not fill the memory. */
export const UNACKNOWLEDGED_MAX = 1024

interface HeldBook {
  latest: Depth
  readonly bids: Map<string, string>
  readonly asks: Map<string, string>
  snapshot: boolean
}

export class Outbox {
  readonly #post: (batch: Batch) => void
  readonly #sequences = new Map<string, number>()
  readonly #books = new Map<string, HeldBook>()
  readonly #tickers = new Map<string, TickerUpdate>()
  #records: Array<WorkerRecord> = []
  #batch = 0
  #acknowledged = 0
  #holding = false
  #scheduled = false

  constructor(port: Pick<MessagePort, "postMessage">) {
    this.#post = (batch) => port.postMessage(batch)
  }

  push(record: WorkerRecord): void {
    this.#records.push(record)
    this.#schedule()
  }

  depth(update: Depth): void {
    if (this.#holding) this.#hold(update)
    else this.push({ _tag: "Depth", update: this.#numbered(update) })
  }

  ticker(update: TickerUpdate): void {
    if (this.#holding) this.#tickers.set(update.instrumentId, update)
    else this.push({ _tag: "Ticker", update })
  }

  /** A held change of a lost book must not follow the news that it is lost. */
  forgetBook(instrumentId: string): void {
    this.#books.delete(instrumentId)
  }

  acknowledge(batch: number): void {
    this.#acknowledged = batch
    if (!this.#holding || this.#batch - batch > UNACKNOWLEDGED_MAX / 2) return
    this.#holding = false
    for (const held of this.#books.values()) this.depth(merged(held))
    this.#books.clear()
    for (const update of this.#tickers.values()) this.ticker(update)
    this.#tickers.clear()
  }

  /** Posts what is gathered, now. */
  flush(): void {
    this.#scheduled = false
    if (this.#records.length === 0) return
    const records = this.#records
    this.#records = []
    this.#batch += 1
    this.#post({ batch: this.#batch, records })
    this.#holding = this.#batch - this.#acknowledged > UNACKNOWLEDGED_MAX
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
    if (held === undefined || update.snapshot) {
      const fresh = { latest: update, bids: new Map(), asks: new Map(), snapshot: update.snapshot }
      this.#books.set(update.instrumentId, fresh)
      apply(fresh, update)
      return
    }
    held.latest = update
    apply(held, update)
  }
}

/** Absolute quantities: the later one of a price wins. A snapshot keeps no deleted levels. */
const apply = (held: HeldBook, update: Depth): void => {
  for (const [side, levels] of [
    [held.bids, update.bids],
    [held.asks, update.asks],
  ] as const) {
    for (let i = 0; i < levels.length; i += 2) {
      const price = levels[i] ?? ""
      const quantity = levels[i + 1] ?? "0"
      if (held.snapshot && quantity === "0") side.delete(price)
      else side.set(price, quantity)
    }
  }
}

const merged = (held: HeldBook): Depth => ({
  ...held.latest,
  snapshot: held.snapshot,
  bids: [...held.bids].flat(),
  asks: [...held.asks].flat(),
})
