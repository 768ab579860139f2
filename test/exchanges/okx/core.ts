/**
 * The parts every endpoint of the loopback OKX works on. Matching, books, tape and balances are the Binance exchange's engine;
 * symbols are OKX's instrument ids there (`BTC-USDT`).
 */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { OkxFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { OkxAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, OkxAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements
  readonly faults: OkxFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account's `orders` channel where an order stands. */
  readonly announce: (order: Order) => void
  /** Orders that GET order has forgotten (cancelled without a fill, two hours ago). */
  readonly forgotten: Set<Order>
  /** Cancels that were acknowledged and have not happened yet. */
  readonly heldCancels: Set<Order>
}

export const marketOf = (core: Core, instId: string | undefined): Market | undefined =>
  instId === undefined ? undefined : core.matching.markets.get(instId)
