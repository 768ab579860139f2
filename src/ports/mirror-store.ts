/** Which fills of linked accounts are in the ledger already: one mirror wallet per account, and how far it has come. */
import { Context, type Effect } from "effect"
import type { Decimal } from "../domain/decimal.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import type { Execution } from "../domain/trade-order.ts"
import type { Wallet } from "../domain/wallet.ts"

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

/** Where what nothing explains is booked: LOSS of the dealer, or the tenant's SUSPENSE. */
export type DifferenceBook = "LOSS" | "SUSPENSE"

/** What was posted of a difference that nothing explained. */
export interface StoredDifference {
  readonly asset: string
  /** Of the mirror. */
  readonly change: Decimal
  readonly book: DifferenceBook
  readonly at: number
}

export interface MirrorState {
  /** Number of the newest fill that is mirrored. */
  readonly last: number
  readonly opened: boolean
}

export class MirrorStore extends Context.Tag("ports/MirrorStore")<
  MirrorStore,
  {
    /** How far the mirror has come. One that is not there is made, with these wallets, and begins with what comes next. */
    readonly open: (
      account: TradingAccountId,
      wallet: Wallet,
      books: ReadonlyArray<Wallet>,
    ) => Effect.Effect<MirrorState, StorageUnavailable>
    /** What it began with is posted. */
    readonly opened: (account: TradingAccountId) => Effect.Effect<void, StorageUnavailable>
    /** Of this instant and later, in the order in which they were posted. */
    readonly differences: (
      account: TradingAccountId,
      since: number,
    ) => Effect.Effect<ReadonlyArray<StoredDifference>, StorageUnavailable>
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
