/** Which fills of linked accounts are already in the ledger: one mirror wallet per account, and its position. */
import { Context, type Effect } from "effect"
import type { Funding } from "../domain/dealer/funding.ts"
import type { Decimal } from "../domain/decimal.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { DealerAccountId, TradingAccountId } from "../domain/ids.ts"
import type { Execution } from "../domain/order/trade-order.ts"
import type { Wallet } from "../domain/wallet/wallet.ts"

/** A stored fill, in the order of its application. */
export interface StoredFill {
  readonly number: number
  readonly execution: Execution
  /** The inferred execution whose place it takes, which is mirrored already. */
  readonly replaced: Execution | null
  readonly baseAsset: string
  readonly quoteAsset: string
  /** Of a dealer's own order. */
  readonly isHedge: boolean
}

/** What was posted of a difference that nothing explained. */
export interface StoredDifference {
  readonly asset: string
  /** Of the mirror. */
  readonly change: Decimal
  /** In whose LOSS it is: of the dealer that the account was linked to; null: in the tenant's SUSPENSE. */
  readonly loser: DealerAccountId | null
  /** CORRECTION: it takes back what was posted before. */
  readonly code: "SHORTFALL" | "CORRECTION" | "ADJUSTMENT"
  readonly at: number
}

/** Of a mirror that was left, or linked, while it was frozen: what is booked once it is frozen no longer. */
export interface Arrears {
  /** By asset: what it has then, at its newest fill. */
  readonly balances: ReadonlyMap<string, Decimal>
  /** That have made it so, oldest first. */
  readonly differences: ReadonlyArray<StoredDifference>
}

export interface MirrorState {
  /** Whose the account's losses are; null: it is not linked. */
  readonly keeper: DealerAccountId | null
  /** Number of the newest fill that is mirrored. */
  readonly last: number
  /** What it began with is posted, or in its arrears. */
  readonly opened: boolean
  /** It existed before and was not linked since: any deviation from its balance then plus executions is a difference. */
  readonly wasOpened: boolean
  /** Null: its wallet has what it has. */
  readonly arrears: Arrears | null
}

export class MirrorStore extends Context.Tag("ports/MirrorStore")<
  MirrorStore,
  {
    /** Linked ones, those with a difference at or after this time, and those with arrears. */
    readonly all: (since: number) => Effect.Effect<ReadonlyMap<TradingAccountId, MirrorState>, StorageUnavailable>
    /**
     * Begins with what comes next; one that had begun before goes on at its newest fill. The wallets, its own and the dealer's LOSS, are made
     * where they are not there.
     */
    readonly begin: (
      account: TradingAccountId,
      wallet: Wallet,
      loss: Wallet,
      keeper: DealerAccountId,
    ) => Effect.Effect<MirrorState, StorageUnavailable>
    /** Losses from now on belong to another dealer, or to none. */
    readonly pass: (
      account: TradingAccountId,
      to: { readonly keeper: DealerAccountId; readonly loss: Wallet } | null,
    ) => Effect.Effect<void, StorageUnavailable>
    /** Of this instant and later, in the order in which they were posted. */
    readonly differences: (
      account: TradingAccountId,
      since: number,
    ) => Effect.Effect<ReadonlyArray<StoredDifference>, StorageUnavailable>
    /** Deposits and withdrawals that were told of and not all seen, the oldest first; of each account few. */
    readonly fundings: Effect.Effect<ReadonlyArray<Funding>, StorageUnavailable>
    /** Its time is over. */
    readonly endFunding: (id: string) => Effect.Effect<void, StorageUnavailable>
    /** Fills behind that number, oldest first. */
    readonly fills: (
      account: TradingAccountId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoredFill>, StorageUnavailable>
    /** Past fills that the ledger refused, or that move nothing; with all others it is stored in their own transaction. */
    readonly advance: (account: TradingAccountId, number: number) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
