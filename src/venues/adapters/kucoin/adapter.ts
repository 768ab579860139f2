/** KuCoin, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"

export const kucoin: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    idParam: "clientOid",
    askParam: "clientOid",
    cancelParam: "clientOid",
  },
  {
    stops: countedByAccount(),
    channels: ["/spotMarket/tradeOrders", "/account/balance"],
    // An acknowledgement has the number of its request alone.
    asksFor: ({ type, id, topic }) => (type === "subscribe" ? { id: String(id), channels: [String(topic)] } : null),
    channelNews: ({ type, id }) => (type === "ack" ? [{ asked: String(id), isTaken: true }] : []),
  },
)
