/** From an instrumentId in a request to the instrument: format (400), venue, then existence (404); a venue's first use syncs it. */
import { Effect } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { InstrumentNotFound, type InvalidInstrumentId } from "../../domain/errors/market.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { InvalidVenue, type VenueInactive, type VenueUnavailable } from "../../domain/errors/venue.ts"
import { type Instrument, invalidInstrumentId, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { Principal } from "../../domain/user/user.ts"
import { isFailure } from "../edge/route.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { InstrumentSync } from "./instrument-sync.ts"

export interface FoundInstrument {
  readonly instrument: Instrument
  readonly headers: Readonly<Record<string, string>>
}

type LookupFailure =
  | InvalidInstrumentId
  | InstrumentNotFound
  | InsufficientPermissions
  | VenueInactive
  | VenueUnavailable
  | StorageUnavailable

/** A found instrument at once where nothing must be waited for, else an Effect. */
export type FindInstrument = (
  id: string,
  principal: Principal,
) => FoundInstrument | Effect.Effect<FoundInstrument, LookupFailure>

export const makeInstrumentLookup =
  (gate: VenueGate, directory: InstrumentDirectory, sync: InstrumentSync): FindInstrument =>
  (id, principal) => {
    const name = parseInstrumentId(id)
    if (name === undefined) return invalidInstrumentId(id)
    const resolved = gate.resolve(name.venue, principal)
    if (resolved instanceof InvalidVenue) return new InstrumentNotFound({ instrumentId: id })
    if (isFailure(resolved)) return resolved
    const { headers } = resolved
    const instrumentId = gate.canonicalInstrumentId(id)
    const instrument = directory.find(instrumentId, principal.tenantId)
    if (instrument !== undefined) return { instrument, headers }
    if (directory.knows(resolved.venue.venue)) return new InstrumentNotFound({ instrumentId: id })
    return sync.ensure(resolved.venue.venue).pipe(
      // The gate knows the venue, so its adapter does.
      Effect.catchTag("InvalidVenue", () => new InstrumentNotFound({ instrumentId: id })),
      Effect.flatMap(() => {
        const found = directory.find(instrumentId, principal.tenantId)
        return found === undefined
          ? new InstrumentNotFound({ instrumentId: id })
          : Effect.succeed({ instrument: found, headers })
      }),
    )
  }
