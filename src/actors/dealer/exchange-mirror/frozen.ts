/**
 * Mirrors that an admin has frozen: nothing is booked in them, and the dealer's operators are alerted at once and after 1, 2, 4 … 60 minutes; and
 * how the differences found meanwhile are booked once a mirror is unfrozen. The one thing to know: what such a mirror would hold is still
 * computed, so that a loss at the venue is reported all the same.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import { pauseAfter } from "../../../domain/dealer/shortfall.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import { LEDGER_TRANSFERS_MAX, type LedgerFact, type Transfer } from "../../../ports/ledger-port.ts"
import type { Arrears, StoredDifference } from "../../../ports/mirror-store.ts"
import type { TradingAccounts } from "../../account/messages.ts"
import {
  type Difference,
  differencesOf,
  differing,
  type MirrorBalances,
  type MirroredAccount,
  mirrorWalletId,
  openingOf,
} from "./transfers.ts"

// What was found of a mirror that was left, or linked, while it was frozen: how it is booked once it is frozen no longer. The one thing to
// know: each step is found anew from what the wallet has, so that it matters not where a process dies, or where the next freeze comes.

interface Step {
  readonly transfers: ReadonlyArray<Transfer>
  /** Of them, with when each was found. */
  readonly differences: ReadonlyArray<Difference & Pick<StoredDifference, "at">>
  /** Null: nothing. */
  readonly left: Arrears | null
}

/** What comes next. `has`: the wallet. What it executed meanwhile is in what it begins with, in one sum. */
export const arrearsStep = (account: MirroredAccount, arrears: Arrears, has: MirrorBalances, name: string): Step => {
  const before = new Map(arrears.balances)
  for (const { asset, change } of arrears.differences)
    before.set(asset, (before.get(asset) ?? Decimal.ZERO).subtract(change))
  // A surplus may have been spent by now: it is taken back at last.
  for (const [asset, amount] of before) before.set(asset, Decimal.max(amount, Decimal.ZERO))
  const opening = openingOf(account, differencesOf(before, has), new Map(has), name)
  if (opening.length > 0) return { transfers: opening.slice(0, LEDGER_TRANSFERS_MAX), differences: [], left: arrears }
  if (arrears.differences.length === 0) return { transfers: [], differences: [], left: null }
  // What comes first: nothing is ever below zero.
  const ordered = arrears.differences.toSorted((a, b) => Number(a.change.isNegative()) - Number(b.change.isNegative()))
  const differences = ordered.slice(0, LEDGER_TRANSFERS_MAX).map((it, index) => ({
    ...differing(account, new Map(), it, `${name} ${index}`, account.tradingAccountId),
    at: it.at,
  }))
  const left = { ...arrears, differences: ordered.slice(LEDGER_TRANSFERS_MAX) }
  return { transfers: differences.map(({ transfer }) => transfer), differences, left }
}

/** How a mirror stands at its newest fill. `opened`: what it began with is posted, or in its arrears. */
export const arrearsFact = (
  account: TradingAccountId,
  { arrears, opened, last }: { readonly arrears: Arrears | null; readonly opened: boolean; readonly last: number },
): LedgerFact => ({
  tag: "exchange_arrears",
  row: {
    trading_account_id: account,
    opened,
    last_number: last,
    arrears: arrears && {
      balances: Object.fromEntries([...arrears.balances].map(([asset, amount]) => [asset, amount.toString()])),
      differences: arrears.differences.map(({ asset, change, loser, code, at }) => ({
        asset,
        change: change.toString(),
        loser,
        code,
        at,
      })),
    },
  },
})

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
