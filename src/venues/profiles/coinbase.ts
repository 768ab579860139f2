/** Coinbase Advanced Trade, spot. ccxt has no sandbox of it. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const COINBASE: ReadonlyArray<VenueProfile> = [
  plain("COINBASE", "coinbase", {
    name: "Coinbase",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    quirks: "coinbase",
    hosts: ["api.coinbase.com:443", "advanced-trade-ws.coinbase.com:443"],
  }),
]
