/** `GET /metrics` on a port of its own, on loopback only: it tells how an installation is used. */
import { createServer } from "node:http"
import { Effect, type Scope } from "effect"
import type { Reading } from "../ports/meters.ts"
import { exposition } from "./exposition.ts"

/** The port cannot be had. */
export class MetricsPortTaken extends Error {
  override readonly name = "MetricsPortTaken"
}

/** Answers the port. Ends with the scope. `read` is called at each scrape. */
export const serveMetrics = (
  port: number,
  read: () => ReadonlyArray<Reading>,
): Effect.Effect<number, MetricsPortTaken, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }, MetricsPortTaken>((resume) => {
      const server = createServer((request, response) => {
        // What a body says is nobody's business here; without an end of it the connection would be kept for it.
        request.resume()
        if (request.url !== "/metrics") {
          response.writeHead(404).end()
          return
        }
        if (request.method !== "GET" && request.method !== "HEAD") {
          response.writeHead(405, { Allow: "GET, HEAD" }).end()
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
        resume(Effect.fail(new MetricsPortTaken(`METRICS_PORT ${port} cannot be had: ${error.message}`))),
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
