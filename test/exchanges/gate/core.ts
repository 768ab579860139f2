/** The parts every endpoint of the loopback Gate works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { ShownBook } from "../shown-books.ts"
import type { GateFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { GateAccount, OrderWords } from "./model.ts"

export type OrderEventType = "put" | "update" | "finish"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, GateAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: GateFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account's channel of orders what happened to one. */
  readonly tell: (order: Order, type: OrderEventType) => void
  readonly shownBook: (symbol: string) => ShownBook
}

export const marketOf = (core: Core, symbol: unknown): Market | undefined =>
  typeof symbol === "string" ? core.matching.markets.get(symbol) : undefined
