/** Kraken's perpetuals and their demo. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  // ccxt drops IOC and FOK: such an order would rest.
  timesInForce: ["GTC", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  quirks: "krakenfutures",
} as const satisfies Partial<VenueProfile>

export const KRAKENFUTURES: ReadonlyArray<VenueProfile> = [
  plain("KRAKENFUTURES", "krakenfutures", {
    ...perpetuals,
    name: "Kraken Futures",
    hosts: ["futures.kraken.com:443"],
  }),
  plain("KRAKENFUTURES_UAT", "krakenfutures", {
    ...perpetuals,
    name: "Kraken Futures Demo",
    sandbox: true,
    hosts: ["demo-futures.kraken.com:443"],
  }),
]
