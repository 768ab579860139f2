/**
 * The doors of the app: one per route, with HEAD beside GET, the pages, and what answers everything else. What is behind a route's door is `serve`'s. A
 * route's function that throws, or returns without an answer and without `onAborted`, ends the whole process: so everything here runs inside one guard.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import { TlsRequired } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { MethodNotAllowed, PayloadTooLarge, UnknownEndpoint, UpgradeRequired } from "../../domain/errors/request.ts"
import { PLAIN_COST } from "../limits/rate-limit.ts"
import { guarded, type Surroundings, tellOperator } from "./call.ts"
import { hasRepresentation, preferredCoding, type ServedDocument } from "./document.ts"
import { Exchange } from "./exchange.ts"
import { BODY_BYTES_MAX } from "./request-body.ts"
import { Deadline, type RouteFacts } from "./route.ts"
import type { RouteApp } from "./server.ts"

/** Something that is served as it is, outside the envelope. */
export interface StaticPage {
  readonly path: string
  readonly contentType: string
  /** Bytes are sent as they are; a document in the encoding that the client takes, unless it has it already. */
  readonly body: Buffer | ServedDocument
  readonly headers: Readonly<Record<string, string>>
}

export interface DoorOptions {
  readonly pages: ReadonlyArray<StaticPage>
  /** Where a browser that asks for `/` is led: who asks for a page gets no JSON. Null: nowhere. */
  readonly front?: string | null
  /** Where sockets are opened: a plain request there hears how. */
  readonly socketPath?: string
}

/** The request is admitted and has no answer; what is returned is its answer. */
export type Serve<R extends RouteFacts> = (
  res: HttpResponse,
  req: HttpRequest,
  route: R,
  exchange: Exchange,
) => DomainError | undefined

/** Longer than any operation takes. */
export const tooLarge = (exchange: Exchange, closeConnection: boolean): DomainError => {
  exchange.closeConnection = closeConnection
  return new PayloadTooLarge({ bytesMax: BODY_BYTES_MAX })
}

/** Opened again, a door leads to what was said last: a request that comes later goes there, one that is inside stays. */
export const openDoors = <R extends RouteFacts>(
  app: RouteApp,
  routes: ReadonlyArray<R>,
  around: Surroundings,
  options: DoorOptions,
  serve: Serve<R>,
): void => {
  const { limiter } = around
  /** `onAborted` comes first of all: a request without it, and without an answer, ends the process. */
  const begin = (res: HttpResponse, req: HttpRequest, route: RouteFacts): Exchange | undefined => {
    let exchange: Exchange | undefined
    res.onAborted(() => exchange?.abort())
    try {
      exchange = new Exchange(res, req, route, around)
    } catch (error) {
      const where = `${route.method} ${route.template}`
      tellOperator(around, { what: "a request could not be accepted", requestId: "", route: where, error })
      res.close()
    }
    return exchange
  }

  /** What holds for every path: secure, of one length, and of one caller. True: go on. */
  const isAdmitted = (exchange: Exchange): boolean => {
    if (!exchange.isSecure) exchange.fail(new TlsRequired())
    // A proxy in front may have believed the other one: what follows on this connection may be another client's request. An answer
    // would leave what is already read to be served, so there is none.
    else if (exchange.hasTwoLengths()) exchange.drop()
    else {
      const failure = exchange.secondLine()
      if (failure !== undefined) exchange.fail(limiter?.chargeAddress(exchange, 1) ?? failure)
    }
    return !exchange.done
  }

  const { front = null } = options
  const isForPeople = (route: RouteFacts, exchange: Exchange): boolean =>
    front !== null && route.template === "/" && /\btext\/html\b/i.test(exchange.header("accept"))
  const lead = (exchange: Exchange): DomainError | undefined => {
    const refused = limiter?.charge(exchange, 1)
    if (refused === undefined) exchange.sendPage(302, "text/plain", "", { Location: front ?? "/", Vary: "Accept" })
    return refused
  }

  const door =
    (route: R) =>
    (res: HttpResponse, req: HttpRequest): void => {
      const exchange = begin(res, req, route)
      if (exchange === undefined) return
      exchange.isInTurn = true
      // As `guarded`, without a function of each request's own.
      try {
        if (isAdmitted(exchange)) {
          const failure = isForPeople(route, exchange) ? lead(exchange) : serve(res, req, route, exchange)
          if (failure !== undefined) exchange.fail(failure)
        }
      } catch (error) {
        exchange.defect(error)
      } finally {
        exchange.isInTurn = false
      }
      if (!exchange.done) exchange.startClock()
    }

  const allowed = new Map<string, Array<string>>()
  const allow = (path: string, method: string): void => {
    allowed.set(path, [...(allowed.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])])
  }

  const verbs = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "del" } as const
  for (const route of routes) {
    const verb = verbs[route.method as keyof typeof verbs]
    app[verb](route.template, door(route))
    if (route.method === "GET") app.head(route.template, door({ ...route, method: "HEAD", isHead: true }))
    allow(route.template, route.method)
  }

  const plain = (method: string, template: string, isHead: boolean): RouteFacts => ({
    method,
    template,
    operation: { resource: "service", action: "serve" },
    deadline: Deadline.defaultValue(),
    cost: PLAIN_COST,
    isHead,
  })

  const sendDocument = (exchange: Exchange, document: ServedDocument, { contentType, headers }: StaticPage): void => {
    // Nothing of it changes anything: late, it is an ordinary failure.
    exchange.handedOver = true
    exchange.startClock()
    document
      .in(preferredCoding(exchange.header("accept-encoding")))
      .then((it) => {
        if (hasRepresentation(exchange.header("if-none-match"), it))
          exchange.sendPage(304, contentType, it.body, { ...headers, ...it.headers })
        else exchange.sendPage(200, contentType, it.body, { ...headers, ...it.headers })
      })
      // Last: what the sending throws is answered, too, and ends no process.
      .catch((error: unknown) => exchange.defect(error))
  }

  for (const page of options.pages) {
    const serve = (isHead: boolean) => (res: HttpResponse, req: HttpRequest) => {
      const exchange = begin(res, req, plain(isHead ? "HEAD" : "GET", page.path, isHead))
      if (exchange === undefined) return
      guarded(exchange, () => {
        if (!isAdmitted(exchange)) return undefined
        const refused = limiter?.charge(exchange, 1)
        if (refused !== undefined) return refused
        const { body } = page
        if (Buffer.isBuffer(body)) exchange.sendPage(200, page.contentType, body, page.headers)
        else sendDocument(exchange, body, page)
        return undefined
      })
    }
    app.get(page.path, serve(false))
    app.head(page.path, serve(true))
    allow(page.path, "GET")
  }

  const { socketPath } = options
  if (socketPath !== undefined) allow(socketPath, "GET")

  app.any("/*", (res, req) => {
    const path = req.getUrl()
    const methods = allowed.get(path)
    const method = req.getMethod().toUpperCase()
    const facts = plain(/^[A-Z]{1,16}$/.test(method) ? method : "OTHER", methods ? path : "*", method === "HEAD")
    const exchange = begin(res, req, facts)
    if (exchange === undefined) return
    guarded(exchange, () => {
      if (!isAdmitted(exchange)) return undefined
      const refused = limiter?.charge(exchange, 1)
      if (refused !== undefined) return refused
      if (methods === undefined) return new UnknownEndpoint()
      const headers = { Allow: [...methods, "OPTIONS"].join(", ") }
      if (method === "OPTIONS") exchange.sendPage(204, "", "", headers)
      // An upgrade has been taken by the socket's own route.
      else if (path === socketPath && (method === "GET" || method === "HEAD"))
        exchange.fail(new UpgradeRequired({ upgrade: "websocket" }), { headers: { Upgrade: "websocket" } })
      else exchange.fail(new MethodNotAllowed({ allowed: [...methods, "OPTIONS"] }), { headers })
      return undefined
    })
  })
}
