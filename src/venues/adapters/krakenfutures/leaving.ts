/** How a stream of Kraken Futures ends, which ccxt does not know: by feed and product, and answered so. */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { LeavableStream, Leaving } from "../adapter.ts"

/** ccxt's name of a feed where it is not the venue's. */
const NAMES: Readonly<Record<LeavableStream, string>> = { book: "orderbook", trade: "trade", ticker: "ticker" }

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

export const leaving: Leaving = {
  leave: ({ stream: feed, market: { id, symbol } }) => {
    const key = `${NAMES[feed]}:${symbol}`
    return {
      message: { event: "unsubscribe", feed, product_ids: [id] },
      keys: [key],
      waiting: [key],
      isHeard: (message) => {
        const { event, feed: of, product_ids: ids } = record(message)
        return event === "unsubscribed" && of === feed && Array.isArray(ids) && ids.includes(id)
      },
    }
  },
}
