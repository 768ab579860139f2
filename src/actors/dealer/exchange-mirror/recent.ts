/**
 * What was posted lately of an account's unexplained differences, by asset and who lost it: what later knowledge takes back, and what alarms are
 * about. The one thing to know: it is read from the store with every look, so that a restart changes nothing.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { DealerAccountId } from "../../../domain/ids.ts"
import type { StoredDifference } from "../../../ports/mirror-store.ts"

interface Posted {
  readonly asset: string
  /** In whose LOSS; null: in SUSPENSE. */
  readonly loser: DealerAccountId | null
  /** Else it came. What is in SUSPENSE may be either: what is lost while nobody links the account is no dealer's. */
  readonly isLost: boolean
  /** Lost and not made good, or come and not explained. */
  amount: Decimal
  /** Wall ms. */
  newestAt: number
}

/** By asset, loser and way. */
export type Recent = Map<string, Posted>

export const recentOf = (recent: Recent, asset: string, loser: DealerAccountId | null, isLost: boolean): Posted => {
  const key = `${asset} ${loser ?? ""} ${isLost ? "lost" : "came"}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const none: Posted = { asset, loser, isLost, amount: Decimal.ZERO, newestAt: Number.NEGATIVE_INFINITY }
  recent.set(key, none)
  return none
}

/**
 * `rows`: oldest first, of twice the time that counts, for what was taken back since `since` may be of before it. What is taken back is of the
 * oldest that is left: else it would cover for its time what is lost after it.
 */
export const recentFrom = (rows: ReadonlyArray<StoredDifference>, since: number): Recent => {
  const recent: Recent = new Map()
  const left = new Map<Posted, Array<Left>>()
  for (const { asset, loser, change, code, at } of rows) {
    const isTakenBack = code === "CORRECTION"
    const posted = recentOf(recent, asset, loser, loser !== null || change.isNegative() !== isTakenBack)
    if (at >= since) posted.newestAt = at
    const open = left.get(posted) ?? []
    left.set(posted, open)
    const amount = posted.isLost ? change.negate() : change
    if (amount.isPositive()) open.push({ amount, at })
    else takeBack(open, amount.negate())
  }
  for (const [posted, open] of left)
    for (const { amount, at } of open) if (at >= since) posted.amount = posted.amount.add(amount)
  return recent
}

/** What is left of a row. */
interface Left {
  amount: Decimal
  readonly at: number
}

const takeBack = (open: Array<Left>, amount: Decimal): void => {
  let rest = amount
  for (let [oldest] = open; oldest !== undefined && rest.isPositive(); [oldest] = open) {
    const part = Decimal.min(rest, oldest.amount)
    rest = rest.subtract(part)
    oldest.amount = oldest.amount.subtract(part)
    if (oldest.amount.isZero()) open.shift()
  }
}
