/**
 * The unit of durability (order-path 1): all that one message changed, committed before anything is answered, sent or published.
 * The writer owns storage failure: a frozen batch is sent again until the database answers; keys and versions make that harmless.
 */
import { Context, type Effect } from "effect"
import type { EventDraft } from "../domain/account-event.ts"
import type { CredentialId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { Execution, TradeOrder } from "../domain/trade-order.ts"
import type { TradingAccount } from "../domain/trading-account.ts"

/** Whole row images with versions, never deltas. Of several images of one key in a batch the last counts. */
export type Row =
  | { readonly _tag: "Order"; readonly order: TradeOrder }
  | { readonly _tag: "Execution"; readonly execution: Execution }
  | { readonly _tag: "Account"; readonly account: TradingAccount }
  /** Disconnect, step 7 (contract C11): credentials that no other account uses are revoked and their ciphertext deleted. */
  | { readonly _tag: "CredentialsWiped"; readonly credentialIds: ReadonlyArray<CredentialId>; readonly at: number }
  /** Disconnect, step 7: the account's order book subscriptions end, and its links to dealers. */
  | { readonly _tag: "SubscriptionsEnded"; readonly tradingAccountId: TradingAccountId; readonly at: number }
  /** A venue report that could not be applied: kept raw for people. */
  | {
      readonly _tag: "Quarantined"
      readonly id: string
      readonly tradeOrderId: TradeOrderId | null
      readonly report: string
      readonly reason: string
      readonly at: number
    }
  /** The unit's events tell these news of quotes: they wait no longer. */
  | { readonly _tag: "NewsTold"; readonly eventIds: ReadonlyArray<string> }

export type Settled =
  /** Durable. `firstSequence` numbers the unit's first event; the others follow +1. */
  | { readonly _tag: "Committed"; readonly firstSequence: number }
  /** The idempotency key (or client order id) belongs to an older order: nothing of the unit was stored. */
  | { readonly _tag: "KeyUsed"; readonly by: "idempotencyKey" | "clientOrderId"; readonly order: TradeOrder }
  /** Another order has the quote of one of the unit's: nothing of the unit was stored. */
  | { readonly _tag: "QuoteUsed" }
  /** The database refused this very unit (class 22 or 23): nothing of it was stored, nor of any later unit
   * that the account has handed over since: they were made by an actor that believed in it. A defect of the actor. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** An event as the journal keeps it: nothing of its text is lost. */
export interface StoredEvent extends EventDraft {
  readonly sequence: number
}

export interface Unit {
  readonly accountId: TradingAccountId
  readonly rows: ReadonlyArray<Row>
  /** In order, unnumbered. */
  readonly events: ReadonlyArray<EventDraft>
  /** Called exactly once, never within `commit` itself. */
  readonly settled: (outcome: Settled) => void
}

/** How many of an account's ended orders its actor has in memory whole, and how many by name, the whole ones among them. */
export const WHOLE_ORDERS = 500
export const NAMED_ORDERS = 10_000

/** The two names by which clients ask for an order. */
export type OrderName = { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }

/** An order that is over, by all its names. */
export interface PastOrder
  extends Pick<
    TradeOrder,
    "tradeOrderId" | "version" | "instrumentId" | "orderSide" | "idempotencyKey" | "clientOrderId" | "externalOrderId"
  > {
  readonly externalTradeIds: ReadonlyArray<string>
}

export interface AccountState {
  readonly account: TradingAccount
  /** Every order that is not terminal, with its executions, oldest first. */
  readonly openOrders: ReadonlyArray<TradeOrder>
  /** The newest that are over, newest first; then what else belongs to their lists, and to those of open orders. */
  readonly recentOrders: ReadonlyArray<TradeOrder>
  /** The next older ones, newest first: `NAMED_ORDERS` with the whole ones. */
  readonly pastOrders: ReadonlyArray<PastOrder>
  /** Those among the newest that were declared never placed and that no venue has shown since. */
  readonly unplacedOrders: ReadonlyArray<Pick<TradeOrder, "tradeOrderId" | "updatedAt">>
  /** Sequence of the account's newest event; 0 before the first. */
  readonly lastSequence: number
  /** Time of the newest execution applied; null without one. */
  readonly lastExecutionAt: number | null
}

export class AccountStore extends Context.Tag("ports/AccountStore")<
  AccountStore,
  {
    readonly load: (id: TradingAccountId) => Effect.Effect<AccountState>
    /** A stored order by id or client order id, terminal ones too; null when this account has none. */
    readonly find: (id: TradingAccountId, by: OrderName) => Effect.Effect<TradeOrder | null>
    /** All orders of a list, oldest first; none when the account has no such list. */
    readonly ofList: (id: TradingAccountId, orderListId: string) => Effect.Effect<ReadonlyArray<TradeOrder>>
    /** Number of the account's newest event; 0 before the first. */
    readonly lastSequence: (id: TradingAccountId) => Effect.Effect<number>
    /**
     * The events numbered after `after` up to `upTo`, oldest first. Null when they are not all there any more (days go after their
     * time), are more than 1,000 or 4 MiB of text, or the database does not answer within 4 s: never a part of them.
     */
    readonly events: (
      id: TradingAccountId,
      after: number,
      upTo: number,
    ) => Effect.Effect<ReadonlyArray<StoredEvent> | null>
    /** First in, first out; one batch in flight; a batch ends at 512 units or 1 MiB. */
    readonly commit: (unit: Unit) => void
    /** Runs once everything this account handed over before is durable; at once (but not within the call) when nothing is in flight. */
    readonly after: (id: TradingAccountId, run: () => void) => void
    /** `full`: 4,096 units wait, or the oldest waits longer than 1 s. Edges then refuse with Busy. */
    readonly pressure: () => "calm" | "full"
  }
>() {}
