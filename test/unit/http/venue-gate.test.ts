/** Aliases of deprecated venue names, environments of installation and user, inactive venues. */
import { describe, expect, it } from "vitest"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { PLAIN_CAPABILITIES, PROVEN_ORDERS } from "../../../src/domain/instrument/venue-capabilities.ts"
import { makeVenueGate } from "../../../src/http/venue-gate.ts"
import { principal } from "../../kit/servers/http-server.ts"

const venue = (name: string, status: Venue["status"] = "ACTIVE"): Venue => ({
  venue: name as VenueId,
  name,
  status,
  features: ["SPOT"],
  needsCredentials: name !== "MOCK",
  needsPassphrase: false,
  timesInForce: ["GTC"],
  orderExpiryMillis: null,
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  takesOrders: true,
  feeInQuote: false,
  inProcess: name === "MOCK",
  environment: name === "MOCK" ? "SIMULATED" : name.endsWith("_UAT") ? "UAT" : "PROD",
  capabilities: PLAIN_CAPABILITIES,
})

const venues = [
  venue("BINANCE"),
  venue("BINANCE_UAT"),
  venue("KRAKEN"),
  venue("MOCK"),
  venue("OKX", "INACTIVE"),
  venue("PAPER"),
]
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
    expect(production.headersFor(["BINANCE:BTC/USDT", "BINANCE_PAPER:BTC/USDT", "BINANCE_SANDBOX:ETH/USDT"])).toEqual({
      Deprecation: "true",
      "X-Venue-Successor": "BINANCE_UAT",
    })
    expect(production.headersFor(["BINANCE:BTC/USDT", "junk", ":"])).toEqual({})
    expect(production.find("BINANCE_PAPER")?.venue).toBe("BINANCE_UAT")
    expect(production.offered.map((it) => it.venue)).not.toContain("BINANCE_PAPER")
  })

  it("never takes a venue's own name for an alias of another", () => {
    expect(production.resolve("PAPER", everywhere)).toMatchObject({ venue: { venue: "PAPER" }, headers: {} })
    expect(production.canonicalInstrumentId("PAPER:BTC/USDT")).toBe("PAPER:BTC/USDT")
    const both = [venue("GATE_UAT"), venue("GATE_PAPER")]
    const gate = makeVenueGate({ venues: both, find: (name) => both.find((it) => it.venue === name) }, "PROD")
    expect(gate.resolve("GATE_PAPER", everywhere)).toMatchObject({ venue: { venue: "GATE_PAPER" }, headers: {} })
    expect(gate.resolve("GATE_SANDBOX", everywhere)).toMatchObject({ venue: { venue: "GATE_UAT" } })
  })

  it("offers only test venues and those in the house on a test installation", () => {
    expect(test.offered.map((it) => it.venue)).toEqual(["BINANCE_UAT", "MOCK", "PAPER"])
    expect(test.resolve("BINANCE", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
    expect(test.filter("BINANCE", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
    expect(test.find("BINANCE")).toBeUndefined()
    expect(test.resolve("BINANCE_SANDBOX", everywhere)).toMatchObject({ venue: { venue: "BINANCE_UAT" } })
    expect(production.offered).toEqual(venues)
  })

  it("keeps users without UAT away from test venues", () => {
    expect(production.resolve("BINANCE_UAT", outside)).toMatchObject({ _tag: "InsufficientPermissions" })
    expect(production.resolve("BINANCE_SANDBOX", outside)).toMatchObject({ _tag: "InsufficientPermissions" })
    expect(production.filter("BINANCE_UAT", outside)).toMatchObject({ _tag: "InsufficientPermissions" })
    expect(production.resolve("MOCK", outside)).toMatchObject({ venue: { venue: "MOCK" } })
    expect(production.openTo(outside).map((it) => it.venue)).toEqual(["BINANCE", "KRAKEN", "MOCK", "OKX", "PAPER"])
    expect(production.openTo(everywhere)).toEqual(venues)
  })

  it("keeps users without PROD away from the real ones", () => {
    const tester = { ...principal(), environments: ["UAT" as const] }
    expect(production.resolve("BINANCE", tester)).toMatchObject({ required: ["environment:PROD"] })
    expect(production.openTo(tester).map((it) => it.venue)).toEqual(["BINANCE_UAT", "MOCK", "PAPER"])
    const nowhere = { ...principal(), environments: [] }
    expect(production.openTo(nowhere).map((it) => it.venue)).toEqual(["MOCK", "PAPER"])
  })

  it("refuses inactive and unknown venues", () => {
    expect(production.resolve("OKX", everywhere)).toMatchObject({ _tag: "VenueInactive" })
    expect(production.resolve("NOPE", everywhere)).toMatchObject({ _tag: "InvalidVenue" })
  })

  it("filters lists by any venue it knows, inactive ones too, and refuses the others", () => {
    expect(production.filter(undefined, everywhere)).toBeUndefined()
    expect(production.filter("OKX", everywhere)).toMatchObject({ venue: { venue: "OKX" }, headers: {} })
    expect(production.filter("BINANCE_SANDBOX", everywhere)).toMatchObject({
      venue: { venue: "BINANCE_UAT" },
      headers: { "X-Venue-Successor": "BINANCE_UAT" },
    })
    for (const name of ["NOPE", "", "KRAKEN_PAPER", "binance"])
      expect(production.filter(name, everywhere)).toMatchObject({ _tag: "InvalidVenue" })
  })
})
