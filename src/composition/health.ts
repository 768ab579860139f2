/** What the health record asks that no part of the gateway knows by itself; and the record as numbers, whether or not anybody asks for it. */
import { Effect } from "effect"
import type { HandlerOptions } from "../http/make-handlers.ts"
import type { HealthRecord } from "../http/root/endpoints.ts"
import { keepLoop } from "../kernel/loop.ts"
import { healthMetrics } from "../metrics/service-metrics.ts"
import { Clock } from "../ports/clock.ts"
import { Meters } from "../ports/meters.ts"
import { watchDatabase } from "../store/postgres/database-watch.ts"
import type { GatewayOptions } from "./options.ts"

/** Between two looks for the metrics. The record itself is made at most once a second. */
const LOOK_EVERY = "2 seconds"

export const healthProbes = ({ settings }: GatewayOptions, url: string, isReady: () => boolean) =>
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
      // Not before it is ready: the record is kept for a second, and nobody is to be told of a start that is over.
      if (health !== undefined && (newest !== undefined || isReady())) newest = yield* health
    })
    const meters = yield* Meters
    meters.readAll(() => healthMetrics(newest))
    // Where nobody reads the numbers, nothing is asked for them.
    if (settings.metricsPort !== null || settings.otlp !== null)
      yield* keepLoop({ name: "health record", pause: LOOK_EVERY, round: look })
    const probes: HandlerOptions["health"] = {
      database: watch.look,
      dataDir: settings.dataDir,
      diskFreeMinMegabytes,
      isReady,
      made: (record) => {
        health = record
      },
    }
    /** Known when the handlers are made. */
    const record = Effect.suspend(() => health ?? Effect.die("the health record is asked for before it is made"))
    return { probes, record }
  })
