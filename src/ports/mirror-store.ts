/** Which fills of linked accounts are in the ledger already: one mirror wallet per account, and how far it has come. */
import { Context, type Effect } from "effect"
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

export class MirrorStore extends Context.Tag("ports/MirrorStore")<
  MirrorStore,
  {
    /** Number of the newest fill that is mirrored. A mirror that is not there is made, with its wallet, and begins with what comes next. */
    readonly open: (account: TradingAccountId, wallet: Wallet) => Effect.Effect<number, StorageUnavailable>
    /** Fills behind that number, oldest first. */
    readonly fills: (
      account: TradingAccountId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoredFill>, StorageUnavailable>
    /** After the commit of their transfers. */
    readonly advance: (account: TradingAccountId, number: number) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
