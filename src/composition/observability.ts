/**
 * What operators see of the gateway: every part's numbers on one board, the board on a port of its own; the facts of the health record that no
 * single part has; the warning about a blocked event loop; and the connection to the collector, where OTLP_URL names one. That is closed last, so
 * that the messages of the shutdown arrive too.
 */

import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer, type Scope } from "effect"
import { TradingAccounts } from "../actors/account/messages.ts"
import { Dealers } from "../actors/dealer/messages.ts"
import { Markets } from "../actors/market/messages.ts"
import type { Keys } from "../auth/keys/keys.ts"
import type { ResealStats } from "../auth/keys/reseal.ts"
import { BUILD } from "../foundation/build.ts"
import { watchLoopDelay } from "../foundation/loop-delay.ts"
import type { HandlerOptions } from "../http/make-handlers.ts"
import type { ClusterHealth, HealthRecord } from "../http/root/endpoints.ts"
import { keepLoop, Loops } from "../kernel/loop.ts"
import { serveMetrics } from "../metrics/metrics-server.ts"
import { watchProcess } from "../metrics/process-metrics.ts"
import {
  certificateMetrics,
  dealerMetrics,
  healthMetrics,
  keyMetrics,
  ledgerMetrics,
  loopMetrics,
  serviceMetrics,
} from "../metrics/service-metrics.ts"
import { venueMetrics } from "../metrics/venue-metrics.ts"
import { Clock } from "../ports/clock.ts"
import { LedgerWatch } from "../ports/ledger-port.ts"
import { Meters } from "../ports/meters.ts"
import { SILENT, Telemetry } from "../ports/telemetry.ts"
import { VenuePort } from "../ports/venue-port.ts"
import type { Writer } from "../store/orders/account-store-sql.ts"
import { watchDatabase } from "../store/postgres/database-watch.ts"
import type { SocketServer } from "../ws/server.ts"
import type { GatewayOptions } from "./options.ts"
import type { CertificateFigures } from "./tls.ts"

// Tells the operator when the event loop was blocked: everything else that notices is late for the same reason, and blames the others.

const LOOK_MILLIS = 250
/** A client sees less than that as a slow answer. */
const STILL_MILLIS = 1_000

export const watchLoop = (
  { notice }: GatewayOptions,
  monotonic: () => number,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const delay = watchLoopDelay()
        let lookedAt = monotonic()
        return setInterval(() => {
          const now = monotonic()
          const millis = Math.round(now - lookedAt - LOOK_MILLIS)
          lookedAt = now
          delay.look()
          if (millis >= STILL_MILLIS) notice("the event loop was blocked", { millis })
        }, LOOK_MILLIS).unref()
      }),
      (timer) => Effect.sync(() => clearInterval(timer)),
    ),
  )

// What the health record asks that no part of the gateway knows by itself; and the record as metrics, whether or not it is requested.

/** Between two looks for the metrics. The record itself is made at most once a second. */
const LOOK_EVERY = "2 seconds"

export const healthProbes = (
  { settings }: GatewayOptions,
  url: string,
  isOwner: () => boolean,
  isReady: () => boolean,
  cluster: (() => ClusterHealth) | undefined,
) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const watch = yield* Effect.acquireRelease(
      Effect.sync(() => watchDatabase(url, clock)),
      (it) => Effect.sync(it.close),
    )
    const { diskFreeMinMegabytes } = settings.operation
    let health: Effect.Effect<HealthRecord> | undefined
    let newest: HealthRecord | undefined
    const look = Effect.gen(function* () {
      // Not before it is ready: the record is kept for a second, and a finished start must not still be reported.
      if (health !== undefined && (newest !== undefined || isReady())) newest = yield* health
    })
    const meters = yield* Meters
    meters.readAll(() => healthMetrics(newest))
    // If the metrics are not read, nothing is computed for them.
    if (settings.metricsPort !== null || settings.otlp !== null)
      yield* keepLoop({ name: "health record", pause: LOOK_EVERY, round: look })
    const probes: HandlerOptions["health"] = {
      database: watch.look,
      isOwner,
      dataDir: settings.dataDir,
      diskFreeMinMegabytes,
      isReady,
      cluster,
      made: (record) => {
        health = record
      },
    }
    /** Known when the handlers are made. */
    const record = Effect.suspend(() => health ?? Effect.die("the health record was requested before it exists"))
    return { probes, record }
  })

/** The numbers of the process on the board, and the board with the health record on a port of its own. */
export const metricsPort = ({ settings, log, notice }: GatewayOptions, health: Effect.Effect<HealthRecord>) =>
  Effect.gen(function* () {
    const meters = yield* Meters
    const lines = meters.counter("log_lines_total")
    log.listen((level) => lines.add("process", level))
    const loops = yield* Loops
    const readProcess = watchProcess({ build: BUILD, dataDir: settings.dataDir })
    meters.readAll(() => [...loopMetrics(loops.states()), ...readProcess()])
    if (settings.metricsPort === null) return
    const port = yield* serveMetrics(settings.metricsPort, {
      read: () => meters.readings(),
      // tidy: asked by a server of Node's, outside of any Effect
      health: () => Effect.runPromise(Effect.map(health, (record) => ({ ...record, build: BUILD }))),
    })
    notice("metrics", { url: `http://127.0.0.1:${port}/metrics` }, "info")
  })

/** The numbers of every part on one board. */
export const metrics = (parts: {
  readonly inFlight: () => number
  readonly socket: SocketServer
  readonly writer: Writer["Type"]
  readonly keys: Keys
  readonly sealing: () => ResealStats
  readonly certificate: () => CertificateFigures
}) =>
  Effect.gen(function* () {
    const meters = yield* Meters
    const venues = yield* VenuePort
    const markets = yield* Markets
    const accounts = yield* TradingAccounts
    const ledger = yield* LedgerWatch
    const dealers = yield* Dealers
    meters.readAll(() => [
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
  })

/** The way to the collector, where OTLP_URL names one; the last to be closed, so that the words of the end arrive, too. */
export const telemetry = ({ settings, log }: GatewayOptions) =>
  Layer.scoped(
    Telemetry,
    Effect.gen(function* () {
      const { otlp, environment } = settings
      const meters = yield* Meters
      // Every name of the table is exposed, also where nothing is sent.
      meters.counter("otlp_sent_total")
      meters.counter("otlp_dropped_total")
      if (otlp === null) return SILENT
      // Not even loaded where nothing is sent.
      const { openOtlp } = yield* Effect.promise(() => import("../otlp/telemetry.ts"))
      const { now } = yield* Clock
      let isTelling = false
      const service = yield* openOtlp({
        ...otlp,
        resource: { version: BUILD.version, environment, instance: randomUUID() },
        meters,
        now,
        randomHex: (bytes) => randomBytes(bytes).toString("hex"),
        random: Math.random,
        trouble: (what) => {
          isTelling = true
          log.notice(`OTLP ${what}`)
          isTelling = false
        },
      })
      // A word about the collector is not for the collector.
      log.listen((level, line) => {
        if (!isTelling) service.logged("process", level, line)
      })
      return service
    }),
  )
