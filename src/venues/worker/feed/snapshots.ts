/**
 * Book snapshots requested by REST. The one thing to know: per book only the newest request counts, and one waits for the venue's budget at a
 * time; a superseded one is never answered.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { currentWork, fetchingSnapshotOf } from "../work.ts"

// The snapshots of a book whose venue sends only changes, asked for by REST while the subscription stands. ccxt asks after the sixth
// change, which a quiet market never sends, and gives the socket up when the answer is older than the changes it has kept.

const ASK_FIRST_MILLIS = 500
const ASK_MAX_MILLIS = 5000
/**
 * Venues answer with books some seconds old. A change that was kept shows whether an answer is new enough; without one only a
 * subscription that is older than any answer does.
 */
const QUIET_MILLIS = 6000

interface AskedBook {
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

/**
 * Books that are asked for by REST this moment, also while the question waits for the venue's budget: for minutes, of the last of many. Only
 * the newest question of a book counts: one whose place in the queue it took is never answered.
 */
export class BooksOnTheirWay {
  /** The newest question, by ccxt's symbol. */
  readonly #newest = new Map<string, symbol>()

  /** Changes the instance in place, around whatever asks. */
  install(exchange: CcxtExchange): void {
    const fetchOrderBook = exchange.fetchOrderBook.bind(exchange)
    exchange.fetchOrderBook = async (symbol, ...rest) => {
      // Audits, and seeds of books that are whole.
      if (currentWork()?.isAside === true) return fetchOrderBook(symbol, ...rest)
      const question = Symbol()
      this.#newest.set(symbol, question)
      try {
        return await fetchOrderBook(symbol, ...rest)
      } finally {
        if (this.#newest.get(symbol) === question) this.#newest.delete(symbol)
      }
    }
  }

  has(symbol: string): boolean {
    return this.#newest.has(symbol)
  }
}

// One request for a book's snapshot waits for the venue's budget at a time. A stream that begins anew while its request still waits takes
// over its place; the earlier one is never answered. ccxt would send both, and put the book back to the older answer after the younger.

interface Place {
  go: () => void
  fail: (error: unknown) => void
}

/** Changes the instance in place, around the throttle that it has. */
export const queueSnapshots = (exchange: CcxtExchange): void => {
  /** By symbol. */
  const places = new Map<string, Place>()
  const fetchOrderBook = exchange.fetchOrderBook.bind(exchange)
  exchange.fetchOrderBook = (symbol, ...rest) =>
    currentWork()?.isAside === true
      ? fetchOrderBook(symbol, ...rest)
      : fetchingSnapshotOf(symbol, () => fetchOrderBook(symbol, ...rest))
  const throttle = exchange.throttle.bind(exchange)
  exchange.throttle = (cost) => {
    const symbol = currentWork()?.snapshotOf
    if (symbol === undefined) return throttle(cost)
    return new Promise((go, fail) => {
      const taken = places.get(symbol)
      if (taken !== undefined) {
        Object.assign(taken, { go, fail })
        return
      }
      const place: Place = { go, fail }
      places.set(symbol, place)
      throttle(cost)
        .finally(() => places.delete(symbol))
        .then(
          () => place.go(),
          (error: unknown) => place.fail(error),
        )
    })
  }
}
