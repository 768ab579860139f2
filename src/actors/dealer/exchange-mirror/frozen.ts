/**
 * Mirrors that an admin has frozen: nothing is booked in them, and those who run the dealer are told so, at once and after 1, 2, 4 … 60 minutes.
 * The one thing to know: what such a mirror would have is reckoned beside it, so that a loss at the venue is told of all the same.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import { pauseAfter } from "../../../domain/dealer/shortfall.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import type { StoredDifference } from "../../../ports/mirror-store.ts"
import type { TradingAccounts } from "../../account/messages.ts"
import { type MirrorBalances, mirrorWalletId } from "./transfers.ts"

/** How far a mirror has come, and what is in it then. */
export interface Reached {
  /** Number of the newest fill. */
  last: number
  balances: MirrorBalances
  /** What fills explain of what was booked before, or lacked: not posted, and not in its arrears. */
  differences: Array<StoredDifference>
}

interface Frozen {
  readonly reached: Reached
  pause: number
  /** Monotonic ms. */
  tellAt: number
}

export class FrozenMirrors {
  readonly #frozen = new Map<TradingAccountId, Frozen>()

  constructor(
    private readonly accounts: Pick<TradingAccounts["Type"], "post">,
    private readonly monotonic: () => number,
  ) {}

  get size(): number {
    return this.#frozen.size
  }

  find(id: TradingAccountId): Reached | undefined {
    return this.#frozen.get(id)?.reached
  }

  /** With every look that finds it frozen; `reached`: as it stands. */
  look({ tradingAccountId, venue }: TradingAccount, concerned: ReadonlyArray<Dealer>, reached: Reached): void {
    const now = this.monotonic()
    const before = this.#frozen.get(tradingAccountId)
    if (before !== undefined && now < before.tellAt) return
    const pause = pauseAfter(before?.pause)
    this.#frozen.set(tradingAccountId, { reached, pause, tellAt: now + pause })
    const message = `the mirror of linked account ${tradingAccountId} at ${venue} is frozen: what the account executes is not booked until an admin unfreezes wallet ${mirrorWalletId(tradingAccountId)}`
    const alert = { code: "MIRROR_FROZEN", severity: "WARNING", message, tradeOrderId: null } as const
    for (const dealer of concerned) this.accounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
  }

  thawed(id: TradingAccountId): void {
    this.#frozen.delete(id)
  }

  /** Of accounts that are looked at no longer nothing is said any more. */
  keep(accounts: ReadonlySet<TradingAccountId>): void {
    for (const id of this.#frozen.keys()) if (!accounts.has(id)) this.#frozen.delete(id)
  }
}
