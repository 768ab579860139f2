/** KuCoin, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"

export const kucoin: ExchangeAdapter = adapterByScheme({
  ...commonScheme,
  idParam: "clientOid",
  askParam: "clientOid",
  cancelParam: "clientOid",
})
