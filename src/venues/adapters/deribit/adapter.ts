/** Deribit, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
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
  prepare: (exchange, profile) => {
    everyCurrency(exchange)
    byScheme.prepare?.(exchange, profile)
  },
}
