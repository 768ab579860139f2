/**
 * Connecting an account at the platform's own venue (contract C9): without credentials, with a wallet of its own that is made in one
 * transaction with it. Named by a wallet of the caller's, it is that wallet that trades. Called one at a time.
 */
import { Effect } from "effect"
import { DealerArchived, DealerNotFound } from "../../domain/errors/dealer.ts"
import { ConflictingParameters } from "../../domain/errors/request.ts"
import { ExternalAccountNotVisible } from "../../domain/errors/trading-account.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import { newWallet, type Wallet, type WalletId } from "../../domain/wallet/wallet.ts"
import { accountAct, accountsFault, type ConnectParts, type ConnectRequest, newAccount } from "./new-account.ts"

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

export const makeConnectInternal = (parts: ConnectParts) => {
  const { accounts, store, wallets, acts, walletsMax, now, uuid } = parts

  const freshWallet = ({ principal: { tenantId, userId }, dealerAccountId, nickname }: ConnectRequest): Wallet => {
    const metadata = nickname === null ? {} : { nickname }
    const walletId = uuid() as WalletId
    return newWallet({ walletId, tenantId, walletType: "CLIENT", userId, dealerAccountId, metadata }, now())
  }

  /** One that the caller has and that no account trades with: of an account that was disconnected, or made by itself. */
  const ownWallet = ({ principal, dealerAccountId }: ConnectRequest, named: string) =>
    Effect.gen(function* () {
      const id = named.toLowerCase()
      const wallet = UUID.test(id) ? yield* wallets.find(id as WalletId) : null
      const isOwn =
        wallet !== null &&
        wallet.tenantId === principal.tenantId &&
        wallet.userId === principal.userId &&
        wallet.walletType === "CLIENT" &&
        wallet.status !== "CLOSED"
      if (!isOwn) return yield* new ExternalAccountNotVisible({})
      if (dealerAccountId !== null && wallet.dealerAccountId !== null && wallet.dealerAccountId !== dealerAccountId)
        return yield* new ConflictingParameters({ parameters: ["externalTradingAccountId", "dealerAccountId"] })
      return wallet
    })

  return (request: ConnectRequest) =>
    Effect.gen(function* () {
      const { principal, dealerAccountId, credentialIds, externalTradingAccountId: named } = request
      if (credentialIds.length > 0) return yield* new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      const known = named === null ? undefined : accounts.findExternal(principal.userId, INTERNAL, named.toLowerCase())
      if (known !== undefined) {
        if (dealerAccountId !== null && known.dealerAccountId !== dealerAccountId)
          return yield* new ConflictingParameters({ parameters: ["externalTradingAccountId", "dealerAccountId"] })
        return { account: known, isNew: false }
      }
      if (dealerAccountId !== null) {
        const dealer = yield* store.dealer(dealerAccountId)
        if (dealer === null || dealer.tenantId !== principal.tenantId) return yield* new DealerNotFound()
        if (dealer.isArchived) return yield* new DealerArchived()
      }
      const fault = accountsFault(parts, request)
      if (fault !== undefined) return yield* fault
      const wallet = named === null ? freshWallet(request) : yield* ownWallet(request, named)
      const account = {
        ...newAccount(parts, request, wallet.walletId),
        walletId: wallet.walletId,
        dealerAccountId: dealerAccountId ?? (wallet.dealerAccountId as typeof dealerAccountId),
      }
      const provision = named === null ? wallets.insertOwn(wallet, walletsMax) : Effect.void
      const act = accountAct("account.connect", request.actor, account, account.tradingAccountId)
      const stored = yield* acts.commit(act, () => store.insertInternalAccount(account, provision))
      accounts.put(stored)
      return { account: stored, isNew: true }
    })
}
