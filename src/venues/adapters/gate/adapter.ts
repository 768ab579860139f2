/** Gate, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"

export const gate: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    spelling: "gate",
    idParam: "text",
    askParam: "text",
  },
  {
    stops: countedByAccount(),
    channels: ["spot.orders", "spot.balances", "spot.usertrades"],
    channelNews: ({ event, channel, error }) =>
      event === "subscribe" ? [{ channel: String(channel), isTaken: error === null || error === undefined }] : [],
  },
)
