/** What operators read of the gateway, on a port of its own. */
import { Effect } from "effect"
import { TradingAccounts } from "../actors/account-messages.ts"
import { Dealers } from "../actors/dealer-messages.ts"
import { Markets } from "../actors/market-messages.ts"
import type { Keys } from "../auth/keys.ts"
import type { ResealStats } from "../auth/reseal.ts"
import { SERVICE } from "../http/api.ts"
import { dealerMetrics } from "../metrics/dealer-metrics.ts"
import { keyMetrics } from "../metrics/key-metrics.ts"
import { ledgerMetrics } from "../metrics/ledger-metrics.ts"
import { serveMetrics } from "../metrics/metrics-server.ts"
import { makeServiceMetrics } from "../metrics/service-metrics.ts"
import { venueMetrics } from "../metrics/venue-metrics.ts"
import { LedgerWatch } from "../ports/ledger-watch.ts"
import { VenuePort } from "../ports/venue-port.ts"
import type { Writer } from "../store/account-store-sql.ts"
import type { SocketServer } from "../ws/server.ts"
import type { GatewayOptions } from "./options.ts"

/** For operators, where a port was given. */
export const metrics = (
  { settings, notice }: GatewayOptions,
  parts: {
    readonly inFlight: () => number
    readonly socket: SocketServer
    readonly writer: Writer["Type"]
    readonly keys: Keys
    readonly sealing: () => ResealStats
  },
) =>
  Effect.gen(function* () {
    if (settings.metricsPort === null) return
    const venues = yield* VenuePort
    const markets = yield* Markets
    const accounts = yield* TradingAccounts
    const ledger = yield* LedgerWatch
    const dealers = yield* Dealers
    const service = makeServiceMetrics()
    const port = yield* serveMetrics(settings.metricsPort, () => [
      ...service({
        version: SERVICE.version,
        inFlight: parts.inFlight(),
        sockets: parts.socket.stats(),
        accounts: accounts.stats(),
        writer: parts.writer.stats(),
      }),
      ...venueMetrics({ health: venues.health(), stats: venues.stats(), books: markets.stats() }),
      ...dealerMetrics(dealers.stats()),
      ...keyMetrics({
        encryptionKid: parts.keys.encryption.activeKid,
        signingKid: parts.keys.signing.active.kid,
        ...parts.sealing(),
      }),
      ...ledgerMetrics({ stats: ledger.stats(), health: ledger.health() }),
    ])
    notice("metrics", { url: `http://127.0.0.1:${port}/metrics` })
  })
