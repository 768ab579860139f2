/** What the health record asks that no part of the gateway knows by itself. */
import { Effect } from "effect"
import type { HandlerOptions } from "../http/make-handlers.ts"
import { Clock } from "../ports/clock.ts"
import { watchDatabase } from "../store/database-watch.ts"
import type { GatewayOptions } from "./options.ts"

export const healthProbes = ({ settings }: GatewayOptions, url: string, isReady: () => boolean) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const watch = yield* Effect.acquireRelease(
      Effect.sync(() => watchDatabase(url, clock)),
      (it) => Effect.sync(it.close),
    )
    const { diskFreeMinMegabytes } = settings.operation
    const probes: HandlerOptions["health"] = {
      database: watch.look,
      dataDir: settings.dataDir,
      diskFreeMinMegabytes,
      isReady,
    }
    return probes
  })
