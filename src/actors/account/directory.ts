/**
 * Every trading account of the installation in memory, read synchronously for 403 and 404, lists and subscribes (order-path 3). Loaded at start;
 * changed by an account's actor after its commit (before it when the account becomes UNAVAILABLE), and by connect.
 */
import { Effect } from "effect"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { TradingAccountId, UserId, VenueId } from "../../domain/ids.ts"

export class AccountDirectory extends Effect.Service<AccountDirectory>()("actors/AccountDirectory", {
  sync: () => {
    const accounts = new Map<TradingAccountId, TradingAccount>()
    const byUser = new Map<UserId, Set<TradingAccountId>>()
    /** In order of creation, DISCONNECTED ones too; no dealer's own. */
    const ofUser = (user: UserId): ReadonlyArray<TradingAccount> =>
      [...(byUser.get(user) ?? [])].map((id) => accounts.get(id)!)
    return {
      find: (id: TradingAccountId): TradingAccount | undefined => accounts.get(id),
      /** Stores the newest image; an older version than the known one is ignored. */
      put: (account: TradingAccount): void => {
        const known = accounts.get(account.tradingAccountId)
        if (known !== undefined && known.version > account.version) return
        accounts.set(account.tradingAccountId, account)
        if (known !== undefined || account.userId === null) return
        const own = byUser.get(account.userId)
        if (own === undefined) byUser.set(account.userId, new Set([account.tradingAccountId]))
        else own.add(account.tradingAccountId)
      },
      /** In order of creation. */
      all: (): ReadonlyArray<TradingAccount> => [...accounts.values()],
      ofUser,
      /** The live (not DISCONNECTED) account of a user with this external id. */
      findExternal: (user: UserId, venue: VenueId, externalId: string): TradingAccount | undefined =>
        ofUser(user).find(
          (account) =>
            account.venue === venue &&
            account.externalTradingAccountId === externalId &&
            account.status !== "DISCONNECTED",
        ),
    }
  },
}) {}
