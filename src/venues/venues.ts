/** The VenuePort over any list of venues, each a ccxt connector in a worker or an in-process venue: it only finds the adapter and delegates. */
import { type Context, Effect, Layer, type Scope } from "effect"
import type { VenueSecrets } from "../domain/account/credential.ts"
import type { CredentialsInvalid } from "../domain/errors/credential.ts"
import { type InvalidVenue, type NotSupportedByVenue, VenueUnavailable } from "../domain/errors/venue.ts"
import type { VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument/instrument.ts"
import { invalidVenue, type Venue } from "../domain/instrument/venue.ts"
import type { KlineAnswer, KlineAsk, MarketSink, MarketSource } from "../ports/market-source.ts"
import { type VenueHealth, VenuePort } from "../ports/venue-port.ts"
import type { VenueSession } from "../ports/venue-session.ts"
import type { VenueStats } from "../ports/venue-stats.ts"

type Port = Context.Tag.Service<typeof VenuePort>

/** The functions of VenuePort for one venue; see there for what each promises. */
export interface VenueAdapter {
  readonly venue: Venue
  readonly verify: (
    secrets: VenueSecrets,
  ) => Effect.Effect<
    { readonly externalAccountId: string | null },
    CredentialsInvalid | NotSupportedByVenue | VenueUnavailable
  >
  readonly openSession: (
    options: Parameters<Port["openSession"]>[0],
  ) => Effect.Effect<VenueSession, VenueUnavailable, Scope.Scope>
  readonly instruments: (
    symbols: ReadonlyArray<string> | null,
  ) => Effect.Effect<ReadonlyArray<Instrument>, InvalidVenue | VenueUnavailable>
  readonly klines: (ask: KlineAsk) => Effect.Effect<KlineAnswer, NotSupportedByVenue | VenueUnavailable>
  readonly market: (sink: MarketSink) => MarketSource
  readonly health: () => VenueHealth
}

const NO_WORKERS: VenueStats = { shards: [], connectors: [] }

/** Venues are listed by identifier; two adapters of one venue are a defect. `stats` tells of the workers, where there are any. */
export const venuesLayer = (
  adapters: ReadonlyArray<VenueAdapter>,
  stats: () => VenueStats = () => NO_WORKERS,
): Layer.Layer<VenuePort> =>
  Layer.sync(VenuePort, () => {
    const byVenue = new Map<string, VenueAdapter>()
    for (const adapter of adapters) {
      if (byVenue.has(adapter.venue.venue)) throw new Error(`two adapters for ${adapter.venue.venue}`)
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
