/**
 * How a book of Bitfinex ends: by the number that the venue gave its channel with the acknowledgement. ccxt says that it can, and cannot;
 * its other streams it ends.
 */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { Leaving } from "../adapter.ts"

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

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
