/** The messages that an account's actor takes from the edges, and how to post them. Its internal messages stay in its own file. */
import { Context, type Effect } from "effect"
import type { Credential } from "../../domain/account/credential.ts"
import type { AccountAlert } from "../../domain/account/event.ts"
import type { Position, TradingAccount } from "../../domain/account/trading-account.ts"
import type { CoveredQuotes } from "../../domain/dealer/hedging/intent-queue.ts"
import type { QuoteNews } from "../../domain/dealer/quote.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Busy } from "../../domain/errors/service.ts"
import type { CancelRejected, OrderClosed, OrderNotFound } from "../../domain/errors/trade-order.ts"
import type {
  AccountDisconnected,
  DisconnectIncomplete,
  PortfolioUnavailable,
} from "../../domain/errors/trading-account.ts"
import type {
  CredentialId,
  DealerAccountId,
  InstrumentId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../../domain/ids.ts"
import type { AskedChange } from "../../domain/order/rules/change.ts"
import type { SubmitRequest } from "../../domain/order/submit-request.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Act, Actor, PlacedBy } from "../../domain/user/act.ts"
import type { RegistryStats } from "../../kernel/registry.ts"

/** When a submit came how far, monotonic ms. */
export interface SubmitTiming {
  readonly receivedAt: number
  /** Every check has passed. */
  readonly checkedAt: number
  /** It is in the database. */
  readonly committedAt: number
  /** On its way to the venue, or its trigger watched; before `committedAt` at a venue that follows the journal. */
  readonly dispatchedAt: number
}

/** `replayed`: the key was known, this is the existing order in its current state (header Idempotency-Replayed). */
export interface SubmitAnswer {
  readonly order: TradeOrder
  readonly replayed: boolean
  /** The other orders of its list: children of an entry, the other leg of a pair. */
  readonly linked?: ReadonlyArray<TradeOrder>
  /** The order's record as JSON text, where it was written already. */
  readonly json?: string
  /** Absent on a repeat, and where nothing was dispatched. */
  readonly timing?: SubmitTiming
}

/** Whose hedge an order is, and of which executed quotes. */
export interface HedgeOf {
  readonly dealerAccountId: DealerAccountId
  readonly quotes: CoveredQuotes
}

export interface SubmitOrder {
  readonly _tag: "SubmitOrder"
  readonly request: SubmitRequest
  /** Only from a dealer; it is no part of the request's fingerprint. */
  readonly hedge?: HedgeOf
  /** Absent: a dealer's hedge. It is no part of the request's fingerprint either. */
  readonly actor?: Actor
  /** By whose request it comes, for the order's row. Absent: the gateway places it. */
  readonly placedBy?: PlacedBy
  /** Monotonic ms at which the request was read: awaitClosed waits until 1,000 ms after it. */
  readonly receivedAt: number
  /** Told which submit of its second it is, when the account's limits count it. Absent: not needed. */
  readonly counted?: (submits: number) => void
  /** Told the id of the order in the turn in which it is made, before it is stored: for an edge whose deadline comes first. */
  readonly named: (tradeOrderId: TradeOrderId) => void
  /** Fails with any refusal of contract C12's order domains; nothing is stored then. */
  readonly reply: Reply<SubmitAnswer, DomainError>
}

export interface CancelOrder {
  readonly _tag: "CancelOrder"
  readonly by: { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }
  readonly receivedAt: number
  readonly reply: Reply<
    TradeOrder,
    OrderNotFound | OrderClosed | CancelRejected | AccountDisconnected | Busy | DomainError
  >
}

/** Contract C1, PENDING_REPLACE. Answers the order that stands now: changed, the new one in its place, or still PENDING_REPLACE. */
export interface ReplaceOrder {
  readonly _tag: "ReplaceOrder"
  readonly by: CancelOrder["by"]
  readonly asked: AskedChange
  /** By whose request, for the row of an order that takes its place. Absent: the gateway asks. */
  readonly placedBy?: PlacedBy
  readonly receivedAt: number
  readonly reply: Reply<TradeOrder, DomainError>
}

/** What became of the orders that were to be cancelled. */
export interface Swept {
  readonly cancelled: ReadonlyArray<TradeOrderId>
  /** Asked for, not confirmed yet. */
  readonly pending: ReadonlyArray<TradeOrderId>
  /** Over before the cancel, or kept by the venue. */
  readonly failed: ReadonlyArray<TradeOrderId>
}

export interface CancelAllOrders {
  readonly _tag: "CancelAllOrders"
  /** Null: those of all instruments. */
  readonly instrumentId: InstrumentId | null
  /** An admin retires the market: no limit of the user's counts it. */
  readonly reason?: "ADMIN"
  readonly receivedAt: number
  readonly reply: Reply<Swept, DomainError>
}

/** Sets the dead man's switch anew; 0 takes it off. */
export interface CancelAllAfter {
  readonly _tag: "CancelAllAfter"
  readonly timeoutMillis: number
  readonly reply: Reply<TradingAccount, DomainError>
}

/** The order in its current state, once everything known of it is durable. */
export interface ReadOrder {
  readonly _tag: "ReadOrder"
  readonly by: { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }
  readonly reply: Reply<TradeOrder, OrderNotFound | DomainError>
}

export interface ReadPortfolio {
  readonly _tag: "ReadPortfolio"
  /** In order of currency; zero balances left out unless `currency` asks for one. */
  readonly currency: string | null
  readonly reply: Reply<ReadonlyArray<Position>, PortfolioUnavailable | DomainError>
}

/** One entry of a map: the record's JSON text, letter for letter as in the account's events. */
export interface StateEntry {
  readonly key: string
  readonly json: string
}

/** Entries that, with every event behind `sequence`, are the truth. */
export interface AccountEntries {
  /** Of the newest event that the entries include. */
  readonly sequence: number
  /** Where the channel stood when the actor that answers woke. */
  readonly awakeSince: number
  readonly entries: ReadonlyArray<StateEntry>
}

/**
 * What the account's channel has told so far: open orders by id, or positions by currency (those of nothing left out, as in the
 * portfolio). Never what is only planned: a reader goes on with the events behind it.
 */
export interface ReadState {
  readonly _tag: "ReadState"
  readonly of: "orders" | "positions"
  /** PortfolioUnavailable: positions are not known, also not after 2 s. */
  readonly reply: Reply<AccountEntries, PortfolioUnavailable | DomainError>
}

export interface UpdateAccount {
  readonly _tag: "UpdateAccount"
  readonly nickname: string | null
  /** Credentials to attach (connect again), already stored and verified, with the row of the act. */
  readonly attach: ReadonlyArray<Credential>
  readonly reply: Reply<TradingAccount, AccountDisconnected | DomainError>
}

/** A credential was revoked; the account goes INACTIVE when it was the last one. */
export interface CredentialGone {
  readonly _tag: "CredentialGone"
  readonly credentialId: CredentialId
  readonly reply: Reply<TradingAccount, DomainError>
}

/** Contract C11. Answers the DISCONNECTED account, or fails after 30 s with what is unresolved. */
export interface DisconnectAccount {
  readonly _tag: "DisconnectAccount"
  readonly force: boolean
  /** Stored with the lock: from there on it goes on, whatever happens. */
  readonly act: Act
  readonly reply: Reply<TradingAccount, DisconnectIncomplete | DomainError>
}

/** A change of a quote of this account's, for its channel; never refused. Stored with it, so told exactly once. */
export interface TellQuote {
  readonly _tag: "TellQuote"
  readonly news: QuoteNews
  readonly reply?: never
}

/** Something that people must look at, on the account's channel. */
export interface RaiseAlert {
  readonly _tag: "RaiseAlert"
  readonly alert: AccountAlert
  readonly reply?: never
}

export type AccountCommand =
  | SubmitOrder
  | CancelOrder
  | ReplaceOrder
  | CancelAllOrders
  | CancelAllAfter
  | ReadOrder
  | ReadPortfolio
  | ReadState
  | UpdateAccount
  | CredentialGone
  | DisconnectAccount
  | TellQuote
  | RaiseAlert

export type AuditKind = "openOrders" | "fills" | "balances"

export class TradingAccounts extends Context.Tag("actors/TradingAccounts")<
  TradingAccounts,
  {
    /** To the account's actor, waking it when it sleeps. The caller has checked in AccountDirectory that the account is its own. */
    readonly post: (account: TradingAccountId, command: AccountCommand) => void
    /**
     * A new account, stored by the caller with status CREATED: enters the directory, its actor starts and reconciles.
     * Answers the record once it is ACTIVE (or otherwise settled), else as it is after `timeoutMillis`.
     */
    readonly start: (account: TradingAccount, timeoutMillis: number) => Effect.Effect<TradingAccount>
    /** Whether the account has orders that are not terminal: revoke asks (contract C11a). */
    readonly hasOpenOrders: (account: TradingAccountId) => Effect.Effect<boolean>
    /** `inDoubt`: orders, told every few seconds. */
    readonly stats: () => RegistryStats & { readonly inDoubt: number }
    /** How often accounts of a venue are audited now, in ms: the longest period of any of them. */
    readonly auditPeriods: () => ReadonlyMap<VenueId, Readonly<Partial<Record<AuditKind, number>>>>
  }
>() {}
