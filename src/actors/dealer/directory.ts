/**
 * Every dealer of the installation in memory, read synchronously for 403 and 404, for lists, and for what may be done with an account. Loaded at
 * start; changed only by a dealer's actor after its commit, and by dealer/create.
 */
import { Effect } from "effect"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import type { DealerAccountId, TradingAccountId, UserId } from "../../domain/ids.ts"

export class DealerDirectory extends Effect.Service<DealerDirectory>()("actors/DealerDirectory", {
  sync: () => {
    const dealers = new Map<DealerAccountId, Dealer>()
    const leaving: Array<(user: UserId) => void> = []
    const byOwnAccount = new Map<TradingAccountId, DealerAccountId>()
    return {
      find: (id: DealerAccountId): Dealer | undefined => dealers.get(id),
      /** Stores the newest image; an older version than the known one is ignored. */
      put: (dealer: Dealer): void => {
        const known = dealers.get(dealer.dealerAccountId)
        if (known !== undefined && known.version > dealer.version) return
        dealers.set(dealer.dealerAccountId, dealer)
        byOwnAccount.set(dealer.tradingAccountId, dealer.dealerAccountId)
        for (const user of known?.config.operators ?? [])
          if (!dealer.config.operators.includes(user)) for (const tell of leaving) tell(user)
      },
      /** Users who operate a dealer no longer. */
      onOperatorGone: (tell: (user: UserId) => void): void => {
        leaving.push(tell)
      },
      /** In order of creation. */
      all: (): ReadonlyArray<Dealer> => [...dealers.values()],
      /** The dealer whose own account on INTERNAL this is. */
      ofOwnAccount: (id: TradingAccountId): Dealer | undefined => {
        const dealer = byOwnAccount.get(id)
        return dealer === undefined ? undefined : dealers.get(dealer)
      },
    }
  },
}) {}
