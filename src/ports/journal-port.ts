/** The memory of in-process venues: the gateway's own journal (order-path 3). They write through the ledger, or not at all. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId, VenueId } from "../domain/ids.ts"
import type { InternalOrder, InternalTrade } from "../domain/order/internal-order.ts"
import type { TradeOrder } from "../domain/order/trade-order.ts"

// What the platform's own venue reads of its journal; it writes through the ledger only.

/** The trades of one second, as text. */
export interface SecondOfTrades {
  readonly at: number
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
  /** Of its last trade. */
  readonly lastQuantity: string
}

export class InternalStore extends Context.Tag("ports/InternalStore")<
  InternalStore,
  {
    /** Of an instrument, in the order of its queues. */
    readonly openOrders: (instrumentId: InstrumentId) => Effect.Effect<ReadonlyArray<InternalOrder>, StorageUnavailable>
    /** The newest seconds of an instrument's tape in which something traded, oldest first. */
    readonly seconds: (
      instrumentId: InstrumentId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<SecondOfTrades>, StorageUnavailable>
    readonly order: (tradeOrderId: TradeOrderId) => Effect.Effect<InternalOrder | null, StorageUnavailable>
    /** What an executed quote did for the order that asked for it; null: that order executed none. */
    readonly quotedTrade: (tradeOrderId: TradeOrderId) => Effect.Effect<InternalTrade | null, StorageUnavailable>
    readonly openOrdersOf: (
      account: TradingAccountId,
    ) => Effect.Effect<ReadonlyArray<InternalOrder>, StorageUnavailable>
    /** Trades of an account on either side, since an instant, inclusive, oldest first. */
    readonly tradesOf: (
      account: TradingAccountId,
      since: number,
      instruments: ReadonlyArray<InstrumentId>,
    ) => Effect.Effect<ReadonlyArray<InternalTrade>, StorageUnavailable>
  }
>() {}

export class JournalPort extends Context.Tag("ports/JournalPort")<
  JournalPort,
  {
    /** Orders that rest on the venue's books (those too of which a cancel or a change is under way), in the order in which they were accepted. */
    readonly restingOrders: (venue: VenueId) => Effect.Effect<ReadonlyArray<TradeOrder>>
    /** Sums over an account's executions: asset → signed change, fees included, as decimal text. */
    readonly balanceChanges: (
      account: TradingAccountId,
    ) => Effect.Effect<ReadonlyArray<readonly [asset: string, change: string]>>
  }
>() {}
