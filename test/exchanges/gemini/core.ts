/** The parts every endpoint of the loopback Gemini works on. Matching, books, tape and balances are the Binance exchange's engine. */
import type { Market, MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Fill, Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { ShownBook } from "../shown-books.ts"
import type { GeminiFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import { idOf } from "./markets.ts"
import type { GeminiAccount, OrderWords } from "./model.ts"

export type EventName = "accepted" | "booked" | "fill" | "cancelled" | "rejected" | "closed" | "cancel_rejected"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, GeminiAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, string>
  readonly faults: GeminiFaults
  readonly limits: Limits
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Ids of orders that never reached the engine. */
  readonly nextStillbornId: () => number
  /** Tells the account what happened to an order. */
  readonly tell: (order: Order, event: EventName, fill?: Fill) => void
  readonly shownBook: (symbol: string) => ShownBook
  /** Cancels that were answered and have not happened yet. */
  readonly heldCancels: Set<Order>
  /** By the account's own hand, or the venue's. */
  readonly cancel: (order: Order) => void
}

/** By its name in paths, payloads and subscriptions, in any case. */
export const marketOf = (core: Core, id: string): Market | undefined =>
  [...core.matching.markets.values()].find(({ rules }) => idOf(rules.symbol) === id.toLowerCase())
