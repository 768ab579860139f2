/**
 * The snapshots of a book whose venue sends only changes, asked for by REST while the subscription stands. ccxt asks after the sixth
 * change, which a quiet market never sends, and gives the socket up when the answer is older than the changes it has kept.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { CcxtExchange } from "../exchange/ccxt.ts"

const ASK_FIRST_MILLIS = 500
const ASK_MAX_MILLIS = 5000
/**
 * Venues answer with books some seconds old. A change that was kept shows whether an answer is new enough; without one only a
 * subscription that is older than any answer does.
 */
const QUIET_MILLIS = 6000

export interface AskedBook {
  readonly exchange: CcxtExchange
  readonly symbol: () => string
  readonly isOpen: () => boolean
  readonly isWhole: () => boolean
  /** Hears of each question that failed. */
  readonly failed: (failure: unknown) => void
}

/** Asks whenever the book is not whole, until it is closed. Never rejects. */
export const askSnapshots = async ({ exchange, symbol, isOpen, isWhole, failed }: AskedBook): Promise<void> => {
  let wait = ASK_FIRST_MILLIS
  let subscribedAt: number | undefined
  while (isOpen()) {
    await sleep(wait)
    const kept = isWhole() || !isOpen() ? undefined : exchange.orderbooks[symbol()]?.cache
    if (kept === undefined) {
      wait = ASK_FIRST_MILLIS
      subscribedAt = undefined
      continue
    }
    subscribedAt ??= performance.now()
    if (kept.length === 0 && performance.now() - subscribedAt < QUIET_MILLIS) continue
    wait = Math.min(wait * 2, ASK_MAX_MILLIS)
    await join(exchange, symbol()).catch(failed)
  }
}

/** Does nothing where the venue's answer is older than the first change that was kept. */
const join = async (exchange: CcxtExchange, symbol: string): Promise<void> => {
  const book = exchange.orderbooks[symbol]
  const snapshot = await exchange.fetchOrderBook(symbol)
  // The socket may have been replaced meanwhile, and with it the book: the answer may be older than its subscription.
  if (book === undefined || exchange.orderbooks[symbol] !== book) return
  const { cache } = book
  const from = cache.length === 0 ? 0 : exchange.getCacheIndex(snapshot, cache)
  if (from < 0) return
  book.reset(snapshot)
  exchange.handleDeltas(book, cache.slice(from))
  cache.length = 0
}
