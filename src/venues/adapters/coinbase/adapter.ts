/** Coinbase, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"
import { leaving } from "./leaving.ts"

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

export const coinbase: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    spelling: "uuid",
    idParam: "client_order_id",
    lists: [["fetchOrders", {}]],
  },
  {
    leaving,
    stops: countedByAccount(),
    channels: ["user"],
    channelNews: ({ channel, events }) => {
      const [first] = channel === "subscriptions" && Array.isArray(events) ? events : []
      return "user" in record(record(first)["subscriptions"]) ? [{ channel: "user", isTaken: true }] : []
    },
  },
)
