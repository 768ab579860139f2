/** Coinbase, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { leaving } from "./leaving.ts"

export const coinbase: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    spelling: "uuid",
    idParam: "client_order_id",
    lists: [["fetchOrders", {}]],
  },
  { leaving },
)
