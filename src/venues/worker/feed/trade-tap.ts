/**
 * Sees every public trade: connectors append each to `trades[symbol]`, while `watchTrades` returns at most the newest thousand after
 * a burst. What one venue frame brought of one market is handed on together, while the frame's digits are still known.
 */

import { tapCache } from "../exchange/cache-tap.ts"
import type { CcxtExchange, CcxtTrade, CcxtTradeCache } from "../exchange/ccxt.ts"

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
