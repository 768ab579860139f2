/**
 * The API's operations by name, over one open socket: every read, and all changes of orders. A call goes through the check, the access rule, the
 * handler and the deadline of its HTTP route, and is answered by the same envelope.
 */
import type { HttpApi } from "@effect/platform"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { MalformedJson } from "../../domain/errors/request.ts"
import { ShuttingDown } from "../../domain/errors/service.ts"
import type { Rpc, RpcAnswer, RpcRequest } from "../../ports/rpc.ts"
import { Api } from "../api.ts"
import type { Check } from "../checks.ts"
import { type DeclaredRoute, declaredRoutes, NO_QUERY, type Route } from "../docs/reflect.ts"
import { Call, guarded, type Headers, type Run, refusalOf, type Surroundings } from "../edge/call.ts"
import { faultOfJson } from "../edge/request-body.ts"
import type { RouteFacts } from "../edge/route.ts"
import { isQueryFault, NO_FIELDS, queryOfJson } from "../query.ts"

const ROOT = "/api/v3/"

/** The calls that change something: what a bot sends all day, and a desk that follows its market. */
const CHANGES: ReadonlySet<string> = new Set([
  "tradeOrder.submit",
  "tradeOrder.cancel",
  "tradeOrder.replace",
  "tradeOrder.cancelAll",
  "tradeOrder.cancelAllAfter",
  "dealer.update",
])

/** The name of a route's call: the path below `/api/v3`, with dots (contract C14). Undefined: HTTP only. */
export const rpcMethodOf = ({ method, template }: { readonly method: string; readonly template: string }) => {
  if (!template.startsWith(ROOT) || template.length === ROOT.length) return undefined
  const name = template.slice(ROOT.length).replaceAll("/", ".")
  return method === "GET" || CHANGES.has(name) ? name : undefined
}

/** The routes of the API that a socket may call, by the names of their calls; found once, with the first that is asked for. */
let callable: ReadonlyMap<string, DeclaredRoute> | undefined
const callableRoutes = (): ReadonlyMap<string, DeclaredRoute> => {
  callable ??= new Map(
    declaredRoutes(Api as unknown as HttpApi.HttpApi.AnyWithProps).flatMap((route) => {
      const name = rpcMethodOf(route)
      return name === undefined ? [] : [[name, route] as const]
    }),
  )
  return callable
}

/** It changes nothing: what was not answered of it may be asked again. Of a name that is no call's here nothing is known. */
export const isReadCall = (method: string): boolean => callableRoutes().get(method)?.isRead === true

/** It waits while the writer of orders is behind, as it does over HTTP. */
export const waitsAsCall = (method: string, data: unknown): boolean =>
  callableRoutes().get(method)?.waitsForOrders(data) === true

/** The protocol leaves 400 to 1999 to applications: HTTP's 400 is 1000, its 404 is 1004, its 503 is 1103. */
export const rpcCodeOf = (status: number): number => 1_000 + status - 400

class RpcCall extends Call {
  readonly requestId: string
  readonly callId: string
  readonly ip: string
  /** Or the socket would not have opened. */
  readonly isSecure = true
  private readonly deadline: number | undefined
  private readonly isOver: (() => boolean) | undefined

  constructor(
    route: RouteFacts,
    around: Surroundings,
    request: RpcRequest,
    private readonly answered: (answer: RpcAnswer) => void,
  ) {
    super(route, around)
    this.requestId = around.requestId()
    this.callId = this.requestId
    this.principal = request.principal
    this.ip = request.ip
    this.deadline = request.deadline
    this.isOver = request.isOver
    if (around.watch?.isTracing === true) this.trace = around.watch.begin("")
  }

  override startClock(): void {
    const { deadline, receivedAt, route } = this
    if (deadline === undefined) super.startClock()
    else this.around.deadlines.addBefore(Math.min(deadline, receivedAt + route.deadline.millis), this, receivedAt)
  }

  override isClientGone(): boolean {
    return this.isOver?.() === true
  }

  /** A message on a socket has none. */
  header(): string {
    return ""
  }

  protected send(
    status: number,
    errno: number,
    envelope: string,
    _headers: Headers | undefined,
    failure: DomainError | null,
  ): void {
    this.end()
    try {
      this.answered({
        envelope,
        failure: failure === null ? null : { code: rpcCodeOf(status), message: failure.message },
      })
    } catch (error) {
      // An actor's commit or a timer may be what brought the answer: neither may stumble over the socket.
      this.report(error)
    }
    this.record(status, errno, envelope.length, false)
  }
}

interface RpcOptions {
  readonly run: Run
  readonly isDraining: () => boolean
}

export const makeRpc = (routes: ReadonlyArray<Route>, around: Surroundings, { run, isDraining }: RpcOptions): Rpc => {
  const byMethod = new Map<string, Route>()
  for (const route of routes) {
    const name = rpcMethodOf(route)
    if (name !== undefined) byMethod.set(name, { ...route, method: "RPC" })
  }

  const runBody = (call: RpcCall, route: Route, check: Check, body: unknown): DomainError | undefined => {
    if (body === undefined) return new MalformedJson()
    const fault = faultOfJson(body) ?? check(body)
    if (fault !== undefined) return fault
    call.tradingAccountId = (body as { readonly tradingAccountId?: unknown }).tradingAccountId
    return run(call, route, NO_QUERY, body)
  }

  /** Permission, then shape, as over HTTP; the token is the socket's affair. */
  const serve = (call: RpcCall, route: Route, request: RpcRequest): DomainError | undefined => {
    const { data, isMalformed } = request
    if (isDraining() && !route.servesWhileDraining) return new ShuttingDown()
    const refused = refusalOf(route, call, around.limiter)
    if (refused !== undefined) return refused
    // Without its fields a read would answer what was not asked.
    if (isMalformed) return new MalformedJson()
    if (route.body !== undefined) return runBody(call, route, route.body, data)
    if (route.query === undefined && route.takesAnyFields) return run(call, route, NO_QUERY, undefined)
    const fields = queryOfJson(data, route.query?.plan ?? NO_FIELDS)
    if (isQueryFault(fields)) return fields
    if (route.query === undefined) return run(call, route, NO_QUERY, undefined)
    const fault = faultOfJson(fields) ?? route.query.check(fields)
    if (fault !== undefined) return fault
    call.tradingAccountId = fields["tradingAccountId"]
    const dearer = around.limiter?.chargeMore(call, fields)
    if (dearer !== undefined) return dearer
    return run(call, route, fields, undefined)
  }

  return (request, done) => {
    const route = byMethod.get(request.method)
    if (route === undefined) return done("unknown method")
    const call = new RpcCall(route, around, request, done)
    guarded(call, () => serve(call, route, request))
    if (!call.done) call.startClock()
  }
}

/** The names of all calls that a socket may make, for the documents. */
export const rpcMethods = (): ReadonlyArray<string> => [...callableRoutes().keys()].sort()
