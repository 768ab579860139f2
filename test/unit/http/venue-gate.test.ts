/** Aliases of deprecated venue names, environments of installation and user, inactive venues. */
import { describe, expect, it } from "vitest"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/venue.ts"
import { makeVenueGate } from "../../../src/http/venue-gate.ts"
import { principal } from "../../kit/http-server.ts"

const venue = (name: string, status: Venue["status"] = "ACTIVE"): Venue => ({
  venue: name as VenueId,
  name,
  status,
  features: ["SPOT"],
  needsCredentials: name !== "MOCK",
  needsPassphrase: false,
  timesInForce: ["GTC"],
  orderExpiryMillis: null,
  feeInQuote: false,
  inProcess: name === "MOCK",
})

const venues = [venue("BINANCE"), venue("BINANCE_UAT"), venue("KRAKEN"), venue("MOCK"), venue("OKX", "INACTIVE")]
const port = { venues, find: (name: string) => venues.find((it) => it.venue === name) }
const production = makeVenueGate(port, "PROD")
const test = makeVenueGate(port, "UAT")
const everywhere = principal()
const outside = { ...principal(), environments: ["PROD" as const] }

describe("the venue gate", () => {
  it("takes _SANDBOX and _PAPER for _UAT where that exists, and says so", () => {
    for (const name of ["BINANCE_SANDBOX", "BINANCE_PAPER"]) {
      expect(production.resolve(name, everywhere)).toMatchObject({
        venue: { venue: "BINANCE_UAT" },
        headers: { Deprecation: "true", "X-Venue-Successor": "BINANCE_UAT" },
      })
    }
    expect(production.resolve("KRAKEN_SANDBOX", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
    expect(production.resolve("BINANCE", everywhere)).toMatchObject({ venue: { venue: "BINANCE" }, headers: {} })
    expect(production.canonicalInstrumentId("BINANCE_PAPER:BTC/USDT")).toBe("BINANCE_UAT:BTC/USDT")
    expect(production.canonicalInstrumentId("BINANCE:BTC/USDT")).toBe("BINANCE:BTC/USDT")
  })

  it("offers only test venues and those in the house on a test installation", () => {
    expect(test.offered.map((it) => it.venue)).toEqual(["BINANCE_UAT", "MOCK"])
    expect(test.resolve("BINANCE", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
    expect(production.offered).toHaveLength(5)
  })

  it("keeps users without UAT away from test venues", () => {
    expect(production.resolve("BINANCE_UAT", outside)).toMatchObject({ _tag: "InsufficientPermissions" })
    expect(production.resolve("BINANCE_SANDBOX", outside)).toMatchObject({ _tag: "InsufficientPermissions" })
    expect(production.resolve("MOCK", outside)).toMatchObject({ venue: { venue: "MOCK" } })
  })

  it("refuses inactive and unknown venues", () => {
    expect(production.resolve("OKX", everywhere)).toMatchObject({ _tag: "VenueInactive" })
    expect(production.resolve("OKX", everywhere, { allowInactive: true })).toMatchObject({ venue: { venue: "OKX" } })
    expect(production.resolve("NOPE", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
  })
})
