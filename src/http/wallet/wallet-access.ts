/** Whose wallet it is. The one thing to know: somebody else's answers as one that does not exist (decision 20). */
import { Effect } from "effect"
import { WalletNotFound } from "../../domain/errors/wallet.ts"
import type { Principal } from "../../domain/user.ts"
import type { Wallet, WalletId } from "../../domain/wallet.ts"
import type { Wallets } from "../../store/wallets.ts"

export const isAdmin = (principal: Principal): boolean => principal.permissions.includes("admin")

/** Everybody's own, and for admins those of their tenant. */
export const mayRead = (wallet: Wallet, principal: Principal): boolean =>
  wallet.tenantId === principal.tenantId && (wallet.userId === principal.userId || isAdmin(principal))

/** `id`: any text; uuids in either case. */
export const readableWallet = (wallets: Pick<Wallets, "find">, principal: Principal, id: string) =>
  Effect.flatMap(wallets.find(id.toLowerCase() as WalletId), (wallet) =>
    wallet !== null && mayRead(wallet, principal) ? Effect.succeed(wallet) : new WalletNotFound(),
  )
