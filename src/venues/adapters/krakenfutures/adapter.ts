/** Kraken Futures, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import { type ExchangeAdapter, type LeavableStream, type Leaving, record } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"

// How a stream of Kraken Futures ends, which ccxt does not know: by feed and product, and answered so.

/** ccxt's name of a feed where it is not the venue's. */
const NAMES: Readonly<Record<LeavableStream, string>> = { book: "orderbook", trade: "trade", ticker: "ticker" }

const leaving: Leaving = {
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

export const krakenfutures: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    idField: "cliOrdId",
    logsIn: true,
    lists: [
      ["fetchClosedOrders", {}],
      ["fetchCanceledOrders", {}],
    ],
  },
  {
    leaving,
    stops: countedByAccount(/apiLimitExceeded/),
    channels: ["open_orders", "balances", "fills"],
    channelNews: ({ event, feed }) => (event === "subscribed" ? [{ channel: String(feed), isTaken: true }] : []),
  },
)
