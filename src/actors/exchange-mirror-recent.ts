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

export const recentFrom = (rows: ReadonlyArray<StoredDifference>): Recent => {
  const recent: Recent = new Map()
  for (const { asset, book, change, at } of rows) {
    const posted = recentOf(recent, asset, book)
    posted.amount = book === "LOSS" ? posted.amount.subtract(change) : posted.amount.add(change)
    posted.newestAt = Math.max(posted.newestAt, at)
  }
  return recent
}
