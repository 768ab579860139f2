/** Bybit, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"

export const bybit: ExchangeAdapter = adapterByScheme({
  ...commonScheme,
  lookup: { acknowledged: true },
  lists: [
    ["fetchClosedOrders", {}],
    ["fetchCanceledOrders", {}],
  ],
})
