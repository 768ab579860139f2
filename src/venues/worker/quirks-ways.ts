/** The venues that are served as ccxt has them, each with its ways. Sources: ccxt 4.5.84's createOrder and fetchOrder of each. */
import type { CcxtExchange } from "./ccxt.ts"
import type { Quirks } from "./quirk.ts"
import { type Ways, waysQuirks } from "./ways.ts"

const common: Ways = {
  spelling: "hex",
  idParam: "clientOrderId",
  askParam: null,
  cancelParam: null,
  logsIn: false,
  streams: true,
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

export const bitfinex: Quirks = waysQuirks({
  ...common,
  spelling: "number",
  idParam: "cid",
  // Of the stream ccxt takes the group's id in its place.
  idField: "2",
  logsIn: true,
  lists: [["fetchClosedOrders", {}]],
})

export const bitstamp: Quirks = waysQuirks(
  {
    ...common,
    idParam: "client_order_id",
    askParam: "client_order_id",
    // Orders and trades are streamed market by market.
    streams: false,
  },
  {
    // A trade has its price as a JSON number, which ccxt reads, and as the venue spells it.
    restate: (message) => {
      const trade = record(record(message)["data"])
      const { price_str, amount_str } = trade
      if (typeof price_str === "string" && typeof amount_str === "string")
        Object.assign(trade, { price: price_str, amount: amount_str })
    },
  },
)

export const bybit: Quirks = waysQuirks({
  ...common,
  lookup: { acknowledged: true },
  lists: [
    ["fetchClosedOrders", {}],
    ["fetchCanceledOrders", {}],
  ],
})

export const coinbase: Quirks = waysQuirks({
  ...common,
  spelling: "uuid",
  idParam: "client_order_id",
  lists: [["fetchOrders", {}]],
})

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

const deribitWays = waysQuirks({
  ...common,
  idParam: "label",
  idField: "label",
  logsIn: true,
  lists: [["fetchClosedOrders", { include_unfilled: true }]],
})

export const deribit: Quirks = {
  ...deribitWays,
  prepare: (exchange, profile) => {
    everyCurrency(exchange)
    deribitWays.prepare?.(exchange, profile)
  },
}

export const gate: Quirks = waysQuirks({ ...common, spelling: "gate", idParam: "text", askParam: "text" })

export const gemini: Quirks = waysQuirks({ ...common, askParam: "client_order_id" })

export const krakenfutures: Quirks = waysQuirks({
  ...common,
  idField: "cliOrdId",
  logsIn: true,
  lists: [
    ["fetchClosedOrders", {}],
    ["fetchCanceledOrders", {}],
  ],
})

export const kucoin: Quirks = waysQuirks({
  ...common,
  idParam: "clientOid",
  askParam: "clientOid",
  cancelParam: "clientOid",
})
