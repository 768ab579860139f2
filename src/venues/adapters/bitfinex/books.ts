/** Bitfinex's books, served as ccxt 4.5.84 has them but for their checksums and their end. */
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import { type Leaving, record } from "../adapter.ts"

// Bitfinex sums a book over what JavaScript makes of its numbers: 0.0000005 is "5e-7" there. ccxt writes numbers below 1e-6 out, so a
// book with such an amount or price never fitted its checksum and was begun anew for ever.

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

// How a book of Bitfinex ends: by the number that the venue gave its channel with the acknowledgement. ccxt says that it can, and cannot;
// its other streams it ends.

export const leaving: Leaving = {
  leave: ({ stream, market: { id, symbol }, socket }) => {
    if (stream !== "book") return null
    // ccxt notes it there, for an end that it does not have.
    const note = `unsubscribe:orderbook:${symbol}`
    const channel = socket.subscriptions[note]
    if (channel === undefined) return "LATER"
    return {
      message: { event: "unsubscribe", chanId: Number(channel) },
      keys: [`book:${id}`, note, String(channel)],
      waiting: [`book:${id}`],
      isHeard: (message) => {
        const { event, chanId } = record(message)
        return event === "unsubscribed" && String(chanId) === String(channel)
      },
    }
  },
}
