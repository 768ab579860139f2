/**
 * Binance's books begin with a REST snapshot that the buffered changes must join. ccxt skips those that do not, so the answer of a replica
 * that lags behind the stream would be taken for the book until the next change. Such an answer is not used: the venue is asked again.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { CcxtExchange, CcxtOrderBook } from "../../worker/exchange/ccxt.ts"

/** Before each further question; a replica is behind by fractions of a second. After the last the subscription begins anew. */
const ASK_AGAIN_MILLIS = [250, 1000]

type Asked = (symbol: string, ...rest: ReadonlyArray<unknown>) => Promise<CcxtOrderBook>

interface Change {
  readonly U?: unknown
  readonly u?: unknown
  /** Of futures: the last update of the change before. */
  readonly pu?: unknown
}

/** Whether changes, oldest first, follow a snapshot of this update without a hole. What it holds already says nothing. */
const joins = (nonce: number, changes: ReadonlyArray<unknown>): boolean => {
  let last = nonce
  for (const change of changes) {
    const { U, u, pu } = change as Change
    const [first, final] = [Number(U), Number(u)]
    if (pu === undefined) {
      if (final <= last) continue
      if (first > last + 1) return false
    } else {
      if (final < last) continue
      if (first > last && Number(pu) !== last) return false
    }
    last = final
  }
  return true
}

/** Changes the instance in place, before its first call. */
export const joinSnapshots = (instance: CcxtExchange): void => {
  const exchange = instance as CcxtExchange & { fetchRestOrderBookSafe: Asked }
  const ask: Asked = exchange.fetchRestOrderBookSafe.bind(exchange)
  exchange.fetchRestOrderBookSafe = async (symbol, ...rest) => {
    // The book of another subscription has a question of its own.
    const book = exchange.orderbooks[symbol]
    for (const wait of [...ASK_AGAIN_MILLIS, null]) {
      const snapshot = await ask(symbol, ...rest)
      const now = exchange.orderbooks[symbol]
      if (book === undefined || now === undefined) return snapshot
      // ccxt would begin the new book with what was asked for the old one.
      if (book !== now) return new Promise(() => undefined)
      if (snapshot.nonce !== undefined && joins(snapshot.nonce, book.cache)) return snapshot
      if (wait !== null) await sleep(wait)
    }
    // Spelled as ccxt does where it gives a book up for this (`exchange/errors.ts`).
    throw new Error(`failed to synchronize WebSocket feed with the snapshot of ${symbol}: it is older than the changes`)
  }
}
