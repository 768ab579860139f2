/**
 * One symbol of the loopback exchange, and the view of it that REST and streams show.
 * A synthetic market shows the matching engine's own book; a replayed one shows the capture's (replay-book.ts).
 */
import { BookSide } from "./book-side.ts"
import { formatFixed } from "./fixed.ts"
import type { Order, SymbolRules } from "./model.ts"
import { Tape } from "./replay/tape.ts"
import { Filters } from "./wire/filters.ts"

/** One symbol: rules, both sides of its book, what was traded, and the stops that wait. */
export class Market {
  readonly filters: Filters
  readonly bids = new BookSide("bids")
  readonly asks = new BookSide("asks")
  readonly tape = new Tape()
  readonly stops = new Set<Order>()
  /** Binance's order book update id: one more for every changed level. */
  updateId = 100
  /** Unique within the symbol only, as at the venue. */
  nextTradeId = 5000

  constructor(readonly rules: SymbolRules) {
    this.filters = new Filters(rules)
  }
}

/** `[price, quantity]`, decimal texts. */
export type Row = readonly [string, string]

export interface DepthShown {
  readonly lastUpdateId: number
  readonly bids: ReadonlyArray<Row>
  readonly asks: ReadonlyArray<Row>
}

/** What the public may see of a symbol's book and clock. */
export interface MarketView {
  readonly rules: SymbolRules
  readonly tape: Tape
  readonly depth: (limit: number) => DepthShown
  /** Ms; the capture's own time while it replays. */
  readonly now: () => number
}

/** The matching engine's own book. */
export const viewOf = (market: Market, now: () => number): MarketView => {
  const rows = (side: BookSide, limit: number) =>
    side.levels.slice(0, limit).map((level): Row => [formatFixed(level.price), formatFixed(level.total)])
  return {
    rules: market.rules,
    tape: market.tape,
    depth: (limit) => ({
      lastUpdateId: market.updateId,
      bids: rows(market.bids, limit),
      asks: rows(market.asks, limit),
    }),
    now,
  }
}
