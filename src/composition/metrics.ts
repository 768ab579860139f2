/** What operators read of the gateway, on a port of its own. */
import { Effect } from "effect"
import { TradingAccounts } from "../actors/account-messages.ts"
import { Dealers } from "../actors/dealer-messages.ts"
import { Markets } from "../actors/market-messages.ts"
import { SERVICE } from "../http/api.ts"
import { dealerMetrics } from "../metrics/dealer-metrics.ts"
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
  parts: { readonly inFlight: () => number; readonly socket: SocketServer; readonly writer: Writer["Type"] },
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
      ...ledgerMetrics({ stats: ledger.stats(), health: ledger.health() }),
    ])
    notice("metrics", { url: `http://127.0.0.1:${port}/metrics` })
  })
