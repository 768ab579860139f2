/**
 * The parts every endpoint of the loopback exchange works on.
 */
import type { Faults } from "./faults.ts"
import type { MarketView } from "./market.ts"
import type { Matching } from "./matching.ts"
import type { Account } from "./model.ts"
import type { Placements } from "./placements.ts"
import type { UserStreams } from "./wire/user-streams.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, Account>
  readonly views: Map<string, MarketView>
  readonly placements: Placements
  readonly faults: Faults
  readonly users: UserStreams
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
}
