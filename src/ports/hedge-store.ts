/**
 * What a dealer's actor reads of its hedges when it starts. The one thing to know: hedging stores nothing of its own but admins' resolutions of
 * hedges in doubt. Executed quotes leave intents, written with the execution itself; hedges are orders of linked accounts; the exposure is the
 * difference of their sums.
 */
import { Context, type Effect } from "effect"
import type { Dealer, HedgeIntent } from "../domain/dealer/dealer.ts"
import type { HedgeProgress, HedgeTotals, HedgeVerdict } from "../domain/dealer/hedging/hedging.ts"
import type { Decimal } from "../domain/decimal.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { DealerAccountId, HedgeIntentId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { TradeOrder } from "../domain/order/trade-order.ts"
import type { DealerAct } from "./dealer-store.ts"
import type { LedgerFact } from "./ledger-port.ts"

/** A hedge and what its account says that it has executed. What it counts as (`countedOf`) is in the totals. */
export interface StoredHedge extends HedgeProgress {
  readonly tradeOrderId: TradeOrderId
  readonly tradingAccountId: TradingAccountId
  readonly version: number
  readonly isOver: boolean
  readonly isInDoubt: boolean
  /** In base: what it may execute at most. */
  readonly baseQuantity: Decimal
  /** Wall ms. */
  readonly createdAt: number
  /** Of its newest image. */
  readonly updatedAt: number
  /** Null: no admin has said anything of it. */
  readonly verdict: HedgeVerdict | null
}

/** One pair of a dealer. */
export interface StoredHedges {
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly totals: HedgeTotals
  /** Those that make up the exposure, whatever hedges that are not over executed, and the newest one in any case; newest first. */
  readonly intents: ReadonlyArray<HedgeIntent>
  /** How many hedges were sent in the name of each of these intents; absent: none. */
  readonly sent: ReadonlyMap<HedgeIntentId, number>
  /** All that are not over, and of the others the newest: `HEDGES_KEPT` of the dealer. */
  readonly hedges: ReadonlyArray<StoredHedge>
}

/** So many of what is over are in memory; of an older one of which its venue tells more, what it counted as is asked for (`before`). */
export const HEDGES_KEPT = 1_000

/** An image of a hedge that is over, which memory has forgotten. */
export type LateHedge = Pick<TradeOrder, "tradeOrderId" | "version" | "orderSide">

export class HedgeStore extends Context.Tag("ports/HedgeStore")<
  HedgeStore,
  {
    /** One incarnation of a dealer's actor at a time: what `before` tells is what has come since. */
    readonly load: (dealer: DealerAccountId) => Effect.Effect<ReadonlyArray<StoredHedges>>
    /**
     * What the hedge counted as before this image of it, which is stored; null: nothing that it counts as has changed since `load`.
     * Goes on until it is known.
     */
    readonly before: (hedge: LateHedge) => Effect.Effect<HedgeProgress | null>
    /**
     * What an admin says that a hedge executed: the newest word holds. Goes on until it is stored, with the row of the audit in the same
     * transaction. A failure: the right is not there, and nothing is stored.
     */
    readonly resolve: (
      dealer: Pick<Dealer, "dealerAccountId" | "tenantId">,
      hedge: TradeOrderId,
      verdict: HedgeVerdict,
      at: number,
      asked: DealerAct,
    ) => Effect.Effect<void, DomainError>
  }
>() {}

/**
 * Under which key a hedge is submitted, and so never twice. Longer than a client's key may be (contract C2): no client can have used it.
 * `attempt` 1 is the first in the name of this intent.
 */
export const hedgeKey = (dealer: DealerAccountId, intent: HedgeIntentId, attempt: number): string =>
  attempt === 1 ? `hedge:${dealer}:${intent}` : `hedge:${dealer}:${intent}:${attempt}`

/** To be stored with the execution of its quote. */
export const hedgeIntentFact = (intent: HedgeIntent): LedgerFact => ({
  tag: "hedge_intent",
  row: {
    hedge_intent_id: intent.hedgeIntentId,
    quote_id: intent.quoteId,
    dealer_account_id: intent.dealerAccountId,
    trade_order_id: intent.tradeOrderId,
    trading_account_id: intent.tradingAccountId,
    venue: intent.venue,
    instrument_id: intent.instrumentId,
    base_asset: intent.baseAsset,
    quote_asset: intent.quoteAsset,
    order_side: intent.orderSide,
    quantity: intent.quantity.toString(),
    quote_price: intent.quotePrice.toString(),
    walked_price: intent.walkedPrice.toString(),
    worst_price: intent.worstPrice.toString(),
    created_at: intent.createdAt,
  },
})
