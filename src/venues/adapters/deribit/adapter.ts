/** Deribit, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import { type ExchangeAdapter, type LeavableStream, type Leaving, record } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"

// How a stream of Deribit ends, which ccxt does not know: by the names of its channels, answered by the request's number.

const KINDS: Readonly<Record<LeavableStream, string>> = { book: "book", trade: "trades", ticker: "ticker" }

const leaving: Leaving = {
  leave: ({ stream, market: { id, symbol }, socket, request }) => {
    const kind = KINDS[stream]
    const channels = Object.keys(socket.subscriptions).filter((key) => key.startsWith(`${kind}.${id}.`))
    const number = request()
    return {
      message: { jsonrpc: "2.0", method: "public/unsubscribe", params: { channels }, id: number },
      keys: channels,
      // ccxt waits for `book|BTC/USDC:USDC|100ms`, and for a ticker by its channel.
      waiting: [...channels, ...Object.keys(socket.futures).filter((key) => key.startsWith(`${kind}|${symbol}|`))],
      // Frames are read with their numbers as texts (`bareNumbers`).
      isHeard: (message) => String(record(message)["id"]) === String(number),
    }
  },
}

/** ccxt asks for one currency's orders where no market is named. */
const everyCurrency = (exchange: CcxtExchange): void => {
  const fetch = exchange.fetchOpenOrders.bind(exchange)
  exchange.fetchOpenOrders = async (symbol, since, limit, params) => {
    if (symbol !== undefined) return fetch(symbol, since, limit, params)
    const settles = Object.values(exchange.markets ?? {}).flatMap(({ swap, settle }) => (swap ? (settle ?? []) : []))
    const lists = [...new Set(settles)].map((code) => fetch(undefined, since, limit, { ...params, code }))
    return (await Promise.all(lists)).flat()
  }
}

const byScheme = adapterByScheme({
  ...commonScheme,
  idParam: "label",
  idField: "label",
  logsIn: true,
  lists: [["fetchClosedOrders", { include_unfilled: true }]],
})

export const deribit: ExchangeAdapter = {
  ...byScheme,
  leaving,
  // "too_many_requests": by the account's credits.
  stops: countedByAccount(/"code":\s*10028\b/),
  channels: ["user.orders", "user.portfolio", "user.trades"],
  // The answer lists the channels that were taken: `user.portfolio.BTC`.
  channelNews: ({ result }) =>
    Array.isArray(result)
      ? result.map((it) => ({ channel: String(it).split(".").slice(0, 2).join("."), isTaken: true }))
      : [],
  prepare: (exchange, profile) => {
    everyCurrency(exchange)
    byScheme.prepare?.(exchange, profile)
  },
}
