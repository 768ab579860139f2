/**
 * Kraken's public frames (WebSocket v2), read in the venue's own digits: ccxt's class would truncate books to the size of a snapshot, sort trades
 * of one millisecond by their numbers as strings, and throw at changes of a book without a snapshot.
 */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import { record } from "../adapter.ts"
import type { BookFrame } from "./checked-book.ts"

/** A public trade; the venue numbers those of a pair without a hole. */
export interface NumberedTrade {
  readonly number: bigint
  readonly price: string
  readonly quantity: string
  readonly side: "BUY" | "SELL" | "UNKNOWN"
  readonly at: number | null
}

export type MarketFrame =
  | ({ readonly kind: "book" } & BookFrame)
  | {
      readonly kind: "trades"
      readonly symbol: string
      /** The trades of before, as they come with a subscription. */
      readonly snapshot: boolean
      readonly trades: ReadonlyArray<NumberedTrade>
    }

/** Numbers are put between quotes before a frame is parsed (digits.ts). */
const text = (value: unknown): string => (typeof value === "string" ? value : "")

const instant = (value: unknown): number | null => {
  const at = Date.parse(text(value))
  return Number.isNaN(at) ? null : at
}

const levels = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap((row) => [text(record(row)["price"]), text(record(row)["qty"])]) : []

const book = (row: Raw, snapshot: boolean): MarketFrame => ({
  kind: "book",
  symbol: text(row["symbol"]),
  snapshot,
  bids: levels(row["bids"]),
  asks: levels(row["asks"]),
  checksum: Number(row["checksum"]),
  venueAt: instant(row["timestamp"]),
})

const trade = (row: Raw): NumberedTrade => ({
  number: BigInt(text(row["trade_id"]) || "0"),
  price: text(row["price"]),
  quantity: text(row["qty"]),
  side: row["side"] === "buy" ? "BUY" : row["side"] === "sell" ? "SELL" : "UNKNOWN",
  at: instant(row["timestamp"]),
})

/** Null for anything but books and trades. A frame is about one pair: its first row's. */
export const readKrakenFrame = (message: unknown): MarketFrame | null => {
  const { channel, type, data } = record(message)
  if (!Array.isArray(data)) return null
  const rows = data.map(record)
  const [first] = rows
  const snapshot = type === "snapshot"
  switch (channel) {
    case "book":
      return first === undefined ? null : book(first, snapshot)
    case "trade": {
      const symbol = text(first?.["symbol"])
      const own = rows.filter((row) => row["symbol"] === first?.["symbol"]).map(trade)
      return { kind: "trades", symbol, snapshot, trades: own }
    }
    default:
      return null
  }
}
