/** Every known instrument in memory, read synchronously by order rules and market data. Filled at start and by instrument sync. */
import { Effect } from "effect"
import type { InstrumentId, VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument.ts"

interface Shelf {
  readonly byId: Map<InstrumentId, Instrument>
  /** In order of id; made when somebody asks, until something changes. */
  sorted: ReadonlyArray<Instrument> | undefined
}

const inOrder = (a: Instrument, b: Instrument): number => (a.instrumentId < b.instrumentId ? -1 : 1)

export class InstrumentDirectory extends Effect.Service<InstrumentDirectory>()("actors/InstrumentDirectory", {
  sync: () => {
    const instruments = new Map<InstrumentId, Instrument>()
    const venues = new Map<VenueId, Shelf>()
    return {
      find: (id: string): Instrument | undefined => instruments.get(id as InstrumentId),
      put: (list: ReadonlyArray<Instrument>): void => {
        for (const instrument of list) {
          instruments.set(instrument.instrumentId, instrument)
          const shelf = venues.get(instrument.venue)
          if (shelf === undefined) {
            venues.set(instrument.venue, {
              byId: new Map([[instrument.instrumentId, instrument]]),
              sorted: undefined,
            })
          } else {
            shelf.byId.set(instrument.instrumentId, instrument)
            shelf.sorted = undefined
          }
        }
      },
      /** Whether anything is known of the venue: before that, "unknown instrument" cannot be said. */
      knows: (venue: VenueId): boolean => venues.has(venue),
      /** In order of instrumentId. */
      ofVenue: (venue: VenueId): ReadonlyArray<Instrument> => {
        const shelf = venues.get(venue)
        if (shelf === undefined) return []
        shelf.sorted ??= [...shelf.byId.values()].sort(inOrder)
        return shelf.sorted
      },
    }
  },
}) {}
