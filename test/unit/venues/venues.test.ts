/** One port of many venues. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { MarketSink } from "../../../src/ports/market-source.ts"
import { VenuePort } from "../../../src/ports/venue-port.ts"
import { PROFILES, venueOf } from "../../../src/venues/adapters/registry.ts"
import { type VenueAdapter, venuesLayer } from "../../../src/venues/venues.ts"

const adapterOf = (venue: string): VenueAdapter => {
  const [profile] = PROFILES
  if (profile === undefined) throw new Error("the registry is empty")
  return {
    venue: venueOf({ ...profile, venue: venue as VenueId }, []),
    verify: () => Effect.succeed({ externalAccountId: venue }),
    openSession: () => Effect.die("not asked for"),
    instruments: () => Effect.succeed([]),
    klines: () => Effect.succeed({ bars: [], venueAt: 0 }),
    market: () => ({
      open: () => undefined,
      close: () => undefined,
      resync: () => undefined,
      confirm: () => Effect.succeed(false),
    }),
    health: () => ({
      venue: venue as VenueId,
      status: "idle",
      reason: null,
      since: null,
      restarts: 0,
      streams: 0,
      sessions: 0,
    }),
  }
}

const SECRETS = { apiKey: "k", apiSecret: "s", apiPassphrase: null }
const NOWHERE = "NOWHERE" as VenueId

const withPort = <A>(use: (port: typeof VenuePort.Service) => A): A =>
  Effect.runSync(Effect.map(VenuePort, use).pipe(Effect.provide(venuesLayer([adapterOf("ZETA"), adapterOf("ALPHA")]))))

describe("the venue port", () => {
  it("lists its venues by identifier and finds them", () => {
    withPort((port) => {
      expect(port.venues.map(({ venue }) => venue)).toEqual(["ALPHA", "ZETA"])
      expect(port.find("ZETA")?.venue).toBe("ZETA")
      expect(port.find("zeta")).toBeUndefined()
      expect(port.health().map(({ venue }) => venue)).toEqual(["ZETA", "ALPHA"])
    })
  })

  it("passes a question to the venue it is about", () => {
    withPort((port) => {
      expect(Effect.runSync(port.verify("ZETA" as VenueId, SECRETS))).toEqual({ externalAccountId: "ZETA" })
    })
  })

  it("knows nothing of a venue that is not there", () => {
    withPort((port) => {
      expect(Effect.runSync(Effect.flip(port.verify(NOWHERE, SECRETS)))._tag).toBe("VenueUnavailable")
      expect(Effect.runSync(Effect.flip(port.instruments(NOWHERE, null)))._tag).toBe("InvalidVenue")
      expect(() => port.market(NOWHERE, {} as MarketSink)).toThrow("no such venue")
    })
  })

  it("refuses two adapters of one venue", () => {
    const twice = venuesLayer([adapterOf("ALPHA"), adapterOf("ALPHA")])
    expect(() => Effect.runSync(Effect.provide(VenuePort, twice))).toThrow("two adapters for ALPHA")
  })
})
