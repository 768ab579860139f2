/** The parts every endpoint of the loopback Bitstamp works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { ShownBook } from "../shown-books.ts"
import type { BitstampFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import { pathOf } from "./markets.ts"
import type { BitstampAccount, OrderWords } from "./model.ts"

export type OrderEventName = "order_created" | "order_changed" | "order_deleted"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, BitstampAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: BitstampFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Lists of open orders are so old at most, ms. */
  readonly cachedMillis: number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account's channel of orders what happened to one. */
  readonly tell: (order: Order, event: OrderEventName) => void
  readonly shownBook: (symbol: string) => ShownBook
  /** Microseconds of the venue at which a book had this number. */
  readonly bookTime: (sequence: number) => number
  /** A token for private channels, good for `TOKEN_SECONDS`. */
  readonly tokenFor: (account: BitstampAccount) => string
  readonly ownerOf: (token: string) => BitstampAccount | undefined
  /** Cancels that were acknowledged and have not happened yet. */
  readonly heldCancels: Set<Order>
}

export const TOKEN_SECONDS = 60

/** By its name in paths. */
export const marketOf = (core: Core, path: string): Market | undefined =>
  [...core.matching.markets.values()].find(({ rules }) => pathOf(rules.symbol) === path)
