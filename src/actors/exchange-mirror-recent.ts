/**
 * What was posted lately of an account's unexplained differences, by asset and book: what later knowledge takes back, and what alarms are
 * about. The one thing to know: it is read from the store with every look, so that a restart changes nothing.
 */
import { Decimal } from "../domain/decimal.ts"
import type { DifferenceBook, StoredDifference } from "../ports/mirror-store.ts"

interface Posted {
  /** Of LOSS: lost and not made good; of SUSPENSE: come and not explained. */
  amount: Decimal
  /** Wall ms. */
  newestAt: number
}

/** By `<book> <asset>`. */
export type Recent = Map<string, Posted>

export const recentOf = (recent: Recent, asset: string, book: DifferenceBook): Posted => {
  const key = `${book} ${asset}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const none: Posted = { amount: Decimal.ZERO, newestAt: Number.NEGATIVE_INFINITY }
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
  for (const { asset, book, change, at } of rows) {
    const posted = recentOf(recent, asset, book)
    if (at >= since) posted.newestAt = at
    const open = left.get(posted) ?? []
    left.set(posted, open)
    const came = book === "LOSS" ? change.negate() : change
    if (came.isPositive()) open.push({ amount: came, at })
    else takeBack(open, came.negate())
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
