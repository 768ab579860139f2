/** What operators read of the gateway: every part's numbers on one board, and the board on a port of its own. */
import { Effect } from "effect"
import { TradingAccounts } from "../actors/account/messages.ts"
import { Dealers } from "../actors/dealer/messages.ts"
import { Markets } from "../actors/market/messages.ts"
import type { Keys } from "../auth/keys/keys.ts"
import type { ResealStats } from "../auth/keys/reseal.ts"
import { BUILD } from "../foundation/build.ts"
import type { HealthRecord } from "../http/root/endpoints.ts"
import { Loops } from "../kernel/loop.ts"
import { serveMetrics } from "../metrics/metrics-server.ts"
import { watchProcess } from "../metrics/process-metrics.ts"
import {
  certificateMetrics,
  dealerMetrics,
  keyMetrics,
  ledgerMetrics,
  loopMetrics,
  serviceMetrics,
} from "../metrics/service-metrics.ts"
import { venueMetrics } from "../metrics/venue-metrics.ts"
import { LedgerWatch } from "../ports/ledger-port.ts"
import { Meters } from "../ports/meters.ts"
import { VenuePort } from "../ports/venue-port.ts"
import type { Writer } from "../store/orders/account-store-sql.ts"
import type { SocketServer } from "../ws/server.ts"
import type { CertificateFigures } from "./certificate.ts"
import type { GatewayOptions } from "./options.ts"

export const metrics = (
  { settings, log, notice }: GatewayOptions,
  parts: {
    readonly inFlight: () => number
    readonly socket: SocketServer
    readonly writer: Writer["Type"]
    readonly keys: Keys
    readonly sealing: () => ResealStats
    readonly certificate: () => CertificateFigures
    readonly health: Effect.Effect<HealthRecord>
  },
) =>
  Effect.gen(function* () {
    const meters = yield* Meters
    const lines = meters.counter("log_lines_total")
    log.listen((level) => lines.add("process", level))
    const venues = yield* VenuePort
    const markets = yield* Markets
    const accounts = yield* TradingAccounts
    const ledger = yield* LedgerWatch
    const dealers = yield* Dealers
    const loops = yield* Loops
    const readProcess = watchProcess({ build: BUILD, dataDir: settings.dataDir })
    meters.readAll(() => [
      ...loopMetrics(loops.states()),
      ...readProcess(),
      ...serviceMetrics({
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
      ...certificateMetrics(parts.certificate()),
      ...ledgerMetrics({ stats: ledger.stats(), health: ledger.health() }),
    ])
    if (settings.metricsPort === null) return
    const port = yield* serveMetrics(settings.metricsPort, {
      read: () => meters.readings(),
      // tidy: asked by a server of Node's, outside of any Effect
      health: () => Effect.runPromise(Effect.map(parts.health, (record) => ({ ...record, build: BUILD }))),
    })
    notice("metrics", { url: `http://127.0.0.1:${port}/metrics` }, "info")
  })
