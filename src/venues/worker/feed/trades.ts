/**
 * The trades of one feed: every one that the stream shows, and those missed during an interruption. New trades are held until the venue's history
 * has supplied those before them. The one thing to know: a history is accepted only if it contains both ends of the gap, since some venues number
 * it differently from their stream, and a duplicate trade is as wrong as a missing one.
 */

import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { MarketTrade } from "../../../ports/market-source.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { TradeIds } from "../../trade-ids.ts"
import { tapCache } from "../exchange/cache-tap.ts"
import type { CcxtExchange, CcxtTrade, CcxtTradeCache, Raw } from "../exchange/ccxt.ts"
import type { Markets } from "../exchange/markets.ts"
import type { Outbox } from "../outbox.ts"
import type { Digits } from "./digits.ts"
import { tradeRows } from "./market-rows.ts"

/**
 * Sees every public trade: connectors append each to `trades[symbol]`, while `watchTrades` returns at most the newest thousand after
 * a burst. What one venue frame brought of one market is handed on together, while the frame's digits are still known.
 */
export class TradeTap {
  readonly #emit: (symbol: string, trades: ReadonlyArray<CcxtTrade>) => void
  readonly #tapped = new WeakSet<object>()
  #gathered = new Map<string, Array<CcxtTrade>>()
  #inFrame = false

  constructor(emit: (symbol: string, trades: ReadonlyArray<CcxtTrade>) => void) {
    this.#emit = emit
  }

  /** In place, before the instance keeps its first trade. */
  install(exchange: CcxtExchange): void {
    exchange.trades = new Proxy(exchange.trades, {
      set: (caches, symbol, cache: CcxtTradeCache) => {
        // Some connectors put the same cache back after each frame, and some fill a new one first.
        if (!this.#tapped.has(cache)) {
          this.#tapped.add(cache)
          for (const trade of cache) this.#onTrade(String(symbol), trade)
          tapCache({ cache }, "cache", (trade) => this.#onTrade(String(symbol), trade))
        }
        return Reflect.set(caches, symbol, cache)
      },
    })
  }

  frameStarts(): void {
    this.#inFrame = true
  }

  frameEnds(): void {
    this.#inFrame = false
    if (this.#gathered.size === 0) return
    const gathered = this.#gathered
    this.#gathered = new Map()
    for (const [symbol, trades] of gathered) this.#emit(symbol, inTime(trades))
  }

  #onTrade(symbol: string, trade: CcxtTrade): void {
    if (!this.#inFrame) {
      this.#emit(symbol, [trade])
      return
    }
    const kept = this.#gathered.get(symbol)
    if (kept === undefined) this.#gathered.set(symbol, [trade])
    else kept.push(trade)
  }
}

/** Frames with the trades of before are newest first on some venues, and in no order on others. */
const inTime = (trades: Array<CcxtTrade>): ReadonlyArray<CcxtTrade> => {
  const at = (trade: CcxtTrade | undefined): number => trade?.timestamp ?? 0
  if (at(trades[0]) > at(trades.at(-1))) trades.reverse()
  return trades.length > 1 ? trades.sort((a, b) => at(a) - at(b)) : trades
}

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

// Fetches trades a stream missed: the venue's newest ones by REST, in the shape of the stream's.

export interface TradeHistoryParts {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly markets: Markets
  readonly digits: Digits
  readonly outbox: Outbox
}

/** `seen`: what the feed has told; `last`: the newest of it, where a worker of before told it. */
export const missedTradesOf = (
  { profile, exchange, markets, digits, outbox }: TradeHistoryParts,
  instrumentId: InstrumentId,
  seen: TradeIds,
  last: MarketTrade | null,
): MissedTrades => {
  const { tradeHistory } = profile
  const newest = async (params: Raw): Promise<ReadonlyArray<MarketTrade>> => {
    const symbol = markets.listing.symbolOf(instrumentId)
    const found = await exchange.fetchTrades(symbol, undefined, undefined, { ...params })
    // What the feed has told is an end of the hole: not left out here.
    return tradeRows(instrumentId, found, digits, new TradeIds(), Date.now())
  }
  return new MissedTrades({
    last,
    history: tradeHistory.way === "BY_ID" ? () => newest(tradeHistory.params) : undefined,
    isNew: ({ externalTradeId }) => seen.take(externalTradeId, "") !== undefined,
    tell: (trades) => outbox.push({ _tag: "Trades", trades }),
    notFound: (after, before) => {
      const ends = `${after.externalTradeId} and ${before.externalTradeId}`
      outbox.push({ _tag: "TradesMissed", instrumentId })
      outbox.push({ _tag: "Noticed", what: `the venue's trade history has a gap for ${instrumentId} between ${ends}` })
    },
  })
}
