/** What an in-process venue remembers: the gateway's own journal (order-path 3). */
import { Context, type Effect } from "effect"
import type { TradingAccountId, VenueId } from "../domain/ids.ts"
import type { TradeOrder } from "../domain/order/trade-order.ts"

export class JournalPort extends Context.Tag("ports/JournalPort")<
  JournalPort,
  {
    /** Orders that rest on the venue's books (ACCEPTED, PARTIALLY_FILLED, PENDING_CANCEL), in the order in which they were accepted. */
    readonly restingOrders: (venue: VenueId) => Effect.Effect<ReadonlyArray<TradeOrder>>
    /** Sums over an account's executions: asset → signed change, fees included, as decimal text. */
    readonly balanceChanges: (
      account: TradingAccountId,
    ) => Effect.Effect<ReadonlyArray<readonly [asset: string, change: string]>>
  }
>() {}
