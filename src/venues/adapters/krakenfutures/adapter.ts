/** Kraken Futures, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"
import { leaving } from "./leaving.ts"

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
