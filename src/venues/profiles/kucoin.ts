/** KuCoin spot. Its WebSocket host comes with a token, by REST; ccxt has no sandbox of it. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const KUCOIN: ReadonlyArray<VenueProfile> = [
  plain("KUCOIN", "kucoin", {
    name: "KuCoin",
    needsPassphrase: true,
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.kucoin.com:443", "ws-api-spot.kucoin.com:443"],
    unsubscribes: true,
    snapshotsAsked: true,
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: { defaultType: "spot", fetchMarkets: { types: ["spot"] }, watchOrderBook: { snapshotDelay: -1 } },
    quirks: "kucoin",
  }),
]
