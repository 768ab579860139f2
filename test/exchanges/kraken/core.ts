/**
 * The parts every endpoint of the loopback Kraken works on. Matching, books, tape and balances are the Binance exchange's engine;
 * its symbols are WebSocket v2's here (`BTC/USD`).
 */
import type { Market } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Placements } from "../binance/placements.ts"
import type { KrakenFaults } from "./faults.ts"
import type { Ids } from "./ids.ts"
import type { Limits } from "./limits.ts"
import type { KrakenAccount } from "./model.ts"
import type { OrderDesk } from "./order-desk.ts"
import type { KrakenPair } from "./pairs.ts"
import type { Tokens } from "./wire/tokens.ts"

export interface Core {
  readonly pairs: ReadonlyArray<KrakenPair>
  readonly matching: Matching
  readonly desk: OrderDesk
  readonly accounts: Map<string, KrakenAccount>
  readonly placements: Placements<string, string>
  readonly faults: KrakenFaults
  readonly limits: Limits
  readonly tokens: Tokens
  readonly ids: Ids
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
}

export const marketOf = (core: Core, pair: KrakenPair): Market => core.matching.market(pair.symbol)
