/** Which venues a caller may name: aliases of deprecated suffixes, the installation's environment, the user's environments. */
import { InsufficientPermissions } from "../domain/errors/authorisation.ts"
import { type InvalidVenue, VenueInactive } from "../domain/errors/venue.ts"
import type { VenueId } from "../domain/ids.ts"
import { invalidVenue, type Venue } from "../domain/instrument/venue.ts"
import type { Principal } from "../domain/user/user.ts"

interface Venues {
  readonly venues: ReadonlyArray<Venue>
  readonly find: (venue: string) => Venue | undefined
}

export interface NamedVenue {
  readonly venue: Venue
  /** For the answer, when a deprecated name was used. */
  readonly headers: Readonly<Record<string, string>>
}

export interface VenueGate {
  /** Every venue of this installation, by identifier. */
  readonly offered: ReadonlyArray<Venue>
  /** Why this user may not use a venue of this installation; undefined: it may. Plain words: asked for every order. */
  readonly closedTo: (venue: VenueId, principal: Principal) => InsufficientPermissions | undefined
  /** Those of them that this user may use. */
  readonly openTo: (principal: Principal) => ReadonlyArray<Venue>
  /** A venue to do something at. */
  readonly resolve: (
    name: string,
    principal: Principal,
  ) => NamedVenue | InvalidVenue | InsufficientPermissions | VenueInactive
  /** The venue that a list is filtered by, ACTIVE or not: a name that is none is refused, never an empty list. Undefined: all venues. */
  readonly filter: (
    name: string | undefined,
    principal: Principal,
  ) => NamedVenue | InvalidVenue | InsufficientPermissions | undefined
  /** A venue of this installation by its identifier or an alias of it. */
  readonly find: (name: string) => Venue | undefined
  /** `<alias>:<symbol>` as `<venue>:<symbol>`; other texts as they are. */
  readonly canonicalInstrumentId: (id: string) => string
  /** What the answer to a request with these instrumentIds says of deprecated names in them. */
  readonly headersFor: (ids: ReadonlyArray<string>) => Readonly<Record<string, string>>
}

const NO_HEADERS = {} as const
const successor = (venues: Iterable<VenueId>): Readonly<Record<string, string>> => ({
  Deprecation: "true",
  "X-Venue-Successor": [...venues].join(", "),
})

/** Belongs to no environment: offered in both, open to all users. */
const IN_HOUSE: ReadonlySet<string> = new Set(["MOCK", "PAPER", "INTERNAL"])
const isTest = (venue: string): boolean => venue.endsWith("_UAT")

/** `X_SANDBOX` and `X_PAPER` stand for `X_UAT` where that exists (contract C14a), unless a venue has that very name. */
const aliasesOf = ({ venues, find }: Venues): ReadonlyMap<string, VenueId> => {
  const aliases = new Map<string, VenueId>()
  for (const { venue } of venues) {
    if (!isTest(venue)) continue
    const stem = venue.slice(0, -"_UAT".length)
    for (const alias of [`${stem}_SANDBOX`, `${stem}_PAPER`]) if (find(alias) === undefined) aliases.set(alias, venue)
  }
  return aliases
}

export const makeVenueGate = (port: Venues, environment: "PROD" | "UAT"): VenueGate => {
  const aliases = aliasesOf(port)
  const offered = port.venues.filter(({ venue }) => environment === "PROD" || isTest(venue) || IN_HOUSE.has(venue))
  const byName = new Map<string, Venue>(offered.map((venue) => [venue.venue, venue]))
  const find = (name: string): Venue | undefined => byName.get(aliases.get(name) ?? name)
  const closedTo = (venue: VenueId, { environments, permissions }: Principal): InsufficientPermissions | undefined => {
    if (IN_HOUSE.has(venue)) return undefined
    const environment = isTest(venue) ? "UAT" : "PROD"
    if (environments.includes(environment)) return undefined
    return new InsufficientPermissions({ required: [`environment:${environment}`], provided: [...permissions] })
  }
  const aliasIn = (id: string): VenueId | undefined => {
    const colon = id.indexOf(":")
    return colon < 0 ? undefined : aliases.get(id.slice(0, colon))
  }

  const named = (name: string, principal: Principal): NamedVenue | InvalidVenue | InsufficientPermissions => {
    const venue = find(name)
    if (venue === undefined) return invalidVenue(name, find)
    const closed = closedTo(venue.venue, principal)
    if (closed !== undefined) return closed
    return { venue, headers: aliases.has(name) ? successor([venue.venue]) : NO_HEADERS }
  }

  return {
    offered,
    closedTo,
    openTo: (principal) => offered.filter(({ venue }) => closedTo(venue, principal) === undefined),
    resolve: (name, principal) => {
      const found = named(name, principal)
      return "headers" in found && found.venue.status === "INACTIVE" ? new VenueInactive() : found
    },
    filter: (name, principal) => (name === undefined ? undefined : named(name, principal)),
    find,
    canonicalInstrumentId: (id) => {
      const venue = aliasIn(id)
      return venue === undefined ? id : `${venue}${id.slice(id.indexOf(":"))}`
    },
    headersFor: (ids) => {
      const venues = new Set(ids.flatMap((id) => aliasIn(id) ?? []))
      return venues.size === 0 ? NO_HEADERS : successor(venues)
    },
  }
}
