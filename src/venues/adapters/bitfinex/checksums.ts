/**
 * Bitfinex sums a book over what JavaScript makes of its numbers: 0.0000005 is "5e-7" there. ccxt writes numbers below 1e-6 out, so a
 * book with such an amount or price never fitted its checksum and was begun anew for ever.
 */
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"

type ChecksumHandler = (...message: ReadonlyArray<unknown>) => unknown

/** Changes the instance in place, before its first frame. */
export const sumAsVenue = (instance: CcxtExchange): void => {
  const exchange = instance as CcxtExchange & { handleChecksum: ChecksumHandler }
  const handleChecksum = exchange.handleChecksum.bind(exchange)
  exchange.handleChecksum = (...message) => {
    // It runs to its end at once, and writes numbers for the sum alone.
    const { numberToString } = exchange
    exchange.numberToString = String
    try {
      return handleChecksum(...message)
    } finally {
      exchange.numberToString = numberToString
    }
  }
}
