/** One venue behind the VenuePort: a ccxt connector in a worker, or an in-process venue. `venues.ts` makes one port of them all. */
import type { Context, Effect, Scope } from "effect"
import type { VenueSecrets } from "../domain/account/credential.ts"
import type { CredentialsInvalid } from "../domain/errors/credential.ts"
import type { InvalidVenue, NotSupportedByVenue, VenueUnavailable } from "../domain/errors/venue.ts"
import type { Instrument } from "../domain/instrument/instrument.ts"
import type { Venue } from "../domain/instrument/venue.ts"
import type { KlineAnswer, KlineAsk, MarketSink, MarketSource } from "../ports/market-source.ts"
import type { VenueHealth, VenuePort } from "../ports/venue-port.ts"
import type { VenueSession } from "../ports/venue-session.ts"

type Port = Context.Tag.Service<typeof VenuePort>

/** The functions of VenuePort for one venue; see there for what each promises. */
export interface VenueAdapter {
  readonly venue: Venue
  readonly verify: (
    secrets: VenueSecrets,
  ) => Effect.Effect<{ readonly externalAccountId: string | null }, CredentialsInvalid | VenueUnavailable>
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
