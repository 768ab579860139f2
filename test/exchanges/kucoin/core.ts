/** The parts every endpoint of the loopback KuCoin works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Fill, Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { ShownBook } from "../shown-books.ts"
import type { KucoinFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { KucoinAccount, OrderWords } from "./model.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, KucoinAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: KucoinFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account's topics of an order what happened to it. */
  readonly tell: (order: Order, type: OrderEventType, fill?: Fill) => void
  /** Cancels that were acknowledged and have not happened yet. */
  readonly heldCancels: Set<Order>
  /** Fills that the list does not have yet; null: it has all. */
  heldFills: Set<Fill> | null
  /** Who a token of the sockets was given to; undefined: to nobody with a key. */
  readonly tokens: Map<string, KucoinAccount | undefined>
  readonly shownBook: (symbol: string) => ShownBook
}

export type OrderEventType = "received" | "open" | "match" | "filled" | "canceled"

export const marketOf = (core: Core, symbol: unknown): Market | undefined =>
  typeof symbol === "string" ? core.matching.markets.get(symbol) : undefined
