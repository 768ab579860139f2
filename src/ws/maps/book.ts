/**
 * An order book as a map: one entry per level, and the entry `book` with what holds of the whole book. `book` is the last change of
 * every record: whoever has it has all of the record before it, so the levels fit together then.
 */
import type { OrderBookRecord } from "../../domain/market/market.ts"
import { deletesLevel } from "../../domain/market/order-book.ts"
import type { EntryChange } from "./entries.ts"

/** Key of the entry that tells `sequence`, `timestamp`, `quality` and `coveredRange`. */
export const BOOK_KEY = "book"

export const levelKey = (side: "bids" | "asks", price: string): string => `${side}/${price}`

const levels = (side: "bids" | "asks", rows: OrderBookRecord["bids"]): ReadonlyArray<EntryChange> =>
  rows.map(([price, quantity, orderCount]) => ({
    key: levelKey(side, price),
    // A book's rows hold digits alone, nothing that JSON would escape.
    json: deletesLevel(quantity)
      ? null
      : `{"side":"${side}","price":"${price}","quantity":"${quantity}","orderCount":"${orderCount}"}`,
  }))

/** What a record changes; a SNAPSHOT names everything. */
export const bookChanges = (
  json: string,
): { readonly isWhole: boolean; readonly changes: ReadonlyArray<EntryChange> } => {
  const { updateType, bids, asks, sequence, timestamp, quality, coveredRange } = JSON.parse(json) as OrderBookRecord
  const book: EntryChange = { key: BOOK_KEY, json: JSON.stringify({ sequence, timestamp, quality, coveredRange }) }
  return { isWhole: updateType === "SNAPSHOT", changes: [...levels("bids", bids), ...levels("asks", asks), book] }
}
