/** The parts every endpoint of the loopback exchange works on. Matching, books and tape are the Binance exchange's engine; money is `margin.ts`. */
import type { Faults } from "../binance/faults.ts"
import type { MarketView } from "../binance/market.ts"
import type { Matching } from "../binance/matching.ts"
import type { Order } from "../binance/model.ts"
import type { Placements } from "../binance/placements.ts"
import type { Limits } from "./limits.ts"
import type { MarginPurse } from "./margin.ts"
import type { UsdmAccount } from "./model.ts"
import type { OrderWords } from "./words.ts"

export interface Core {
  readonly matching: Matching
  readonly accounts: Map<string, UsdmAccount>
  readonly views: Map<string, MarketView>
  readonly placements: Placements
  readonly faults: Faults
  readonly limits: Limits
  readonly purse: MarginPurse
  /** The venue's clock, ms since the Unix epoch. */
  readonly now: () => number
  /** Counts requests and messages by name, for tests that want to know what a client really sent. */
  readonly count: (what: string) => void
  /** To the user data streams of one key. */
  readonly push: (apiKey: string, event: object) => void
  /** The words of the order that is being placed: the engine tells of it before `place` returns. */
  placing: OrderWords | undefined
  /** Orders that ended without a fill three days ago: no list has them. */
  readonly forgotten: Set<Order>
}
