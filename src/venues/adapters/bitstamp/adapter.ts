/** Bitstamp, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

export const bitstamp: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
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
