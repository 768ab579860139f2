/** Bitfinex, served as ccxt has it but for its books' checksums (checksums.ts). Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { sumAsVenue } from "./checksums.ts"
import { leaving } from "./leaving.ts"

export const bitfinex: ExchangeAdapter = {
  ...adapterByScheme({
    ...commonScheme,
    spelling: "number",
    idParam: "cid",
    // Of the stream ccxt takes the group's id in its place.
    idField: "2",
    logsIn: true,
    lists: [["fetchClosedOrders", {}]],
  }),
  leaving,
  preparePublic: sumAsVenue,
}
