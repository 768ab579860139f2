/** Changes of one book that wait because the main thread is slow: merged into one, the later quantity of a price wins. */
import type { BookRange } from "../../../domain/market/market.ts"
import type { DepthUpdate } from "../../../ports/market-source.ts"

/** A depth update before it has a sequence. */
export type Depth = Omit<DepthUpdate, "sequence">

/** Changes of prices that came and went pile up in a difference, never in a snapshot. Past this a snapshot is smaller. */
const LEVELS_MAX = 20_000

export class HeldBook {
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
