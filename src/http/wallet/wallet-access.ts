/**
 * Whose wallet it is. The one thing to know: another user's answers as one that does not exist (decision 20), and a dealer's own belongs
 * to no user: the dealer's admins and operators of the moment act for it.
 */
import { Effect } from "effect"
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import { isDealersSide } from "../../domain/dealer/dealer.ts"
import { WalletNotFound } from "../../domain/errors/wallet.ts"
import type { DealerAccountId } from "../../domain/ids.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { Wallet, WalletId } from "../../domain/wallet/wallet.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"

export interface WalletReach {
  readonly wallets: Pick<Wallets, "find">
  readonly dealers: Pick<DealerDirectory, "find">
}

export const isAdmin = (principal: Principal): boolean => principal.permissions.includes("admin")

/** By which right the caller acts for it as its own; null: by none. */
export const rightTo = (
  { dealers }: Pick<WalletReach, "dealers">,
  wallet: Wallet,
  principal: Principal,
): "OWNER" | "DEALER" | null => {
  if (wallet.tenantId !== principal.tenantId) return null
  if (wallet.userId !== null) return wallet.userId === principal.userId ? "OWNER" : null
  const dealer = wallet.walletType === "DEALER" ? dealers.find(wallet.dealerAccountId as DealerAccountId) : undefined
  return isDealersSide(principal, dealer) ? "DEALER" : null
}

/** Everybody's own, and for admins those of their tenant. */
export const mayRead = (reach: Pick<WalletReach, "dealers">, wallet: Wallet, principal: Principal): boolean =>
  wallet.tenantId === principal.tenantId && (isAdmin(principal) || rightTo(reach, wallet, principal) !== null)

/** `id`: any text; uuids in either case. */
export const readableWallet = (reach: WalletReach, principal: Principal, id: string) =>
  Effect.flatMap(reach.wallets.find(id.toLowerCase() as WalletId), (wallet) =>
    wallet !== null && mayRead(reach, wallet, principal) ? Effect.succeed(wallet) : new WalletNotFound(),
  )
