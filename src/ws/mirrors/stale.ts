/**
 * What an edge says of books and tickers while it hears nothing of their owner, and what takes that back: the words that the owner has for a venue that is silent. The one
 * thing to know: these publications have no offset, for the owner alone numbers a channel; its next one follows the one before.
 */
import type { ChannelKind } from "../../domain/channel.ts"
import type { BookQuality, OrderBookRecord, TickerRecord } from "../../domain/market/market.ts"
import type { EncodedPublication } from "../fanout/topic.ts"

/** Outside of the stream: it cannot be missed, and is remembered nowhere. */
const OUTSIDE = 0

/** A DIFF of no levels at the sequence that the book has: the next one of its owner follows it as if it had not been. */
const bookJson = (record: OrderBookRecord, quality: BookQuality): string => {
  const { sequence } = record
  return JSON.stringify({ ...record, updateType: "DIFF", bids: [], asks: [], previousSequence: sequence, quality })
}

export interface StaleWords {
  readonly stale: EncodedPublication
  /** As it was before. */
  readonly again: EncodedPublication
}

/** Of the newest publication of a subject; undefined: it says so by itself, or its channel has no word for it. */
export const staleWords = (kind: ChannelKind, newest: EncodedPublication): StaleWords | undefined => {
  const word = (json: string): EncodedPublication => ({ ...newest, offset: OUTSIDE, json })
  if (kind === "orderbook") {
    const record = JSON.parse(newest.json) as OrderBookRecord
    if (record.quality === "STALE") return undefined
    return { stale: word(bookJson(record, "STALE")), again: word(bookJson(record, record.quality)) }
  }
  if (kind !== "ticker" && kind !== "venueTicker") return undefined
  const record = JSON.parse(newest.json) as TickerRecord
  if (record.isStale === true) return undefined
  return { stale: word(JSON.stringify({ ...record, isStale: true })), again: word(newest.json) }
}
