/**
 * Kraken's books, replacing ccxt's: every frame is verified against its checksum before it is passed on. A mismatch ends the book, and the next
 * subscription brings a snapshot. The checksum covers the ten best levels: deeper ones are compared with a separate snapshot from time to time.
 */

import type { CcxtOrderBook } from "../../worker/exchange/ccxt.ts"
import { record } from "../adapter.ts"
import type { VenueProfile } from "../profile.ts"
import { type BookFrame, type BookRows, CheckedBook, type Places } from "./checked-book.ts"
import type { KrakenExchange, KrakenSocket } from "./exchange.ts"
import { readKrakenFrame } from "./frames.ts"
import { hashOf, type KrakenSubscriptions } from "./subscriptions.ts"

/** The venue's default. */
const DEPTH_WITHOUT_WORD = 10
/** Levels that the checksum covers. */
const CHECKED_DEPTH = 10
/** How often it is looked whether a book is due, and how many are asked for at once. */
const LOOK_MILLIS = 1000
const REFRESHES_AT_ONCE = 4
/** A refresh that brought no snapshot by then has lost the book. */
const REFRESH_WITHIN_MILLIS = 10_000

interface Kept {
  readonly socket: KrakenSocket
  checked: CheckedBook
  /** `performance.now()` of its last snapshot, and of the question for the next. */
  snapshotAt: number
  askedAt: number | null
}

export const checkBooks = (
  exchange: KrakenExchange,
  subscriptions: KrakenSubscriptions,
  { bookDepth = DEPTH_WITHOUT_WORD, bookRefreshMillis }: VenueProfile,
): void => {
  const kept = new Map<string, Kept>()

  const placesOf = (symbol: string): Places | null => {
    const info = record(record(exchange.markets?.[symbol])["info"])
    const [price, quantity] = [Number(info["pair_decimals"]), Number(info["lot_decimals"])]
    return Number.isNaN(price) || Number.isNaN(quantity) ? null : { price, quantity }
  }

  /** The tap on ccxt's book tells the rows on, texts as they are; its own book is never read. */
  const store = (book: CcxtOrderBook, { bids, asks }: BookRows): void => {
    for (const [side, rows] of [[book.bids, bids] as const, [book.asks, asks] as const]) {
      for (let at = 0; at < rows.length; at += 2) side.storeArray([rows[at] ?? "", rows[at + 1] ?? "0"])
    }
  }

  const lost = (socket: KrakenSocket, symbol: string, reason: string): void => {
    kept.delete(symbol)
    subscriptions.lost(socket, "book", symbol, reason)
  }

  const begin = (socket: KrakenSocket, frame: BookFrame): void => {
    const { symbol } = frame
    const checked = CheckedBook.from(frame, bookDepth, placesOf(symbol))
    if (checked === undefined) {
      lost(socket, symbol, `the snapshot of ${symbol} does not match its checksum`)
      return
    }
    const before = kept.get(symbol)
    const now = performance.now()
    const book = exchange.orderbooks[symbol]
    if (before?.askedAt !== null && before?.socket === socket && book !== undefined) {
      // The book goes on; only what it had wrong is put right.
      store(book, checked.since(before.checked))
      Object.assign(before, { checked, snapshotAt: now, askedAt: null })
      return
    }
    kept.set(symbol, { socket, checked, snapshotAt: now, askedAt: null })
    const made = exchange.orderBook({ symbol })
    exchange.orderbooks[symbol] = made
    store(made, checked.rows())
    stamp(made, frame)
    socket.resolve(made, hashOf("book", symbol))
  }

  const change = (socket: KrakenSocket, frame: BookFrame): void => {
    const { symbol } = frame
    const known = kept.get(symbol)
    const book = exchange.orderbooks[symbol]
    // Of a subscription that has ended, or before the snapshot.
    if (known === undefined || known.socket !== socket || book === undefined) return
    const rows = known.checked.apply(frame)
    if (rows === undefined) {
      lost(socket, symbol, `the book of ${symbol} does not match its checksum`)
      return
    }
    stamp(book, frame)
    store(book, rows)
    socket.resolve(book, hashOf("book", symbol))
  }

  exchange.handleOrderBook = (socket, message) => {
    const frame = readKrakenFrame(message)
    if (frame?.kind !== "book") return
    if (frame.snapshot) begin(socket, frame)
    else change(socket, frame)
  }

  subscriptions.onEnd((channel, symbol) => {
    if (channel === "book") kept.delete(symbol)
  })

  const refresh = (): void => {
    const now = performance.now()
    let asked = 0
    for (const [symbol, book] of kept) {
      const isCurrent = exchange.clients[book.socket.url] === book.socket
      if (!isCurrent) kept.delete(symbol)
      else if (book.askedAt !== null && now - book.askedAt > REFRESH_WITHIN_MILLIS) {
        lost(book.socket, symbol, `the book of ${symbol} was not sent again`)
      } else if (book.askedAt === null && now - book.snapshotAt >= (bookRefreshMillis ?? Number.POSITIVE_INFINITY)) {
        if (asked === REFRESHES_AT_ONCE) return
        asked += 1
        book.askedAt = now
        subscriptions
          .repeat(book.socket, "book", symbol)
          .catch((error: unknown) => lost(book.socket, symbol, `the book of ${symbol}: ${String(error)}`))
      }
    }
  }
  const isDeep = bookRefreshMillis !== undefined && bookDepth > CHECKED_DEPTH
  if (isDeep) setInterval(refresh, Math.min(LOOK_MILLIS, bookRefreshMillis)).unref()

  const watch = exchange.watchOrderBook.bind(exchange) as (symbol: string, depth: number) => Promise<CcxtOrderBook>
  exchange.watchOrderBook = (symbol) => watch(symbol, bookDepth)
}

const stamp = (book: CcxtOrderBook, { venueAt }: BookFrame): void => {
  Object.assign(book, { timestamp: venueAt ?? undefined })
}
