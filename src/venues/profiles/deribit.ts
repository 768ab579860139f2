/** Deribit perpetuals and its testnet. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  quirks: "deribit",
} as const satisfies Partial<VenueProfile>

export const DERIBIT: ReadonlyArray<VenueProfile> = [
  plain("DERIBIT", "deribit", { ...perpetuals, name: "Deribit", hosts: ["www.deribit.com:443"] }),
  plain("DERIBIT_UAT", "deribit", {
    ...perpetuals,
    name: "Deribit Testnet",
    sandbox: true,
    hosts: ["test.deribit.com:443"],
  }),
]
