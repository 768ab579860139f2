/** The way to the collector, where OTLP_URL names one; the last to be closed, so that the words of the end arrive, too. */
import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { BUILD } from "../foundation/build.ts"
import { Clock } from "../ports/clock.ts"
import { Meters } from "../ports/meters.ts"
import { SILENT, Telemetry } from "../ports/telemetry.ts"
import type { GatewayOptions } from "./options.ts"

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
