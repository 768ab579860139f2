/** The parts every endpoint of the loopback exchange works on. Matching, books and tape are the Binance exchange's engine; money is that of its contracts. */
import type { MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { MarginPurse } from "../binance-usdm/margin.ts"
import type { KrakenFuturesFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { FuturesAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, FuturesAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: KrakenFuturesFaults
  readonly limits: Limits
  readonly purse: MarginPurse
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Tells of an order that was matched when it came: of one that stands in the book its feed, of all the history. */
  readonly placed: (account: FuturesAccount, order: Order) => void
  /** Tells of one that never stood in the book. */
  readonly stillborn: (account: FuturesAccount, order: Order) => void
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Into the account's history. */
  readonly note: (account: FuturesAccount, symbol: string, event: Readonly<Record<string, unknown>>) => void
}

export const iso = (millis: number): string => new Date(millis).toISOString()
