/** PLAIN_HTTP_PORT: beside a port of HTTPS, one that tells whoever comes without it. */
import { Effect } from "effect"
import { refusePlain } from "../http/edge/plain-refusal.ts"
import { makePlainServer } from "../http/edge/server.ts"
import type { AccessLog } from "../http/watch/request-log.ts"
import type { RequestWatch } from "../http/watch/request-watch.ts"
import { Clock } from "../ports/clock.ts"
import { describe, type GatewayOptions } from "./options.ts"

export const plainPort = (
  { settings, notice }: GatewayOptions,
  log: AccessLog | null,
  watch: RequestWatch,
  requestId: () => string,
) =>
  Effect.gen(function* () {
    const port = settings.tls?.plainHttpPort ?? null
    if (port === null) return
    const { now, monotonic } = yield* Clock
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => makePlainServer(settings.host, port)),
      (it) => Effect.sync(it.close),
    )
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        refusePlain(server.app, {
          requestId,
          now,
          monotonic,
          log,
          watch,
          onDefect: ({ what = "a request failed", error }) => notice(what, { error: describe(error) }, "error"),
        }),
      ),
      (it) => Effect.sync(it.close),
    )
    notice("plain HTTP is refused", { url: yield* server.listen }, "info")
  })
