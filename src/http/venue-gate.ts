/** Which venues a caller may name: aliases of deprecated suffixes, the installation's environment, the user's environments. */
import { InsufficientPermissions, InvalidVenue, VenueInactive } from "../domain/errors.ts"
import type { VenueId } from "../domain/ids.ts"
import type { Principal } from "../domain/user.ts"
import type { Venue } from "../domain/venue.ts"

interface Venues {
  readonly venues: ReadonlyArray<Venue>
  readonly find: (venue: string) => Venue | undefined
}

/** `X_SANDBOX` and `X_PAPER` stand for `X_UAT` where that exists (contract C14a); undefined for every other name. */
export const venueAlias = (name: string, venues: Pick<Venues, "find">): VenueId | undefined => {
  const stem = /^(.+)_(?:SANDBOX|PAPER)$/.exec(name)?.[1]
  return stem === undefined ? undefined : venues.find(`${stem}_UAT`)?.venue
}

export interface NamedVenue {
  readonly venue: Venue
  /** For the answer, when a deprecated name was used. */
  readonly headers: Readonly<Record<string, string>>
}

export interface VenueGate {
  /** Every venue of this installation, by identifier. */
  readonly offered: ReadonlyArray<Venue>
  readonly resolve: (
    name: string,
    principal: Principal,
    options?: { readonly allowInactive?: boolean },
  ) => NamedVenue | InvalidVenue | InsufficientPermissions | VenueInactive
  /** An alias as the venue it stands for; other texts as they are. */
  readonly canonicalVenue: (name: string) => string
  /** `<alias>:<symbol>` as `<venue>:<symbol>`; other texts as they are. */
  readonly canonicalInstrumentId: (id: string) => string
}

const NO_HEADERS = {} as const
/** What an installation for the test environment offers besides `_UAT` venues. */
const IN_HOUSE: ReadonlySet<string> = new Set(["MOCK", "PAPER", "INTERNAL"])
const isTest = (venue: string): boolean => venue.endsWith("_UAT")

export const makeVenueGate = (port: Venues, environment: "PROD" | "UAT"): VenueGate => {
  const isOffered = (venue: Venue): boolean =>
    environment === "PROD" || isTest(venue.venue) || IN_HOUSE.has(venue.venue)
  return {
    offered: port.venues.filter(isOffered),
    resolve: (name, principal, options) => {
      const alias = venueAlias(name, port)
      const venue = port.find(alias ?? name)
      if (venue === undefined || !isOffered(venue)) return new InvalidVenue()
      if (isTest(venue.venue) && !principal.environments.includes("UAT"))
        return new InsufficientPermissions({ required: ["environment:UAT"], provided: [...principal.permissions] })
      if (venue.status === "INACTIVE" && options?.allowInactive !== true) return new VenueInactive()
      const headers = alias === undefined ? NO_HEADERS : { Deprecation: "true", "X-Venue-Successor": alias }
      return { venue, headers }
    },
    canonicalVenue: (name) => venueAlias(name, port) ?? name,
    canonicalInstrumentId: (id) => {
      const colon = id.indexOf(":")
      const alias = colon < 0 ? undefined : venueAlias(id.slice(0, colon), port)
      return alias === undefined ? id : `${alias}${id.slice(colon)}`
    },
  }
}
