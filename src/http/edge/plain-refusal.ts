/**
 * The response of the plain HTTP port: 403 in the envelope to every request, then the connection is closed. Never a redirect: it would
 * teach clients to send their token in the clear first. No body is read, nothing is looked up, no socket opens.
 */
import { TlsRequired } from "../../domain/errors/authorisation.ts"
import { PLAIN_COST } from "../limits/rate-limit.ts"
import { Deadlines, type Surroundings } from "./call.ts"
import { Exchange } from "./exchange.ts"
import { Deadline, type RouteFacts } from "./route.ts"
import type { RouteApp } from "./server.ts"
import type { TransportPolicy } from "./transport.ts"

/** There is no trusted proxy in front of it. */
const TRANSPORT: TransportPolicy = {
  mode: "plain",
  trusts: () => false,
  isSecure: () => false,
  clientIp: (peer) => peer,
}

const factsOf = (method: string): RouteFacts => ({
  method: /^[A-Z]{1,16}$/.test(method) ? method : "OTHER",
  template: "*",
  operation: { resource: "service", action: "serve" },
  deadline: Deadline.defaultValue(),
  cost: PLAIN_COST,
  isHead: method === "HEAD",
})

export interface PlainRefusal {
  readonly close: () => void
}

export const refusePlain = (
  app: RouteApp,
  given: Omit<Surroundings, "transport" | "deadlines" | "limiter">,
): PlainRefusal => {
  const deadlines = new Deadlines(given.monotonic)
  const around: Surroundings = { ...given, transport: TRANSPORT, deadlines, limiter: null }
  app.any("/*", (res, req) => {
    let exchange: Exchange | undefined
    // First of all: a request without it, and without an answer, ends the process.
    res.onAborted(() => exchange?.abort())
    try {
      exchange = new Exchange(res, req, factsOf(req.getMethod().toUpperCase()), around)
      exchange.closeConnection = true
      exchange.fail(new TlsRequired())
    } catch (error) {
      given.onDefect({ what: "a plain HTTP request could not be answered", requestId: "", route: "*", error })
      res.close()
    }
  })
  return { close: () => deadlines.close() }
}
