/** The parts every endpoint of the loopback Coinbase works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { CoinbaseFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { CoinbaseAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, CoinbaseAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: CoinbaseFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Cancels that were acknowledged and have not happened yet. */
  readonly heldCancels: Set<Order>
}

export const marketOf = (core: Core, product: unknown): Market | undefined =>
  typeof product === "string" ? core.matching.markets.get(product) : undefined
