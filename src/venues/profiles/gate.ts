/** Gate spot. Its testnet has no WebSocket for spot, so there is no `_UAT`. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

export const GATE: ReadonlyArray<VenueProfile> = [
  plain("GATE", "gate", {
    name: "Gate",
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    hosts: ["api.gateio.ws:443"],
    unsubscribes: true,
    options: { defaultType: "spot", fetchMarkets: { types: ["spot"] } },
    quirks: "gate",
  }),
]
