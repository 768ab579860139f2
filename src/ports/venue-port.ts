/**
 * Everything the gateway needs from a venue: accounts' sessions (venue-session.ts) and market data (market-source.ts). Three implementations:
 * ccxt workers, in-process venues, the simulation.
 */
import { Context, type Effect, type Scope } from "effect"
import type { VenueSecrets } from "../domain/account/credential.ts"
import type { TradingAccount } from "../domain/account/trading-account.ts"
import type { CredentialsInvalid } from "../domain/errors/credential.ts"
import type { InvalidVenue, NotSupportedByVenue, VenueUnavailable } from "../domain/errors/venue.ts"
import type { VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument/instrument.ts"
import type { Venue } from "../domain/instrument/venue.ts"
import type { KlineAnswer, KlineAsk, MarketSink, MarketSource } from "./market-source.ts"
import type { SessionReport, VenueSession } from "./venue-session.ts"
import type { VenueStats } from "./venue-stats.ts"

export interface VenueHealth {
  readonly venue: VenueId
  /** idle: nothing was asked of it yet. */
  readonly status: "idle" | "up" | "down"
  /** For the operator. */
  readonly reason: string | null
  /** Wall ms; null while idle. */
  readonly since: number | null
  /** Of its market data while they are out of reach: what failed last, and when (wall ms). What is of one account alone makes none. */
  readonly outage?: { readonly reason: string; readonly failedAt: number } | undefined
  /** How often its connectors began anew. */
  readonly restarts: number
  /** Open market streams. */
  readonly streams: number
  readonly sessions: number
}

export class VenuePort extends Context.Tag("ports/VenuePort")<
  VenuePort,
  {
    /** Every venue that is listed, ACTIVE or not, by identifier. */
    readonly venues: ReadonlyArray<Venue>
    readonly find: (venue: string) => Venue | undefined
    /**
     * Proves the credential at the venue and reads the account id behind it (null where the venue gives none). NotSupportedByVenue: it is good, and
     * the account is kept in a way that is not followed.
     */
    readonly verify: (
      venue: VenueId,
      secrets: VenueSecrets,
    ) => Effect.Effect<
      { readonly externalAccountId: string | null },
      CredentialsInvalid | NotSupportedByVenue | VenueUnavailable
    >
    /** Opens the private session; reports flow until the scope closes. Fails only when the venue is not there at all. */
    readonly openSession: (options: {
      readonly account: TradingAccount
      readonly secrets: VenueSecrets | null
      readonly report: (report: SessionReport) => void
    }) => Effect.Effect<VenueSession, VenueUnavailable, Scope.Scope>
    /** All instruments of the venue, or those named (`BASE/QUOTE`). */
    readonly instruments: (
      venue: VenueId,
      symbols: ReadonlyArray<string> | null,
    ) => Effect.Effect<ReadonlyArray<Instrument>, InvalidVenue | VenueUnavailable>
    /** Bars of the venue's history, over as many pages of it as are needed; those it does not have are made of shorter ones. */
    readonly klines: (
      venue: VenueId,
      ask: KlineAsk,
    ) => Effect.Effect<KlineAnswer, InvalidVenue | NotSupportedByVenue | VenueUnavailable>
    /** The public feed of a venue, its updates going to `sink`. Once per venue. */
    readonly market: (venue: VenueId, sink: MarketSink) => MarketSource
    readonly health: () => ReadonlyArray<VenueHealth>
    /** The workers behind the venues; in-process venues have none. */
    readonly stats: () => VenueStats
  }
>() {}
