/**
 * The trades of a venue that readers were told, by instrument, for as long as the stream is open. It is kept in the main thread: a worker
 * that dies would take with it where its successor has to go on, and what it must not tell again.
 */
import type { InstrumentId } from "../../domain/ids.ts"
import type { MarketTrade } from "../../ports/market-source.ts"
import { TradeIds } from "../trade-ids.ts"

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
