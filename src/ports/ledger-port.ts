/**
 * The double-entry ledger (contract C9): requests of transfers that all happen or none, written in groups by one writer, answered
 * after their commit. The one thing to know: every id makes its repeat harmless, and a request that was refused stays refused.
 */
import { Context, type Effect } from "effect"
import type { Decimal } from "../domain/decimal.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { Act, Authority } from "../domain/user/act.ts"
import type { TransferCode, Wallet, WalletBalance, WalletId } from "../domain/wallet/wallet.ts"

// How the ledger is: for health, metrics and the shutdown.

export interface LedgerStats {
  readonly batches: number
  readonly requests: number
  /** Transfers of requests that were applied. */
  readonly transfers: number
  /** Requests that were refused, by failure. */
  readonly refused: ReadonlyMap<string, number>
  /** Answered from the journal: they had been there before. */
  readonly replayed: number
  /** Statements sent once more: lost connections, timeouts, passing errors. */
  readonly retries: number
  /** Sum over batches, ms from sending to the answer. */
  readonly commitMillis: number
  readonly waiting: number
  readonly holdsExpired: number
}

export interface WholePass {
  /** Rows that it still has to go through, of all that there are. */
  readonly left: number
  readonly of: number
  /** At its pace of now; null: not known yet. */
  readonly endsInMillis: number | null
  /** It does not end before the last one is too old, or as soon as a first one should, although it takes all the time that it may. */
  readonly isLate: boolean
}

export interface LedgerAuditHealth {
  /** What the newest look found; empty: nothing. Kept until a look finds nothing. */
  readonly violations: ReadonlyArray<string>
  /** When the last look of this process came to its end; null before the first. */
  readonly auditedAt: number | null
  /** When the whole journal was last gone through; null: never, or not known yet. */
  readonly wholeAt: number | null
  /** The newest look did not come to its end. */
  readonly isFailing: boolean
  /** Since `auditedAt`, before the first look since the start; and whether the settings allow it. */
  readonly ageMillis: number
  readonly isOld: boolean
  /** The same since `wholeAt`; null without one. */
  readonly wholeAgeMillis: number | null
  readonly isWholeOld: boolean
  /** The same before the first pass, too: since then the whole journal is waited for. Null before the first look. */
  readonly unauditedMillis: number | null
  /** A pass over the whole journal that is under way; null: none is. */
  readonly wholePass: WholePass | null
  /** Looks that failed, in all. */
  readonly failures: number
  /** How long the last one took that did not. */
  readonly tookMillis: number | null
}

export interface LedgerHealth extends LedgerAuditHealth {
  readonly pressure: "calm" | "full"
}

export class LedgerWatch extends Context.Tag("ports/LedgerWatch")<
  LedgerWatch,
  {
    readonly stats: () => LedgerStats
    readonly health: () => LedgerHealth
    /** Resolves when nothing waits and nothing is in flight. */
    readonly drain: () => Promise<void>
  }
>() {}

interface TransferCommon {
  /** A uuid. The same id again changes nothing; with another content it is a conflict. */
  readonly transferId: string
  readonly code: TransferCode
  /** What it is about, for people and for look-ups: an order, a quote, a trade. */
  readonly reference: string | null
}

/** Money moves, or is held for its receiver until it is posted or voided. */
export interface Movement extends TransferCommon {
  readonly kind: "single" | "pending"
  readonly pendingId: null
  readonly debitWalletId: WalletId
  readonly creditWalletId: WalletId
  readonly asset: string
  readonly amount: Decimal
  /** Of `pending`: when the ledger voids it, by the server's clock; null: never. */
  readonly expiresAt: number | null
}

/** Ends a hold, once: `post` moves its amount or a part of it and releases the rest, `void` releases everything. Wallets and asset are the hold's. */
export interface Resolution extends TransferCommon {
  readonly kind: "post" | "void"
  readonly pendingId: string
  /** Of `post`: at most what is held. Null: all of it; always null of `void`. */
  readonly amount: Decimal | null
}

export type Transfer = Movement | Resolution

/** What is stored beside transfers. Each tag has its SQL function in a migration: see `LedgerFact`. */
type FactTag =
  /** Of the tests: see test/kit/worlds/ledger-rig.ts. */
  | "probe"
  /** The internal venue's own rows: domain/order/internal-order.ts. */
  | "internal_order"
  | "internal_trade"
  /** What an executed quote asks to be hedged: hedge-store.ts. */
  | "hedge_intent"
  /** Differences of mirrors that nothing explains: mirror-store.ts. */
  | "exchange_difference"
  /** What was seen of a deposit or withdrawal at a venue that was told of. */
  | "exchange_funding"
  /** How far a mirror has come. */
  | "exchange_mirror"
  /** What is booked of it once it is frozen no longer. */
  | "exchange_arrears"
  /** Books of dealers: book-store.ts. */
  | "dealer_book"
  /** Quotes: dealer-store.ts. */
  | "quote_created"
  | "quote_executed"
  | "quote_ended"

/**
 * A row that is stored in the transaction of the transfers, or not at all.
 *
 * A fact without `refusal` is handed to `ledger_facts_<tag>(rows jsonb) RETURNS void`, with all rows of that tag of a batch as one array,
 * in the order of the requests. A guard (with `refusal`) is handed to `ledger_guard_<tag>(fact jsonb, at bigint) RETURNS text`, one by
 * one, once all transfers of its request are found good and before anything of the request is written: null, it passed and has written
 * its row; any other text refuses the request, and nothing that its guards wrote stays.
 */
export interface LedgerFact {
  readonly tag: FactTag
  /** As the function reads it: decimals as text, instants as numbers. */
  readonly row: Readonly<Record<string, unknown>>
  /** Of guards: the failure behind the text that the function answered. */
  readonly refusal?: (word: string) => DomainError
}

export interface LedgerRequest {
  /** A uuid. A repeat with the same transfers is answered as the first was, with another content it is a conflict. */
  readonly requestId: string
  /** Judged in order, each by what those before it have left; at most 300 of a request. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly facts: ReadonlyArray<LedgerFact>
  /**
   * Who asks for it, where it is done on a user's word: judged in the transaction. Its transfers are `single` or `pending`. Absent: the
   * gateway itself (fills, ends of holds, mirrors). No part of what makes a repeat the same.
   */
  readonly authority?: Authority | undefined
  /** Its row is written with the request, applied or refused; its id is the request's. */
  readonly act?: Act
  /** Called exactly once, never within `post`; not at all when the process loses the database for good. */
  readonly settled: (outcome: LedgerOutcome) => void
}

export type LedgerOutcome =
  | {
      readonly _tag: "Applied"
      /** It was stored before: this time nothing happened. */
      readonly replayed: boolean
      /** Of every wallet and asset that it touched: after it, or as they are now when it was replayed. */
      readonly balances: ReadonlyArray<WalletBalance>
    }
  | {
      readonly _tag: "Refused"
      readonly failure: DomainError
      /** Index of the transfer that was refused, or of transfers.length + the guard's index among the facts. */
      readonly at: number
    }

/** A hold that is not resolved. */
export interface OpenHold {
  readonly transferId: string
  readonly debitWalletId: WalletId
  readonly creditWalletId: WalletId
  readonly asset: string
  readonly amount: Decimal
  readonly code: TransferCode
  readonly reference: string | null
  readonly expiresAt: number | null
}

export const LEDGER_TRANSFERS_MAX = 300

export class LedgerPort extends Context.Tag("ports/LedgerPort")<
  LedgerPort,
  {
    /** First in, first out; one batch in flight. Never throws, never waits. */
    readonly post: (request: LedgerRequest) => void
    /** Committed balances by asset, zeros too. */
    readonly balances: (walletId: WalletId) => Effect.Effect<ReadonlyArray<WalletBalance>, StorageUnavailable>
    readonly wallet: (walletId: WalletId) => Effect.Effect<Wallet | null, StorageUnavailable>
    /** In order of their making. */
    readonly openHolds: (walletId: WalletId) => Effect.Effect<ReadonlyArray<OpenHold>, StorageUnavailable>
    /** Voids now what is due anyway (it is looked for every second), so that nothing stays held for a moment longer. */
    readonly expireHolds: (walletId: WalletId) => Effect.Effect<void, StorageUnavailable>
    /** Runs once everything handed over before is settled; never within the call. */
    readonly after: (run: () => void) => void
    /** Told which wallets a request has moved, after its `settled`; expiries too. For good. */
    readonly watch: (moved: (wallets: ReadonlySet<WalletId>, requestId: string) => void) => void
    /** `full`: edges refuse with Busy. */
    readonly pressure: () => "calm" | "full"
  }
>() {}
