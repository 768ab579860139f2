/** Bybit spot and its testnet. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const spot = {
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  unsubscribes: true,
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    // Every account is a unified one by now; ccxt would ask before each first call.
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
    unifiedMarginStatus: 5,
  },
  quirks: "bybit",
} as const satisfies Partial<VenueProfile>

export const BYBIT: ReadonlyArray<VenueProfile> = [
  plain("BYBIT", "bybit", { ...spot, name: "Bybit", hosts: ["api.bybit.com:443", "stream.bybit.com:443"] }),
  plain("BYBIT_UAT", "bybit", {
    ...spot,
    name: "Bybit Testnet",
    sandbox: true,
    hosts: ["api-testnet.bybit.com:443", "stream-testnet.bybit.com:443"],
  }),
]
