/**
 * Ids of the trades of one feed already passed on: venues repeat earlier trades after each subscription, which closes the gap of an
 * interruption and must not produce duplicates. The newest 2,000 are remembered.
 */
import type { InstrumentId } from "../domain/ids.ts"
import { Newest } from "../foundation/newest.ts"
import type { MarketTrade } from "../ports/market-source.ts"

const REMEMBERED = 2000

export class TradeIds {
  readonly #seen: Newest

  /** Of those in `known`, oldest first, nothing is new. */
  constructor(known: ReadonlyArray<string> = []) {
    this.#seen = new Newest(REMEMBERED, known)
  }

  has(id: string): boolean {
    return this.#seen.has(id)
  }

  /** Oldest first. */
  all(): ReadonlyArray<string> {
    return this.#seen.all()
  }

  /** The id to publish a trade under; undefined when it was published. A venue without ids is given them, from the trade's `content`. */
  take(id: string | undefined, content: string): string | undefined {
    const taken = id ?? this.#free(content)
    return this.#seen.add(taken) ? taken : undefined
  }

  /** Equal trades in the same millisecond are two trades. */
  #free(content: string): string {
    for (let nth = 1; ; nth++) {
      const id = nth === 1 ? content : `${content}:${nth}`
      if (!this.#seen.has(id)) return id
    }
  }
}

// The trades of a venue that readers were told, by instrument, for as long as the stream is open. It is kept in the main thread: a worker
// that dies would take with it where its successor has to go on, and what it must not tell again.

/** What a worker goes on from. */
export interface ToldTrades {
  readonly last: MarketTrade
  /** Oldest first. */
  readonly ids: ReadonlyArray<string>
}

interface Memory {
  readonly ids: TradeIds
  last: MarketTrade
}

export class TradeMemory {
  readonly #told = new Map<InstrumentId, Memory>()

  /** Notes trades of one instrument; answers those of them that were not told before. */
  take(trades: ReadonlyArray<MarketTrade>): ReadonlyArray<MarketTrade> {
    const [first] = trades
    if (first === undefined) return trades
    const known = this.#told.get(first.instrumentId)
    const ids = known?.ids ?? new TradeIds()
    const fresh = trades.filter(({ externalTradeId }) => ids.take(externalTradeId, "") !== undefined)
    const last = fresh.at(-1)
    if (last === undefined) return fresh
    if (known === undefined) this.#told.set(first.instrumentId, { ids, last })
    else known.last = last
    return fresh
  }

  /** Null before the first trade. */
  recall(instrumentId: InstrumentId): ToldTrades | null {
    const known = this.#told.get(instrumentId)
    return known === undefined ? null : { last: known.last, ids: known.ids.all() }
  }

  forget(instrumentId: InstrumentId): void {
    this.#told.delete(instrumentId)
  }
}
