/**
 * The operations of the API where they are done: the declared HttpApi is reflected once into the doors of the app (doors.ts), into the socket's calls, and
 * into those that another node passes on. The one thing to know: all of them take the same way from here on.
 */

import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Effect, type Runtime } from "effect"
import { Unseen } from "../../auth/session/unseen.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { UnsupportedContentType } from "../../domain/errors/request.ts"
import { ShuttingDown } from "../../domain/errors/service.ts"
import type { TakeAsked } from "../../ports/cable.ts"
import type { Rpc } from "../../ports/rpc.ts"
import type { Check } from "../checks.ts"
import { type AnyHandlers, type Route, reflect } from "../docs/reflect.ts"
import { makeTakePeerCall } from "../forward/peer-call.ts"
import type { RequestLimiter } from "../limits/rate-limit.ts"
import { makeRpc } from "../rpc/rpc.ts"
import { Deadlines, guarded, makeRun, type Surroundings } from "./call.ts"
import { type DoorOptions, openDoors, type Serve, tooLarge } from "./doors.ts"
import type { Exchange } from "./exchange.ts"
import { makeRunInRoom } from "./held-calls.ts"
import { type Authenticate, makeProceed, onceSeen, runBody } from "./proceed.ts"
import { BODY_BYTES_DRAINED, BODY_BYTES_MAX, isJsonType } from "./request-body.ts"
import type { Handlers } from "./route.ts"
import type { RouteApp } from "./server.ts"

export interface MountOptions extends Omit<Surroundings, "deadlines" | "limiter">, DoorOptions {
  /** Absent: no limits. */
  readonly limiter?: RequestLimiter | null
  readonly authenticate: Authenticate
  /** While it answers true every route but the health record refuses with ShuttingDown and closes its connection. */
  readonly isDraining: () => boolean
  /** While it answers true no change is begun: one from another node is held there, others are held here. Absent: never. */
  readonly isCrowded?: (leftMillis: number) => boolean
  /** While it answers false nothing is taken from another node: what is known here may be of before the next owner. Absent: always true. */
  readonly mayAct?: () => boolean
  /** How old the proof of who asks may be, for dangerous acts. */
  readonly freshMillis: number
  /** The last word on each route before it is served, for what holds across operations. */
  readonly refine?: (route: Route) => Route
}

export interface Mounted {
  /** Requests and calls without an answer yet. */
  readonly inFlight: () => number
  /** The same operations for the socket. */
  readonly rpc: Rpc
  /** The same operations for requests that came to another node (forward/forwarder.ts). */
  readonly takePeerCall: TakeAsked
  /** Stops the deadlines; for after the sockets are closed. */
  readonly close: () => void
}

type TakeChunk = (chunk: ArrayBuffer, isLast: boolean) => void
interface Body {
  onData(take: TakeChunk): unknown
}
interface Queried {
  getQuery(): string | undefined
}

/** What of a request is gone with its turn: its query, and the chunks of its body, which `onData` gives again. */
class HeldRequest implements Body {
  private readonly query: string | undefined
  private chunks: Array<readonly [chunk: ArrayBuffer, isLast: boolean]> = []
  private bytes = 0
  private isFull = false
  private taker: TakeChunk | undefined

  /** `isTooLarge`: no more is kept of it. */
  constructor(res: Body, req: Queried, isTooLarge: () => void) {
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
  const { authenticate, isDraining, isCrowded = () => false, mayAct = () => true, limiter = null } = options
  const run = makeRunInRoom(makeRun(runtime, options), isCrowded, options.monotonic)
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
      const bytes = gathered === undefined ? chunk : Buffer.concat(gathered)
      return runBody(run, exchange, route, check, query, bytes)
    }
    const isOfWire = !(res instanceof HeldRequest)
    res.onData((chunk, isLast) => {
      exchange.isInTurn = isOfWire
      // As `guarded`, without a function of each request's own.
      try {
        const failure = take(chunk, isLast)
        if (failure !== undefined) exchange.fail(failure)
      } catch (error) {
        exchange.defect(error)
      } finally {
        exchange.isInTurn = false
      }
    })
    return undefined
  }

  const proceed = makeProceed(run, limiter, readBody)

  const hold = (res: Body, req: Queried, route: Route, exchange: Exchange, unseen: Unseen): DomainError | undefined => {
    const held = new HeldRequest(res, req, () => guarded(exchange, () => tooLarge(exchange, true)))
    onceSeen(exchange, unseen, authenticate, (found) => proceed(held, held, route, exchange, found))
    return undefined
  }

  /** Token, then all the rest; `proceed` knows its order. */
  const serve: Serve<Route> = (res, req, route, exchange) => {
    if (isDraining() && !route.servesWhileDraining) {
      exchange.closeConnection = true
      return new ShuttingDown()
    }
    if (route.access === "none") return proceed(res, req, route, exchange, undefined)
    const found = authenticate(exchange.header("authorization"), exchange)
    return found instanceof Unseen ? hold(res, req, route, exchange, found) : proceed(res, req, route, exchange, found)
  }

  const declared = reflect(api as unknown as HttpApi.HttpApi.AnyWithProps, handlers)
  const routes = declared.map((route) => options.refine?.(route) ?? route)
  openDoors(app, routes, around, options, serve)
  return {
    inFlight: () => deadlines.size,
    rpc: makeRpc(routes, around, { run, isDraining }),
    takePeerCall: makeTakePeerCall(routes, around, { run, authenticate, mayAct, isDraining, isCrowded }),
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
