/** Deribit, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"
import { leaving } from "./leaving.ts"

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
