/**
 * The unit of durability (order-path 1): all that one message changed, committed before anything is answered, sent or published. The writer owns
 * storage failure: a frozen batch is resent until the database answers; keys and versions make that harmless.
 */
import { Context, type Effect } from "effect"
import type { EventDraft } from "../domain/account/event.ts"
import type { TradingAccount } from "../domain/account/trading-account.ts"
import type { CredentialId, InstrumentId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { Execution, TradeOrder } from "../domain/order/trade-order.ts"
import type { Act, PlacedBy } from "../domain/user/act.ts"

/** Whole row images with versions, never deltas. Of several images of one key in a batch the last counts. */
export type Row =
  /** `actor`: by whose request it came; kept with its first image, beside what changes. Absent: by no request, or not its first. */
  | { readonly _tag: "Order"; readonly order: TradeOrder; readonly actor?: PlacedBy }
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
  /** The unit does what was asked for: its row of the audit. One that is stored already is not stored again. */
  | { readonly _tag: "Audited"; readonly act: Act; readonly at: number }
  /** The unit's events tell these news of quotes: they wait no longer. */
  | { readonly _tag: "NewsTold"; readonly eventIds: ReadonlyArray<string> }

export type CommitOutcome =
  /** Durable. `firstSequence` numbers the unit's first event; the others follow +1. */
  | { readonly _tag: "Committed"; readonly firstSequence: number }
  /** The idempotency key (or client order id) belongs to an older order: nothing of the unit was stored. */
  | { readonly _tag: "KeyUsed"; readonly by: "idempotencyKey" | "clientOrderId"; readonly order: TradeOrder }
  /** Another order has the quote of one of the unit's: nothing of the unit was stored. */
  | { readonly _tag: "QuoteUsed" }
  /** The database refused this very unit (class 22 or 23): nothing of it was stored, nor of any later unit
   * that the account has handed over since: they were made by an actor that believed in it. A defect of the actor. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** An event as it is read from the journal: its text is the one that was published. */
export interface StoredEvent extends EventDraft {
  readonly sequence: number
}

export interface Unit {
  readonly accountId: TradingAccountId
  readonly rows: ReadonlyArray<Row>
  /** In order, unnumbered. */
  readonly events: ReadonlyArray<EventDraft>
  /** Called exactly once, never within `commit` itself. */
  readonly settled: (outcome: CommitOutcome) => void
}

/** The two names by which clients ask for an order. */
export type OrderName = { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }

/** A trade, as its venue names it: some number the trades of each instrument apart, and both sides of a self trade carry one id. */
export type TradeName = Pick<Execution, "instrumentId" | "orderSide" | "externalTradeId">

/** One text of a trade's name. */
export const tradeKey = (it: TradeName): string => `${it.instrumentId}|${it.orderSide}|${it.externalTradeId}`

/** What a venue calls an order: some number the orders of each instrument apart. */
export interface VenueOrderName {
  readonly instrumentId: InstrumentId
  readonly externalOrderId: string
}

/** One text of what a venue calls an order. */
export const venueOrderKey = (it: VenueOrderName): string => `${it.instrumentId}|${it.externalOrderId}`

/** Everything by which orders and trades of an account are asked for. */
export interface AskedNames {
  readonly tradeOrderIds: ReadonlyArray<TradeOrderId>
  /** The keys that govern deduplication: the idempotency key, else the client order id (contract C2). */
  readonly keys: ReadonlyArray<string>
  readonly clientOrderIds: ReadonlyArray<string>
  readonly venueOrders: ReadonlyArray<VenueOrderName>
  readonly trades: ReadonlyArray<TradeName>
}

/** Whose each name is; one that the store does not know is not there. */
export interface FoundNames {
  readonly tradeOrderIds: ReadonlySet<TradeOrderId>
  readonly keys: ReadonlyMap<string, TradeOrderId>
  readonly clientOrderIds: ReadonlyMap<string, TradeOrderId>
  /** By `venueOrderKey`; also by what the venue called an order before it was changed. */
  readonly venueOrders: ReadonlyMap<string, TradeOrderId>
  /** By `tradeKey`. */
  readonly trades: ReadonlyMap<string, TradeOrderId>
}

/** Names of one page of `usedNames`, at most. */
export const USED_NAMES_PAGE = 2_000

/** How many of the newest ended orders say from when trades are fetched, and of which instruments. */
export const NEWEST_ENDED = 100
/** An order that ended by our cancel says nothing about its last fills: those of so long before the newest activity are looked for again. */
export const ENDED_MILLIS = 600_000
/** But not those of longer ago than this, however long the order lived. */
export const LIFE_MILLIS = 3_600_000

/** What the newest orders that are over say of where trades may be missing. Wall ms. */
export interface EndedActivity {
  /** When the newest of them changed for the last time. */
  readonly newestAt: number
  /** From when on those that changed within ENDED_MILLIS of that may have traded. */
  readonly since: number
  readonly instruments: ReadonlyArray<InstrumentId>
}

export interface AccountState {
  readonly account: TradingAccount
  /** Every order that is not terminal, with its executions, oldest first. */
  readonly openOrders: ReadonlyArray<TradeOrder>
  /** What is over of the lists of open orders, oldest first. */
  readonly listOrders: ReadonlyArray<TradeOrder>
  /** Of the newest `NEWEST_ENDED`; null: none is over. */
  readonly ended: EndedActivity | null
  /** Those among the newest that were declared never placed. One that the venue has shown since may have traded unheard. */
  readonly unplacedOrders: ReadonlyArray<TradeOrder>
  /** Sequence of the account's newest event; 0 before the first. */
  readonly lastSequence: number
  /** The venue's time of the newest trade applied, what was inferred left aside; null without one. */
  readonly lastExecutionAt: number | null
}

export class AccountStore extends Context.Tag("ports/AccountStore")<
  AccountStore,
  {
    readonly load: (id: TradingAccountId) => Effect.Effect<AccountState>
    /** A stored order by id or client order id, terminal ones too; null when this account has none. */
    readonly find: (id: TradingAccountId, by: OrderName) => Effect.Effect<TradeOrder | null>
    /** One query, whatever is asked. */
    readonly names: (id: TradingAccountId, asked: AskedNames) => Effect.Effect<FoundNames>
    /**
     * A page of the names that the account's orders have, archived ones too, in an order of the store's own: those behind `after`, which is ""
     * for the first. Fewer than `USED_NAMES_PAGE`: there are no more.
     */
    readonly usedNames: (
      id: TradingAccountId,
      kind: "keys" | "clientOrderIds",
      after: string,
    ) => Effect.Effect<ReadonlyArray<string>>
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
