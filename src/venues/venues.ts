/** The VenuePort over any list of venues: it only finds the adapter and passes on. */
import { Effect, Layer } from "effect"
import { VenueUnavailable } from "../domain/errors/venue.ts"
import type { VenueId } from "../domain/ids.ts"
import { invalidVenue } from "../domain/instrument/venue.ts"
import { VenuePort } from "../ports/venue-port.ts"
import type { VenueStats } from "../ports/venue-stats.ts"
import type { VenueAdapter } from "./venue-adapter.ts"

const NO_WORKERS: VenueStats = { shards: [], connectors: [] }

/** Venues are listed by identifier; two adapters of one venue are a defect. `stats` tells of the workers, where there are any. */
export const venuesLayer = (
  adapters: ReadonlyArray<VenueAdapter>,
  stats: () => VenueStats = () => NO_WORKERS,
): Layer.Layer<VenuePort> =>
  Layer.sync(VenuePort, () => {
    const byVenue = new Map<string, VenueAdapter>()
    for (const adapter of adapters) {
      if (byVenue.has(adapter.venue.venue)) throw new Error(`two adapters of ${adapter.venue.venue}`)
      byVenue.set(adapter.venue.venue, adapter)
    }
    const venues = [...byVenue.values()].map(({ venue }) => venue).sort((a, b) => (a.venue < b.venue ? -1 : 1))
    const unknown = (venue: VenueId) => new VenueUnavailable({ reason: `no such venue: ${venue}` })
    return VenuePort.of({
      venues,
      find: (venue) => byVenue.get(venue)?.venue,
      verify: (venue, secrets) => byVenue.get(venue)?.verify(secrets) ?? Effect.fail(unknown(venue)),
      openSession: (options) =>
        byVenue.get(options.account.venue)?.openSession(options) ?? Effect.fail(unknown(options.account.venue)),
      instruments: (venue, symbols) => byVenue.get(venue)?.instruments(symbols) ?? Effect.fail(invalidVenue(venue)),
      klines: (venue, ask) => byVenue.get(venue)?.klines(ask) ?? Effect.fail(invalidVenue(venue)),
      market: (venue, sink) => {
        const adapter = byVenue.get(venue)
        if (adapter === undefined) throw new Error(`no such venue: ${venue}`)
        return adapter.market(sink)
      },
      health: () => [...byVenue.values()].map((adapter) => adapter.health()),
      stats,
    })
  })
