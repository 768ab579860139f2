/**
 * How a stream of Coinbase ends. ccxt takes one end at a time, and takes it for heard only when no subscription is left; the venue
 * answers each with the list of what it still sends.
 */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { LeavableStream, Leaving } from "../adapter.ts"

const CHANNELS: Readonly<Record<LeavableStream, string>> = { book: "level2", trade: "market_trades", ticker: "ticker" }

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

/** The channel of books has two names. */
const namesOf = (channel: string): ReadonlyArray<string> => (channel === "level2" ? ["level2", "l2_data"] : [channel])

export const leaving: Leaving = {
  leave: ({ stream, market: { id, symbol } }) => {
    const channel = CHANNELS[stream]
    const key = `${channel}::${symbol}`
    return {
      message: { type: "unsubscribe", product_ids: [id], channel },
      keys: [key],
      waiting: [key],
      isHeard: (message) => {
        const { channel: of, events } = record(message)
        if (of !== "subscriptions" || !Array.isArray(events)) return false
        const kept = record(record(events[0])["subscriptions"])
        return !namesOf(channel).some((name) => {
          const ids = kept[name]
          return Array.isArray(ids) && ids.includes(id)
        })
      },
    }
  },
}
