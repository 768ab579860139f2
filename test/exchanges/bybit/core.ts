/** The parts every endpoint of the loopback Bybit works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { BybitFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { BybitAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, BybitAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements
  readonly faults: BybitFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account's `order` topic where an order stands. */
  readonly announce: (order: Order) => void
  /** Orders that are in the history alone since the last release. */
  readonly released: Set<Order>
  /** Orders that ended without a fill a day ago: no list has them. */
  readonly forgotten: Set<Order>
  /** Cancels that were acknowledged and have not happened yet. */
  readonly heldCancels: Set<Order>
}

export const marketOf = (core: Core, symbol: unknown): Market | undefined =>
  typeof symbol === "string" ? core.matching.markets.get(symbol) : undefined
