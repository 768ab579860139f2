/**
 * Sees every item of a cache of ccxt. Connectors append each order event and fill to `orders` and `myTrades`, while `watchOrders` only returns the
 * last state per order after a burst (venues 4.5). The caches are made late, so the property itself is watched.
 */
import type { CcxtCache } from "./ccxt.ts"

/** Calls `onItem` before each item is kept; `owner[name]` may be unset now and may be replaced later. */
export const tapCache = <A, N extends string>(
  owner: { [name in N]: CcxtCache<A> | undefined },
  name: N,
  onItem: (item: A) => void,
): void => {
  const tapped = new WeakSet<CcxtCache<A>>()
  const tap = (cache: CcxtCache<A> | undefined): CcxtCache<A> | undefined => {
    if (cache === undefined || cache === null || tapped.has(cache)) return cache
    tapped.add(cache)
    const append = cache.append
    Object.defineProperty(cache, "append", {
      enumerable: false,
      configurable: true,
      writable: true,
      value(item: A) {
        onItem(item)
        return append.call(cache, item)
      },
    })
    return cache
  }
  let current = tap(owner[name])
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (cache: CcxtCache<A> | undefined) => {
      current = tap(cache)
    },
  })
}
