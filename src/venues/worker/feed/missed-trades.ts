/**
 * Closes the gap an interruption leaves in the trades of one feed: new stream trades are held until the venue's history has supplied
 * those before them. A history is believed only where it names both ends of the hole: some venues number it otherwise than their stream,
 * and a trade that is told twice is as wrong as one that is missing.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { MarketTrade } from "../../../ports/market-source.ts"

/** Live trades wait no longer than this, whatever the venue does. */
const HELD_MILLIS = 5000
/** After each answer that does not reach the ends: a history may be behind the stream. */
const PAUSES_MILLIS = [250, 750, 1500]

interface Parts {
  /** The newest that was told before this one; null: none was. */
  readonly last: MarketTrade | null
  /** The venue's newest trades; undefined where it is not asked: every hole stays. */
  readonly history: (() => Promise<ReadonlyArray<MarketTrade>>) | undefined
  /** Notes a trade of the history; false for one that was told. */
  readonly isNew: (trade: MarketTrade) => boolean
  readonly tell: (trades: ReadonlyArray<MarketTrade>) => void
  /** The hole stays; called before the trade behind it is told. */
  readonly notFound: (after: MarketTrade, before: MarketTrade) => void
}

interface Batch {
  readonly trades: ReadonlyArray<MarketTrade>
  readonly isBehindHole: boolean
}

/** Ids that are numbers are in their order; of others nothing is known. */
const byId = (a: string, b: string): number => {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return 0
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** What happened after the one and before the other, oldest first; undefined when the history does not name both. */
export const tradesBetween = (
  history: ReadonlyArray<MarketTrade>,
  after: MarketTrade,
  before: MarketTrade,
): ReadonlyArray<MarketTrade> | undefined => {
  const sorted = [...history].sort((a, b) => a.at - b.at || byId(a.externalTradeId, b.externalTradeId))
  const placeOf = ({ externalTradeId }: MarketTrade): number =>
    sorted.findIndex((trade) => trade.externalTradeId === externalTradeId)
  const [from, to] = [placeOf(after), placeOf(before)]
  return from < 0 || to < 0 ? undefined : sorted.slice(from + 1, to)
}

export class MissedTrades {
  readonly #parts: Parts
  #last: MarketTrade | undefined
  /** What waits, the first of it for the history. */
  readonly #queue: Array<Batch> = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#last = parts.last ?? undefined
  }

  /** The newest that was told, by this feed or before it. */
  get last(): MarketTrade | null {
    return this.#last ?? null
  }

  /** New trades of one frame; `isBehindHole` of the first one after an interruption. */
  take(trades: ReadonlyArray<MarketTrade>, isBehindHole: boolean): void {
    if (trades.length === 0) return
    const waits = isBehindHole && this.#last !== undefined
    if (this.#queue.length === 0 && !waits) {
      this.#hand(trades)
      return
    }
    this.#queue.push({ trades, isBehindHole })
    if (this.#queue.length === 1) void this.#work()
  }

  async #work(): Promise<void> {
    for (let batch = this.#queue[0]; batch !== undefined; batch = this.#queue[0]) {
      const [after, before] = [this.#last, batch.trades[0]]
      if (batch.isBehindHole && after !== undefined && before !== undefined) await this.#close(after, before)
      this.#hand(batch.trades)
      this.#queue.shift()
    }
  }

  async #close(after: MarketTrade, before: MarketTrade): Promise<void> {
    const { history } = this.#parts
    const late = sleep(HELD_MILLIS, undefined, { ref: false })
    const missed = history === undefined ? undefined : await Promise.race([this.#find(history, after, before), late])
    if (missed === undefined) this.#parts.notFound(after, before)
    else this.#hand(missed.filter(this.#parts.isNew))
  }

  async #find(
    history: NonNullable<Parts["history"]>,
    after: MarketTrade,
    before: MarketTrade,
  ): Promise<ReadonlyArray<MarketTrade> | undefined> {
    for (const pause of PAUSES_MILLIS) {
      // What cut the stream may have hit the history, too.
      const found = await history().catch(() => [])
      const missed = tradesBetween(found, after, before)
      if (missed !== undefined) return missed
      await sleep(pause, undefined, { ref: false })
    }
    return undefined
  }

  #hand(trades: ReadonlyArray<MarketTrade>): void {
    if (trades.length === 0) return
    this.#last = trades.at(-1)
    this.#parts.tell(trades)
  }
}
