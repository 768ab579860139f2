/**
 * What was found of a mirror that was left, or linked, while it was frozen: how it is booked once it is frozen no longer. The one thing to
 * know: each step is found anew from what the wallet has, so that it matters not where a process dies, or where the next freeze comes.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import { LEDGER_TRANSFERS_MAX, type LedgerFact, type Transfer } from "../../../ports/ledger-port.ts"
import type { Arrears, StoredDifference } from "../../../ports/mirror-store.ts"
import {
  type Difference,
  differencesOf,
  differing,
  type MirrorBalances,
  type MirroredAccount,
  openingOf,
} from "./transfers.ts"

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
