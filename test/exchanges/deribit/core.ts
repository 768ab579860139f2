/** The parts every method of the loopback exchange works on. Matching, books and tape are the Binance exchange's engine; money is that of its contracts. */
import type { MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { MarginPurse } from "../binance-usdm/margin.ts"
import type { DeribitFaults } from "./faults.ts"
import type { Limits } from "./limits.ts"
import type { DeribitAccount, OrderWords } from "./model.ts"

/** Out of a query, where all are texts, or out of a frame. */
export type Params = Readonly<Record<string, unknown>>

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, DeribitAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements<number, number>
  readonly faults: DeribitFaults
  readonly limits: Limits
  readonly purse: MarginPurse
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** Of the trade's id. */
  readonly placeOf: (symbol: string) => number
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Tells of an order that was matched when it came. */
  readonly placed: (order: Order) => void
  /** Tells of one that waits for its trigger. */
  readonly told: (account: DeribitAccount, row: object) => void
}

/** Of an account whose request has been verified. */
export type Method = (core: Core, account: DeribitAccount, params: Params) => unknown

export const textOf = (params: Params, name: string): string | undefined => {
  const value = params[name]
  return value === undefined || value === null ? undefined : String(value)
}

export const isTrue = (params: Params, name: string): boolean => textOf(params, name) === "true"
