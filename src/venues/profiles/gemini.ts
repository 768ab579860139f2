/** Gemini spot and its sandbox. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const spot = {
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  // With them it learns the steps of the pairs.
  needsCurrencies: true,
  quirks: "gemini",
} as const satisfies Partial<VenueProfile>

export const GEMINI: ReadonlyArray<VenueProfile> = [
  // The exchange's page is where ccxt reads the steps of all markets in one request.
  plain("GEMINI", "gemini", { ...spot, name: "Gemini", hosts: ["api.gemini.com:443", "exchange.gemini.com:443"] }),
  plain("GEMINI_UAT", "gemini", {
    ...spot,
    name: "Gemini Sandbox",
    sandbox: true,
    hosts: ["api.sandbox.gemini.com:443", "exchange.gemini.com:443"],
  }),
]
