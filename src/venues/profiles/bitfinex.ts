/** Bitfinex spot. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const BITFINEX: ReadonlyArray<VenueProfile> = [
  plain("BITFINEX", "bitfinex", {
    name: "Bitfinex",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.bitfinex.com:443", "api-pub.bitfinex.com:443"],
    bareNumbers: true,
    unsubscribes: true,
    refusesRepeats: true,
    quirks: "bitfinex",
  }),
]
