/** Wallets and the ledger. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

/** In words, where no other failure says it. */
export class WalletFailed extends Failure<WalletFailed>()("WalletFailed", { reason: Schema.String }) {
  override message = "Wallet failed"
}

export class WalletNotFound extends Failure<WalletNotFound>()("WalletNotFound", {}) {
  override message = "Wallet not found"
}

/** Of any wallet involved; which one is not revealed. */
export class WalletFrozen extends Failure<WalletFrozen>()("WalletFrozen", {}) {
  override message = "Wallet frozen"
}

export class SameWallet extends Failure<SameWallet>()("SameWallet", {}) {
  override message = "Source and destination equal"
}

export class WalletClosed extends Failure<WalletClosed>()("WalletClosed", {}) {
  override message = "Wallet closed"
}

export class WalletsUnrelated extends Failure<WalletsUnrelated>()("WalletsUnrelated", {}) {
  override message = "Wallets of different user or dealer"
}

export class WalletHasHolds extends Failure<WalletHasHolds>()("WalletHasHolds", {
  /** The first twenty. */
  transferIds: Schema.Array(Schema.String),
}) {
  override message = "Wallet has holds"
}

export class OnlyFullWithdrawal extends Failure<OnlyFullWithdrawal>()("OnlyFullWithdrawal", {
  asset: Schema.String,
}) {
  override message = "Closed wallet: only full withdrawal"
}

export class AssetScaleExceeded extends Failure<AssetScaleExceeded>()("AssetScaleExceeded", {
  asset: Schema.String,
  digits: Schema.Int,
}) {
  override message = "Asset scale exceeded"
}

/** An id that was used for something else, or a hold that is not there any more. */
export class LedgerConflict extends Failure<LedgerConflict>()("LedgerConflict", {
  reason: Schema.Literal("id used otherwise", "no such hold", "hold resolved", "hold expired", "more than is held"),
}) {
  override message = "Ledger conflict"
}
