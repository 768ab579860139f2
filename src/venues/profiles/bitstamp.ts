/** Bitstamp spot. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const BITSTAMP: ReadonlyArray<VenueProfile> = [
  plain("BITSTAMP", "bitstamp", {
    name: "Bitstamp",
    // ccxt sends the others under names that the venue does not know: such an order would rest.
    timesInForce: ["GTC"],
    hosts: ["www.bitstamp.net:443", "ws.bitstamp.net:443"],
    unsubscribes: true,
    snapshotsAsked: true,
    // Never equal to the number of changes it keeps: ccxt leaves the snapshot to us.
    options: { watchOrderBook: { snapshotDelay: -1 } },
    quirks: "bitstamp",
  }),
]
