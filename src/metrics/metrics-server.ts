/**
 * `GET /metrics` on a port of its own, on loopback only, because it reveals how an installation is used. The health record with the build is
 * served there too, over plain HTTP: a check on this machine needs no certificate and no proxy headers.
 */
import type { createServer, ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import type { Reading } from "../ports/meters.ts"
import { exposition } from "./exposition.ts"

/** The port cannot be had. */
export class MetricsPortTaken extends Error {
  override readonly name = "MetricsPortTaken"
}

export interface MetricsPages {
  /** Called at each scrape. */
  readonly read: () => ReadonlyArray<Reading>
  readonly health: () => Promise<{ readonly status: string }>
}

const HEALTH = new Set(["/health", "/api/v3/health"])
const LIVE = new Set(["/health/live", "/api/v3/health/live"])

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" }).end(JSON.stringify(body))

/** Answers the port. Ends with the scope. */
export const serveMetrics = (port: number, pages: MetricsPages): Effect.Effect<number, MetricsPortTaken, Scope.Scope> =>
  // Read when a port is asked for: to import it costs every other start 70 ms of processor time and 10 MB, since node loads its fetch with it.
  Effect.flatMap(
    Effect.promise(() => import("node:http")),
    (http) => listen(http.createServer, port, pages),
  )

const listen = (
  create: typeof createServer,
  port: number,
  { read, health }: MetricsPages,
): Effect.Effect<number, MetricsPortTaken, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }, MetricsPortTaken>((resume) => {
      const server = create((request, response) => {
        // A request body is ignored; an unfinished one would keep the connection open.
        request.resume()
        const path = request.url ?? ""
        if (path !== "/metrics" && !HEALTH.has(path) && !LIVE.has(path)) {
          response.writeHead(404).end()
          return
        }
        if (request.method !== "GET" && request.method !== "HEAD") {
          response.writeHead(405, { Allow: "GET, HEAD" }).end()
          return
        }
        if (LIVE.has(path)) return json(response, 200, "ok")
        if (HEALTH.has(path)) {
          health().then(
            (record) => json(response, record.status === "unhealthy" ? 503 : 200, record),
            () => response.writeHead(500).end(),
          )
          return
        }
        try {
          const text = exposition(read())
          response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(text)
        } catch {
          response.writeHead(500).end()
        }
      })
      server.once("error", (error) =>
        resume(Effect.fail(new MetricsPortTaken(`METRICS_PORT ${port} cannot be used: ${error.message}`))),
      )
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        const close = (): void => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : port, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  ).pipe(Effect.map((listening) => listening.port))
