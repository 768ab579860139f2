/** The parts every endpoint of the loopback Bitfinex works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { ShownBook } from "../shown-books.ts"
import type { BitfinexFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { BitfinexAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, BitfinexAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, number>
  readonly faults: BitfinexFaults
  readonly limits: Limits
  /** By which of its times the history of orders is ordered and cut: the venue's page names one, its own programs go by the other. */
  readonly historyBy: "CREATION" | "UPDATE"
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Cancels that were acknowledged and are not carried out. */
  readonly heldCancels: Set<Order>
  /** Tells the account what happened to an order. */
  readonly tell: (order: Order, event: "on" | "ou" | "oc") => void
  /** That something was asked for, before what becomes of it. */
  readonly notify: (order: Order, event: "on-req" | "ou-req" | "oc-req") => void
  readonly shownBook: (symbol: string) => ShownBook
}

export const marketOf = (core: Core, symbol: unknown): Market | undefined =>
  typeof symbol === "string" ? core.matching.markets.get(symbol) : undefined
