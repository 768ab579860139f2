/**
 * One request for a book's snapshot waits for the venue's budget at a time. A stream that begins anew while its request still waits takes
 * over its place; the earlier one is never answered. ccxt would send both, and put the book back to the older answer after the younger.
 */
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { currentWork, fetchingSnapshotOf } from "../work.ts"

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
