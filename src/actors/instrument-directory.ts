/** Every known instrument in memory, read synchronously by order rules and market data. Filled at start and by instrument sync. */
import { Effect } from "effect"
import type { InstrumentId, VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument.ts"

export class InstrumentDirectory extends Effect.Service<InstrumentDirectory>()("actors/InstrumentDirectory", {
  sync: () => {
    const instruments = new Map<InstrumentId, Instrument>()
    const venues = new Set<VenueId>()
    return {
      find: (id: string): Instrument | undefined => instruments.get(id as InstrumentId),
      put: (list: ReadonlyArray<Instrument>): void => {
        for (const instrument of list) {
          instruments.set(instrument.instrumentId, instrument)
          venues.add(instrument.venue)
        }
      },
      /** Whether anything is known of the venue: before that, "unknown instrument" cannot be said. */
      knows: (venue: VenueId): boolean => venues.has(venue),
      ofVenue: (venue: VenueId): ReadonlyArray<Instrument> =>
        [...instruments.values()].filter((instrument) => instrument.venue === venue),
    }
  },
}) {}
