/**
 * The only owner of routes: the declared HttpApi is reflected once into direct uWebSockets routes, and into the socket's calls. A route's
 * function that throws, or returns without an answer and without `onAborted`, ends the whole process: so everything here runs inside one guard.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Effect, type Runtime } from "effect"
import { Unseen } from "../../auth/session/unseen.ts"
import { TlsRequired } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import {
  InvalidParameter,
  MethodNotAllowed,
  PayloadTooLarge,
  UnknownEndpoint,
  UnsupportedContentType,
  UpgradeRequired,
} from "../../domain/errors/request.ts"
import { ShuttingDown } from "../../domain/errors/service.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { Rpc } from "../../ports/rpc.ts"
import { type Check, noFields } from "../checks.ts"
import { type AnyHandlers, NO_QUERY, type Route, reflect } from "../docs/reflect.ts"
import { PLAIN_COST, type RequestLimiter } from "../limits/rate-limit.ts"
import { isQueryFault, NO_FIELDS, parseQuery } from "../query.ts"
import { makeRpc } from "../rpc/rpc.ts"
import { Deadlines, guarded, makeRun, refusalOf, type Surroundings, tellOperator } from "./call.ts"
import { hasRepresentation, preferredCoding, type ServedDocument } from "./document.ts"
import { Exchange } from "./exchange.ts"
import { BODY_BYTES_DRAINED, BODY_BYTES_MAX, isJsonType, parseBody } from "./request-body.ts"
import { Deadline, type Handlers, type RouteFacts } from "./route.ts"
import type { RouteApp } from "./server.ts"

/** Something that is served as it is, outside the envelope. */
export interface StaticPage {
  readonly path: string
  readonly contentType: string
  /** Bytes are sent as they are; a document in the encoding that the client takes, unless it has it already. */
  readonly body: Buffer | ServedDocument
  readonly headers: Readonly<Record<string, string>>
}

export interface MountOptions extends Omit<Surroundings, "deadlines" | "limiter"> {
  /** Absent: no limits. */
  readonly limiter?: RequestLimiter | null
  readonly authenticate: (authorization: string, from: { readonly ip: string }) => Principal | DomainError | Unseen
  /** While it answers true every route but the health record refuses with ShuttingDown and closes its connection. */
  readonly isDraining: () => boolean
  /** How old the proof of who asks may be, for dangerous acts. */
  readonly freshMillis: number
  readonly pages: ReadonlyArray<StaticPage>
  /** Where a browser that asks for `/` is led: who asks for a page gets no JSON. Null: nowhere. */
  readonly front?: string | null
  /** Where sockets are opened: a plain request there hears how. */
  readonly socketPath?: string
  /** The last word on each route before it is served, for what holds across operations. */
  readonly refine?: (route: Route) => Route
}

export interface Mounted {
  /** Requests and calls without an answer yet. */
  readonly inFlight: () => number
  /** The same operations for the socket. */
  readonly rpc: Rpc
  /** Stops the deadlines; for after the sockets are closed. */
  readonly close: () => void
}

type TakeChunk = (chunk: ArrayBuffer, isLast: boolean) => void
interface Body {
  onData(take: TakeChunk): unknown
}

/** What of a request is gone with its turn: its query, and the chunks of its body, which `onData` gives again. */
class HeldRequest implements Body {
  private readonly query: string | undefined
  private chunks: Array<readonly [chunk: ArrayBuffer, isLast: boolean]> = []
  private bytes = 0
  private isFull = false
  private taker: TakeChunk | undefined

  /** `isTooLarge`: no more is kept of it. */
  constructor(res: HttpResponse, req: HttpRequest, isTooLarge: () => void) {
    this.query = req.getQuery()
    res.onData((chunk, isLast) => {
      if (this.taker !== undefined) return this.taker(chunk, isLast)
      this.bytes += chunk.byteLength
      // The chunk's memory is uWebSockets' own again when this returns.
      if (this.bytes <= BODY_BYTES_MAX) this.chunks.push([chunk.slice(0), isLast])
      else if (!this.isFull) {
        this.isFull = true
        this.chunks = []
        isTooLarge()
      }
    })
  }

  getQuery(): string | undefined {
    return this.query
  }

  onData(take: TakeChunk): void {
    this.taker = take
    const { chunks } = this
    this.chunks = []
    for (const [chunk, isLast] of chunks) take(chunk, isLast)
  }
}

const mountRoutes = <Id extends string, G extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  app: RouteApp,
  api: HttpApi.HttpApi<Id, G, E, R>,
  handlers: AnyHandlers,
  options: MountOptions,
  runtime: Runtime.Runtime<never>,
): Mounted => {
  const { authenticate, isDraining, limiter = null } = options
  const run = makeRun(runtime, options)
  const deadlines = new Deadlines(options.monotonic)
  const around: Surroundings = {
    transport: options.transport,
    deadlines,
    requestId: options.requestId,
    now: options.now,
    monotonic: options.monotonic,
    log: options.log,
    onDefect: options.onDefect,
    limiter,
    watch: options.watch,
  }

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

  /** What holds for every path: secure, and of one length. True: go on. */
  const isAdmitted = (exchange: Exchange): boolean => {
    if (!exchange.isSecure) exchange.fail(new TlsRequired())
    // A proxy in front may have believed the other one: what follows on this connection may be another client's request. An answer
    // would leave what is already read to be served, so there is none.
    else if (exchange.contradicts("content-length")) exchange.drop()
    return !exchange.done
  }

  const tooLarge = (exchange: Exchange, closeConnection: boolean): DomainError => {
    exchange.closeConnection = closeConnection
    return new PayloadTooLarge({ bytesMax: BODY_BYTES_MAX })
  }

  const readBody = (
    res: Body,
    exchange: Exchange,
    route: Route,
    check: Check,
    query: unknown,
  ): DomainError | undefined => {
    const length = Number(exchange.header("content-length"))
    const isReadable = isJsonType(exchange.header("content-type")) && exchange.header("content-encoding") === ""
    // Chunks say only at their end that there were none: where no body is read, that is the same as no framing at all.
    const mayBeNone = route.body === undefined && !(length > 0)
    if (!isReadable && !mayBeNone) return new UnsupportedContentType()
    if (length > BODY_BYTES_DRAINED) return tooLarge(exchange, true)
    // Chunks are joined once: joining at each would make many small ones quadratic.
    let gathered: Array<Buffer> | undefined
    const take = (chunk: ArrayBuffer, isLast: boolean): DomainError | undefined => {
      exchange.bytesIn += chunk.byteLength
      if (exchange.done) return undefined
      if (!isReadable && exchange.bytesIn > 0) return new UnsupportedContentType()
      if (exchange.bytesIn > BODY_BYTES_MAX) {
        gathered = undefined
        return isLast || exchange.bytesIn > BODY_BYTES_DRAINED ? tooLarge(exchange, !isLast) : undefined
      }
      if (!isLast || gathered !== undefined) {
        // The chunk's memory is uWebSockets' own again when this returns.
        const copy = Buffer.from(new Uint8Array(chunk))
        if (gathered === undefined) gathered = [copy]
        else gathered.push(copy)
      }
      if (!isLast) return undefined
      if (mayBeNone && exchange.bytesIn === 0) return run(exchange, route, query, undefined)
      const parsed = parseBody(gathered === undefined ? Buffer.from(chunk) : Buffer.concat(gathered))
      if (!("value" in parsed)) return parsed
      const fault = check(parsed.value)
      if (fault !== undefined) return fault
      const named = parsed.value as { readonly tradingAccountId?: unknown; readonly dealerAccountId?: unknown }
      exchange.tradingAccountId = named.tradingAccountId
      exchange.dealerAccountId = named.dealerAccountId
      return run(exchange, route, query, parsed.value)
    }
    res.onData((chunk, isLast) => guarded(exchange, () => take(chunk, isLast)))
    return undefined
  }

  const mayHaveBody = (exchange: Exchange): boolean =>
    Number(exchange.header("content-length")) > 0 || exchange.header("transfer-encoding") !== ""

  /** Another process may have begun the session: it is read, and the request goes on where it was. */
  const hold = (
    res: HttpResponse,
    req: HttpRequest,
    route: Route,
    exchange: Exchange,
    unseen: Unseen,
  ): DomainError | undefined => {
    const held = new HeldRequest(res, req, () => guarded(exchange, () => tooLarge(exchange, true)))
    unseen.learn((failure) =>
      guarded(exchange, () => {
        if (exchange.done) return undefined
        if (failure !== undefined) return failure
        const found = authenticate(exchange.header("authorization"), exchange)
        return proceed(held, held, route, exchange, found instanceof Unseen ? found.failure : found)
      }),
    )
    return undefined
  }

  /** Token, then limit, then permission, then shape (contract C16); existence, ownership and state are the handler's. */
  const serve = (res: HttpResponse, req: HttpRequest, route: Route, exchange: Exchange): DomainError | undefined => {
    if (!isAdmitted(exchange)) return undefined
    if (isDraining() && !route.servesWhileDraining) {
      exchange.closeConnection = true
      return new ShuttingDown()
    }
    if (route.access === "none") return proceed(res, req, route, exchange, undefined)
    const found = authenticate(exchange.header("authorization"), exchange)
    return found instanceof Unseen ? hold(res, req, route, exchange, found) : proceed(res, req, route, exchange, found)
  }

  const proceed = (
    res: Body,
    req: { getQuery(): string | undefined },
    route: Route,
    exchange: Exchange,
    principal: Principal | DomainError | undefined,
  ): DomainError | undefined => {
    if (principal !== undefined) {
      if ("_tag" in principal) return limiter?.chargeAddress(exchange, 1) ?? principal
      exchange.principal = principal
    }
    const refused = refusalOf(route, exchange, limiter)
    if (refused !== undefined) return refused
    const misspelt = route.method === "POST" ? exchange.misspeltKey() : undefined
    if (misspelt !== undefined)
      return new InvalidParameter({ parameter: misspelt, reason: "unknown header: did you mean Idempotency-Key?" })
    let query = NO_QUERY
    if (route.query !== undefined) {
      const parsed = parseQuery(req.getQuery() ?? "", route.query.plan)
      if (isQueryFault(parsed)) return parsed
      const fault = route.query.check(parsed)
      if (fault !== undefined) return fault
      exchange.tradingAccountId = parsed["tradingAccountId"]
      query = parsed
      const dearer = limiter?.chargeMore(exchange, query)
      if (dearer !== undefined) return dearer
    } else if (!route.takesAnyFields) {
      const parsed = parseQuery(req.getQuery() ?? "", NO_FIELDS)
      if (isQueryFault(parsed)) return parsed
    }
    const check = route.body ?? (route.method === "POST" && mayHaveBody(exchange) ? noFields : undefined)
    return check === undefined ? run(exchange, route, query, undefined) : readBody(res, exchange, route, check, query)
  }

  const { front = null } = options
  const isForPeople = (route: Route, exchange: Exchange): boolean =>
    front !== null && route.template === "/" && /\btext\/html\b/i.test(exchange.header("accept"))
  const lead = (exchange: Exchange): DomainError | undefined => {
    if (!isAdmitted(exchange)) return undefined
    const refused = limiter?.charge(exchange, 1)
    if (refused === undefined) exchange.sendPage(302, "text/plain", "", { Location: front ?? "/", Vary: "Accept" })
    return refused
  }

  const mountRoute =
    (route: Route) =>
    (res: HttpResponse, req: HttpRequest): void => {
      const exchange = begin(res, req, route)
      if (exchange === undefined) return
      guarded(exchange, () => (isForPeople(route, exchange) ? lead(exchange) : serve(res, req, route, exchange)))
      if (!exchange.done) exchange.startClock()
    }

  const allowed = new Map<string, Array<string>>()
  const allow = (path: string, method: string): void => {
    allowed.set(path, [...(allowed.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])])
  }

  const verbs = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "del" } as const
  const declared = reflect(api as unknown as HttpApi.HttpApi.AnyWithProps, handlers)
  const routes = declared.map((route) => options.refine?.(route) ?? route)
  for (const route of routes) {
    const verb = verbs[route.method as keyof typeof verbs]
    app[verb](route.template, mountRoute(route))
    if (route.method === "GET") app.head(route.template, mountRoute({ ...route, method: "HEAD", isHead: true }))
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

  return {
    inFlight: () => deadlines.size,
    rpc: makeRpc(routes, around, { run, isDraining }),
    close: () => deadlines.close(),
  }
}

/** One group of handlers for every group of the API. */
export type HandlersOf<G extends HttpApiGroup.HttpApiGroup.Any> = {
  readonly [I in HttpApiGroup.HttpApiGroup.Name<G>]: Handlers<HttpApiGroup.HttpApiGroup.WithName<G, I>>
}

/** Mounts the declared API on the app; the handlers' Effects run on the runtime of this Effect. */
export const mount = <Id extends string, G extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  app: RouteApp,
  api: HttpApi.HttpApi<Id, G, E, R>,
  handlers: HandlersOf<G>,
  options: MountOptions,
): Effect.Effect<Mounted> =>
  Effect.map(Effect.runtime<never>(), (runtime) =>
    mountRoutes(app, api, handlers as unknown as AnyHandlers, options, runtime),
  )
