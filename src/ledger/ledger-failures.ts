/**
 * What ledger_apply answers, as failures: its words are the tags of errors, or reasons of a conflict. The one thing to know: no failure
 * names a wallet, since the one that refused may be the other party's.
 */

import type { DomainError } from "../domain/errors/domain-error.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import { InsufficientBalance } from "../domain/errors/risk.ts"
import { InternalDefect } from "../domain/errors/service.ts"
import {
  AssetScaleExceeded,
  LedgerConflict,
  OnlyFullWithdrawal,
  SameWallet,
  WalletClosed,
  WalletFailed,
  WalletFrozen,
  WalletNotFound,
  WalletsUnrelated,
} from "../domain/errors/wallet.ts"
import { AMOUNT_DIGITS_MAX, AMOUNT_MAX, digitsOf, isAsset, isWritableAmount } from "../domain/wallet/wallet.ts"
import { LEDGER_TRANSFERS_MAX, type LedgerRequest, type Transfer } from "../ports/ledger-port.ts"
import { authorityFailure } from "../store/users/authority.ts"

const textOf = (detail: unknown, field: string): string => {
  const value = typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)[field] : undefined
  return typeof value === "string" ? value : ""
}

const providedIn = (detail: unknown): ReadonlyArray<string> => {
  const provided =
    typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)["provided"] : undefined
  return Array.isArray(provided) ? provided.map(String) : []
}

/** `at`: as LedgerOutcome has it. */
export const failureOf = (request: LedgerRequest, word: string, detail: unknown, at: number): DomainError => {
  switch (word) {
    case "InsufficientBalance":
      return new InsufficientBalance({
        asset: textOf(detail, "asset"),
        required: textOf(detail, "required"),
        available: textOf(detail, "available"),
      })
    case "WalletNotFound":
      return new WalletNotFound()
    case "WalletFrozen":
      return new WalletFrozen()
    case "WalletClosed":
      return new WalletClosed()
    case "WalletsUnrelated":
      return new WalletsUnrelated()
    case "OnlyFullWithdrawal":
      return new OnlyFullWithdrawal({ asset: textOf(detail, "asset") })
    case "out of range":
      return new WalletFailed({ reason: "the wallet has moved all that it can of this asset" })
    case "id used otherwise":
    case "no such hold":
    case "hold resolved":
    case "hold expired":
    case "more than is held":
      return new LedgerConflict({ reason: word })
    case "guard":
      return request.facts[at - request.transfers.length]?.refusal?.(textOf(detail, "word")) ?? new InternalDefect()
    default:
      return authorityFailure(word, providedIn(detail)) ?? new InternalDefect()
  }
}

const faultOf = (transfer: Transfer): DomainError | undefined => {
  const { amount } = transfer
  const asset = "asset" in transfer ? transfer.asset : ""
  if (amount !== null && !amount.isPositive())
    return new InvalidParameter({ parameter: "amount", reason: "must be positive" })
  if (amount !== null && digitsOf(amount) > AMOUNT_DIGITS_MAX)
    return new AssetScaleExceeded({ asset, digits: AMOUNT_DIGITS_MAX })
  if (amount !== null && !isWritableAmount(amount))
    return new WalletFailed({ reason: `a transfer moves at most ${AMOUNT_MAX}` })
  if (!("asset" in transfer)) return undefined
  if (transfer.debitWalletId === transfer.creditWalletId) return new SameWallet()
  if (!isAsset(asset)) return new InvalidParameter({ parameter: "asset", reason: "is no asset" })
  return undefined
}

/** What the ledger would not even write down; nothing of it is stored. */
export const faultOfRequest = (
  request: LedgerRequest,
): { readonly failure: DomainError; readonly at: number } | undefined => {
  const { transfers } = request
  if (transfers.length > LEDGER_TRANSFERS_MAX)
    return { failure: new WalletFailed({ reason: "too many transfers at once" }), at: LEDGER_TRANSFERS_MAX }
  const ids = new Set<string>()
  for (const [at, transfer] of transfers.entries()) {
    const failure = ids.has(transfer.transferId)
      ? new LedgerConflict({ reason: "id used otherwise" })
      : faultOf(transfer)
    if (failure !== undefined) return { failure, at }
    ids.add(transfer.transferId)
  }
  return undefined
}
